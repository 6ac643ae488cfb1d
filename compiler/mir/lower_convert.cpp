// Conversions between representations.
#include "compiler/base/check.h"
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;
using types::Kind;

Operand FunctionLowering::lower_convert(const Convert& e) {
  auto here = [&] { if (e.span.valid()) span_ = e.span; };
  auto value = [&](Op op, Operand operand) {
    here();
    Inst inst = make(op, {std::move(operand)});
    inst.type = e.type;
    inst.index = e.vtable;
    return emit_value(std::move(inst), e.type);
  };
  switch (e.convert) {
    case ConvertKind::Numeric: {
      Inst inst = make(Op::Convert, {own(e.operand)});
      here();
      inst.span = span_;
      inst.type = e.type;
      inst.checked = e.checked;
      return e.checked ? emit_raising_value(std::move(inst), e.type) : emit_value(std::move(inst), e.type);
    }
    case ConvertKind::WrapOptional: return value(Op::MakeSome, own(e.operand));
    case ConvertKind::Downcast:
      if (e.checked) {
        LocalId temp = materialise(own(e.operand));
        here();
        require_type(place_of(temp), e.operand->type, e.type);
        return value(Op::Reinterpret, take(temp));
      }
      return value(Op::Reinterpret, own(e.operand));
    case ConvertKind::Upcast: case ConvertKind::Reinterpret: return value(Op::Reinterpret, own(e.operand));
    case ConvertKind::ToDyn: return value(Op::MakeDyn, own(e.operand));
    case ConvertKind::ToAny: return lower_to_any(e);
    case ConvertKind::FromAny: return lower_from_any(e);
  }
  CHECK(false && "a conversion that lowering does not know");
  return {};
}

// T? -> any gives null for null.
Operand FunctionLowering::lower_to_any(const Convert& e) {
  Kind kind = program_.types.kind(e.operand->type);
  if (kind == Kind::Null) {
    discard(e.operand);
    return constant(ConstKind::Null, e.type);
  }
  if (kind != Kind::Optional) {
    Inst inst = make(Op::MakeAny, {own(e.operand)});
    inst.type = e.type;
    return emit_value(std::move(inst), e.type);
  }
  TypeId inner = program_.types.arg(e.operand->type);
  LocalId result = new_temp(e.type);
  BlockId some = new_block(), none = new_block(), after = new_block();
  Place place = object_place(e.operand);
  branch(is_null(borrow_of(place, e.operand->type)), none, some);
  start(some);
  Inst inst = make(Op::MakeAny, {copy_of(project(place, ProjectionKind::Payload, inner), inner)});
  inst.type = e.type;
  inst.dst = place_of(result);
  emit(std::move(inst));
  jump(after);
  start(none);
  assign(place_of(result), constant(ConstKind::Null, e.type), true);
  jump(after);
  start(after);
  return finish_arms(result);
}

// To an optional: null stays null, anything else must hold the inner type.
Operand FunctionLowering::lower_from_any(const Convert& e) {
  Place place = object_place(e.operand);
  TypeId from = e.operand->type;
  if (e.span.valid()) span_ = e.span;
  bool optional = program_.types.kind(e.type) == Kind::Optional;
  TypeId wanted = optional ? program_.types.arg(e.type) : e.type;
  LocalId result = new_temp(e.type);
  BlockId after = new_block();
  if (optional) {
    BlockId some = new_block(), none = new_block();
    branch(is_null(borrow_of(place, from)), none, some);
    start(none);
    assign(place_of(result), constant(ConstKind::Null, e.type), true);
    jump(after);
    start(some);
  }
  if (e.checked) require_type(place, from, wanted);
  Inst unbox = make(Op::Unbox, {borrow_of(place, from)});
  unbox.type = wanted;
  if (optional) {
    Operand inner = emit_value(std::move(unbox), wanted);
    Inst some = make(Op::MakeSome, {std::move(inner)});
    some.dst = place_of(result);
    some.type = e.type;
    emit(std::move(some));
  } else {
    unbox.dst = place_of(result);
    emit(std::move(unbox));
  }
  jump(after);
  start(after);
  return finish_arms(result);
}

void FunctionLowering::require_type(const Place& place, TypeId type, TypeId wanted) {
  Place tested = place;
  TypeId tested_type = type;
  if (program_.types.kind(type) == Kind::Optional) {   // T? -> U?: null passes
    BlockId some = new_block(), pass = new_block();
    branch(is_null(borrow_of(place, type)), pass, some);
    start(some);
    tested_type = program_.types.arg(type);
    TypeId inner = program_.types.kind(wanted) == Kind::Optional ? program_.types.arg(wanted) : wanted;
    require_type(project(place, ProjectionKind::Payload, tested_type), tested_type, inner);
    jump(pass);
    return start(pass);
  }
  Inst test = make(Op::IsType, {borrow_of(tested, tested_type)});
  test.type = wanted;
  BlockId pass = new_block(), fail = new_block(true);
  branch(emit_value(std::move(test), program_.types.bool_), pass, fail);
  start(fail);
  size_t scope = mark();
  Inst wanted_name = make(Op::Call);
  wanted_name.call = mir::CallKind::Intrinsic;
  wanted_name.intrinsic = Intrinsic::TypeName;
  wanted_name.type = wanted;
  Operand wanted_text = emit_value(std::move(wanted_name), program_.types.str);
  Operand found_text = emit_value(make(Op::TypeNameOf, {borrow_of(tested, tested_type)}), program_.types.str);
  wanted_text.kind = found_text.kind = OperandKind::Borrow;
  Operand is_frozen = bool_const(false);
  Kind kind = program_.types.kind(wanted);
  Kind held = program_.types.kind(tested_type);
  if ((kind == Kind::Class || kind == Kind::Dyn) && (held == Kind::Any || held == Kind::Dyn)) {   // is that all that is wrong?
    Inst as_frozen = make(Op::IsType, {borrow_of(tested, tested_type)});
    as_frozen.type = program_.types.wrap(Kind::Frozen, wanted);
    is_frozen = emit_value(std::move(as_frozen), program_.types.bool_);
  }
  Inst call = make_call(program_.source.hooks.cast, {std::move(wanted_text), std::move(found_text), std::move(is_frozen)});
  call.dst = place_of(error_local());
  emit_raising(std::move(call));
  jump(landing_block());
  forget_scope(scope);
  start(pass);
}

}  // namespace meteor::mir
