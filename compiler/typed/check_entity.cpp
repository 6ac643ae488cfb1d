// Names that stand for types, modules, functions or enum cases, and what can be
// done with them: construction, enum cases, functions as values.
#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/did_you_mean.h"
#include "compiler/typed/enum_cases.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/hidden_types.h"

namespace meteor::typed {

TypeId BodyChecker::type_of(ast::TypeExpr* expr) {
  TypeScope scope = type_scope;
  std::unordered_map<Name, NominalInfo*> classes;
  for (BodyChecker* at = this; at; at = at->parent)
    for (auto& [n, nominal] : at->local_classes_) classes.emplace(n, nominal);
  if (!classes.empty()) scope.locals = &classes;
  scope.module = module;
  scope.imports = [this](Name n) { return find_import(n); };
  TypeId type = c.resolve_type(expr, scope);
  if (types.kind(type) == Kind::Trait) type = types.wrap(Kind::Dyn, type);
  return applied(type);
}

Symbol BodyChecker::find_import(Name n) {
  if (info && info->is_derived) return c.find_symbol(c.core_module(), n);  // what the user calls so is not meant
  for (BodyChecker* at = this; at; at = at->parent)
    if (auto found = at->local_imports_.find(n); found != at->local_imports_.end()) return found->second;
  return {};
}

Symbol BodyChecker::find_symbol(Name n) {
  Symbol imported = find_import(n);
  return imported ? imported : c.find_symbol(module, n);
}

TypeId BodyChecker::applied(TypeId type) {
  for (BodyChecker* at = this; at; at = at->parent)
    if (!at->own_subst_.pairs.empty()) type = c.apply(type, at->own_subst_);
  return root->instance ? c.apply(type, root->instance->subst) : type;
}

TypeId BodyChecker::owner_type() {
  if (!info || !info->owner) return self_type;
  return applied(info->owner->self_type);
}

BodyChecker::Entity BodyChecker::find_entity(ast::Expr* expr) {
  Entity out;
  auto of_symbol = [&](Symbol symbol) {
    if (symbol.kind == SymbolKind::None || symbol.kind == SymbolKind::Global) return;
    out.kind = symbol.kind;
    out.symbol = symbol;
    if (symbol.kind == SymbolKind::BuiltinType) out.type = symbol.type;
  };
  auto of_type = [&](TypeId type) {
    out.kind = SymbolKind::BuiltinType;
    out.type = type;
    out.symbol.kind = SymbolKind::BuiltinType;
    out.symbol.type = type;
  };
  if (auto* n = expr->as<ast::NameExpr>()) {
    Binding local = lookup(n->name);
    if (local.kind == BindingKind::Class) {
      Symbol symbol;
      symbol.kind = SymbolKind::Nominal;
      symbol.nominal = local.nominal;
      of_symbol(symbol);
      return out;
    }
    if (local.kind != BindingKind::None) return out;
    for (size_t i = type_scope.count; i-- > 0;)
      for (const TypeParamInfo& p : *type_scope.params[i])
        if (p.name == n->name) {
          of_type(applied(p.type));
          return out;
        }
    if (n->name.text() == "Self" && type_scope.self.valid()) {
      of_type(self_type.valid() ? self_type : applied(type_scope.self));
      return out;
    }
    of_symbol(find_symbol(n->name));
    return out;
  }
  if (auto* apply = expr->as<ast::TypeApplyExpr>()) {
    Entity base = find_entity(apply->callee);
    if (base.kind == SymbolKind::EnumCase)
      if (Entity type = find_hidden_type(*this, apply->callee)) base = type;
    if (base.kind == SymbolKind::Nominal || base.kind == SymbolKind::Alias) {
      std::vector<TypeId> args;
      for (ast::TypeExpr* t : apply->type_args) args.push_back(type_of(t));
      of_type(entity_type(base, args, expr->span));
    } else if (base.kind == SymbolKind::Functions) {
      return base;
    }
    return out;
  }
  auto* member = expr->as<ast::MemberExpr>();
  if (!member || member->optional) return out;
  Entity base = find_entity(member->object);
  if (!base) return out;
  if (base.kind == SymbolKind::EnumCase) {  // `Duration.x`: of the case, if it has such a member
    bool is_of_case = member->name.text() == "name" || member->name.text() == "index" ||
                      c.find_member(base.symbol.nominal->self_type, member->name).kind != Member::None;
    if (!is_of_case)
      if (Entity type = find_hidden_type(*this, member->object)) base = type;
  }
  if (base.kind == SymbolKind::Module) {
    ModuleInfo* target = base.symbol.module;
    auto at = target->names.find(member->name);
    if (at == target->names.end() || at->second.imported) return out;   // check_member reports it
    if (!at->second.is_pub) return out;
    of_symbol(at->second);
    return out;
  }
  if (base.kind == SymbolKind::Nominal || base.kind == SymbolKind::Alias || base.kind == SymbolKind::BuiltinType) {
    NominalInfo* nominal = base.kind == SymbolKind::Nominal ? base.symbol.nominal : base.type.valid() ? c.nominal_info(base.type) : nullptr;
    TypeId type = base.type;
    if (base.kind == SymbolKind::Alias) {
      type = entity_type(base, {}, expr->span);
      nominal = c.nominal_info(type);
    }
    if (nominal && nominal->kind == Kind::Enum) {
      for (uint32_t i = 0; i < nominal->decl->cases.size(); ++i)
        if (nominal->decl->cases[i].name == member->name) {
          out.kind = SymbolKind::EnumCase;
          out.symbol.kind = SymbolKind::EnumCase;
          out.symbol.nominal = nominal;
          out.symbol.case_index = i;
          out.type = type;
          return out;
        }
    }
    if (!type.valid()) type = entity_type(base, {}, expr->span);
    if (c.kind(type) == Kind::Dyn) type = types.arg(c.unifier.shallow(type));   // a trait by another name
    if (c.kind(type) == Kind::Trait) {
      std::vector<TypeId> declaring = c.traits_declaring({type}, TypeId(), member->name);
      if (declaring.empty()) return out;
      out.kind = SymbolKind::Functions;
      out.symbol.functions = c.nominal_info(declaring.front())->find_method(member->name);
      out.type = type;
      out.is_type_member = true;
      return out;
    }
    Member found = find_member(type, member->name);
    if (found.kind == Member::Methods) {
      out.kind = SymbolKind::Functions;
      out.symbol.functions = found.methods;
      out.type = type;
      out.is_type_member = true;
    }
  }
  return out;
}

TypeId BodyChecker::entity_type(const Entity& entity, const std::vector<TypeId>& type_args, Span span) {
  if (entity.kind == SymbolKind::BuiltinType) return entity.type;
  auto wrong = [&](const std::string& name, size_t wanted) {
    c.error(Code::WrongTypeArgumentCount, span, "`" + name + "` takes " + std::to_string(wanted) + (wanted == 1 ? " type argument" : " type arguments") + ", not " + std::to_string(type_args.size()));
    return types.error;
  };
  if (entity.kind == SymbolKind::Nominal) {
    NominalInfo* nominal = entity.symbol.nominal;
    std::vector<TypeId> args = type_args;
    if (args.empty())
      for (size_t i = 0; i < nominal->type_params.size(); ++i) args.push_back(c.unifier.fresh(span));
    if (args.size() != nominal->type_params.size()) return wrong(nominal->name.str(), nominal->type_params.size());
    return types.nominal(nominal->kind, nominal->id, std::move(args));
  }
  if (entity.kind == SymbolKind::Alias) {
    AliasInfo* alias = entity.symbol.alias;
    std::vector<TypeId> args = type_args;
    if (args.empty())
      for (size_t i = 0; i < alias->type_params.size(); ++i) args.push_back(c.unifier.fresh(span));
    if (args.size() != alias->type_params.size()) return wrong(alias->decl->name.str(), alias->type_params.size());
    TypeScope scope;
    scope.module = alias->module;
    scope.push(alias->type_params);
    TypeId type = c.resolve_type(alias->decl->type, scope);
    Subst subst;
    for (size_t i = 0; i < args.size(); ++i) subst.add(alias->type_params[i].type, args[i]);
    return c.apply(type, subst);
  }
  return types.error;
}

// ---- Construction ------------------------------------------------------------

namespace {

// The type itself, or the base that declares the field.
TypeId declaring_class(Checker& c, TypeId type, const FieldInfo* field) {
  while (c.nominal_info(type) != field->owner) type = c.base_of(type);
  return type;
}

// The parameters of a constructor that was not written: the fields, base's first.
std::vector<ParamInfo> field_params(Checker& c, TypeId type) {
  std::vector<ParamInfo> params;
  for (const Checker::FlatField& f : c.flat_fields(type)) {
    ParamInfo p;
    p.default_class = declaring_class(c, type, f.info);
    p.name = f.info->name;
    p.type = f.type;
    p.default_value = f.info->default_value;
    p.span = f.info->span;
    p.null_default = !p.default_value && (c.kind(f.type) == Kind::Optional || c.kind(f.type) == Kind::Error);   // an unknown type has been reported
    p.default_home = f.info->owner->module;
    params.push_back(p);
  }
  return params;
}

bool is_error_bookkeeping(Checker& c, FieldInfo* field) {
  return field->owner->self_type == c.program.raisable && field->name.text() != "message";
}

}  // namespace

// Fields that a derived decoder gives: all but weak ones and an error's bookkeeping.
Expr* BodyChecker::make_with_fields(TypeId type, std::span<ast::Arg> args, Span span) {
  type = c.unifier.shallow(type);
  std::vector<ParamInfo> params = field_params(c, type);
  const auto& flat = c.flat_fields(type);
  std::vector<Expr*> fields;
  size_t next = 0;
  for (size_t i = 0; i < params.size(); ++i) {
    bool given = !flat[i].info->is_weak && !is_error_bookkeeping(c, flat[i].info) && next < args.size();
    Expr* value = given ? check_to(args[next++].value, params[i].type) : check_default(params[i], params[i].type, params[i].default_home, span);
    if (flat[i].info->is_weak) {
      auto* weak = make<MakeWeak>(types.wrap(Kind::Weak, types.arg(c.unifier.shallow(flat[i].type))), span);
      weak->value = value;
      value = weak;
    }
    fields.push_back(value);
  }
  auto* made = make<New>(type, span);
  made->fields = keep(fields);
  return made;
}

Expr* BodyChecker::field_default(TypeId type, ast::Expr* index, Span span) {
  std::vector<ParamInfo> params = field_params(c, c.unifier.shallow(type));
  auto* number = index->as<ast::IntExpr>();
  CHECK(number && number->value < params.size());
  ParamInfo& p = params[number->value];
  return check_default(p, p.type, p.default_home, span);
}

Expr* BodyChecker::construct(TypeId type, std::vector<CallArg> args, Span span, TypeId expected) {
  type = c.unifier.shallow(type);
  Kind k = types.kind(type);
  if (k == Kind::Error) {
    for (CallArg& a : args)
      if (a.ast && !a.value) check(a.ast);
    return poison(span);
  }
  if (expected.valid()) {
    TypeId wanted = c.unifier.shallow(expected);
    if (types.kind(wanted) == Kind::Optional) wanted = c.unifier.shallow(types.arg(wanted));
    if (c.unifier.has_unbound(type) && types.kind(wanted) == k && c.nominal_info(wanted) == c.nominal_info(type)) c.unifier.unify(type, wanted);
  }
  if (k == Kind::Trait || k == Kind::Dyn) {
    c.error(Code::NotCallable, span, "a trait can't be made: it has no values of its own").help = "make a value of a type that has the trait";
    return poison(span);
  }
  if (k == Kind::Enum && has_case_values(c, c.nominal_info(type)) && c.derived_method(type, c.name("_of_value"))) {
    Member of_value = c.find_member(type, c.name("_of_value"));
    return call_overloads(*of_value.methods, of_value.subst, nullptr, type, std::move(args), span, TypeId(),
                          c.nominal_info(type)->name);
  }
  if (k == Kind::Enum) {
    auto& d = c.error(Code::NotCallable, span, "an enum is made by one of its cases");
    NominalInfo* nominal = c.nominal_info(type);
    if (!nominal->decl->cases.empty()) d.help = "write `" + nominal->name.str() + "." + nominal->decl->cases[0].name.str() + (nominal->decl->cases[0].fields.empty() ? "" : "(…)") + "`";
    return poison(span);
  }
  if (k != Kind::Class && k != Kind::Struct) return convert_call(type, std::move(args), span);
  NominalInfo* nominal = c.nominal_info(type);
  c.ensure_fields(nominal);
  if (nominal->has_unknown_base) {
    for (CallArg& a : args)
      if (a.ast && !a.value) check(a.ast);
    return poison(span);
  }
  for (TypeId at = type; at.valid() && !module->is_std; at = c.base_of(at))
    if (const std::string& instead = c.nominal_info(at)->made_by; !instead.empty()) {
      c.error(Code::NotCallable, span, c.text_with_article(type) + " can't be made like this: only the library makes one").help = instead;
      return poison(span);
    }
  Member init = c.find_member(type, c.name("__init__"));
  if (init.kind == Member::Methods) {
    FunctionInfo* chosen = choose_overload(*init.methods, init.subst, args);
    Expr* made = call_function(chosen, init.subst, nullptr, type, std::move(args), span, TypeId(), true, type);
    return is_poison(made) || c.check_bounds(nominal->type_params, subst_of(type), span) ? made : poison(span);
  }
  std::vector<ParamInfo> params = field_params(c, type);
  std::vector<size_t> field_of_param;
  std::vector<ParamInfo> given;
  const auto& flat = c.flat_fields(type);
  for (size_t i = 0; i < params.size(); ++i) {
    if (is_error_bookkeeping(c, flat[i].info)) continue;
    given.push_back(params[i]);
    field_of_param.push_back(i);
  }
  BoundArgs bound;
  if (!bind_args(given, {}, std::move(args), span, nominal->name.str(), nominal->decl->name_span, nominal->module, bound)) return make_error_of(type, span);
  if (!c.check_bounds(nominal->type_params, subst_of(type), span)) return poison(span);
  std::vector<Expr*> fields(params.size());
  for (size_t g = 0; g < given.size(); ++g) fields[field_of_param[g]] = bound.values[g];
  for (size_t i = 0; i < params.size(); ++i)
    if (!fields[i]) fields[i] = check_default(params[i], params[i].type, params[i].default_home, span);
  auto finish_fields = [&]() {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!flat[i].info->is_weak) continue;
      auto* weak = make<MakeWeak>(types.wrap(Kind::Weak, types.arg(c.unifier.shallow(flat[i].type))), span);
      weak->value = fields[i];
      fields[i] = weak;
    }
    auto* made = make<New>(type, span);
    made->fields = keep(fields);
    return made;
  };
  if (bound.order.empty()) return finish_fields();
  // Given in another order than declared: evaluate in source order first.
  return make_seq([&]() -> Expr* {
    for (uint32_t g : bound.order) {
      size_t i = field_of_param[g];
      if (fields[i]->kind <= ExprKind::Bytes) continue;
      VariableId temp = new_temp(params[i].type, span);
      emit_assign(variable_ref(temp, span), fields[i]);
      fields[i] = variable_ref(temp, span);
    }
    return finish_fields();
  }, span);
}

