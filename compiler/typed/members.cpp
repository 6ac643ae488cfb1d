// Fields and methods of types: own, inherited, from traits, from impl blocks,
// and those the compiler derives.
#include <algorithm>
#include <functional>

#include "compiler/base/check.h"
#include "compiler/typed/checker.h"
#include "compiler/typed/derive_json.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/own_self.h"
#include "compiler/typed/program_check.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

Subst Checker::arguments_of(TypeId type) {
  Subst out;
  NominalInfo* info = nominal_info(type);
  const types::Type& t = types.get(unifier.shallow(type));
  for (size_t i = 0; i < info->type_params.size(); ++i) out.add(info->type_params[i].type, t.args[i]);
  return out;
}

TypeId Checker::base_of(TypeId type) {
  NominalInfo* info = nominal_info(type);
  if (!info) return TypeId();
  ensure_header(info);
  if (!info->base.valid()) return TypeId();
  return info->type_params.empty() ? info->base : apply(info->base, arguments_of(type));
}

bool Checker::is_subclass(TypeId type, TypeId base) {
  NominalInfo* wanted = nominal_info(base);
  for (TypeId at = unifier.shallow(type); at.valid(); at = base_of(at))
    if (nominal_info(at) == wanted) return unifier.unify(at, base);
  return false;
}

bool Checker::could_be_subclass(TypeId type, TypeId base) {
  NominalInfo* wanted = nominal_info(base);
  for (TypeId at = unifier.shallow(type); at.valid(); at = base_of(at))
    if (nominal_info(at) == wanted) return unifier.could_unify(at, base);
  return false;
}

const std::vector<Checker::FlatField>& Checker::flat_fields(TypeId type) {
  type = unifier.shallow(type);
  auto found = flat_fields_.find(type);
  if (found != flat_fields_.end()) return found->second;
  NominalInfo* info = nominal_info(type);
  CHECK(info);
  ensure_fields(info);
  std::vector<FlatField> out;
  if (TypeId base = base_of(type); base.valid()) out = flat_fields(base);
  Subst subst = arguments_of(type);
  for (FieldInfo& field : info->fields) out.push_back({&field, apply(field.type, subst)});
  return flat_fields_[type] = std::move(out);
}

Member Checker::find_member(TypeId type, Name n) {
  type = unifier.shallow(type);
  if (types.kind(type) == Kind::Frozen) {
    Member seen = find_member(read_as(*this, type), n);
    return seen ? seen : find_member(thawed_type(*this, type), n);
  }
  if (types.kind(type) == Kind::Dyn) return find_trait_member(type, n);
  if (Member own = find_own_member(type, n)) return with_other_uses(type, std::move(own), n);
  if (Member added = find_added_member(type, n)) return added;
  if (Member found = find_trait_member(type, n)) return found;
  // What the compiler writes.
  Member out;
  if (Overloads* derived = derived_method(type, n)) {
    out.kind = Member::Methods;
    out.methods = derived;
    FunctionInfo* info = derived->front();
    const types::Type& t = types.get(type);
    auto& params = info->impl ? info->impl->type_params : info->owner->type_params;
    for (size_t i = 0; i < params.size(); ++i) out.subst.add(params[i].type, t.args[i]);
    out.owner = info->owner;
  }
  return out;
}

Member Checker::find_trait_method(TypeId type, TypeId trait, Name n, Wanted wanted) {
  Member out;
  NominalInfo* info = nominal_info(trait);
  ensure_header(info);
  Subst subst = arguments_of(trait);
  subst.add(info->self_type, type);
  if (Overloads* methods = info->find_method(n); methods && (wanted == Wanted::Any || methods->front()->decl->has_body)) {
    out.kind = Member::Methods;
    out.methods = methods;
    out.subst = std::move(subst);
    out.owner = info;
    return out;
  }
  for (TypeId super : info->traits)
    if (Member found = find_trait_method(type, apply(super, subst), n, wanted)) return found;
  return out;
}

