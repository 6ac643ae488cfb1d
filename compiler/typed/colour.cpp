// Colour: a function that calls a function it was given is as async as that one.
//
// A `def` that is called with an async function where it takes a plain one is checked once more for that type. Calls of such a
// parameter are awaited without being told so, and the instance becomes an `async def`: its callers get a Future.
// Where the body only hands the parameter on, the instance becomes async when a call that it makes turns out to be.
#include "compiler/typed/colour.h"

#include <algorithm>

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

// The function type behind an optional one, or invalid.
TypeId function_in(Checker& c, TypeId type) {
  if (!type.valid()) return {};
  type = c.unifier.shallow(type);
  if (c.types.kind(type) == Kind::Optional) type = c.unifier.shallow(c.types.arg(type));
  return c.types.kind(type) == Kind::Func ? type : TypeId();
}

bool is_async_function(Checker& c, TypeId type) {
  TypeId function = function_in(c, type);
  return function.valid() && c.types.get(function).is_async;
}

TypeId as_async(Checker& c, TypeId type) {
  TypeId function = function_in(c, type);
  auto params = c.types.func_params(function);
  TypeId made = c.types.func({params.begin(), params.end()}, c.types.func_result(function), true, c.types.get(function).modes);
  return c.kind(type) == Kind::Optional ? c.optional_of(made) : made;
}

// Decided from the text alone, so that recursive calls know it: some call has this name before its brackets. A nested
// function that calls it is async itself; its own calls make this one so (become_async).
bool calls(ast::Block body, Name wanted) {
  bool found = false;
  TreeVisitor visitor;
  visitor.into_functions = false;
  visitor.on_expr = [&](ast::Expr* e) {
    auto* call = e->as<ast::CallExpr>();
    auto* callee = call ? call->callee->as<ast::NameExpr>() : nullptr;
    found = found || (callee && callee->name == wanted);
  };
  visitor.visit(body);
  return found;
}

// Declared as taking a plain function, or anything.
bool takes_plain(Checker& c, TypeId declared) {
  TypeId function = function_in(c, declared);
  return !declared.valid() || (function.valid() && !c.types.get(function).is_async);
}

}  // namespace

// Whether this parameter of the instance makes its body async: declared as taking a plain function, given an async one.
bool Checker::is_coloured(const Instance& instance, size_t param) {
  const ParamInfo& declared = instance.info->params[param];
  if (!is_async_function(*this, instance.param_types[param])) return false;
  if (!declared.type.valid()) return instance.info->frame == FrameKind::None;
  TypeId function = function_in(*this, declared.type);
  return function.valid() && !types.get(function).is_async;
}

bool Checker::calls_coloured(const Instance& instance) {
  for (size_t i = 0; i < instance.info->params.size(); ++i)
    if (is_coloured(instance, i) && calls(instance.info->decl->body, instance.info->params[i].name)) return true;
  return false;
}

void BodyChecker::find_coloured() {
  uint32_t first = info->has_self ? 1 : 0;
  for (uint32_t i = 0; i < info->params.size(); ++i)
    if (c.is_coloured(*instance, i)) coloured_.emplace(info->params[i].name, VariableId(first + i));
}

bool BodyChecker::is_coloured(Expr* callee) {
  auto* ref = callee->as<VariableRef>();
  if (!ref) return false;
  BodyChecker* at = this;
  VariableId v = ref->variable;
  while (at->parent && at->var(v).kind == VariableKind::Capture) {
    v = at->facts(v).outer;
    at = at->parent;
  }
  for (auto& [name, param] : at->coloured_)
    if (param == v) return true;
  return false;
}

bool waits_unasked(BodyChecker& body) {
  for (BodyChecker* at = &body; at; at = at->parent)
    if (!at->coloured_.empty()) return at != body.root || body.info->frame == FrameKind::None;
  return false;
}

// A lambda or nested function that uses such a parameter has to wait too.
FrameKind BodyChecker::kind_of(ast::FunctionDecl* decl) {
  FrameKind kind = frame_kind(decl);
  if (kind != FrameKind::None) return kind;
  bool found = false;
  TreeVisitor visitor;
  for (BodyChecker* at = this; at; at = at->parent) {
    if (at->coloured_.empty()) continue;
    visitor.on_expr = [&](ast::Expr* e) {
      auto* name = e->as<ast::NameExpr>();
      found = found || (name && at->coloured_.contains(name->name));
    };
    visitor.visit(decl->body);
  }
  return found ? FrameKind::Async : kind;
}

FrameKind nested_kind(BodyChecker& home, NestedFunction& nested) {
  Checker& c = home.c;
  FrameKind kind = home.kind_of(nested.decl);
  if (kind != FrameKind::None || !nested.is_instance) return kind;
  for (size_t i = 0; i < nested.params.size(); ++i)
    if (is_async_function(c, nested.params[i].type) && takes_plain(c, nested.origin->params[i].type) && calls(nested.decl->body, nested.params[i].name)) return FrameKind::Async;
  return kind;
}

