// Making values: objects, records, enums, optionals, closures, cells, boxes; and looking into them.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/function_emitter.h"
#include "compiler/llvm_ir/overflow_codes.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

using types::Kind;

void FunctionEmitter::emit_new(const Inst& inst) {
  if (storage(inst.dst)) return emit_new_on_stack(inst);
  TypeId type = m_.layout().strip(inst.type.valid() ? inst.type : dst_type(inst));
  set(inst, m_.new_object(b_, m_.class_descriptor(type), m_.layout().class_object(type)));
}

void FunctionEmitter::emit_make_record(const Inst& inst) {
  TypeId type = dst_type(inst);
  const Rep& rep = m_.layout().rep(type);
  std::vector<llvm::Value*> parts;
  for (const Operand& arg : inst.args) parts.push_back(value(arg));
  llvm::Value* record = llvm::Constant::getNullValue(rep.memory);
  for (unsigned i = 0; i < parts.size(); ++i) record = b_.CreateInsertValue(record, m_.to_memory(b_, parts[i], rep.parts[i]), i);
  set(inst, record);
}

void FunctionEmitter::emit_make_enum(const Inst& inst) {
  TypeId type = inst.type.valid() ? inst.type : dst_type(inst);
  const Rep& rep = m_.layout().rep(type);
  if (rep.shape == Shape::CaseNumber) return set(inst, b_.getInt32(inst.index));
  std::vector<llvm::Value*> parts;
  for (const Operand& arg : inst.args) parts.push_back(value(arg));
  if (rep.shape == Shape::BoxedEnum && parts.empty())
    return set(inst, llvm::ConstantExpr::getIntToPtr(b_.getInt64(inst.index + 1), m_.layout().pointer_type()));
  llvm::Value* base;
  llvm::Value* tag_at;
  if (rep.shape == Shape::BoxedEnum) {
    base = m_.call_runtime(b_, RuntimeFunction::met_object_new, {m_.enum_case_descriptor(type, inst.index)});
    tag_at = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, sizeof(met_object));
  } else {
    base = tag_at = m_.temporary(b_, rep.memory);
  }
  b_.CreateStore(b_.getInt32(inst.index), tag_at);
  const CaseLayout& layout = rep.cases[inst.index];
  for (unsigned i = 0; i < parts.size(); ++i) m_.store(b_, parts[i], m_.payload_address(b_, base, rep, inst.index, i), layout.parts[i]);
  set(inst, rep.shape == Shape::BoxedEnum ? base : b_.CreateLoad(rep.memory, base));
}

void FunctionEmitter::emit_enum_tag(const Inst& inst) {
  const Operand& arg = inst.args[0];
  Location found;
  if (arg.kind == mir::OperandKind::Const) found.value = value(arg);
  else found = locate(arg.place);
  TypeId type = arg.kind == mir::OperandKind::Const ? arg.type : type_of(arg.place);
  llvm::Value* number = found.value ? m_.case_number(b_, found.value, type) : m_.case_number_at(b_, found.at, type);
  set(inst, b_.CreateIntCast(number, m_.layout().rep(dst_type(inst)).value, false));
}

void FunctionEmitter::emit_make_some(const Inst& inst) {
  const Rep& rep = m_.layout().rep(dst_type(inst));
  llvm::Value* inner = value(inst.args[0]);
  if (rep.shape != Shape::TaggedOptional) return set(inst, inner);
  llvm::Value* some = llvm::Constant::getNullValue(rep.memory);
  some = b_.CreateInsertValue(some, b_.getInt8(1), 0);
  set(inst, b_.CreateInsertValue(some, m_.to_memory(b_, inner, rep.parts[0]), 1));
}

void FunctionEmitter::emit_take_some(const Inst& inst) {
  const Rep& rep = m_.layout().rep(inst.args[0].type);
  llvm::Value* some = value(inst.args[0]);
  if (rep.shape != Shape::TaggedOptional) return set(inst, some);
  set(inst, m_.from_memory(b_, b_.CreateExtractValue(some, 1), rep.parts[0]));
}

