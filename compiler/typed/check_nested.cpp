// Nested functions. One whose parameters all have types is checked once, at its
// first use, when the variables it reads have theirs. One that is generic, by
// type parameters or by parameters without a type, is a template: each call
// with other types makes an instance, which captures for itself.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "compiler/base/check.h"
#include "compiler/base/stack.h"
#include "compiler/typed/closure_moves.h"
#include "compiler/typed/colour.h"
#include "compiler/typed/construction.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {

namespace {

// A function literal that goes to another isolate takes its captures along: what is assigned to such a variable later
// is not for it. So the variable needs no cell, unless some other function shares it.
void capture_by_value_where_it_leaves(
    BodyChecker& root, const std::vector<std::tuple<MakeClosure*, BodyChecker*, BodyChecker*>>& closures) {
  auto has_cells = [](const auto& one) {
    BodyChecker* body = std::get<2>(one);
    return std::ranges::any_of(body->fn.captures, [&](VariableId capture) { return body->var(capture).boxed; });
  };
  if (std::ranges::none_of(closures, has_cells)) return;
  std::unordered_set<const Expr*> leaving;
  for (const IsolateReach::Entry& entry : root.c.reach.entries)
    if (entry.value && entry.value->kind == ExprKind::MakeClosure) leaving.insert(entry.value);
  if (leaving.empty()) return;
  std::map<std::pair<BodyChecker*, uint32_t>, bool> only_leaves;
  for (const auto& [closure, user, body] : closures)
    for (VariableId capture : body->fn.captures) {
      VariableId mine = user->reach(body->parent, body->facts(capture).outer, {});
      const Variable& v = user->var(mine);
      if (v.kind == VariableKind::Capture || !v.boxed) continue;
      const VariableFacts& inside = body->facts(capture);
      BodyChecker::NameUse use = v.name ? user->name_uses_[v.name] : BodyChecker::NameUse();
      bool leaves = leaving.contains(closure) && !inside.captured && !inside.captured_unassigned && !use.by_closure &&
                    !use.by_call && !user->changes_itself(v.type);
      only_leaves.try_emplace({user, mine.index}, true).first->second &= leaves;
    }
  for (auto [variable, leaves] : only_leaves)
    if (leaves) variable.first->var(VariableId(variable.second)).boxed = false;
}

// A closure and its function share a variable that one of them assigns in a cell, which lives as long as either. A `ref` parameter is the caller's variable
// and has none: a closure that outlives the call would write where nothing is any more. One that only reads gets a copy.
void refuse_shared_references(BodyChecker& root, const std::vector<std::tuple<MakeClosure*, BodyChecker*, BodyChecker*>>& closures) {
  std::set<std::pair<BodyChecker*, uint32_t>> told;
  for (const auto& [closure, user, body] : closures)
    for (VariableId capture : body->fn.captures) {
      BodyChecker* owner = body;
      VariableId at = capture;
      while (owner->var(at).kind == VariableKind::Capture && owner->parent) {
        at = owner->facts(at).outer;
        owner = owner->parent;
      }
      const Variable& shared = owner->var(at);
      if (shared.mode != ParamMode::Ref || !shared.boxed || !told.insert({owner, at.index}).second) continue;
      bool is_self = shared.name.text() == "self";
      std::string name = "`" + shared.name.str() + "`";
      auto& d = root.c.error(Code::SharedReference, body->fn.span, "this function can't share " + name + ", which is the caller's " + (is_self ? "struct" : "variable"));
      d.label = "it could be called when the variable is gone";
      if (shared.span.valid()) d.labels.push_back({shared.span, is_self ? "a method that assigns to `self` is given the caller's struct" : "a `ref` parameter is the caller's variable"});
      d.help = is_self ? "copy it into a variable of the method first: `copy = self`, and assign it back at the end: `self = copy`"
                       : "copy it into a variable of its own first: `own = " + shared.name.str() + "`, and assign it back at the end: `" + shared.name.str() + " = own`";
    }
}

// Takes something frozen where its declaration does not say so (frozen.h).
bool is_lifted_nested(Checker& c, const std::vector<ParamInfo>& params, const std::vector<TypeId>& types) {
  for (size_t i = 0; i < types.size(); ++i)
    if (mentions_frozen(c, types[i]) && (!params[i].type.valid() || c.resolve(types[i]) != c.resolve(params[i].type))) return true;
  return false;
}

}  // namespace