bool Checker::implements(TypeId type, TypeId trait) {
  type = unifier.shallow(type);
  Kind k = types.kind(type);
  if (k == Kind::Error || k == Kind::Never) return true;
  if (k == Kind::Frozen) return implements(read_as(*this, type), trait) || implements(thawed_type(*this, type), trait);
  NominalInfo* wanted = nominal_info(trait);
  if (k == Kind::Param || has_by_declaration(type, trait)) return true;
  // The core traits of comparison, hashing and text hold for whatever can be compared, hashed, shown.
  if (wanted->module == core_) {
    std::string_view n = wanted->name.text();
    auto every_argument = [&]() {
      for (TypeId arg : types.get(type).args)
        if (!implements(arg, trait)) return false;
      return true;
    };
    auto method = [&](std::string_view dunder) { return has_method(type, dunder); };
    bool simple = k == Kind::Int || k == Kind::Float || k == Kind::Bool || k == Kind::Str || k == Kind::Bytes;
    if (n == "Str") return k != Kind::Void;
    if (n == "Json") return k != Kind::Void && method("write_json") && every_argument() && !find_json_key_error(*this, type).valid();
    if (n == "Eq") return simple || k == Kind::Any || k == Kind::Func || k == Kind::Class || k == Kind::Dyn || ((k == Kind::Tuple || k == Kind::Optional) && every_argument()) || method("__eq__");
    if (n == "Hash") return simple || (k == Kind::Class && !has_method(type, "__eq__")) || ((k == Kind::Tuple || k == Kind::Optional) && every_argument()) || method("__hash__");
    if (n == "Ord") return simple || (k == Kind::Tuple ? every_argument() : method("__lt__"));
  }
  return false;
}

// Does a method of a trait take or give another `Self`?
bool Checker::names_self(const FunctionInfo* method) {
  TypeId self = method->owner->self_type;
  std::function<bool(TypeId)> is_in = [&](TypeId type) {
    if (!type.valid()) return false;
    return type == self || std::ranges::any_of(types.get(type).args, is_in);
  };
  return is_in(method->result) || std::ranges::any_of(method->params, [&](const ParamInfo& p) { return is_in(p.type); });
}

std::vector<std::pair<FunctionInfo*, Subst>> Checker::trait_methods(TypeId trait, TypeId self) {
  std::vector<std::pair<FunctionInfo*, Subst>> out;
  for (TypeId at : with_supertraits(trait, self)) {
    NominalInfo* info = nominal_info(at);
    Subst subst = arguments_of(at);
    subst.add(info->self_type, self);
    for (FunctionInfo* method : info->method_order) {
      ensure_signature(method);
      // A method that is generic itself can't be in a table, nor a default one whose types differ with the type: those are made for `dyn` itself.
      if (!method->has_self || !method->type_params.empty() || method->is_unannotated()) continue;
      if (method->decl->has_body && names_self(method)) continue;
      out.emplace_back(method, subst);
    }
  }
  return out;
}

// Of a trait that only the library may implement.
std::string Checker::implementers_of(TypeId trait) {
  std::string text;
  for (const ImplInfo& impl : impls_)
    if (impl.trait.valid() && nominal_info(impl.trait) == nominal_info(trait)) text += (text.empty() ? "`" : " or `") + this->text(impl.target) + "`";
  return text;
}

bool Checker::check_bounds(const std::vector<TypeParamInfo>& params, const Subst& subst, Span span) {
  for (const TypeParamInfo& p : params) {
    TypeId actual = unifier.shallow(subst.find(p.type).valid() ? subst.find(p.type) : p.type);
    if (types.kind(actual) == Kind::Var) continue;
    for (TypeId bound : p.bounds) {
      if (implements(actual, apply(bound, subst))) continue;
      std::string trait = text(apply(bound, subst));
      if (trait.starts_with('_') && nominal_info(bound)->module->is_std) {
        error(Code::TraitNotImplemented, span, "`" + p.name.str() + "` can't be `" + text(actual) + "` here").help = "it can be " + implementers_of(bound);
        return false;
      }
      auto& d = error(Code::TraitNotImplemented, span, "`" + text(actual) + "` does not have the trait `" + trait + "`");
      d.notes.push_back("`" + p.name.str() + ": " + trait + "` asks for it");
      if (trait == "Ord") d.help = "give it `__lt__`, or write `@derive(Ord)` above it";
      else if (TypeId key = trait == "Json" ? find_json_key_error(*this, actual) : TypeId(); key.valid()) d.help = json_key_help(*this, key);
      else if (trait == "Json") d.help = "write `@derive(Json)` above it, or give it `write_json` and `read_json`";
      else if (trait == "Hash") d.help = "write `@derive(Eq, Hash)` above it";
      else d.help = "write `impl " + trait + " for " + text(actual) + ":` with the trait's methods";
      return false;
    }
  }
  return true;
}