void FunctionEmitter::emit_make_closure(const Inst& inst) {
  const mir::Function& target = m_.mir_function(inst.function);
  llvm::Value* environment = llvm::ConstantPointerNull::get(m_.layout().pointer_type());
  if (!inst.args.empty()) {
    std::vector<llvm::Value*> captures;
    for (const Operand& arg : inst.args) captures.push_back(value(arg));
    llvm::StructType* object = m_.layout().object_of(target.captures);
    environment = m_.new_object(b_, m_.environment_descriptor(inst.function), object);
    for (unsigned i = 0; i < captures.size(); ++i)
      m_.store(b_, captures[i], b_.CreateStructGEP(object, environment, Layout::HEADER_PARTS + i), target.captures[i]);
  }
  llvm::Value* pair = b_.CreateInsertValue(llvm::PoisonValue::get(m_.layout().pair_type()), m_.func_entry(inst.function), 0);
  set(inst, b_.CreateInsertValue(pair, environment, 1));
}

void FunctionEmitter::emit_make_cell(const Inst& inst) {
  TypeId inner = m_.types().arg(m_.layout().strip(dst_type(inst)));
  llvm::Value* first = inst.args.empty() ? nullptr : value(inst.args[0]);
  llvm::Value* cell = m_.new_object(b_, m_.cell_descriptor(inner), m_.layout().cell_object(inner));
  if (first) m_.store(b_, first, b_.CreateStructGEP(m_.layout().cell_object(inner), cell, Layout::HEADER_PARTS), inner);
  set(inst, cell);
}

// The object that stands for the value in an `any` or `dyn`: a class instance itself, else a box around the value.
llvm::Value* FunctionEmitter::box(llvm::Value* value, TypeId type) {
  if (m_.layout().kind(type) == Kind::Class) return value;
  bool frozen = m_.shared().has_isolates() && m_.types().kind(type) == Kind::Frozen && m_.can_change(m_.types().arg(type));
  type = m_.layout().strip(type);
  llvm::Value* made = m_.call_runtime(b_, RuntimeFunction::met_object_new, {m_.box_descriptor(type)});
  m_.store(b_, value, b_.CreateStructGEP(m_.layout().cell_object(type), made, Layout::HEADER_PARTS), type);
  if (frozen) b_.CreateStore(b_.getInt32(MET_IMMORTAL | 1), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), made, offsetof(met_object, strong)));
  return made;
}

void FunctionEmitter::emit_make_dyn(const Inst& inst) {
  llvm::Value* object = box(value(inst.args[0]), inst.args[0].type);
  llvm::Value* pair = b_.CreateInsertValue(llvm::PoisonValue::get(m_.layout().pair_type()), object, 0);
  set(inst, b_.CreateInsertValue(pair, m_.trait_table(inst.index), 1));
}

void FunctionEmitter::emit_make_any(const Inst& inst) {
  TypeId type = m_.layout().strip(inst.args[0].type);
  const Rep& rep = m_.layout().rep(type);
  llvm::Value* from = value(inst.args[0]);
  llvm::Value* null = llvm::ConstantPointerNull::get(m_.layout().pointer_type());
  switch (m_.types().kind(type)) {
    case Kind::Any: return set(inst, from);
    case Kind::Null:
    case Kind::Void: return set(inst, null);
    case Kind::Dyn: return set(inst, b_.CreateExtractValue(from, 0));
    case Kind::Optional: {   // null is null, a value is boxed without the optional around it
      TypeId inner = m_.types().arg(type);
      if (rep.shape == Shape::Object) return set(inst, from);
      llvm::Value* result = m_.temporary(b_, m_.layout().pointer_type());
      b_.CreateStore(null, result);
      m_.emit_if(b_, b_.CreateNot(m_.is_null(b_, from, type)), nullptr, [&] {
        llvm::Value* some = rep.shape == Shape::TaggedOptional ? m_.from_memory(b_, b_.CreateExtractValue(from, 1), inner) : from;
        b_.CreateStore(rep.shape == Shape::Dyn ? b_.CreateExtractValue(some, 0) : box(some, inner), result);
      });
      return set(inst, b_.CreateLoad(m_.layout().pointer_type(), result));
    }
    default: return set(inst, box(from, inst.args[0].type));
  }
}

