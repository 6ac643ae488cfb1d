// met_type descriptors: one per class that is made or tested for, per boxed type, cell, closure environment and enum case.
// Invariant: a descriptor's address is the identity of its type.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/module_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

namespace {

std::vector<TypeId> field_types(const std::vector<typed::Field>& fields) {
  std::vector<TypeId> types;
  for (const typed::Field& field : fields) types.push_back(field.type);
  return types;
}

std::vector<std::string_view> field_names(const std::vector<typed::Field>& fields) {
  std::vector<std::string_view> names;
  for (const typed::Field& field : fields) names.push_back(field.name.text());
  return names;
}

}  // namespace

// Fields in order, after `before` (`__drop__`) if there is one. Memory may still be zeroed where a constructor failed: then
// `before` does not run unless all the objects are there that it may count on, among the first `known` fields.
llvm::Constant* ModuleEmitter::make_object_drop(const std::string& name, llvm::StructType* object, const std::vector<TypeId>& fields,
                                                FunctionId before, uint32_t known) {
  bool all_plain = std::ranges::all_of(fields, [&](TypeId field) { return layout_.is_plain(field); });
  if (all_plain && !before.valid()) return llvm::ConstantPointerNull::get(layout_.pointer_type());
  std::vector<uint64_t> alike;   // objects with the same fields die the same way
  if (!shared_.has_isolates())
    for (TypeId field : fields) alike.push_back(erased_.as_value(field));
  else
    for (TypeId field : fields) alike.push_back(uint64_t(field.index) << 32);
  if (before.valid()) alike.push_back(known);
  auto key = std::tuple(object, before.valid() ? code_of(before).index : UINT32_MAX, alike);
  if (auto known = object_drops_.find(key); known != object_drops_.end()) return known->second;
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {layout_.pointer_type()}, false);
  llvm::Function* drop = make_function(type, "drop " + name);
  Builder b(llvm::BasicBlock::Create(context_, "entry", drop));
  if (before.valid()) {
    auto run = [&] {
      b.CreateStore(b.getInt32(1), drop->getArg(0));   // its own count, so that it may count itself while it calls others
      b.CreateCall(shape_of(mir_function(before)).type, function(before), {drop->getArg(0)});
    };
    llvm::Value* is_whole = nullptr;
    for (unsigned i = 0; i < known; ++i) {
      if (types().kind(fields[i]) != types::Kind::Class) continue;
      llvm::Value* at = b.CreateStructGEP(object, drop->getArg(0), Layout::HEADER_PARTS + i);
      llvm::Value* is_there = b.CreateIsNotNull(b.CreateLoad(layout_.pointer_type(), at));
      is_whole = is_whole ? b.CreateAnd(is_whole, is_there) : is_there;
    }
    if (is_whole) emit_if(b, is_whole, nullptr, run);
    else run();
  }
  for (unsigned i = 0; i < fields.size(); ++i) {
    if (layout_.is_plain(fields[i])) continue;
    release_at(b, b.CreateStructGEP(object, drop->getArg(0), Layout::HEADER_PARTS + i), fields[i], true);
  }
  b.CreateRetVoid();
  return object_drops_[key] = drop;
}

// `__del__` as the runtime calls it: an error that leaves it is reported, and goes no further.
llvm::Constant* ModuleEmitter::make_del(FunctionId id) {
  if (!id.valid()) return llvm::ConstantPointerNull::get(layout_.pointer_type());
  const mir::Function& target = mir_function(id);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {layout_.pointer_type()}, false);
  llvm::Function* del = make_function(type, target.name + " (del)");
  Builder b(llvm::BasicBlock::Create(context_, "entry", del));
  CallShape shape = shape_of(target);
  llvm::Value* result = b.CreateCall(shape.type, function(id), {del->getArg(0)});
  if (shape.has_result) {
    llvm::Value* value = shape.raises ? b.CreateExtractValue(result, 0) : result;
    release(b, value, target.result, true);
  }
  if (shape.raises) {
    llvm::Value* error = shape.has_result ? b.CreateExtractValue(result, 1) : result;
    emit_if(b, b.CreateIsNotNull(error), unlikely_, [&] {
      FunctionId report = typed().hooks.report_uncaught;
      if (report.valid()) b.CreateCall(shape_of(mir_function(report)).type, function(report), {error});
      release_object(b, error);
    });
  }
  b.CreateRetVoid();
  return del;
}

llvm::Constant* ModuleEmitter::ancestors_of(TypeId type, uint32_t& depth) {
  std::vector<llvm::Constant*> chain;
  for (TypeId at = type; at.valid(); at = typed().nominal(at).base) chain.push_back(class_descriptor(at));
  std::ranges::reverse(chain);
  depth = static_cast<uint32_t>(chain.size() - 1);
  auto* array = llvm::ArrayType::get(layout_.pointer_type(), chain.size());
  return new llvm::GlobalVariable(*module_, array, true, llvm::GlobalValue::PrivateLinkage, llvm::ConstantArray::get(array, chain), "ancestors");
}