std::vector<ImplInfo*> Checker::impls_for(TypeId type) {
  std::vector<ImplInfo*> out;
  auto list = impls_by_target_.find(impl_key(unifier.shallow(type)));
  if (list != impls_by_target_.end()) out = list->second;
  return out;
}

// ---- Overriding --------------------------------------------------------------

// Each class of a hierarchy that derives Json writes its own fields.
bool Checker::has_derived_json(NominalInfo* info) {
  return info->kind == Kind::Class && json_type("Writer").valid() && may_derive(info->self_type, "Json") && !info->methods.count(name("write_json"));
}

// Each class of a hierarchy without a `__str__` of its own shows its own name and fields.
bool Checker::has_derived_text(NominalInfo* info) {
  if (info->kind != Kind::Class) return false;
  for (NominalInfo* at = info; at; at = at->base.valid() ? nominal_info(at->base) : nullptr)
    if (at->methods.count(name("__str__"))) return false;
  return true;
}

Member Checker::find_virtual_member(TypeId type, Name n) {
  Member found = find_own_member(type, n);
  if (found.kind == Member::Methods) return found;
  std::vector<TypeId> traits;
  for (TypeId at = unifier.shallow(type); at.valid() && nominal_info(at); at = base_of(at)) {
    Subst subst = arguments_of(at);
    for (TypeId trait : nominal_info(at)->traits) traits.push_back(apply(trait, subst));
  }
  found = find_bound_member(type, traits, n);
  if (!found) found = find_member(type, n);
  ImplInfo* impl = found.kind == Member::Methods ? found.methods->front()->impl : nullptr;
  if (impl && impl->trait.valid()) return {};
  return found;
}

// The default of a generic trait is one function for all its arguments: only that of the same ones is in the table.
static bool has_same_trait_arguments(Checker& c, const FunctionInfo* method, const Subst& one, const Subst& other) {
  if (!method->owner || method->owner->kind != Kind::Trait) return true;
  return std::ranges::all_of(method->owner->type_params, [&](const TypeParamInfo& p) { return c.resolve(c.apply(p.type, one)) == c.resolve(c.apply(p.type, other)); });
}

std::optional<uint32_t> Checker::virtual_slot(TypeId type, FunctionInfo* callee, const Subst& subst) {
  NominalInfo* info = nominal_info(type);
  Name method = callee->name();
  if (!info || info->kind != Kind::Class || !is_overridden(info, method)) return std::nullopt;
  Member in_table = find_virtual_member(type, method);
  if (in_table.kind != Member::Methods || std::ranges::find(*in_table.methods, callee) == in_table.methods->end()) return std::nullopt;
  if (!has_same_trait_arguments(*this, callee, subst, in_table.subst)) return std::nullopt;
  const std::vector<Name>& list = virtual_method_names(*this, info);
  for (uint32_t i = 0; i < list.size(); ++i)
    if (list[i] == method) {
      virtual_text_used_ |= method == name("__str__");
      virtual_json_used_ |= method == name("write_json");
      return i;
    }
  return std::nullopt;
}

// ---- Questions about bodies, answered on the syntax tree ---------------------

// Does an operator, call, test or loop of such a value change it? Assignments by operators are seen where they are.
bool Checker::has_changing_operator(TypeId type) {
  if (kind(type) != Kind::Struct && kind(type) != Kind::Enum) return false;
  return std::ranges::any_of(nominal_info(type)->method_order, [&](FunctionInfo* method) {
    std::string_view name = method->name().text();
    bool is_operator = name.starts_with("__") && name.ends_with("__") && name != "__init__" && name != "__enter__" && name != "__exit__" && !name.starts_with("__i");
    return method->has_self && (is_operator || name == "__iter__") && name != "__setitem__" && mutates_self(method);
  });
}