bool BodyChecker::is_template(NestedFunction& nested) {
  if (nested.is_instance || nested.is_variable) return false;
  if (!nested.decl->type_params.empty()) return true;
  for (ast::Param& p : nested.decl->params)
    if (!p.type) return true;
  return false;
}

void BodyChecker::declare_nested(NestedFunction& nested) {
  if (nested.declared) return;
  nested.declared = true;
  TypeScope own = type_scope;
  c.fill_type_params(nested.type_params, nested.decl->type_params, c.next_param_owner_++);
  type_scope.push(nested.type_params);
  type_scope.module = module;
  c.ensure_bounds(nested.type_params, type_scope);
  bool generic = is_template(nested);
  for (ast::Param& p : nested.decl->params) {
    ParamInfo info;
    info.name = p.name;
    if (p.type) info.type = type_of(p.type);
    else if (!generic) info.type = c.unifier.fresh(p.span);
    if (p.kind == ast::ParamKind::VarArgs && info.type.valid()) info.type = c.list_of(info.type);
    if (p.kind == ast::ParamKind::KwArgs && p.type) info.type = c.core_type("dict", {types.str, info.type});
    info.default_value = p.default_value;
    info.default_scope = this;
    info.mode = static_cast<ParamMode>(p.mode);
    info.kind = p.kind;
    info.span = p.span;
    nested.params.push_back(info);
  }
  nested.result = nested.decl->return_type ? type_of(nested.decl->return_type) : TypeId();
  type_scope = own;
}

std::vector<TypeId> BodyChecker::nested_types(NestedFunction& nested) {
  if (nested.type.valid()) return {types.func_params(nested.type).begin(), types.func_params(nested.type).end()};
  declare_nested(nested);
  std::vector<TypeId> params;
  std::vector<ParamMode> modes;
  for (ParamInfo& info : nested.params) {
    params.push_back(info.type);
    modes.push_back(info.mode);
  }
  TypeId result = nested.result.valid() ? nested.result : c.unifier.fresh(nested.decl->name_span);
  FrameKind kind = nested_kind(*this, nested);
  if (kind == FrameKind::Generator || kind == FrameKind::AsyncGenerator)
    result = nested.decl->return_type ? c.framed_result(kind, result, nested.decl->return_type->span) : c.core_type(frame_class(kind), {result});
  nested.type = types.func(params, result, kind == FrameKind::Async, modes);
  Function& made = c.make_typed_function(nested.decl->name ? nested.decl->name.str() : "function", nested.decl->name_span, module);
  made.is_closure = true;
  made.is_glue = fn.is_glue;
  made.is_std = fn.is_std;
  made.has_body = true;
  nested.function = made.id;
  return params;
}