llvm::Constant* ModuleEmitter::make_descriptor(std::string_view name, llvm::StructType* object, uint32_t kind, llvm::Constant* drop,
                                               llvm::Constant* del, llvm::Constant* visit, bool is_library, TypeId class_type) {
  llvm::PointerType* pointer = layout_.pointer_type();
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
  const typed::Nominal* nominal = class_type.valid() ? &typed().nominal(class_type) : nullptr;
  auto* table = llvm::ArrayType::get(pointer, nominal ? nominal->vtable.size() : 0);
  auto* type = llvm::StructType::get(context_, {pointer, i64, pointer, pointer, pointer, pointer, pointer, i32, i32, table});
  auto* variable =
      new llvm::GlobalVariable(*module_, type, true, llvm::GlobalValue::InternalLinkage, nullptr, "type " + std::string(name));
  set_owner(variable, is_library);
  if (nominal) class_descriptors_[class_type] = variable;   // before the ancestors, which name it

  llvm::Constant* null = llvm::ConstantPointerNull::get(pointer);
  llvm::Constant* base = nominal && nominal->base.valid() ? class_descriptor(nominal->base) : null;
  uint32_t depth = 0;
  llvm::Constant* ancestors = nominal ? ancestors_of(class_type, depth) : null;
  std::vector<llvm::Constant*> slots;
  if (nominal)
    for (FunctionId slot : nominal->vtable) slots.push_back(slot.valid() ? table_entry(slot) : null);
  variable->setInitializer(llvm::ConstantStruct::get(
      type, {c_string(name), llvm::ConstantInt::get(i64, layout_.size_of(object)), drop, del, visit, base, ancestors,
             llvm::ConstantInt::get(i32, depth), llvm::ConstantInt::get(i32, kind), llvm::ConstantArray::get(table, slots)}));
  return variable;
}

llvm::Constant* ModuleEmitter::class_drop(TypeId type) {
  type = layout_.strip(type);
  const typed::Nominal& nominal = typed().nominal(type);
  TypeId dropping = type;   // a subclass with a `__del__` has its base's `__drop__` too
  while (dropping.valid() && !typed().nominal(dropping).del_is_internal) dropping = typed().nominal(dropping).base;
  FunctionId before = dropping.valid() ? typed().nominal(dropping).del : FunctionId();
  size_t known = 0;         // the fields of the class that declares it, the highest that has it
  for (TypeId at = dropping; at.valid() && typed().nominal(at).del_is_internal; at = typed().nominal(at).base)
    known = typed().nominal(at).fields.size();
  return make_object_drop(type_text(type), layout_.class_object(type), field_types(nominal.fields), before, static_cast<uint32_t>(known));
}

llvm::Constant* ModuleEmitter::class_descriptor(TypeId type) {
  type = layout_.strip(type);
  auto found = class_descriptors_.find(type);
  if (found != class_descriptors_.end()) return found->second;
  const typed::Nominal& nominal = typed().nominal(type);
  llvm::StructType* object = layout_.class_object(type);
  std::vector<TypeId> fields = field_types(nominal.fields);
  std::string name = type_text(type);
  llvm::Constant* drop = class_drop(type);
  llvm::Constant* del = make_del(nominal.del_is_internal ? FunctionId() : nominal.del);
  llvm::Constant* visit = make_object_visit(name, object, fields, field_names(nominal.fields));
  uint32_t crossing = nominal.is_pinned ? MET_TYPE_PINNED : nominal.is_shareable ? MET_TYPE_SHAREABLE : 0;
  return make_descriptor(name, object, MET_KIND_CLASS | crossing, drop, del, visit, types().is_library(type), type);
}

llvm::Constant* ModuleEmitter::box_descriptor(TypeId type) {
  type = layout_.strip(type);
  llvm::Constant*& entry = box_descriptors_[type];
  if (entry) return entry;
  llvm::StructType* object = layout_.cell_object(type);
  std::string name = type_text(type);
  llvm::Constant* drop = make_object_drop("box " + name, object, {type}, {});
  llvm::Constant* visit = make_object_visit("box " + name, object, {type}, {});
  llvm::Constant* null = llvm::ConstantPointerNull::get(layout_.pointer_type());
  return box_descriptors_[type] = make_descriptor(name, object, MET_KIND_BOX, drop, null, visit, types().is_library(type));
}