Subst BodyChecker::subst_of(TypeId type) {
  Subst subst;
  NominalInfo* nominal = c.nominal_info(type);
  const types::Type& t = types.get(c.unifier.shallow(type));
  for (size_t i = 0; i < nominal->type_params.size(); ++i) subst.add(nominal->type_params[i].type, t.args[i]);
  return subst;
}

Expr* BodyChecker::init_base_fields(TypeId base, ast::CallExpr* expr) {
  std::vector<ParamInfo> all = field_params(c, base), given;
  std::vector<uint32_t> index;
  const auto& flat = c.flat_fields(base);
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (is_error_bookkeeping(c, flat[i].info)) continue;
    given.push_back(all[i]);
    index.push_back(i);
  }
  BoundArgs bound;
  NominalInfo* nominal = c.nominal_info(base);
  if (!bind_args(given, {}, call_args(expr->args), expr->span, nominal->name.str(), nominal->decl->name_span, nominal->module, bound)) return poison(expr->span);
  Binding self = lookup(c.name("self"));
  for (size_t g = 0; g < given.size(); ++g) {
    Expr* value = bound.values[g];
    TypeId type = given[g].type;
    if (flat[index[g]].info->is_weak) {
      type = types.wrap(Kind::Weak, types.arg(c.unifier.shallow(type)));
      auto* weak = make<MakeWeak>(type, expr->span);
      weak->value = value;
      value = weak;
    }
    emit_assign(make_field(variable_ref(self.variable, expr->span), index[g], type, expr->span), value);
    mark_field_assigned(index[g]);
  }
  return make<VoidConst>(types.void_, expr->span);
}

