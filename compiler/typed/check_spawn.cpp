// `spawn f(a, b)`: the arguments are evaluated here and handed over, the call happens in a new isolate.
//
// It becomes `p = _hand_over(a); q = _hand_over(b); _spawn(() -> f(_take_over(p), _take_over(q)))`: the closure that goes to the
// new isolate holds plain addresses only. An error on the way (in `b`, in its move, no thread) takes back what was handed over.
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

ast::Expr* without_owned(ast::Expr* argument) {
  auto* owned = argument->as<ast::OwnedExpr>();
  return owned ? owned->operand : argument;
}

// The object of a method, or a callee that is a value; null: a name says what is called.
ast::Expr* evaluated_callee(BodyChecker& b, ast::Expr* callee) {
  if (callee->kind == ast::ExprKind::Name) return nullptr;
  auto* member = callee->as<ast::MemberExpr>();
  if (!member) return callee;
  return b.find_entity(member->object) ? nullptr : member->object;
}

// The closure that a call of a nested function makes, when that call is not kept: nothing shares its captures.
void forget_use(NestedFunction& nested, Expr* call) {
  auto* made = call->as<Call>();
  if (!made || !made->callee) return;
  for (NestedFunction& one : nested.home->nested_)
    std::erase_if(one.uses, [&](const auto& use) { return use.first == made->callee; });
}

}  // namespace

Expr* BodyChecker::check_part_of_spawn(ast::Expr* expr, TypeId expected, PartOfSpawn& part) {
  PartsOfSpawn* parts = std::exchange(parts_of_spawn_, nullptr);
  size_t moves = moves_.size();
  part.before = collect([&] { part.value = check(expr, expected); });
  part.moves.assign(moves_.begin() + static_cast<ptrdiff_t>(moves), moves_.end());
  parts->flow = flow;
  parts_of_spawn_ = parts;
  return part.value;
}

ast::Expr* BodyChecker::hand_over(ast::Expr* argument, PartsOfSpawn& parts) {
  if (is_literal(argument)) return argument;
  if (argument->kind == ast::ExprKind::Star || argument->kind == ast::ExprKind::DoubleStar) {
    c.error(Code::InvalidOperand, argument->span, "`spawn` takes its arguments one by one");
    return nullptr;
  }
  ast::Expr* source = without_owned(argument);
  auto part = parts.of.find(source);
  Expr* value = part == parts.of.end() ? nullptr : part->second.value;
  if (value) {
    for (Stmt* stmt : part->second.before) emit(stmt);
    moves_.insert(moves_.end(), part->second.moves.begin(), part->second.moves.end());
  } else {
    value = check(source);
  }
  if (is_poison(value) || !can_cross(value, source->span)) return nullptr;
  c.reach.entries.push_back({{}, fn.id, value, source->span});
  Expr* place = call_core("_hand_over", {value}, source->span);
  if (is_poison(place)) return nullptr;
  base::Arena& arena = c.program.arena;
  auto* there = arena.make<ast::TakeOverExpr>();
  there->span = source->span;
  there->variable = c.name("argument of spawn " + std::to_string(++hidden_names_));
  VariableId variable = declare(there->variable, place->type, source->span);
  facts(variable).assigned_in_loop = false;  // each turn has its own
  emit_assign(variable_ref(variable, source->span), place);
  // Not the variable itself: a closure has its value, so it is assigned once.
  VariableId handed_over = new_temp(place->type, source->span);
  emit_assign(variable_ref(handed_over, source->span), variable_ref(variable, source->span));
  parts.handed_over.push_back(handed_over);
  return there;
}