llvm::Constant* ModuleEmitter::cell_descriptor(TypeId type) {
  type = layout_.strip(type);
  llvm::Constant*& entry = cell_descriptors_[type];
  if (entry) return entry;
  llvm::StructType* object = layout_.cell_object(type);
  std::string name = "variable of " + type_text(type);
  llvm::Constant* drop = make_object_drop(name, object, {type}, {});
  llvm::Constant* visit = make_object_visit(name, object, {type}, {});
  llvm::Constant* null = llvm::ConstantPointerNull::get(layout_.pointer_type());
  return cell_descriptors_[type] = make_descriptor(name, object, MET_KIND_CELL, drop, null, visit, types().is_library(type));
}

llvm::Constant* ModuleEmitter::environment_descriptor(FunctionId id) {
  llvm::Constant*& entry = environment_descriptors_[id];
  if (entry) return entry;
  const mir::Function& target = mir_function(id);
  llvm::StructType* object = layout_.object_of(target.captures);
  std::string name = "closure " + target.name;
  llvm::Constant* drop = make_object_drop(name, object, target.captures, {});
  llvm::Constant* visit = make_object_visit(name, object, target.captures, {});
  llvm::Constant* null = llvm::ConstantPointerNull::get(layout_.pointer_type());
  return environment_descriptors_[id] = make_descriptor(name, object, MET_KIND_CLOSURE | (target.only_reads_captures ? MET_TYPE_READS : 0), drop, null, visit, is_library(target));
}

// { header, i32 case, the case's fields }: every case has its own size and drop function.
llvm::Constant* ModuleEmitter::enum_case_descriptor(TypeId type, uint32_t case_index) {
  type = layout_.strip(type);
  auto key = std::pair(type.index, case_index);
  auto found = enum_descriptors_.find(key);
  if (found != enum_descriptors_.end()) return found->second;
  const CaseLayout layout = layout_.rep(type).cases[case_index];
  const typed::EnumCase& source = typed().nominal(type).cases[case_index];
  std::string name = type_text(type) + "." + source.name.str();
  llvm::Type* i8 = llvm::Type::getInt8Ty(context_);
  // An object of the right size whose field 0 is all that lies before the payload.
  auto* object = llvm::StructType::get(context_, {llvm::ArrayType::get(i8, layout.offset), layout.fields});
  llvm::Constant* null = llvm::ConstantPointerNull::get(layout_.pointer_type());
  llvm::Constant* drop = null;
  llvm::Constant* visit = null;
  if (std::ranges::any_of(layout.parts, [&](TypeId part) { return !layout_.is_plain(part); })) {
    auto* drop_type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {layout_.pointer_type()}, false);
    llvm::Function* function = make_function(drop_type, "drop " + name);
    Builder b(llvm::BasicBlock::Create(context_, "entry", function));
    for (unsigned i = 0; i < layout.parts.size(); ++i) {
      if (layout_.is_plain(layout.parts[i])) continue;
      release_at(b, payload_address(b, function->getArg(0), layout_.rep(type), case_index, i), layout.parts[i]);
    }
    b.CreateRetVoid();
    drop = function;
    if (has_visits()) {
      llvm::PointerType* pointer = layout_.pointer_type();
      auto* visit_type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {pointer, pointer, pointer}, false);
      function = make_function(visit_type, "visit " + name);
      b.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function));
      for (unsigned i = 0; i < layout.parts.size(); ++i) {
        llvm::Value* address = payload_address(b, function->getArg(0), layout_.rep(type), case_index, i);
        visit_at(b, address, layout.parts[i], function->getArg(1), function->getArg(2), c_string(source.fields[i].name.text()));
      }
      b.CreateRetVoid();
      visit = function;
    }
  }
  return enum_descriptors_[key] = make_descriptor(name, object, MET_KIND_ENUM, drop, null, visit, types().is_library(type));
}

llvm::Constant* ModuleEmitter::trait_table(uint32_t index) {
  llvm::Constant*& entry = trait_tables_[index];
  if (entry) return entry;
  const typed::TraitTable& source = typed().trait_tables[index];
  TypeId type = layout_.strip(source.type);
  bool is_class = types().kind(type) == types::Kind::Class;
  std::vector<llvm::Constant*> slots;
  for (FunctionId slot : source.slots) {
    if (!slot.valid()) slots.push_back(llvm::ConstantPointerNull::get(layout_.pointer_type()));
    else slots.push_back(is_class ? class_trait_entry(slot, type) : boxed_table_entry(slot, type));
  }
  auto* array = llvm::ArrayType::get(layout_.pointer_type(), slots.size());
  std::string name = "trait " + types().text(source.trait) + " of " + type_text(type);
  auto* table = new llvm::GlobalVariable(*module_, array, true, llvm::GlobalValue::InternalLinkage, llvm::ConstantArray::get(array, slots), name);
  set_owner(table, types().is_library(type) && types().is_library(source.trait));
  return trait_tables_[index] = table;
}

}  // namespace meteor::llvm_ir
