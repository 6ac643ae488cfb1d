// Lambdas and nested functions. A lambda whose parameter types are not known
// yet waits until they are; a nested function is checked at its first use.
#include "compiler/base/check.h"
#include "compiler/typed/body.h"

namespace meteor::typed {

void BodyChecker::check_closure_body(BodyChecker& child, ast::FunctionDecl* decl, const std::vector<TypeId>& params) {
  child.is_async = decl->is_async;
  (void)params;
  child.check_function_body(decl->body);
}

Expr* BodyChecker::check_lambda(ast::FunctionDecl* decl, Span span, TypeId expected) {
  if (decl->is_async) {
    c.error(Code::NotYetSupported, span, "async lambdas are not supported yet");
    return poison(span);
  }
  TypeId hint = expected.valid() ? c.unifier.shallow(expected) : TypeId();
  if (hint.valid() && types.kind(hint) == Kind::Optional) hint = c.unifier.shallow(types.arg(hint));
  bool has_hint = hint.valid() && types.kind(hint) == Kind::Func;
  std::vector<TypeId> params;
  std::vector<ParamMode> modes;
  for (size_t i = 0; i < decl->params.size(); ++i) {
    ast::Param& p = decl->params[i];
    TypeId wanted = has_hint && i < types.func_params(hint).size() ? types.func_params(hint)[i] : TypeId();
    TypeId type = p.type ? type_of(p.type) : wanted.valid() ? wanted : c.unifier.fresh(p.span);
    if (types.kind(type) == Kind::Trait) type = types.wrap(Kind::Dyn, type);
    if (p.type && wanted.valid()) c.unifier.unify(wanted, type);
    params.push_back(type);
    modes.push_back(static_cast<ParamMode>(p.mode));
  }
  if (has_hint && types.func_params(hint).size() != params.size()) {
    auto& d = c.error(Code::TypeMismatch, span, "this function takes " + std::to_string(params.size()) + (params.size() == 1 ? " parameter" : " parameters") + " where one with " + std::to_string(types.func_params(hint).size()) + " is needed");
    d.expected = c.text(hint);
    return poison(span);
  }
  TypeId result = decl->return_type ? type_of(decl->return_type) : TypeId();
  if (!result.valid()) {
    result = c.unifier.fresh(span);
    if (has_hint) {
      TypeId wanted = c.unifier.shallow(types.func_result(hint));
      if (types.kind(wanted) != Kind::Var) result = wanted;
      else c.unifier.unify(result, wanted);
    }
  }
  if (has_hint) modes = types.get(hint).modes;
  TypeId type = types.func(params, result, false, modes);
  auto* closure = make<MakeClosure>(type, span);
  c.lambdas.emplace_back();
  PendingLambda& lambda = c.lambdas.back();
  lambda.decl = decl;
  lambda.home = this;
  lambda.type = type;
  lambda.closure = closure;
  lambda.flow = flow;
  bool ready = true;
  for (TypeId p : params) ready &= !c.unifier.has_unbound(p);
  if (ready) run_lambda(lambda);
  return closure;
}

void BodyChecker::run_lambda(PendingLambda& lambda) {
  if (lambda.done) return;
  lambda.done = true;
  ast::FunctionDecl* decl = lambda.decl;
  source::LineColumn at = c.input.sources.start_of(decl->span);
  Function& made = c.make_typed_function("lambda at " + std::to_string(at.line) + ":" + std::to_string(at.column), decl->span);
  made.is_closure = true;
  made.has_body = true;
  TypeId type = c.unifier.shallow(lambda.type);
  auto params = types.func_params(type);
  std::vector<TypeId> param_types;
  for (size_t i = 0; i < decl->params.size(); ++i) {
    Variable v;
    v.name = decl->params[i].name;
    v.type = c.resolve(params[i]);
    if (types.has_var(v.type)) {
      auto& d = c.error(Code::CannotInfer, decl->params[i].span, "the type of parameter `" + v.name.str() + "` can't be inferred");
      d.help = "annotate it: `(" + v.name.str() + ": int) -> …`";
      c.unifier.unify(v.type, types.error);
      v.type = types.error;
    }
    v.kind = VariableKind::Param;
    v.mode = types.get(type).modes[i];
    v.span = decl->params[i].span;
    made.variables.push_back(v);
    param_types.push_back(v.type);
  }
  made.param_count = static_cast<uint32_t>(decl->params.size());
  TypeId result = c.unifier.shallow(types.func_result(type));
  auto body = std::make_unique<BodyChecker>(c, made, module, this);
  BodyChecker& child = *body;
  child.outer_flow_ = lambda.flow;
  child.flow.narrowed.clear();
  if (types.kind(result) == Kind::Var) child.result_var = result;
  else child.declared_result = result;
  made.result = result;
  child.discards_result_ = decl->is_lambda && types.kind(result) == Kind::Void;
  closures_.push_back(std::move(body));
  MakeClosure* closure = lambda.closure;
  c.check_depth_enter();
  check_closure_body(child, decl, param_types);
  c.check_depth_leave();
  closure->function = made.id;
  complete_closure(closure, child);
}

void BodyChecker::complete_closure(MakeClosure* closure, BodyChecker& body) {
  root->incomplete_.emplace_back(closure, this, &body);
}

// ---- Nested functions --------------------------------------------------------

std::vector<TypeId> BodyChecker::nested_types(NestedFunction& nested) {
  std::vector<TypeId> params;
  std::vector<ParamMode> modes;
  bool first = nested.params.empty() && !nested.type.valid();
  if (!first) return {types.func_params(nested.type).begin(), types.func_params(nested.type).end()};
  for (ast::Param& p : nested.decl->params) {
    ParamInfo info;
    info.name = p.name;
    info.type = p.type ? type_of(p.type) : c.unifier.fresh(p.span);
    if (p.kind == ast::ParamKind::VarArgs) info.type = c.list_of(info.type);
    info.default_value = p.default_value;
    info.mode = static_cast<ParamMode>(p.mode);
    info.kind = p.kind;
    info.span = p.span;
    nested.params.push_back(info);
    params.push_back(info.type);
    modes.push_back(info.mode);
  }
  TypeId result = nested.decl->return_type ? type_of(nested.decl->return_type) : c.unifier.fresh(nested.decl->name_span);
  nested.type = types.func(params, result, nested.decl->is_async, modes);
  Function& made = c.make_typed_function(nested.decl->name ? nested.decl->name.str() : "function", nested.decl->name_span);
  made.is_closure = true;
  made.has_body = true;
  nested.function = made.id;
  return params;
}

void BodyChecker::start_nested(NestedFunction& nested) {
  if (nested.started) return;
  nested.started = true;
  if (nested.decl->is_async) {
    c.error(Code::NotYetSupported, nested.decl->span, "`async def` is not supported yet");
    return;
  }
  if (!nested.decl->type_params.empty()) {
    c.error(Code::NotYetSupported, nested.decl->span, "a nested function can't have type parameters").help = "move it to the top level of the module";
    return;
  }
  BodyChecker* home = nested.home;
  std::vector<TypeId> params = home->nested_types(nested);
  Function& made = c.program.function(nested.function);
  for (size_t i = 0; i < nested.params.size(); ++i) {
    Variable v;
    v.name = nested.params[i].name;
    v.type = params[i];
    v.kind = VariableKind::Param;
    v.mode = nested.params[i].mode;
    v.span = nested.params[i].span;
    made.variables.push_back(v);
  }
  made.param_count = static_cast<uint32_t>(nested.params.size());
  TypeId result = types.func_result(nested.type);
  made.result = result;
  nested.body = std::make_unique<BodyChecker>(c, made, module, home);
  BodyChecker& child = *nested.body;
  // A nested function sees what has been assigned by the time it is first used.
  child.outer_flow_ = home->flow;
  child.outer_flow_.narrowed = nested.flow.narrowed;
  if (nested.decl->return_type) child.declared_result = result;
  else child.result_var = result;
  c.check_depth_enter();
  home->check_closure_body(child, nested.decl, params);
  c.check_depth_leave();
  nested.done = true;
}

void BodyChecker::check_nested_function(ast::FunctionDecl* stmt) {
  for (NestedFunction& nested : nested_) {
    if (nested.decl != stmt) continue;
    nested.flow = flow;
    if (nested.is_variable) assign_variable(stmt->name, stmt->name_span, nested_value(nested, stmt->name_span));
    return;
  }
  // Met in a place the prescan does not look at: an ordinary variable holds it.
  nested_.emplace_back();
  NestedFunction& nested = nested_.back();
  nested.decl = stmt;
  nested.home = this;
  nested.flow = flow;
  nested.is_variable = true;
  assign_variable(stmt->name, stmt->name_span, nested_value(nested, stmt->name_span));
}

Expr* BodyChecker::nested_value(NestedFunction& nested, Span span) {
  nested.home->nested_types(nested);
  if (!nested.decl->is_async && nested.decl->type_params.empty()) {
    bool known_params = true;
    for (TypeId p : types.func_params(nested.type)) known_params &= !c.unifier.has_unbound(p);
    if (known_params) start_nested(nested);
  } else {
    start_nested(nested);
    return poison(span);
  }
  auto* closure = make<MakeClosure>(nested.type, span);
  closure->function = nested.function;
  nested.uses.emplace_back(closure, this);
  return closure;
}

Expr* BodyChecker::call_nested(NestedFunction& nested, std::vector<CallArg> args, Span span) {
  nested.home->nested_types(nested);
  BoundArgs bound;
  Subst none;
  if (!bind_args(nested.params, none, std::move(args), span, nested.decl->name.str(), nested.decl->name_span, module, bound)) return poison(span);
  start_nested(nested);
  if (!nested.body) return poison(span);
  Expr* callee = nested_value(nested, span);
  auto* call = make<Call>(types.func_result(nested.type), span);
  call->call = CallKind::Value;
  call->callee = callee;
  call->args = keep(bound.values);
  call->order = keep(bound.order);
  call->modes = keep(bound.modes);
  call_may_write(nullptr);
  return call;
}

// A closure captures what its body captured, seen from where it is made. Completing one may add captures to the
// function it is made in, so this runs until nothing changes.
void BodyChecker::complete_nested() {
  if (this != root) return;
  auto reach_all = [&](BodyChecker* user, BodyChecker* body) {
    size_t before = user->fn.captures.size();
    for (size_t i = 0; i < body->fn.captures.size(); ++i) user->reach(body->parent, body->facts(body->fn.captures[i]).outer, {});
    return user->fn.captures.size() != before;
  };
  std::vector<std::tuple<MakeClosure*, BodyChecker*, BodyChecker*>> all(incomplete_.begin(), incomplete_.end());
  std::function<void(BodyChecker&)> gather = [&](BodyChecker& b) {
    for (NestedFunction& nested : b.nested_) {
      if (!nested.body) continue;
      for (auto& [closure, user] : nested.uses) all.emplace_back(closure, user, nested.body.get());
      gather(*nested.body);
    }
    for (auto& closure : b.closures_) gather(*closure);
  };
  gather(*this);
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto& [closure, user, body] : all) changed |= reach_all(user, body);
  }
  for (auto& [closure, user, body] : all) {
    std::vector<Expr*> captures;
    for (VariableId capture : body->fn.captures) {
      VariableId mine = user->reach(body->parent, body->facts(capture).outer, {});
      body->var(capture).boxed = user->var(mine).boxed;
      captures.push_back(user->variable_ref(mine, closure->span));
      if (body->facts(capture).captured_unassigned && !body->facts(capture).type_known) continue;
    }
    closure->captures = keep(captures);
  }
  incomplete_.clear();
}