void BodyChecker::start_nested(NestedFunction& nested) {
  if (nested.started) return;
  nested.started = true;
  if (!nested.decl->type_params.empty() && !nested.is_instance) {
    auto& d = c.error(Code::NotYetSupported, nested.decl->name_span, "`" + nested.decl->name.str() + "` has type parameters, so its name can't be assigned or defined again");
    d.help = "use another name for the other definition";
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
  child.own_subst_ = nested.subst;
  if (nested.is_instance) child.keep_bounds(nested.origin->type_params, nested.subst);
  for (size_t i = 0; i < nested.params.size() && nested.is_instance; ++i) {
    TypeId written = nested.origin->params[i].type;
    TypeId standing = written.valid() ? c.apply(written, child.own_subst_) : TypeId();
    if (standing.valid() && c.resolve(standing) == c.resolve(params[i])) made.variables[i].type = params[i] = standing;
  }
  child.is_nested_instance_ = nested.is_instance;
  if (nested.is_instance) child.type_scope.push(nested.origin->type_params);
  // A nested function sees what has been assigned by the time it is first used.
  child.outer_flow_ = home->flow;
  if (!nested.is_variable) child.outer_flow_.moved.clear();   // each use is looked at (closure_moves.h)
  child.outer_flow_.narrowed = nested.flow.narrowed;
  FrameKind kind = nested_kind(*home, nested);
  if (nested.is_instance && kind == FrameKind::Async && frame_kind(nested.decl) == FrameKind::None)
    for (uint32_t i = 0; i < params.size(); ++i)
      if (types.kind(c.resolve(params[i])) == Kind::Func && types.get(c.resolve(params[i])).is_async) child.coloured_.emplace(nested.params[i].name, VariableId(i));
  child.lifted_result_ = nested.lifted_from;
  if (kind != FrameKind::None) child.start_frame(kind, kind == FrameKind::Async ? c.core_type("Future", {result}) : result);
  else if (nested.decl->return_type && !nested.lifted_from.valid()) child.declared_result = result;
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
  // The module's own statements call it with its defaults; functions elsewhere read the variable.
  if (!is_module_body || name_uses_[stmt->name].sites != 1) return;
  Binding binding;
  binding.kind = BindingKind::Nested;
  binding.nested = &nested;
  scopes_[0][stmt->name] = binding;
}

NestedFunction& BodyChecker::nested_instance(NestedFunction& origin, Subst subst, const std::vector<TypeId>& param_types) {
  auto same = [&](TypeId a, TypeId b) { return c.resolve(a) == c.resolve(b); };
  for (NestedFunction& have : nested_) {
    if (have.origin != &origin) continue;
    bool equal = true;
    for (size_t i = 0; i < param_types.size(); ++i) equal &= same(have.params[i].type, param_types[i]);
    for (TypeParamInfo& p : origin.type_params) equal &= same(have.subst.find(p.type), subst.find(p.type));
    if (equal) return have;
  }
  nested_.emplace_back();
  NestedFunction& made = nested_.back();
  made.decl = origin.decl;
  made.home = this;
  made.flow = origin.flow;
  made.origin = &origin;
  made.is_instance = made.declared = true;
  made.params = origin.params;
  for (size_t i = 0; i < param_types.size(); ++i) made.params[i].type = c.resolve(param_types[i]);
  if (origin.result.valid()) made.result = c.apply(origin.result, subst);
  FrameKind kind = nested_kind(*this, made);
  bool can_lift = made.result.valid() && (kind == FrameKind::None || kind == FrameKind::Async) && c.kind(made.result) != Kind::Void;
  if (can_lift && is_lifted_nested(c, origin.params, param_types) && lifted_results(c, made.result).size() > 1) {
    made.lifted_from = c.resolve(made.result);
    made.result = TypeId();
  }
  made.subst = std::move(subst);
  nested_types(made);
  return made;
}

Expr* BodyChecker::call_template(NestedFunction& origin, std::vector<CallArg> args, const std::vector<TypeId>& type_args, Span span) {
  origin.home->declare_nested(origin);
  std::string shown = origin.decl->name.str();
  if (!type_args.empty() && type_args.size() != origin.type_params.size()) {
    c.error(Code::WrongTypeArgumentCount, span, "`" + shown + "` takes " + std::to_string(origin.type_params.size()) + " type arguments, not " + std::to_string(type_args.size()));
    return poison(span);
  }
  Subst subst;
  for (size_t i = 0; i < origin.type_params.size(); ++i) subst.add(origin.type_params[i].type, type_args.empty() ? c.unifier.fresh(span) : type_args[i]);
  BoundArgs bound;
  bound.lifts_nested = true;
  std::vector<ParamInfo> params = typed::colour_params(*this, origin.params, args);
  if (!bind_args(params, subst, std::move(args), span, shown, origin.decl->name_span, module, bound)) return poison(span);
  if (!c.check_bounds(origin.type_params, subst, span)) return poison(span);
  bool endless = base::stack_runs_out();
  for (TypeId type : bound.types) endless |= nesting_of(type) > MAX_TYPE_NESTING;
  if (endless) {
    auto& d = c.error(Code::InstantiationTooDeep, span, "`" + shown + "` is used with ever new types without end");
    d.labels.push_back({origin.decl->name_span, "declared here"});
    d.help = "annotate its parameters, or end the recursion before the type grows";
    return poison(span);
  }
  NestedFunction& instance = origin.home->nested_instance(origin, std::move(subst), bound.types);
  start_nested(instance);
  return finish_nested_call(instance, bound, span);
}

Expr* BodyChecker::template_value(NestedFunction& origin, std::span<ast::TypeExpr*> type_args, Span span) {
  origin.home->declare_nested(origin);
  Subst subst;
  for (size_t i = 0; i < type_args.size() && i < origin.type_params.size(); ++i) subst.add(origin.type_params[i].type, type_of(type_args[i]));
  bool annotated = type_args.size() == origin.type_params.size();
  std::vector<TypeId> params;
  for (ParamInfo& p : origin.params) {
    annotated &= p.type.valid();
    if (annotated) params.push_back(c.apply(p.type, subst));
  }
  if (!annotated) {
    c.error(Code::WrongTypeArgumentCount, span, "`" + origin.decl->name.str() + "` takes " + std::to_string(origin.type_params.size()) + " type arguments here, and types for all its parameters");
    return poison(span);
  }
  if (!c.check_bounds(origin.type_params, subst, span)) return poison(span);
  return nested_value(origin.home->nested_instance(origin, std::move(subst), params), span);
}

Expr* BodyChecker::nested_value(NestedFunction& nested, Span span, TypeId expected) {
  if (is_template(nested)) {
    nested.home->declare_nested(nested);
    auto* callee = c.program.arena.make<ast::NameExpr>();
    callee->name = nested.decl->name;
    callee->span = span;
    return wrap_as_lambda(callee, count_for_value(nested.params, true), span, expected, &nested.params, nested.decl->is_async);
  }
  nested.home->nested_types(nested);
  TypeId wanted = expected.valid() ? c.unifier.shallow(expected) : TypeId();
  if (!nested.is_instance && !nested.is_variable && wanted.valid() && types.kind(wanted) == Kind::Func) {
    bool takes_frozen = false;
    for (TypeId param : types.func_params(wanted)) takes_frozen |= mentions_frozen(c, param);
    if (takes_frozen && types.func_params(wanted).size() == nested.params.size()) {
      std::vector<TypeId> given(types.func_params(wanted).begin(), types.func_params(wanted).end());
      if (is_lifted_nested(c, nested.params, given)) {
        auto* callee = c.program.arena.make<ast::NameExpr>();
        callee->name = nested.decl->name;
        callee->span = span;
        return wrap_as_lambda(callee, given.size(), span, expected, &nested.params, nested.decl->is_async);
      }
    }
  }
  if (nested.is_instance || nested.decl->type_params.empty()) {
    bool known_params = true;
    for (TypeId p : types.func_params(nested.type)) known_params &= !c.unifier.has_unbound(p);
    if (known_params) start_nested(nested);
  } else {
    start_nested(nested);
    return poison(span);
  }
  check_captures(nested, span);
  auto* closure = make<MakeClosure>(nested.type, span);
  closure->function = nested.function;
  c.reach.calls.push_back({fn.id, nested.function, span});
  nested.uses.emplace_back(closure, this);
  if (!nested.is_variable) note_function_used(*this, closure, nested.decl->name, span);
  return closure;
}

namespace {

// It and the functions beside it that it uses, or that these use.
std::vector<NestedFunction*> reached_from(NestedFunction& nested) {
  std::vector<NestedFunction*> found{&nested};
  auto is_inside = [](BodyChecker* user, BodyChecker* body) {
    while (user && user != body) user = user->parent;
    return user != nullptr;
  };
  for (size_t i = 0; i < found.size(); ++i)
    for (NestedFunction& other : nested.home->nested_) {
      if (!other.body || std::ranges::find(found, &other) != found.end()) continue;
      if (std::ranges::any_of(other.uses, [&](const auto& use) { return is_inside(use.second, found[i]->body.get()); }))
        found.push_back(&other);
    }
  return found;
}

// Its body was checked once, with what was known there: does that hold where it is used?
bool refuse_weaker_capture(NestedFunction& nested, VariableId capture, const Flow& here, Span span) {
  BodyChecker& home = *nested.home;
  BodyChecker& body = *nested.body;
  Checker& c = home.c;
  VariableId outer = body.facts(capture).outer;
  const Variable& v = home.var(outer);
  std::string function = "`" + nested.decl->name.str() + "`", name = "`" + v.name.str() + "`";
  if (!here.is_assigned(outer) && !body.facts(capture).captured_unassigned && v.kind != VariableKind::Capture) {
    auto& d = c.error(Code::UnassignedVariable, span,
                      function + " reads " + name + ", which may not have been assigned here");
    d.labels.push_back({v.span, "it is assigned here"});
    d.help = "assign it on every path that leads here";
    return true;
  }
  bool can_change = body.var(capture).boxed || is_by_reference(v);
  const Known* then = can_change ? nullptr : body.outer_flow_.find(home.variable_key(outer));
  const Known* now = here.find(home.variable_key(outer));
  if (!then || (now && c.resolve(now->type) == c.resolve(then->type))) return false;
  auto& d = c.error(Code::OptionalNotUnwrapped, span,
                    function + " takes " + name + " for " + c.text_with_article(then->type) +
                        ", and here it may be something else");
  d.labels.push_back({nested.decl->name_span, "that was known where it is defined"});
  d.help = "use it where that is known of " + name + " too, or test " + name + " inside";
  return true;
}

}  // namespace

// A nested function used where the variables it reads are not what they were where it was checked.
void BodyChecker::check_captures(NestedFunction& nested, Span span) {
  if (!nested.done || !flow.reachable) return;
  BodyChecker* user = this;   // the home, or a function made there
  while (user && user != nested.home && user->parent != nested.home) user = user->parent;
  if (!user) return;
  const Flow& here = user == nested.home ? flow : user->outer_flow_;
  for (NestedFunction* used : reached_from(nested))
    for (VariableId capture : used->body->fn.captures) {
      VariableId outer = used->body->facts(capture).outer;
      if (user == this && refuse_unfinished_self(*this, outer, span)) return;
      if (refuse_weaker_capture(*used, capture, here, span)) return;
    }
}

Expr* BodyChecker::call_nested(NestedFunction& nested, std::vector<CallArg> args, const std::vector<TypeId>& type_args, Span span) {
  if (is_template(nested)) return call_template(nested, std::move(args), type_args, span);
  nested.home->declare_nested(nested);
  std::vector<ParamInfo> coloured = typed::colour_params(*this, nested.params, args);
  for (size_t i = 0; i < coloured.size(); ++i)
    if (coloured[i].type != nested.params[i].type && type_args.empty()) return call_template(nested, std::move(args), type_args, span);
  if (!type_args.empty()) {
    c.error(Code::WrongTypeArgumentCount, span, "`" + nested.decl->name.str() + "` takes no type arguments");
    return poison(span);
  }
  nested.home->nested_types(nested);
  BoundArgs bound;
  bound.lifts_nested = !nested.is_variable;
  Subst none;
  if (!bind_args(nested.params, none, std::move(args), span, nested.decl->name.str(), nested.decl->name_span, module, bound)) return poison(span);
  bool lifts = is_lifted_nested(c, nested.params, bound.types);
  NestedFunction& callee = lifts ? nested.home->nested_instance(nested, none, bound.types) : nested;
  start_nested(callee);
  return finish_nested_call(callee, bound, span);
}

Expr* BodyChecker::finish_nested_call(NestedFunction& nested, BoundArgs& bound, Span span) {
  if (!nested.body) return poison(span);
  Expr* callee = nested_value(nested, span);
  TypeId result = types.func_result(nested.type);
  if (nested.lifted_from.valid() && !nested.done && c.unifier.is_var(result)) c.unifier.unify(result, lifted_results(c, nested.lifted_from).back());   // it calls itself
  if (types.get(nested.type).is_async) result = c.core_type("Future", {result});
  auto* call = make<Call>(result, span);
  call->call = CallKind::Value;
  call->callee = callee;
  call->args = keep(bound.values);
  call->order = keep(bound.order);
  call->modes = keep(bound.modes);
  code_ran(writes_of(nested.decl, c.written_names()), span);
  lent_places_written(call);
  FrameKind kind = nested_kind(*nested.home, nested);
  bool became_async = kind == FrameKind::Async && frame_kind(nested.decl) == FrameKind::None;
  Expr* given = lend(call, kind, bound.lent, span);
  return became_async && waits_unasked(*this) ? make_await(given, span) : given;
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
  refuse_uses_after_moves(*this, all);
  capture_by_value_where_it_leaves(*this, all);
  refuse_shared_references(*this, all);
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

}  // namespace meteor::typed