FunctionId Checker::constructor(TypeId type, Instance* init) {
  FunctionId init_function = function_of(init);
  std::string key = std::to_string(type.index) + ":" + std::to_string(init_function.index);
  auto found = constructors_.find(key);
  if (found != constructors_.end()) return found->second;
  while (init->canonical) init = init->canonical;
  Function& fn = make_typed_function(text(type), init->info->decl->name_span);
  FunctionId id = fn.id;
  constructors_[key] = id;
  fn.is_constructor = true;
  fn.has_body = true;
  fn.result = type;
  for (size_t i = 0; i < init->info->params.size(); ++i) {
    Variable v;
    v.name = init->info->params[i].name;
    v.type = init->param_types[i];
    v.kind = VariableKind::Param;
    v.mode = init->info->params[i].mode;
    v.span = init->info->params[i].span;
    fn.variables.push_back(v);
  }
  fn.param_count = static_cast<uint32_t>(fn.variables.size());
  check_depth_enter();
  auto body = std::make_unique<BodyChecker>(*this, fn, init->info->module, nullptr);
  BodyChecker* b = body.get();
  b->type_scope = scope_of(nominal_info(type));
  b->instance = init;
  b->declared_result = type;
  add_unfinished(std::move(body));
  b->build_constructor(type, init_function, init);
  check_depth_leave();
  return id;
}

