// Expressions that decide: and, or, not, conditional values, `??`, `!`. Each arm is a scope of its own: what it makes on
// the way dies at its end.
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;
using types::Kind;

void FunctionLowering::condition(const Expr* e, BlockId then_block, BlockId else_block) {
  while (true) {
    if (const auto* negation = e->as<Not>()) {
      std::swap(then_block, else_block);
      e = negation->operand;
    } else if (e->kind == ExprKind::And || e->kind == ExprKind::Or) {
      bool is_and = e->kind == ExprKind::And;
      std::vector<const Expr*> terms;   // right to left
      while (e->kind == (is_and ? ExprKind::And : ExprKind::Or)) {
        terms.push_back(is_and ? e->as<And>()->right : e->as<Or>()->right);
        e = is_and ? e->as<And>()->left : e->as<Or>()->left;
      }
      terms.push_back(e);
      for (size_t i = terms.size(); i-- > 1;) {
        BlockId next = new_block();
        is_and ? condition(terms[i], next, else_block) : condition(terms[i], then_block, next);
        start(next);
      }
      e = terms[0];
    } else {
      break;
    }
  }
  if (const auto* known = e->as<BoolConst>()) return jump(known->value ? then_block : else_block);
  size_t scope = mark();
  Operand value = own(e);
  if (mark() > scope && value.kind != OperandKind::Const) value = take(materialise(std::move(value)));
  pop_scope(scope);
  if (!reachable()) return;
  branch(std::move(value), then_block, else_block);
}

void FunctionLowering::assign_arm(LocalId result, const Expr* e) {
  size_t scope = mark();
  Operand value = own(e);
  if (program_.types.kind(e->type) != Kind::Never) assign(place_of(result), std::move(value), true);
  pop_scope(scope);
}

Operand FunctionLowering::finish_arms(LocalId result) {
  schedule_drop(result);
  return take(result);
}

Operand FunctionLowering::lower_logic(const Expr& e) {
  LocalId result = new_temp(e.type);
  BlockId yes = new_block(), no = new_block(), after = new_block();
  condition(&e, yes, no);
  for (bool value : {true, false}) {
    start(value ? yes : no);
    assign(place_of(result), bool_const(value), true);
    jump(after);
  }
  start(after);
  return finish_arms(result);
}

Operand FunctionLowering::lower_ternary(const Ternary& e) {
  BlockId yes = new_block(), no = new_block(), after = new_block();
  bool has_value = program_.types.kind(e.type) != Kind::Void && program_.types.kind(e.type) != Kind::Never;
  LocalId result = has_value ? new_temp(e.type) : LocalId();
  condition(e.condition, yes, no);
  for (bool chosen : {true, false}) {
    start(chosen ? yes : no);
    const Expr* value = chosen ? e.then_value : e.else_value;
    if (has_value) {
      assign_arm(result, value);
    } else {
      size_t scope = mark();
      discard(value);
      pop_scope(scope);
    }
    jump(after);
  }
  start(after);
  return has_value ? finish_arms(result) : constant(ConstKind::Void, e.type);
}

// T? ?? T -> T, or T? ?? T? -> T?
Operand FunctionLowering::lower_coalesce(const Coalesce& e) {
  bool unwraps = !(e.type == e.left->type);
  LocalId result = new_temp(e.type);
  BlockId some = new_block(), none = new_block(), after = new_block();
  LocalId temp;
  Place place;
  if (is_place(e.left)) {
    place = lower_place(e.left);
    branch(is_null(borrow_of(place, e.left->type)), none, some);
  } else {
    temp = materialise(own(e.left));
    place = place_of(temp);
    unschedule(temp);
    branch(is_null(borrow_of(place, e.left->type)), none, some);
  }
  start(some);
  if (!temp.valid() || !counted(e.left->type)) {
    assign(place_of(result), copy_of(unwraps ? project(place, ProjectionKind::Payload, e.type) : place, e.type), true);
  } else if (unwraps) {
    Inst inst = make(Op::TakeSome, {take(temp)});
    inst.dst = place_of(result);
    emit(std::move(inst));
  } else {
    assign(place_of(result), take(temp), true);
  }
  jump(after);
  start(none);
  if (temp.valid()) emit_drop(temp);
  assign_arm(result, e.right);
  jump(after);
  start(after);
  return finish_arms(result);
}

void FunctionLowering::require_not_null(const Place& place, TypeId type) {
  BlockId fail = new_block(true), pass = new_block();
  branch(is_null(borrow_of(place, type)), fail, pass);
  start(fail);
  raise_hook(program_.source.hooks.null_unwrap, {});
  start(pass);
}

// The operand is not a place: its value is taken out of the temporary.
Operand FunctionLowering::lower_unwrap(const Unwrap& e) {
  LocalId temp = e.takes ? variable_place(e.operand->as<VariableRef>()->variable).local : materialise(own(e.operand));
  if (e.span.valid()) span_ = e.span;
  if (e.checked) require_not_null(place_of(temp), e.operand->type);
  if (!counted(e.operand->type)) return copy_of(project(place_of(temp), ProjectionKind::Payload, e.type), e.type);
  return emit_value(make(Op::TakeSome, {take(temp)}), e.type);
}

// Ends the block: raises what the hook makes.
void FunctionLowering::raise_hook(FunctionId hook, std::vector<Operand> args) {
  Inst inst = make_call(hook, std::move(args));
  inst.dst = place_of(error_local());
  emit_raising(std::move(inst));
  jump(landing_block());
}

}  // namespace meteor::mir