Expr* BodyChecker::wrap_as_lambda(ast::Expr* callee, size_t count, Span span, TypeId expected) {
  base::Arena& arena = c.program.arena;
  TypeId hint = expected.valid() ? c.unifier.shallow(expected) : TypeId();
  if (hint.valid() && types.kind(hint) == Kind::Func) count = types.func_params(hint).size();
  std::vector<ast::Param> params;
  std::vector<ast::Arg> args;
  for (size_t i = 0; i < count; ++i) {
    ast::Param p;
    p.name = c.name("$" + std::to_string(i));
    p.span = span;
    params.push_back(p);
    auto* use = arena.make<ast::NameExpr>();
    use->name = p.name;
    use->span = span;
    ast::Arg arg;
    arg.value = use;
    args.push_back(arg);
  }
  auto* call = arena.make<ast::CallExpr>();
  call->callee = callee;
  call->args = arena.copy(args);
  call->span = span;
  auto* result = arena.make<ast::ReturnStmt>();
  result->value = call;
  result->span = span;
  auto* decl = arena.make<ast::FunctionDecl>();
  decl->params = arena.copy(params);
  decl->body = arena.copy(std::vector<ast::Stmt*>{result});
  decl->is_lambda = true;
  decl->span = span;
  return check_lambda(decl, span, expected);
}

}  // namespace meteor::typed