llvm::Value* FunctionEmitter::object_of(const Operand& operand) {
  llvm::Value* v = value(operand);
  return m_.layout().rep(operand.type).shape == Shape::Dyn ? b_.CreateExtractValue(v, 0) : v;
}

namespace {

uint32_t depth_of(const typed::Program& program, TypeId type) {
  uint32_t depth = 0;
  for (TypeId at = type; at.valid() && program.nominals.contains(at); at = program.nominal(at).base) ++depth;
  return depth;
}

// ptr(type): the table of the trait for objects of this type, or null. Classes are asked before their bases.
llvm::Function* table_finder(ModuleEmitter& m, llvm::Module& module, TypeId trait) {
  std::string name = "table of trait " + std::to_string(trait.index);
  if (llvm::Function* made = module.getFunction(name)) return made;
  llvm::PointerType* pointer = m.layout().pointer_type();
  llvm::Function* function = m.make_function(llvm::FunctionType::get(pointer, {pointer}, false), name);
  Builder b(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  std::vector<uint32_t> tables;
  for (uint32_t i = 0; i < m.typed().trait_tables.size(); ++i) {
    const typed::TraitTable& table = m.typed().trait_tables[i];
    if (table.trait == trait && m.types().kind(table.type) != Kind::Any) tables.push_back(i);
  }
  auto type_of = [&](uint32_t i) { return m.layout().strip(m.typed().trait_tables[i].type); };
  std::ranges::sort(tables, {}, [&](uint32_t i) { return std::pair(UINT32_MAX - depth_of(m.typed(), type_of(i)), i); });
  for (uint32_t i : tables) {
    TypeId type = type_of(i);
    bool is_class = m.types().kind(type) == Kind::Class;
    llvm::Constant* descriptor = is_class ? m.class_descriptor(type) : m.box_descriptor(type);
    llvm::Value* is_one = is_class && m.typed().nominal(type).has_subclasses
                              ? b.CreateCall(m.is_subtype(), {function->getArg(0), descriptor})
                              : b.CreateICmpEQ(function->getArg(0), descriptor);
    auto* found = llvm::BasicBlock::Create(module.getContext(), "found", function);
    auto* next = llvm::BasicBlock::Create(module.getContext(), "next", function);
    b.CreateCondBr(is_one, found, next);
    b.SetInsertPoint(found);
    b.CreateRet(m.trait_table(i));
    b.SetInsertPoint(next);
  }
  b.CreateRet(llvm::ConstantPointerNull::get(pointer));
  return function;
}

}  // namespace

void FunctionEmitter::emit_unbox(const Inst& inst) {
  TypeId type = inst.type.valid() ? inst.type : dst_type(inst);
  llvm::Value* object = object_of(inst.args[0]);
  Kind kind = m_.layout().kind(type);
  if (kind == Kind::Dyn) {
    llvm::Module& module = *b_.GetInsertBlock()->getModule();
    TypeId trait = m_.types().arg(m_.layout().strip(type));
    m_.retain(b_, object, m_.types().any);
    llvm::Value* held = b_.CreateLoad(m_.layout().pointer_type(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), object, offsetof(met_object, type)));
    llvm::Value* pair = b_.CreateInsertValue(llvm::PoisonValue::get(m_.layout().pair_type()), object, 0);
    return set(inst, b_.CreateInsertValue(pair, b_.CreateCall(table_finder(m_, module, trait), {held}), 1));
  }
  if (kind == Kind::Class || kind == Kind::Any) {
    m_.retain(b_, object, type);
    return set(inst, object);
  }
  llvm::Value* inside = b_.CreateStructGEP(m_.layout().cell_object(type), object, Layout::HEADER_PARTS);
  m_.retain_at(b_, inside, type);
  set(inst, m_.load(b_, inside, type));
}