bool Checker::mutates_self(FunctionInfo* info) {
  if (info->mutates_self) return *info->mutates_self;
  info->mutates_self = false;   // while a cycle of calls is followed
  if (!info->has_self) return false;
  if (info->self_mode == ParamMode::Ref) return *(info->mutates_self = true);
  NominalInfo* owner = info->owner;
  Kind k = owner ? owner->kind : info->impl ? types.kind(info->impl->target) : Kind::Error;
  if (owner && owner->kind == Kind::Trait) {
    // A required method: it may if any struct's implementation does; Iterator-like `next` does.
    if (!info->decl->has_body) {
      for (NominalInfo* other : nominal_list_) {
        if (other->kind != Kind::Struct) continue;
        for (TypeId trait : other->traits)
          if (std::ranges::any_of(with_supertraits(trait, other->self_type), [&](TypeId at) { return nominal_info(at) == owner; }))
            if (Overloads* methods = other->find_method(info->name()))
              for (FunctionInfo* m : *methods)
                if (mutates_self(m)) return *(info->mutates_self = true);
      }
      for (ImplInfo& impl : impls_) {
        auto own = impl.methods.find(info->name());
        if (!impl.trait.valid() || own == impl.methods.end()) continue;
        if (std::ranges::none_of(with_supertraits(impl.trait, impl.target), [&](TypeId trait) { return nominal_info(trait) == owner; })) continue;
        for (FunctionInfo* m : own->second)
          if (mutates_self(m)) return *(info->mutates_self = true);
      }
      return false;
    }
  } else if (k != Kind::Struct && k != Kind::Enum && k != Kind::Tuple) {
    return false;
  }
  Name self = name("self");
  auto own_field = [&](ast::Expr* e) -> FieldInfo* {
    auto* member = e->as<ast::MemberExpr>();
    auto* object = member ? member->object->as<ast::NameExpr>() : nullptr;
    if (!object || object->name != self || !owner) return nullptr;
    ensure_fields(owner);
    auto field = std::ranges::find(owner->fields, member->name, &FieldInfo::name);
    return field == owner->fields.end() ? nullptr : &*field;
  };
  auto type_inside = [&](FieldInfo* field) {
    TypeId type = resolve(field->type);
    return kind(type) == Kind::Optional ? resolve(types.arg(type)) : type;
  };
  // Is this place part of self? Elements are part of tuples and of what a struct's own `__setitem__` writes; lists and dicts are references.
  auto is_in_self = [&](ast::Expr* e, auto& again) -> bool {
    if (auto* n = e->as<ast::NameExpr>()) return n->name == self;
    if (auto* m = e->as<ast::MemberExpr>()) return again(m->object, again);
    if (auto* u = e->as<ast::UnwrapExpr>()) return again(u->operand, again);
    if (auto* i = e->as<ast::IndexExpr>()) {
      FieldInfo* field = own_field(i->object);
      Kind in = field ? kind(type_inside(field)) : Kind::Error;
      return in == Kind::Tuple || in == Kind::Struct || in == Kind::Enum;
    }
    return false;
  };
  bool found = false;
  std::function<void(ast::Expr*)> target = [&](ast::Expr* e) {
    if (!e) return;
    if (auto* t = e->as<ast::TupleExpr>()) {
      for (ast::Expr* item : t->items) target(item);
    } else if (is_in_self(e, is_in_self)) {
      found = true;
    }
  };
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* s) {
    if (auto* a = s->as<ast::AssignStmt>()) for (ast::Expr* t : a->targets) target(t);
    if (auto* a = s->as<ast::AugAssignStmt>()) target(a->target);
    if (auto* f = s->as<ast::ForStmt>()) target(f->target);
  };
  visitor.on_expr = [&](ast::Expr* e) {
    if (auto* walrus = e->as<ast::WalrusExpr>()) target(walrus->target);
    if (FieldInfo* field = own_field(e); field && has_changing_operator(type_inside(field))) found = true;
    auto* call = e->as<ast::CallExpr>();
    if (!call || found) return;
    for (size_t i = 0; i < call->args.size() && !info->module->is_std; ++i)
      if (lending_functions().may_assign(call, i) && is_in_self(call->args[i].value, is_in_self)) found = true;
    auto* member = call->callee->as<ast::MemberExpr>();
    if (!member) return;
    if (auto* n = member->object->as<ast::NameExpr>(); n && n->name == self) {
      Overloads* methods = owner ? owner->find_method(member->name) : nullptr;
      if (!methods && owner)
        for (TypeId trait : owner->traits)
          if (!methods) methods = nominal_info(trait)->find_method(member->name);
      if (methods)
        for (FunctionInfo* m : *methods)
          if (mutates_self(m)) found = true;
      return;
    }
    // self.field.method(): matters when the field is a struct (or a type parameter that may be one).
    ast::Expr* receiver = member->object;
    while (auto* unwrap = receiver->as<ast::UnwrapExpr>()) receiver = unwrap->operand;
    FieldInfo* field = own_field(receiver);
    if (!field) {
      auto* path = receiver->as<ast::MemberExpr>();
      bool is_direct = receiver->kind == ast::ExprKind::Name || (path && path->object->kind == ast::ExprKind::Name);   // a payload or a property: a copy
      found = found || (owner && !is_direct && is_in_self(receiver, is_in_self));
      return;
    }
    TypeId inside = type_inside(field);
    if (kind(inside) == Kind::Param) found = true;
    if (kind(inside) == Kind::Struct || kind(inside) == Kind::Enum)
      if (Overloads* methods = nominal_info(inside)->find_method(member->name))
        for (FunctionInfo* m : *methods)
          if (mutates_self(m)) found = true;
  };
  visitor.visit(info->decl->body);
  info->mutates_self = found;
  return found;
}

