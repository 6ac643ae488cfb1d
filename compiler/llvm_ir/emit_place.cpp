#include "compiler/base/check.h"
#include "compiler/llvm_ir/function_emitter.h"

namespace meteor::llvm_ir {

using mir::ConstKind;
using mir::OperandKind;
using mir::ProjectionKind;
using types::Kind;

namespace {

// Other isolates have no part in it. What the compiler itself adds guards itself.
bool belongs_to_isolate(const typed::Global& global) { return !global.is_const && !global.is_local && global.span.valid(); }

}  // namespace

TypeId FunctionEmitter::type_of(const Place& place) const {
  if (!place.path.empty()) return place.path.back().type;
  return place.local.valid() ? f_.local(place.local).type : m_.global_of(place.global).type;
}

// Whether a class reference read there is surely an object of its class: a module variable is zero until it is assigned, as are
// some locals, and what an optional, an enum's case or a base class holds is there only behind the test for it: LLVM moves a
// read before that test when it is told that what it reads is an object.
bool FunctionEmitter::may_hold_object(const Place& place) const {
  if (!place.path.empty() && place.path.back().kind != ProjectionKind::Field) return false;
  return place.local.valid() && (!zeroed_[place.local.index] || !place.path.empty());
}

llvm::Value* FunctionEmitter::address(const Place& place, llvm::MDNode** found_tag) {
  Location found = locate(place);
  CHECK(found.at);
  if (found_tag) *found_tag = found.tag;
  return found.at;
}

FunctionEmitter::Location FunctionEmitter::locate(const Place& place) {
  llvm::MDNode* tag = nullptr;
  Layout& layout = m_.layout();
  llvm::Value* at = nullptr;
  llvm::Value* held = nullptr;   // by a register
  TypeId type;
  bool is_environment = false;
  bool holds_object = place.local.valid();
  llvm::Value* owner = nullptr;
  TypeId owner_type;
  if (place.local.valid()) {
    if (storages_[place.local.index]) {
      held = storages_[place.local.index];
    } else if (in_register_[place.local.index]) {
      held = registers_[place.local.index];
      CHECK(held);
    } else {
      at = slot(place.local);
    }
    type = f_.local(place.local).type;
    is_environment = f_.environment.valid() && place.local == f_.environment;
  } else {
    at = m_.global(place.global);
    if (!place.path.empty()) guard_ended(place.global);
    tag = m_.tags().global(place.global);
    type = m_.global_of(place.global).type;
    if (m_.starts_isolates() && belongs_to_isolate(m_.global_of(place.global))) believe(mir::Fact::AtHome, {});
  }
  for (const mir::Projection& step : place.path) {
    switch (step.kind) {
      case ProjectionKind::Field: {
        llvm::StructType* object = nullptr;
        if (is_environment) object = layout.object_of(f_.captures);
        else if (layout.kind(type) == Kind::Class) object = layout.class_object(type);
        else if (layout.kind(type) == Kind::Cell) object = layout.cell_object(m_.types().arg(layout.strip(type)));
        if (object) {
          llvm::Value* base = held ? held : m_.tags().mark(b_.CreateLoad(layout.pointer_type(), at), tag);
          if (holds_object && !is_environment && !held) m_.mark_object(base, type);   // what a register holds may be known only here
          believe(mir::fact_of(step.kind), {.value = base});
          owner = base;
          owner_type = is_environment ? TypeId() : type;
          held = nullptr;
          holds_object = true;
          at = b_.CreateStructGEP(object, base, Layout::HEADER_PARTS + step.index);
          tag = is_environment ? m_.tags().capture() : layout.kind(type) == Kind::Class ? m_.tags().field(layout.strip(type), step.index) : m_.tags().cell();
        }
        else at = b_.CreateStructGEP(layout.rep(type).memory, at, step.index);
        break;
      }
      case ProjectionKind::Case: {
        const Rep& rep = layout.rep(type);
        llvm::Value* base = at;
        if (rep.shape == Shape::BoxedEnum) {
          base = held ? held : m_.tags().mark(b_.CreateLoad(layout.pointer_type(), at), tag);
          held = nullptr;
          tag = nullptr;
        }
        if (rep.shape == Shape::BoxedEnum) believe(mir::fact_of(step.kind), {.value = base, .type = type, .case_index = step.case_index});
        else believe(mir::fact_of(step.kind), {.at = base, .type = type, .case_index = step.case_index});
        at = m_.payload_address(b_, base, rep, step.case_index, step.index);
        holds_object = false;
        break;
      }
      case ProjectionKind::Payload:
        if (checks_facts()) believe(mir::fact_of(step.kind), {.value = held ? held : m_.load(b_, at, type, tag), .type = type});
        if (layout.rep(type).shape == Shape::TaggedOptional) at = b_.CreateStructGEP(layout.rep(type).memory, at, 1);
        holds_object = false;
        break;
      case ProjectionKind::Cast:
        if (checks_facts()) believe(mir::fact_of(step.kind), {.value = held ? held : m_.load(b_, at, type, tag), .type = step.type});
        holds_object = false;
        break;
    }
    type = step.type;
    is_environment = false;
  }
  return {at, held, tag, owner, owner_type};
}

llvm::Value* FunctionEmitter::constant(const Operand& operand) {
  const Rep& rep = m_.layout().rep(operand.type);
  const mir::Constant& c = operand.constant;
  switch (c.kind) {
    case ConstKind::Int:
      if (rep.value->isFloatingPointTy()) return llvm::ConstantFP::get(rep.value, static_cast<double>(static_cast<int64_t>(c.bits)));
      return llvm::ConstantInt::get(rep.value, llvm::APInt(64, c.bits).zextOrTrunc(rep.value->getIntegerBitWidth()));
    case ConstKind::Float: return llvm::ConstantFP::get(rep.value, c.number);
    case ConstKind::Bool: return b_.getInt1(c.bits != 0);
    case ConstKind::Null: return m_.null_of(operand.type);
    case ConstKind::Str: return m_.text_literal(c.text, false);
    case ConstKind::Bytes: return m_.text_literal(c.text, true);
    case ConstKind::Void:
    case ConstKind::Zero: return llvm::Constant::getNullValue(rep.value);
  }
  return nullptr;
}

// All zero bits, where no value of the type has those; null: nobody can tell.
llvm::Value* FunctionEmitter::is_empty(llvm::Value* value, TypeId type) {
  const Rep& rep = m_.layout().rep(type);
  if (rep.nullable) return nullptr;
  switch (rep.shape) {
    case Shape::Object:
    case Shape::BoxedEnum: return b_.CreateIsNull(value);
    case Shape::Text: return b_.CreateIsNull(b_.CreateOr(b_.CreateExtractValue(value, 0), b_.CreateExtractValue(value, 1)));
    case Shape::Func:
    case Shape::Dyn: return b_.CreateIsNull(b_.CreateExtractValue(value, 0));
    case Shape::Record:
      for (unsigned i = 0; i < rep.parts.size(); ++i)
        if (llvm::Value* empty = is_empty(b_.CreateExtractValue(value, i), rep.parts[i])) return empty;
      return nullptr;
    default: return nullptr;
  }
}

// A `__del__` that runs at the end of the program may read a variable that has ended before it.
void FunctionEmitter::guard_ended(mir::GlobalId id) {
  const typed::Global& global = m_.global_of(id);
  if (f_.id == m_.program().start || !m_.ends_early(global.type)) return;
  llvm::Value* ended = is_empty(m_.load(b_, m_.global(id), global.type), global.type);
  if (!ended) return;
  m_.emit_if(b_, ended, m_.unlikely(), [&] { m_.call_runtime(b_, RuntimeFunction::met_panic, {m_.c_string("`" + global.name.str() + "` is used after the end of the program has dropped it")}); });
}

llvm::Value* FunctionEmitter::value(const Operand& operand) {
  if (operand.kind != OperandKind::Const && operand.place.global.valid() && operand.place.path.empty() && operand.kind != OperandKind::Ref) guard_ended(operand.place.global);
  switch (operand.kind) {
    case OperandKind::Const: return constant(operand);
    case OperandKind::Ref: return address(operand.place);
    case OperandKind::Move:
    case OperandKind::Borrow: {
      Location found = locate(operand.place);
      if (found.value) return found.value;
      llvm::Value* loaded = m_.load(b_, found.at, type_of(operand.place), found.tag);
      believe_initialised(operand.place, loaded);
      return may_hold_object(operand.place) ? m_.mark_object(loaded, type_of(operand.place)) : loaded;
    }
    case OperandKind::Copy: {
      Location found = locate(operand.place);
      TypeId type = type_of(operand.place);
      if (found.value) {
        m_.retain(b_, found.value, type);
        return found.value;
      }
      const Rep& rep = m_.layout().rep(type);
      bool aggregate = rep.shape == Shape::Record || rep.shape == Shape::TaggedEnum || rep.shape == Shape::TaggedOptional;
      if (aggregate) m_.retain_at(b_, found.at, type);
      llvm::Value* loaded = m_.load(b_, found.at, type, found.tag);
      if (may_hold_object(operand.place)) m_.mark_object(loaded, type);
      believe_initialised(operand.place, loaded);
      if (!aggregate) m_.retain(b_, loaded, type);
      return loaded;
    }
  }
  return nullptr;
}

void FunctionEmitter::set(const Inst& inst, llvm::Value* value) {
  if (!inst.dst.local.valid() && !inst.dst.global.valid()) return;
  if (inst.dst.is_local() && in_register_[inst.dst.local.index]) {
    registers_[inst.dst.local.index] = value;
    return;
  }
  llvm::MDNode* tag;
  llvm::Value* to = address(inst.dst, &tag);
  m_.store(b_, value, to, type_of(inst.dst), tag);
}

}  // namespace meteor::llvm_ir