Expr* BodyChecker::taking_back(const Block& body, Expr* started, const PartsOfSpawn& parts) {
  Span span = started->span;
  for (VariableId place : parts.handed_over) {
    TypeId type = var(place).type;
    emit_assign(variable_ref(place, span), call_intrinsic(Intrinsic::RawNull, types.arg(type), type, {}, span));
  }
  VariableId isolate = new_temp(started->type, span);
  auto* out = make_stmt<Cleanup>(span);
  out->error = new_temp(c.optional_of(c.core_type("Raisable")), span);
  out->body = collect([&] {
    for (Stmt* stmt : body) emit(stmt);
    emit_assign(variable_ref(isolate, span), started);
  });
  out->cleanup = collect([&] {
    auto* failed = make_stmt<If>(span);
    auto* succeeded = make<IsNull>(types.bool_, span);
    succeeded->operand = variable_ref(out->error, span);
    failed->condition = make_not(succeeded);
    failed->then_body = collect([&] {
      for (VariableId place : parts.handed_over) emit_expr(call_core("_take_back", {variable_ref(place, span)}, span));
    });
    emit(failed);
  });
  emit(out);
  return variable_ref(isolate, span);
}

Expr* BodyChecker::check_take_over(ast::TakeOverExpr* expr) {
  Binding binding = lookup(expr->variable);
  return call_core("_take_over", {variable_ref(binding.variable, expr->span)}, expr->span);
}

Expr* BodyChecker::check_spawn(ast::SpawnExpr* expr) {
  PartsOfSpawn parts;
  Expr* started = nullptr;
  Block body = collect([&] { started = start_isolate(expr, parts); });
  if (!is_poison(started) && !parts.handed_over.empty()) return taking_back(body, started, parts);
  for (Stmt* stmt : body) emit(stmt);
  return started;
}

Expr* BodyChecker::start_isolate(ast::SpawnExpr* expr, PartsOfSpawn& parts) {
  Span span = expr->span;
  auto* call = expr->call->as<ast::CallExpr>();
  if (!call) return poison(span);
  Binding named;
  if (auto* name = call->callee->as<ast::NameExpr>()) named = lookup(name->name);
  ast::Expr* callee_value = named.kind == BindingKind::Variable ? call->callee : evaluated_callee(*this, call->callee);
  if (callee_value) parts.of.try_emplace(callee_value);
  for (const ast::Arg& arg : call->args)
    if (!is_literal(arg.value)) parts.of.try_emplace(without_owned(arg.value));
  ast::Expr* nested_callee = named.kind == BindingKind::Nested ? hand_over(call->callee, parts) : nullptr;
  if (named.kind == BindingKind::Nested && !nested_callee) return poison(span);
  // What the call gives: of the call itself only its type is wanted. Its parts are evaluated here, and are checked this
  // once: a closure among them must not be made twice.
  Expr* probe = nullptr;
  parts.flow = flow;
  size_t moves = moves_.size();
  PartsOfSpawn* outer = std::exchange(parts_of_spawn_, &parts);
  collect([&] { probe = check(call); });
  parts_of_spawn_ = outer;
  flow = std::move(parts.flow);
  moves_.erase(moves_.begin() + static_cast<ptrdiff_t>(moves), moves_.end());
  if (nested_callee) forget_use(*named.nested, probe);
  if (is_poison(probe)) return poison(span);
  TypeId promised = c.future_value(known(probe->type));
  bool is_async = promised.valid();
  if (!can_come_back(*this, is_async ? promised : known(probe->type), span)) return poison(span);

  base::Arena& arena = c.program.arena;
  auto* there = arena.make<ast::CallExpr>(*call);
  bool failed = false;
  auto move = [&](ast::Expr* e) {
    ast::Expr* moved = hand_over(e, parts);
    failed |= !moved;
    return moved;
  };
  auto* member = call->callee->as<ast::MemberExpr>();
  if (nested_callee) {
    there->callee = nested_callee;
  } else if (callee_value && member) {
    auto* moved = arena.make<ast::MemberExpr>(*member);
    moved->object = move(callee_value);
    there->callee = moved;
  } else if (callee_value) {
    there->callee = move(callee_value);
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