void BodyChecker::build_constructor(TypeId type, FunctionId init_function, Instance* init) {
  Span span = fn.span;
  std::vector<Stmt*> stmts;
  std::vector<VariableId> temps;
  out_ = &stmts;
  temps_ = &temps;
  std::vector<Expr*> fields;
  for (const Checker::FlatField& f : c.flat_fields(type)) {
    Expr* value = nullptr;
    if (f.info->default_value || c.kind(f.type) == Kind::Optional) {
      ParamInfo p;
      p.default_value = f.info->default_value;
      p.default_class = declaring_class(c, type, f.info);
      value = check_default(p, f.type, f.info->owner->module, f.info->span);
      if (f.info->is_weak) {
        auto* weak = make<MakeWeak>(types.wrap(Kind::Weak, types.arg(c.unifier.shallow(f.type))), span);
        weak->value = value;
        value = weak;
      }
    }
    fields.push_back(value);
  }
  auto* made = make<New>(type, span);
  made->fields = keep(fields);
  VariableId self = declare(c.name("self"), type, span);
  flow.set_assigned(self);
  emit_assign(variable_ref(self, span), made);
  auto* call = make<Call>(types.void_, span);
  call->call = CallKind::Direct;
  call->function = init_function;
  std::vector<Expr*> args = {variable_ref(self, span)};
  std::vector<ParamMode> modes = {c.program.function(init_function).variables[0].mode};
  if (modes[0] == ParamMode::Ref) {
    auto* ref = make<RefTo>(type, span);
    ref->place = args[0];
    args[0] = ref;
  }
  for (uint32_t i = 0; i < fn.param_count; ++i) {
    Expr* arg = variable_ref(VariableId(i), span);
    ParamMode mode = init->info->params[i].mode;
    if (mode == ParamMode::Ref) {
      auto* ref = make<RefTo>(arg->type, span);
      ref->place = arg;
      arg = ref;
    }
    args.push_back(arg);
    modes.push_back(mode);
  }
  call->args = keep(args);
  call->modes = keep(modes);
  emit_expr(call);
  auto* result = make_stmt<Return>(span);
  result->value = variable_ref(self, span);
  emit(result);
  auto* block = make_stmt<BlockStmt>(span);
  block->body = keep(stmts);
  block->temps = keep(temps);
  fn.body = keep(std::vector<Stmt*>{block});
  out_ = nullptr;
  temps_ = nullptr;
}