namespace {

// The types of collections that hold the same, perhaps frozen already: once the whole is frozen that makes no difference.
std::vector<TypeId> same_but_for_frozen(const typed::Program& program, const types::TypeStore& types, TypeId collection) {
  auto same = [&](TypeId a, TypeId b, auto& again) -> bool {
    while (types.kind(a) == Kind::Frozen) a = types.arg(a);
    while (types.kind(b) == Kind::Frozen) b = types.arg(b);
    const types::Type &x = types.get(a), &y = types.get(b);
    if (a == b || x.kind != y.kind || x.args.size() != y.args.size() || x.args.empty()) return a == b;
    if (types.is_nominal(a) ? x.nominal != y.nominal : x.kind != Kind::Optional && x.kind != Kind::Tuple) return false;
    for (size_t i = 0; i < x.args.size(); ++i)
      if (!again(x.args[i], y.args[i], again)) return false;
    return true;
  };
  std::vector<TypeId> out;
  if (!types.is_library(collection) && types.get(collection).args.empty()) return out;
  for (uint32_t i = 0; i < types.size(); ++i)
    if (TypeId(i) != collection && types.kind(TypeId(i)) == Kind::Class && program.nominals.contains(TypeId(i)) && same(TypeId(i), collection, same)) out.push_back(TypeId(i));
  return out;
}

}  // namespace

void FunctionEmitter::emit_is_type(const Inst& inst) {
  TypeId tested = m_.layout().strip(inst.type);
  TypeId from = m_.layout().strip(inst.args[0].type);
  llvm::Value* object = object_of(inst.args[0]);
  llvm::PointerType* pointer = m_.layout().pointer_type();
  bool is_class = m_.types().kind(tested) == Kind::Class;
  auto* test = new_block();
  auto* done = new_block();
  llvm::BasicBlock* start = b_.GetInsertBlock();
  bool may_be_null = m_.layout().rep(from).nullable;
  if (may_be_null) b_.CreateCondBr(b_.CreateIsNull(object), done, test);
  else b_.CreateBr(test);
  b_.SetInsertPoint(test);
  llvm::Value* type = b_.CreateLoad(pointer, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), object, offsetof(met_object, type)));
  llvm::Value* answer;
  if (m_.types().kind(tested) == Kind::Dyn) answer = b_.CreateIsNotNull(b_.CreateCall(table_finder(m_, *b_.GetInsertBlock()->getModule(), m_.types().arg(tested)), {type}));
  else if (is_class && m_.typed().nominal(tested).has_subclasses) answer = b_.CreateCall(m_.is_subtype(), {type, m_.class_descriptor(tested)});
  else answer = b_.CreateICmpEQ(type, is_class ? m_.class_descriptor(tested) : m_.box_descriptor(tested));
  // What an `any` or `dyn` holds may be frozen: it is taken out as that, not as something that can be changed.
  Kind asked = m_.types().kind(inst.args[0].type);   // a frozen one is not asked
  bool may_hold_frozen = asked == Kind::Any || asked == Kind::Dyn;
  if (may_hold_frozen && m_.shared().may_be_shared(tested) && m_.can_change(tested)) {
    llvm::Value* strong = b_.CreateLoad(b_.getInt32Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), object, offsetof(met_object, strong)));
    llvm::Value* is_frozen = b_.CreateICmpSLT(strong, b_.getInt32(0));   // MET_IMMORTAL is the sign
    bool wants_frozen = m_.types().kind(inst.type) == Kind::Frozen;
    if (wants_frozen)
      for (TypeId same : same_but_for_frozen(m_.typed(), m_.types(), tested)) answer = b_.CreateOr(answer, b_.CreateICmpEQ(type, m_.class_descriptor(same)));
    answer = b_.CreateAnd(answer, wants_frozen ? is_frozen : b_.CreateNot(is_frozen));
  }
  llvm::BasicBlock* tested_in = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  auto* result = b_.CreatePHI(b_.getInt1Ty(), 2);
  result->addIncoming(answer, tested_in);
  if (may_be_null) result->addIncoming(b_.getFalse(), start);
  set(inst, result);
}

