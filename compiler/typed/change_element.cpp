// `ps[0].move(1)`, `ps[0].at.move(1)`: a method changes a struct inside a collection.
// Collections give copies of their structs, so the element is taken out, changed and put back.
#include <algorithm>

#include "compiler/typed/body.h"

namespace meteor::typed {

namespace {

using WriteBacks = std::vector<std::function<void()>>;

bool is_value(BodyChecker& b, TypeId type) {
  Kind k = b.c.kind(type);
  if (k == Kind::Optional) k = b.c.kind(b.types.arg(b.c.resolve(type)));
  return k == Kind::Struct || k == Kind::Enum;
}

// Finds the element that `value`, which `expr` was checked to, is a part of. Says which part of a variable of its
// own it is from now on; null when `value` is no part of an element.
Expr* take_out(BodyChecker& b, ast::Expr* expr, Expr* value, WriteBacks& put_back);

Expr* take_out_element(BodyChecker& b, ast::IndexExpr* index, Call* get, WriteBacks& put_back) {
  if (get->args.size() != 2 || !is_value(b, get->type)) return nullptr;
  Span span = get->span;
  bool in_struct = b.c.kind(get->args[0]->type) == Kind::Struct;  // its `__setitem__` changes it where it is
  Expr* outer = in_struct ? take_out(b, index->object, get->args[0], put_back) : nullptr;
  if (outer)
    get->args[0] = outer;
  else if (!in_struct)
    get->args[0] = b.variable_ref(b.hold(get->args[0], span), span);
  get->args[1] = b.variable_ref(b.hold(get->args[1], span), span);
  Expr *object = get->args[0], *at = get->args[1];
  VariableId element = b.hold(get, span);
  put_back.push_back([&b, object, at, element, span] {
    b.emit_expr(b.call_method(object, "__setitem__", {at, b.variable_ref(element, span)}, span));
  });
  return b.variable_ref(element, span);
}

// `x!` has put the value of `x` into a temp and tested that.
Expr* take_out_unwrapped(BodyChecker& b, ast::UnwrapExpr* expr, Seq* tested, WriteBacks& put_back) {
  auto* unwrap = tested->value->as<Unwrap>();
  auto* first = tested->stmts.empty() ? nullptr : tested->stmts[0]->as<Assign>();
  if (!unwrap || !first) return nullptr;
  Expr* place = take_out(b, expr->operand, first->value, put_back);
  if (!place) return nullptr;
  first->value = place;
  for (Stmt* stmt : tested->stmts) b.emit(stmt);
  return b.make_unwrap(place, unwrap->span, false);
}

Expr* take_out(BodyChecker& b, ast::Expr* expr, Expr* value, WriteBacks& put_back) {
  if (auto* index = expr->as<ast::IndexExpr>())
    if (auto* get = value->as<Call>()) return take_out_element(b, index, get, put_back);
  if (auto* unwrap = expr->as<ast::UnwrapExpr>())
    if (auto* tested = value->as<Seq>()) return take_out_unwrapped(b, unwrap, tested, put_back);
  if (auto* unwrap = value->as<Unwrap>()) {
    auto* written = expr->as<ast::UnwrapExpr>();  // else the value is known not to be null
    Expr* place = take_out(b, written ? written->operand : expr, unwrap->operand, put_back);
    return place ? b.make_unwrap(place, unwrap->span, unwrap->checked) : nullptr;
  }
  auto* member = expr->as<ast::MemberExpr>();
  auto* field = value->as<FieldRef>();
  if (!member || !field || b.c.kind(field->object->type) != Kind::Struct) return nullptr;
  Expr* place = take_out(b, member->object, field->object, put_back);
  if (!place) return nullptr;
  field->object = place;
  return field;
}

// Behind `?.` there is a copy, which has been tested.
bool is_behind_null_test(BodyChecker& b, ast::Expr* expr, Expr* value) {
  while (!b.replaced_.contains(expr)) {
    auto* member = expr->as<ast::MemberExpr>();
    auto* field = value->as<FieldRef>();
    if (!member || !field || b.c.kind(field->object->type) != Kind::Struct) return false;
    expr = member->object;
    value = field->object;
  }
  auto* unwrap = value->as<Unwrap>();
  auto* copy = unwrap ? unwrap->operand->as<VariableRef>() : nullptr;
  return copy && b.var(copy->variable).kind == VariableKind::Temp;
}

}  // namespace

Expr* BodyChecker::change_element(Expr* object, ast::MemberExpr* member, const Member& found,
                                  std::vector<CallArg>& args, Span span, const Subst& subst, TypeId expected) {
  Kind k = c.kind(object->type);
  if ((k != Kind::Struct && k != Kind::Enum) || !c.mutates_self(found.methods->front())) return nullptr;
  NominalInfo* owner = c.nominal_info(c.resolve(object->type));
  if (owner && !owner->module->is_std && is_behind_null_test(*this, member->object, object)) {
    auto& d = c.error(Code::InvalidRefArgument, member->object->span,
                      "this method changes the struct it is called on, and behind `?.` that is a copy");
    d.help = "test for null first: `if x is not null: x." + member->name.str() + "(…)`";
    return poison(span);
  }
  Expr* result = nullptr;
  WriteBacks elements;
  Block before = collect([&] {
    Expr* place = take_out(*this, member->object, object, elements);
    if (place)
      result = call_overloads(*found.methods, subst, place, c.unifier.shallow(place->type), std::move(args), span,
                              expected, member->name);
  });
  if (!result) return nullptr;
  auto put_back = [elements] {
    for (size_t i = elements.size(); i-- > 0;) elements[i]();
  };
  if (auto* call = result->as<Call>(); call && call->lends) {  // put back once it has been awaited
    std::ranges::find(lent_, call, &LentCall::call)->places.push_back({call->args[0], before, put_back});
    return result;
  }
  return make_seq(
      [&]() -> Expr* {
        for (Stmt* stmt : before) emit(stmt);
        return with_lent_places(result, nullptr, {{nullptr, {}, put_back}}, span);
      },
      span);
}

}  // namespace meteor::typed