const LendingFunctions& Checker::lending_functions() {
  if (lending_functions_) return *lending_functions_;
  lending_functions_ = std::make_unique<LendingFunctions>(written_names());
  for (ModuleInfo& module : modules_)
    if (!module.is_std)
      for (ast::Module* tree : module.trees) lending_functions_->add(*tree);
  for (ModuleInfo& module : modules_)
    if (!module.is_std)
      for (ast::Module* tree : module.trees) lending_functions_->find_other_uses(*tree);
  return *lending_functions_;
}

const std::unordered_set<Name>& Checker::reassigned_fields() {
  if (reassigned_ready_) return reassigned_fields_;
  reassigned_ready_ = true;
  Name own_object;   // `self` of the constructor being looked at: the object is still being made
  std::function<void(ast::Expr*)> target = [&](ast::Expr* e) {
    if (!e) return;
    if (auto* m = e->as<ast::MemberExpr>()) {
      auto* object = m->object->as<ast::NameExpr>();
      if (!own_object || !object || object->name != own_object) reassigned_fields_.insert(m->name);
    }
    if (auto* t = e->as<ast::TupleExpr>()) for (ast::Expr* item : t->items) target(item);
    if (auto* t = e->as<ast::ListExpr>()) for (ast::Expr* item : t->items) target(item);
    if (auto* t = e->as<ast::StarExpr>()) target(t->operand);
  };
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* s) {
    if (auto* a = s->as<ast::AssignStmt>()) for (ast::Expr* t : a->targets) target(t);
    if (auto* a = s->as<ast::AugAssignStmt>()) target(a->target);
    if (auto* f = s->as<ast::ForStmt>()) target(f->target);
    if (auto* w = s->as<ast::WithStmt>()) for (ast::WithItem& item : w->items) target(item.target);
    if (auto* select = s->as<ast::SelectStmt>()) for (ast::SelectCase& one : select->cases) target(one.target);
    if (s->kind == ast::StmtKind::Function) own_object = {};   // runs later
  };
  visitor.on_expr = [&](ast::Expr* e) {
    if (e->kind == ast::ExprKind::Lambda || e->kind == ast::ExprKind::AnonDef) own_object = {};
    auto* call = e->as<ast::CallExpr>();
    if (!call) return;
    for (size_t i = 0; i < call->args.size(); ++i)
      if (lending_functions().may_assign(call, i)) target(call->args[i].value);
  };
  for (ModuleInfo& module : modules_) {
    for (ast::Module* tree : module.trees)
      for (ast::Stmt* stmt : tree->body) {
        if (auto* cls = stmt->as<ast::ClassDecl>()) {
          for (ast::FunctionDecl* m : cls->methods) {
            own_object = m->name.text() == "__init__" && !m->params.empty() ? m->params[0].name : Name();
            visitor.visit(m->body);
            own_object = {};
          }
        } else {
          visitor.visit(stmt);
        }
      }
  }
  return reassigned_fields_;
}

}  // namespace meteor::typed
