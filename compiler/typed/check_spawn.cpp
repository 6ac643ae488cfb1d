// `spawn f(a, b)`: the arguments are evaluated here and handed over, the call happens in a new isolate.
//
// It becomes `p = _hand_over(a); q = _hand_over(b); _spawn(() -> f(_take_over(p), _take_over(q)))`: the closure that goes to the
// new isolate holds plain addresses only.
#include <utility>

#include "compiler/typed/body.h"
#include "compiler/typed/crossing.h"

namespace meteor::typed {

namespace {

bool is_literal(ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Int: case ast::ExprKind::Float: case ast::ExprKind::Bool: case ast::ExprKind::Null: case ast::ExprKind::Str: case ast::ExprKind::Bytes:
    case ast::ExprKind::Duration: return true;
    case ast::ExprKind::Unary: return is_literal(e->as<ast::UnaryExpr>()->operand);
    default: return false;
  }
}

}  // namespace

ast::Expr* BodyChecker::hand_over(ast::Expr* argument, const ArgumentTypes& wanted) {
  if (is_literal(argument)) return argument;
  if (argument->kind == ast::ExprKind::Star || argument->kind == ast::ExprKind::DoubleStar) {
    c.error(Code::InvalidOperand, argument->span, "`spawn` takes its arguments one by one");
    return nullptr;
  }
  ast::Expr* source = argument;
  if (auto* owned = argument->as<ast::OwnedExpr>()) source = owned->operand;
  auto of_param = wanted.find(source);
  TypeId expected = of_param == wanted.end() || !of_param->second.valid() ? TypeId() : c.resolve(of_param->second);
  if (expected.valid() && c.unifier.has_unbound(expected)) expected = TypeId();
  Expr* value = check(source, expected);  // for literals; what else needs a conversion gets it there
  if (is_poison(value) || !can_cross(value, source->span)) return nullptr;
  c.reach.entries.push_back({{}, fn.id, value, source->span});
  Expr* place = call_core("_hand_over", {value}, source->span);
  if (is_poison(place)) return nullptr;
  base::Arena& arena = c.program.arena;
  auto* there = arena.make<ast::TakeOverExpr>();
  there->span = source->span;
  there->variable = c.name("argument of spawn " + std::to_string(++hidden_names_));
  VariableId variable = declare(there->variable, place->type, source->span);
  facts(variable).assigned_in_loop = false;   // each turn has its own
  emit_assign(variable_ref(variable, source->span), place);
  return there;
}

Expr* BodyChecker::check_take_over(ast::TakeOverExpr* expr) {
  Binding binding = lookup(expr->variable);
  return call_core("_take_over", {variable_ref(binding.variable, expr->span)}, expr->span);
}

Expr* BodyChecker::check_spawn(ast::SpawnExpr* expr) {
  Span span = expr->span;
  auto* call = expr->call->as<ast::CallExpr>();
  if (!call) return poison(span);
  // What the call gives, and what it makes of types that are still open: only its type is wanted.
  Expr* probe = nullptr;
  Flow before = flow;
  size_t moves = moves_.size();
  ArgumentTypes wanted;
  ArgumentTypes* outer = std::exchange(argument_types_, &wanted);
  collect([&] { probe = check(call); });
  argument_types_ = outer;
  flow = std::move(before);
  moves_.erase(moves_.begin() + static_cast<ptrdiff_t>(moves), moves_.end());
  if (is_poison(probe)) return poison(span);
  TypeId promised = c.future_value(known(probe->type));
  bool is_async = promised.valid();
  if (!can_come_back(*this, is_async ? promised : known(probe->type), span)) return poison(span);

  base::Arena& arena = c.program.arena;
  auto* there = arena.make<ast::CallExpr>(*call);
  bool failed = false;
  auto move = [&](ast::Expr* e) {
    ast::Expr* moved = hand_over(e, wanted);
    failed |= !moved;
    return moved;
  };
  if (auto* name = call->callee->as<ast::NameExpr>()) {
    BindingKind kind = lookup(name->name).kind;
    if (kind == BindingKind::Variable || kind == BindingKind::Nested) there->callee = move(call->callee);
  } else if (auto* member = call->callee->as<ast::MemberExpr>()) {
    if (!find_entity(member->object)) {
      auto* moved = arena.make<ast::MemberExpr>(*member);
      moved->object = move(member->object);
      there->callee = moved;
    }
  } else {
    there->callee = move(call->callee);
  }
  std::vector<ast::Arg> args;
  for (const ast::Arg& arg : call->args) {
    args.push_back(arg);
    args.back().value = move(arg.value);
  }
  if (failed) return poison(span);
  there->args = arena.copy(args);

  auto* give = arena.make<ast::ReturnStmt>();
  give->value = there;
  give->span = call->span;
  auto* decl = arena.make<ast::FunctionDecl>();
  decl->body = arena.copy(std::vector<ast::Stmt*>{give});
  decl->is_lambda = true;
  decl->name = c.name("spawn");
  decl->span = call->span;
  Expr* body = check_lambda(decl, call->span, TypeId());
  if (is_poison(body)) return body;
  if (auto* closure = body->as<MakeClosure>()) c.reach.entries.push_back({closure->function, {}, nullptr, span});
  Expr* site = call_intrinsic(Intrinsic::CallSite, types.int_, types.wrap(Kind::RawPtr, types.int_), {}, span);
  auto* proof = make<IntConst>(types.int_, span);   // what regions will know of the result (compiler/mir/regions): nothing so far
  return call_core(is_async ? "_spawn_async" : "_spawn", {body, site, proof}, span);
}

}  // namespace meteor::typed