// This body turned out to wait.
bool BodyChecker::become_async() {
  if (this != root || coloured_.empty() || frame != FrameKind::None) return false;
  TypeId produced = declared_result.valid() ? declared_result : result_var;
  instance->frame = frame = fn.frame = FrameKind::Async;
  instance->result = fn.result = c.core_type("Future", {produced});
  fn.produced = produced;
  return true;
}

bool BodyChecker::is_async_argument(const CallArg& arg) {
  if (arg.value) return is_async_function(c, arg.value->type);
  return arg.ast && is_async_value(arg.ast);
}

bool BodyChecker::is_async_value(ast::Expr* e) {
  if (auto* owned = e->as<ast::OwnedExpr>()) return is_async_value(owned->operand);
  if (auto* choice = e->as<ast::TernaryExpr>()) return is_async_value(choice->then_value) || is_async_value(choice->else_value);
  if (auto* two = e->as<ast::CoalesceExpr>()) return is_async_value(two->left) || is_async_value(two->right);
  if (auto* lambda = e->as<ast::LambdaExpr>()) return kind_of(lambda->function) == FrameKind::Async;
  if (auto* function = e->as<ast::AnonDefExpr>()) return kind_of(function->function) == FrameKind::Async;
  if (auto* name = e->as<ast::NameExpr>()) {
    Binding local = lookup(name->name);
    if (local.kind == BindingKind::Variable && local.variable.valid()) return is_async_function(c, var(local.variable).type);
    if (local.kind == BindingKind::Nested) return kind_of(local.nested->decl) == FrameKind::Async;
    if (local.kind == BindingKind::Global) return is_async_function(c, local.global->type);
    if (local.kind != BindingKind::None) return false;
    Symbol symbol = c.find_symbol(module, name->name);
    if (symbol.kind == SymbolKind::Global) return is_async_function(c, symbol.global->type);
    return symbol.kind == SymbolKind::Functions && symbol.functions->front()->frame == FrameKind::Async;
  }
  auto* member = e->as<ast::MemberExpr>();
  if (!member || member->optional) return false;
  if (Entity entity = find_entity(e)) return entity.kind == SymbolKind::Functions && entity.symbol.functions->front()->frame == FrameKind::Async;
  auto* object = member->object->as<ast::NameExpr>();
  Binding local = object ? lookup(object->name) : Binding();
  TypeId type = local.kind == BindingKind::Variable && local.variable.valid() ? var(local.variable).type : local.kind == BindingKind::Global ? local.global->type : TypeId();
  if (object && local.kind == BindingKind::None)
    if (Symbol symbol = c.find_symbol(module, object->name); symbol.kind == SymbolKind::Global) type = symbol.global->type;
  if (!type.valid() || c.unifier.has_unbound(type) || is_poison_type(type)) return false;
  Member found = c.find_member(c.resolve(type), member->name);
  if (found.kind == Member::Field) return is_async_function(c, found.field_type);
  return found.kind == Member::Methods && found.methods->front()->frame == FrameKind::Async;
}

namespace {

// Has a type of its own, which says its colour; a name and a function literal are looked at as they stand.
bool is_computed(const ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Call: case ast::ExprKind::Index: case ast::ExprKind::Unwrap: case ast::ExprKind::Await: return true;
    case ast::ExprKind::Owned: return is_computed(e->as<ast::OwnedExpr>()->operand);
    case ast::ExprKind::Ternary: return is_computed(e->as<ast::TernaryExpr>()->then_value) && is_computed(e->as<ast::TernaryExpr>()->else_value);
    case ast::ExprKind::Coalesce: return is_computed(e->as<ast::CoalesceExpr>()->left) && is_computed(e->as<ast::CoalesceExpr>()->right);
    default: return false;
  }
}

}  // namespace

bool takes_plain_functions(Checker& c, const std::vector<ParamInfo>& params) {
  return std::ranges::any_of(params, [&](const ParamInfo& param) { return function_in(c, param.type).valid() && takes_plain(c, param.type); });
}

std::vector<ParamInfo> colour_params(BodyChecker& body, std::vector<ParamInfo> params, std::vector<BodyChecker::CallArg>& args) {
  Checker& c = body.c;
  size_t position = 0;
  for (BodyChecker::CallArg& arg : args) {
    ParamInfo* param = nullptr;
    if (arg.name) {
      for (ParamInfo& p : params)
        if (p.name == arg.name) param = &p;
    } else if (position < params.size() && params[position].kind == ast::ParamKind::Normal) {
      param = &params[position++];
    }
    if (!param || !param->type.valid()) continue;
    TypeId function = function_in(c, param->type);
    if (!function.valid() || c.types.get(function).is_async) continue;
    if (arg.ast && !arg.value && is_computed(arg.ast)) arg.value = body.check(arg.ast);
    if (body.is_async_argument(arg)) param->type = as_async(c, param->type);
  }
  return params;
}

}  // namespace meteor::typed