// ---- Enum cases --------------------------------------------------------------

Expr* BodyChecker::make_case(NominalInfo* nominal, uint32_t index, std::optional<std::vector<CallArg>> args, TypeId enum_type, Span span, TypeId expected) {
  c.ensure_fields(nominal);
  CaseInfo& info = nominal->cases[index];
  if (!enum_type.valid()) {
    std::vector<TypeId> params;
    for (size_t i = 0; i < nominal->type_params.size(); ++i) params.push_back(c.unifier.fresh(span));
    enum_type = types.nominal(Kind::Enum, nominal->id, std::move(params));
    TypeId wanted = expected.valid() ? c.unifier.shallow(expected) : TypeId();
    if (wanted.valid() && types.kind(wanted) == Kind::Optional) wanted = c.unifier.shallow(types.arg(wanted));
    if (wanted.valid() && types.kind(wanted) == Kind::Enum && c.nominal_info(wanted) == nominal) c.unifier.unify(enum_type, wanted);
  }
  if (!args && !info.fields.empty()) {
    // The case itself as a function of its payload.
    auto* name = c.program.arena.make<ast::NameExpr>();
    name->name = info.name;
    name->span = span;
    ast::Expr* callee = name;
    if (auto* wanted = c.nominal_info(enum_type)) {
      auto* owner = c.program.arena.make<ast::NameExpr>();
      owner->name = wanted->name;
      owner->span = span;
      auto* member = c.program.arena.make<ast::MemberExpr>();
      member->object = owner;
      member->name = info.name;
      member->name_span = span;
      member->span = span;
      callee = member;
    }
    if (wants_function_ || (expected.valid() && c.kind(expected) == Kind::Func)) return wrap_as_lambda(callee, info.fields.size(), span, expected);
    auto& d = c.error(Code::MissingArgument, span, "case `" + info.name.str() + "` carries values");
    std::string list;
    for (FieldInfo& f : info.fields) list += (list.empty() ? "" : ", ") + f.name.str();
    d.help = "write `" + info.name.str() + "(" + list + ")`";
    return poison(span);
  }
  if (args && info.fields.empty() && args->empty()) {
    auto& d = c.error(Code::UnexpectedArgument, span, "case `" + info.name.str() + "` carries nothing, so it is written without `()`");
    d.help = "write `" + info.name.str() + "`";
  }
  if (args && args->empty() && info.fields.size() == 1) {   // `Ready()` of a Poll<void>: its payload is nothing
    TypeId payload = c.unifier.shallow(c.apply(info.fields[0].type, subst_of(enum_type)));
    if (types.kind(payload) == Kind::Var && nominal == c.core_nominal("Poll")) c.unifier.unify(payload, types.void_);
    if (c.kind(payload) == Kind::Void) {
      auto* made = make<MakeEnum>(enum_type, span);
      made->case_index = index;
      made->args = keep(std::vector<Expr*>{make<VoidConst>(types.void_, span)});
      return made;
    }
  }
  std::vector<ParamInfo> params;
  for (FieldInfo& f : info.fields) {
    ParamInfo p;
    p.name = f.name;
    p.type = f.type;
    p.default_value = f.default_value;
    p.span = f.span;
    params.push_back(p);
  }
  BoundArgs bound;
  if (args && !bind_args(params, subst_of(enum_type), std::move(*args), span, info.name.str(), info.span, nominal->module, bound)) return poison(span);
  auto build = [&]() {
    auto* made = make<MakeEnum>(enum_type, span);
    made->case_index = index;
    made->args = keep(bound.values);
    return made;
  };
  if (bound.order.empty()) return build();
  return make_seq([&]() -> Expr* {
    for (uint32_t i : bound.order) {
      VariableId temp = new_temp(bound.values[i]->type, span);
      emit_assign(variable_ref(temp, span), bound.values[i]);
      bound.values[i] = variable_ref(temp, span);
    }
    return build();
  }, span);
}

