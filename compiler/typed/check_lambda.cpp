// Lambdas. One whose parameter types are not known yet waits until they are.
#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/closure_moves.h"
#include "compiler/typed/lambda_bounds.h"

namespace meteor::typed {

void BodyChecker::check_closure_body(BodyChecker& child, ast::FunctionDecl* decl, const std::vector<TypeId>& params) {
  (void)params;
  child.check_function_body(decl->body);
}

Expr* BodyChecker::check_lambda(ast::FunctionDecl* decl, Span span, TypeId expected) {
  TypeId hint = expected.valid() ? c.unifier.shallow(expected) : TypeId();
  if (hint.valid() && types.kind(hint) == Kind::Optional) hint = c.unifier.shallow(types.arg(hint));
  bool has_hint = hint.valid() && types.kind(hint) == Kind::Func;
  std::vector<TypeId> params;
  std::vector<ParamMode> modes;
  for (size_t i = 0; i < decl->params.size(); ++i) {
    ast::Param& p = decl->params[i];
    bool is_written_here = p.default_value && p.default_value->span.start >= span.start && p.default_value->span.end <= span.end;
    if (is_written_here) {   // else it is that of a method, which is wrapped
      Diagnostic& d = c.error(Code::UnexpectedArgument, p.default_value->span,
                              "a function that is given away has no default values: its type does not carry them");
      d.help = decl->is_lambda ? "give the lambda a name first, `f = (…) -> …`: calls of `f` know its defaults"
                               : "declare it with `def` and a name: calls by that name know its defaults";
      p.default_value = nullptr;  // said once
    }
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
  FrameKind kind = kind_of(decl);
  if (result.valid() && kind != FrameKind::None && kind != FrameKind::Async) result = c.framed_result(kind, result, decl->return_type->span);
  if (!result.valid()) {
    result = c.unifier.fresh(span);
    if (kind != FrameKind::None && kind != FrameKind::Async) result = c.core_type(frame_class(kind), {result});
    if (has_hint && (kind == FrameKind::None || types.get(hint).is_async)) {
      TypeId wanted = c.unifier.shallow(types.func_result(hint));
      if (types.kind(wanted) != Kind::Var) result = wanted;
      else c.unifier.unify(result, wanted);
    }
  }
  for (size_t i = 0; has_hint && i < modes.size(); ++i)
    if (modes[i] != ParamMode::Ref) modes[i] = types.get(hint).modes[i];
  TypeId type = types.func(params, result, kind == FrameKind::Async, modes);
  auto* closure = make<MakeClosure>(type, span);
  c.lambdas.emplace_back();
  PendingLambda& lambda = c.lambdas.back();
  lambda.decl = decl;
  lambda.home = this;
  lambda.type = type;
  lambda.closure = closure;
  lambda.flow = flow;
  note_lambda_made(*this, closure);
  bool ready = true;
  for (TypeId p : params) ready &= !c.unifier.has_unbound(p);
  if (ready) run_lambda(lambda);
  else if (scopes_.size() > 1 || shadowed_ || !pass_variables_.empty()) lambda_scopes_[closure] = scopes_for_functions();
  return closure;
}

void BodyChecker::run_lambda(PendingLambda& lambda) {
  if (lambda.done) return;
  lambda.done = true;
  ast::FunctionDecl* decl = lambda.decl;
  source::LineColumn at = c.input.sources.start_of(decl->span);
  std::string kind_of_function = decl->name ? decl->name.str() : "lambda";   // `spawn` makes one too
  Function& made = c.make_typed_function(kind_of_function + " at " + std::to_string(at.line) + ":" + std::to_string(at.column), decl->span, module);
  made.is_closure = true;
  made.is_glue = fn.is_glue;
  made.is_std = fn.is_std;
  made.has_body = true;
  TypeId type = c.unifier.shallow(lambda.type);
  auto params = types.func_params(type);
  std::vector<TypeId> param_types;
  for (size_t i = 0; i < decl->params.size(); ++i) {
    Variable v;
    v.name = decl->params[i].name;
    v.type = c.resolve(params[i]);
    if (TypeId by_default = literal_type(decl->params[i].default_value); types.kind(v.type) == Kind::Var && by_default.valid()) {
      c.unifier.unify(v.type, by_default);
      v.type = by_default;
    }
    if (types.has_var(v.type)) {
      bool wrapped = v.name.text().starts_with("$");   // by wrap_as_lambda
      std::string text(c.input.sources.text(decl->params[i].span));
      auto& d = c.error(Code::CannotInfer, decl->params[i].span, wrapped ? "`" + text + "` is generic, and nothing here tells its types" : "the type of parameter `" + v.name.str() + "` can't be inferred");
      d.help = wrapped ? "say them: `f: func<int> -> int = " + text + "`" : "annotate it: `(" + v.name.str() + ": int) -> …`";
      c.unifier.unify(v.type, types.error);
      v.type = types.error;
    }
    if (keeps_bounds() && types.kind(v.type) != Kind::Error) {   // it may stand for a type parameter
      v.type = params[i];
      if (std::vector<TypeId> given = given_besides(lambda.flow); !given.empty() && !c.bounds_behind(v.type)) v.type = as_standing(v.type, {}, given);
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
  FrameKind kind = kind_of(decl);
  if (kind != FrameKind::None) {
    child.start_frame(kind, kind == FrameKind::Async ? c.core_type("Future", {result}) : result);
  } else {
    if (types.kind(result) == Kind::Var) child.result_var = result;
    else child.declared_result = result;
    made.result = result;
  }
  child.discards_result_ = decl->is_lambda && types.kind(result) == Kind::Void;
  closures_.push_back(std::move(body));
  MakeClosure* closure = lambda.closure;
  // Comprehension and pattern variables of its place may have ended since; what was declared since is seen too.
  auto saved = lambda_scopes_.find(closure);
  Scopes now, then;
  if (saved != lambda_scopes_.end()) {
    now = std::move(scopes_);
    then = saved->second;
    scopes_ = std::move(saved->second);
    scopes_[0].insert(now[0].begin(), now[0].end());
  }
  c.check_depth_enter();
  Span outer_site = c.call_site;
  if (module->is_std && root->instance) c.call_site = root->instance->asked_at;
  check_closure_body(child, decl, param_types);
  c.call_site = outer_site;
  c.check_depth_leave();
  if (!now.empty()) {
    for (auto& declared : scopes_[0])
      if (!then[0].contains(declared.first)) now[0].insert(declared);
    scopes_ = std::move(now);
    lambda_scopes_.erase(closure);
  }
  closure->function = made.id;
  c.reach.calls.push_back({fn.id, made.id, closure->span});
  complete_closure(closure, child);
}

BodyChecker::Scopes BodyChecker::scopes_for_functions() {
  Scopes seen = scopes_;
  if (pass_variables_.empty()) return seen;
  auto& innermost = seen.emplace_back();
  for (auto [name, variable] : pass_variables_) {
    if (find_local(name).kind != BindingKind::None) continue;
    innermost[name].kind = BindingKind::Variable;
    innermost[name].variable = variable;
  }
  return seen;
}

void BodyChecker::complete_closure(MakeClosure* closure, BodyChecker& body) {
  root->incomplete_.emplace_back(closure, this, &body);
}

TypeId BodyChecker::literal_type(ast::Expr* value) {
  if (!value) return {};
  if (auto* sign = value->as<ast::UnaryExpr>(); sign && sign->op == ast::UnaryOp::Neg) value = sign->operand;
  switch (value->kind) {
    case ast::ExprKind::Int: return types.int_;
    case ast::ExprKind::Float: return types.float_;
    case ast::ExprKind::Bool: return types.bool_;
    case ast::ExprKind::Str: case ast::ExprKind::FString: return types.str;
    case ast::ExprKind::Bytes: return types.bytes;
    default: return {};
  }
}

Expr* BodyChecker::wrap_as_lambda(ast::Expr* callee, size_t count, Span span, TypeId expected, const std::vector<ParamInfo>* like, bool is_async) {
  base::Arena& arena = c.program.arena;
  TypeId hint = expected.valid() ? c.unifier.shallow(expected) : TypeId();
  if (hint.valid() && types.kind(hint) == Kind::Func) {
    count = types.func_params(hint).size();
    is_async &= types.get(hint).is_async;   // else the future itself is what is wanted
  }
  std::vector<ast::Param> params;
  std::vector<ast::Arg> args;
  for (size_t i = 0; i < count; ++i) {
    ast::Param p;
    p.name = c.name("$" + std::to_string(i));
    p.span = span;
    if (like && i < like->size()) p.default_value = (*like)[i].default_value;   // for its type
    if (like && i < like->size() && (*like)[i].mode == ParamMode::Ref) p.mode = ast::ParamMode::Ref;   // what it writes reaches the caller
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
  if (is_async) {
    auto* await = arena.make<ast::AwaitExpr>();
    await->operand = call;
    await->span = span;
    result->value = await;
  }
  result->span = span;
  auto* decl = arena.make<ast::FunctionDecl>();
  decl->params = arena.copy(params);
  decl->body = arena.copy(std::vector<ast::Stmt*>{result});
  decl->is_lambda = true;
  decl->is_async = is_async;
  decl->span = span;
  return check_lambda(decl, span, expected);
}

}  // namespace meteor::typed