// bool(type, wanted): wanted is among the ancestors of type, at its own depth.
llvm::Function* ModuleEmitter::is_subtype() {
  if (is_subtype_) return is_subtype_;
  llvm::PointerType* pointer = layout_.pointer_type();
  is_subtype_ = make_function(llvm::FunctionType::get(llvm::Type::getInt1Ty(context_), {pointer, pointer}, false), "is subtype");
  auto* entry = llvm::BasicBlock::Create(context_, "entry", is_subtype_);
  auto* deep = llvm::BasicBlock::Create(context_, "deep", is_subtype_);
  auto* no = llvm::BasicBlock::Create(context_, "no", is_subtype_);
  Builder b(entry);
  llvm::Value* type = is_subtype_->getArg(0);
  llvm::Value* wanted = is_subtype_->getArg(1);
  auto field = [&](llvm::Value* of, size_t offset, llvm::Type* as) { return b.CreateLoad(as, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), of, offset)); };
  llvm::Value* depth = field(wanted, offsetof(met_type, depth), b.getInt32Ty());
  b.CreateCondBr(b.CreateICmpUGE(field(type, offsetof(met_type, depth), b.getInt32Ty()), depth), deep, no);
  b.SetInsertPoint(deep);
  llvm::Value* ancestors = field(type, offsetof(met_type, ancestors), pointer);
  auto* boxes = llvm::BasicBlock::Create(context_, "has_ancestors", is_subtype_);
  b.CreateCondBr(b.CreateIsNull(ancestors), no, boxes);   // boxes have none
  b.SetInsertPoint(boxes);
  llvm::Value* at = b.CreateInBoundsGEP(pointer, ancestors, b.CreateZExt(depth, b.getInt64Ty()));
  b.CreateRet(b.CreateICmpEQ(b.CreateLoad(pointer, at), wanted));
  b.SetInsertPoint(no);
  b.CreateRet(b.getFalse());
  return is_subtype_;
}

void FunctionEmitter::emit_make_weak(const Inst& inst) {
  llvm::Value* object = value(inst.args[0]);
  m_.retain(b_, object, dst_type(inst));
  set(inst, object);
}

void FunctionEmitter::emit_concat(const Inst& inst) {
  llvm::StructType* text = m_.layout().text_type();
  auto* array = llvm::ArrayType::get(text, inst.args.size());
  llvm::Value* parts = m_.temporary(b_, array, "parts");
  for (unsigned i = 0; i < inst.args.size(); ++i) b_.CreateStore(value(inst.args[i]), b_.CreateConstInBoundsGEP2_64(array, parts, 0, i));
  llvm::Value* made = m_.call_runtime(b_, RuntimeFunction::met_str_concat, {parts, b_.getInt64(inst.args.size())});
  llvm::Value* tag = b_.CreateExtractValue(made, 1);
  llvm::Value* zero = b_.getInt64(0);
  check(inst, b_.CreateICmpEQ(tag, b_.getInt64(MET_STR_NULL_WORD1)), m_.typed().hooks.overflow,
        {zero, zero, b_.getInt64(overflow::CONCAT << overflow::CODE_SHIFT)});
  set(inst, made);
}

void FunctionEmitter::emit_mark_dead(const Inst& inst) {
  llvm::Value* object = value(inst.args[0]);
  llvm::Value* at = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), object, offsetof(met_object, weak));
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(b_.getInt32Ty(), at), b_.getInt32(MET_FLAG_NO_DEL)), at);
}

void FunctionEmitter::emit_type_name_of(const Inst& inst) {
  const Operand& arg = inst.args[0];
  Shape shape = m_.layout().rep(arg.type).shape;
  if (shape != Shape::Object && shape != Shape::Dyn) return set(inst, m_.text_literal(m_.type_text(arg.type), false));
  set(inst, m_.call_runtime(b_, RuntimeFunction::met_type_name, {object_of(arg)}));
}

}  // namespace meteor::llvm_ir