// ---- Functions as values -----------------------------------------------------

// How many arguments a function takes when nothing around it tells: those it needs, or where it needs none, those
// whose default says the type.
size_t BodyChecker::count_for_value(const std::vector<ParamInfo>& params, bool use_defaults) {
  size_t required = 0, with_default = 0;
  for (const ParamInfo& p : params) {
    if (p.kind != ast::ParamKind::Normal) continue;
    if (!p.default_value) ++required;
    else with_default += p.type.valid() || literal_type(p.default_value).valid();
  }
  return required || !use_defaults ? required : with_default;
}

Expr* BodyChecker::function_value(Overloads& overloads, Subst subst, Expr* receiver, TypeId self_type, Span span, TypeId expected) {
  FunctionInfo* f = overloads.front();
  c.ensure_signature(f);
  bool simple = overloads.size() == 1 && f->type_params.empty() && !f->is_unannotated() && !receiver && !f->has_self;
  for (ParamInfo& p : f->params) simple &= p.kind == ast::ParamKind::Normal;
  TypeId hint = expected.valid() ? c.unifier.shallow(expected) : TypeId();
  if (simple && hint.valid() && types.kind(hint) == Kind::Func && types.func_params(hint).size() != f->params.size()) simple = false;
  if (simple && hint.valid() && types.kind(hint) == Kind::Func)   // it may only read what is frozen
    for (TypeId param : types.func_params(hint)) simple &= !mentions_frozen(c, param);
  if (simple && wants_function_ && !(hint.valid() && types.kind(hint) == Kind::Func)) simple = count_for_value(f->params, true) == f->params.size();
  if (simple) {
    std::vector<TypeId> params;
    std::vector<ParamMode> modes;
    for (ParamInfo& p : f->params) {
      params.push_back(c.apply(p.type, subst));
      modes.push_back(p.mode);
    }
    Instance* instance = c.instantiate(f, subst, self_type, params);
    bool is_async = f->frame == FrameKind::Async;
    auto* closure = make<MakeClosure>(types.func(params, is_async ? c.produced_of(instance->result) : instance->result, is_async, modes), span);
    PendingCall pending;
    pending.closure = closure;
    pending.instance = instance;
    pending.caller = fn.id;
    c.add_pending(pending);
    return closure;
  }
  Kind bound_to = receiver && self_type.valid() ? c.kind(thawed_type(c, self_type)) : Kind::Error;
  if ((bound_to == Kind::Struct || bound_to == Kind::Enum) && !f->module->is_std && c.mutates_self(f)) {
    auto& d = c.error(Code::InvalidRefArgument, span, "`" + f->name().str() + "` changes the " + (bound_to == Kind::Struct ? "struct" : "enum") + " it is called on, and a method put into a variable has a copy of that");
    d.labels.push_back({f->decl->name_span, "it assigns `self` or a part of it"});
    d.help = "write a function that calls it: `() -> x." + f->name().str() + "(…)`";
    return poison(span);
  }
  // Generic functions and bound methods become a small lambda.
  ast::Expr* callee = nullptr;
  base::Arena& arena = c.program.arena;
  auto* placeholder = arena.make<ast::NameExpr>();
  placeholder->span = span;
  if (receiver) {
    placeholder->name = c.name("$receiver" + std::to_string(fn.variables.size()));
    VariableId held = declare(placeholder->name, receiver->type, span);
    facts(held).assigned_in_loop = false;   // each turn has its own
    flow.set_assigned(held);
    emit_assign(variable_ref(held, span), receiver);
    local_names_.insert(placeholder->name);
    auto* member = arena.make<ast::MemberExpr>();
    member->object = placeholder;
    member->name = f->name();
    member->name_span = span;
    member->span = span;
    callee = member;
  } else {
    placeholder->name = f->name();
    callee = placeholder;
    if (!f->owner && f->module != module && !f->module->is_core) {
      auto* owner = arena.make<ast::NameExpr>();
      owner->span = span;
      for (auto& [n, symbol] : module->names)
        if (symbol.kind == SymbolKind::Module && symbol.module == f->module) owner->name = n;
      if (owner->name) {
        auto* member = arena.make<ast::MemberExpr>();
        member->object = owner;
        member->name = f->name();
        member->name_span = span;
        member->span = span;
        callee = member;
      }
    }
  }
  Expr* lambda = wrap_as_lambda(callee, count_for_value(f->params, !f->module->is_std), span, expected, &f->params, f->frame == FrameKind::Async);
  // What the signature says is known already.
  TypeId made = c.unifier.shallow(lambda->type);
  if (types.kind(made) == Kind::Func && overloads.size() == 1 && f->type_params.empty()) {
    auto params = types.func_params(made);
    size_t at = 0;
    for (ParamInfo& p : f->params)
      if (p.kind == ast::ParamKind::Normal && at < params.size()) {
        TypeId written = p.type.valid() ? c.apply(p.type, subst) : TypeId();
        if (written.valid() && !mentions_frozen(c, params[at])) c.unifier.unify(params[at], written);
        ++at;
      }
    c.run_ready_lambdas();
  }
  return lambda;
}

}  // namespace meteor::typed
