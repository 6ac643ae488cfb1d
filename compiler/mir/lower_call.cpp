// Calls. A plain argument is borrowed from the caller for the whole call: without a count only from a local that nothing
// can change meanwhile; what lies in a field, a global or a cell is counted, since the callee may overwrite it.
#include "compiler/base/check.h"
#include "compiler/mir/lower_function.h"
#include "compiler/typed/walk.h"

namespace meteor::mir {

using namespace typed;
using types::Kind;

namespace {

// Intrinsics run nothing while they look at their arguments, and only the stores keep one.
bool consumes(const Call& e, uint32_t arg) {
  Intrinsic intrinsic = static_cast<Intrinsic>(e.intrinsic);
  return arg == 2 && (intrinsic == Intrinsic::RawInit || intrinsic == Intrinsic::RawSet);
}

}  // namespace

bool FunctionLowering::may_raise(const Call& e) const {
  if (e.call == typed::CallKind::Intrinsic) return false;
  if (e.call != typed::CallKind::Direct) return true;
  return !program_.source.function(e.function).never_raises;
}

// Locals that this call passes by reference: their value as a plain argument is a snapshot.
std::vector<LocalId> FunctionLowering::referenced_locals(const Call& e) const {
  std::vector<LocalId> locals;
  for (size_t i = 0; i < e.args.size(); ++i) {
    if (e.modes[i] != ParamMode::Ref) continue;
    const auto* ref = e.args[i]->as<RefTo>();
    VariableId root = root_variable(ref ? ref->place : e.args[i], program_.types);
    if (root.valid()) locals.push_back(variable_place(root).local);
  }
  return locals;
}

// Temporaries that this call makes a stream of, which holds them from then on. Whoever ends the stream must be the last
// who has them, so that it can wait for what they clean up: they do not stay until the end of the statement.
std::vector<LocalId> FunctionLowering::held_by_stream(const Call& e, const std::vector<Operand>& args) const {
  std::vector<LocalId> held;
  bool makes_stream = e.call == typed::CallKind::Direct && program_.source.function(e.function).frame == FrameKind::AsyncGenerator;
  for (size_t i = 0; makes_stream && i < e.args.size(); ++i) {
    bool is_temporary = e.modes[i] == ParamMode::Plain && !is_place(e.args[i]) && args[i].kind == OperandKind::Borrow && args[i].place.is_local();
    if (is_temporary && counted(args[i].type)) held.push_back(args[i].place.local);
  }
  return held;
}

Operand FunctionLowering::lower_call(const Call& e) {
  if (e.call == typed::CallKind::Intrinsic && static_cast<Intrinsic>(e.intrinsic) == Intrinsic::ResumeGenerator)
    return emit_raising_value(make(Op::ResumeGenerator, {borrow(e.args[0])}), e.type);
  std::vector<uint32_t> order(e.order.begin(), e.order.end());
  if (order.empty())
    for (uint32_t i = 0; i < e.args.size(); ++i) order.push_back(i);
  std::vector<const Expr*> evaluated;
  for (uint32_t i : order) evaluated.push_back(e.args[i]);
  std::vector<LocalId> referenced = referenced_locals(e);

  std::vector<Operand> args;
  size_t first = 0;
  if (e.call == typed::CallKind::Value) {
    args.push_back(lower_plain_argument(e.callee, evaluated, referenced));
    first = 1;
  }
  args.resize(first + e.args.size());
  for (size_t k = 0; k < order.size(); ++k) {
    uint32_t i = order[k];
    ParamMode mode = i < e.modes.size() ? e.modes[i] : ParamMode::Plain;
    Later later = Later(evaluated).subspan(k + 1);
    if (e.call == typed::CallKind::Intrinsic) args[i] = consumes(e, i) ? own(e.args[i], later) : borrow(e.args[i], later);
    else args[first + i] = lower_argument(e.args[i], mode, later, referenced);
  }

  if (e.span.valid()) span_ = e.span;
  Inst inst = make(Op::Call, std::move(args));
  inst.call = static_cast<mir::CallKind>(e.call);
  inst.function = e.function;
  inst.index = e.slot;
  inst.lends = e.lends;
  inst.intrinsic = static_cast<Intrinsic>(e.intrinsic);
  inst.type = e.type_arg;
  Kind kind = program_.types.kind(e.type);
  bool raises = may_raise(e);
  if (kind != Kind::Void && kind != Kind::Never) {
    std::vector<LocalId> held = held_by_stream(e, inst.args);
    Operand made = raises ? emit_raising_value(std::move(inst), e.type) : emit_value(std::move(inst), e.type);
    for (LocalId local : held) {
      unschedule(local);
      emit_drop(local);
    }
    return made;
  }
  raises ? emit_raising(std::move(inst)) : emit(std::move(inst));
  if (kind == Kind::Never) terminate({});
  return constant(ConstKind::Void, e.type);
}

Operand FunctionLowering::lower_argument(const Expr* e, ParamMode mode, Later later, const std::vector<LocalId>& referenced) {
  switch (mode) {
    case ParamMode::Owned: return own(e, later);
    case ParamMode::Ref: return lower_reference(e->kind == ExprKind::RefTo ? e->as<RefTo>()->place : e, later);
    case ParamMode::Plain: return lower_plain_argument(e, later, referenced);
  }
  return {};
}

Operand FunctionLowering::lower_plain_argument(const Expr* e, Later later, const std::vector<LocalId>& referenced) {
  if (!is_place(e)) {
    Operand value = own(e);
    if (value.kind == OperandKind::Move) value.kind = OperandKind::Borrow;
    if (value.kind != OperandKind::Copy || !counted(value.type)) return value;
    return borrow_of(place_of(materialise(std::move(value))), e->type);
  }
  Place place = lower_place(e);
  bool plain = !counted(e->type);
  bool safe = plain || is_stable(place);
  for (LocalId local : referenced) safe &= plain || !(local == place.local);
  if (safe && !later_writes(place, later)) return borrow_of(std::move(place), e->type);
  return borrow_of(place_of(materialise(copy_of(std::move(place), e->type))), e->type);
}

// The object that holds the place stays alive for the call.
Operand FunctionLowering::lower_reference(const Expr* e, Later later) {
  Place place = lower_place(e);
  size_t through = 0;   // steps up to the last object on the way
  TypeId type = place.local.valid() ? out_.local(place.local).type : program_.source.globals[place.global.index].type;
  TypeId object_type = type;
  for (size_t i = 0; i < place.path.size(); ++i) {
    if (place.path[i].kind == ProjectionKind::Field && program_.types.kind(type) == Kind::Class) {
      through = i;
      object_type = type;
    }
    type = place.path[i].type;
  }
  bool in_object = !place.path.empty() && place.path[through].kind == ProjectionKind::Field && program_.types.kind(object_type) == Kind::Class;
  if (in_object) {
    Place object = place;
    object.path.resize(through);
    if (!is_stable(object) || later_writes(object, later)) {
      Place held = place_of(materialise(copy_of(std::move(object), object_type)));
      held.path.assign(place.path.begin() + static_cast<ptrdiff_t>(through), place.path.end());
      place = std::move(held);
    }
  }
  Operand operand = copy_of(std::move(place), e->type);
  operand.kind = OperandKind::Ref;
  return operand;
}

}  // namespace meteor::mir
