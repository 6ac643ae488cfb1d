// What `Self` of a class's method is. A method is checked for each type it is called on, so an inherited one can give
// that type; calls that see a base class go through the table, which has one such method for each subclass.
#include "compiler/typed/own_self.h"

#include <algorithm>

#include "compiler/typed/frozen.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

bool names_self(const ast::TypeExpr* type) {
  if (!type) return false;
  if (type->path.size() == 1 && type->path[0].text() == "Self") return true;
  return names_self(type->inner) || std::ranges::any_of(type->args, [](ast::TypeExpr* arg) { return names_self(arg); });
}

bool names_self(ast::Block body) {
  bool found = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    if (auto* name = e->as<ast::NameExpr>()) found = found || name->name.text() == "Self";
  };
  visitor.visit(body);
  return found;
}

bool mentions(Checker& c, TypeId type, TypeId param) {
  return type == param ||
         std::ranges::any_of(c.types.get(type).args, [&](TypeId arg) { return mentions(c, arg, param); });
}

// A value of this type for a subclass can be used as one for its base.
bool is_covariant(Checker& c, TypeId type, TypeId param) {
  Kind kind = c.kind(type);
  if (type == param || !mentions(c, type, param)) return true;
  if (kind != Kind::Optional && kind != Kind::Tuple) return false;
  return std::ranges::all_of(c.types.get(type).args, [&](TypeId arg) { return is_covariant(c, arg, param); });
}

TypeId own_self(Checker& c, const FunctionInfo* method) {
  for (const TypeParamInfo& p : method->type_names)
    if (p.name.text() == "Self" && c.types.kind(p.type) == Kind::Param) return p.type;
  return TypeId();
}

}  // namespace

bool may_name_own_self(const FunctionInfo* method) {
  if (!method->owner || method->owner->kind != Kind::Class || method->impl || method->is_derived) return false;
  return names_self(method->decl->return_type) || names_self(method->decl->body);
}

void declare_own_self(Checker& c, FunctionInfo* method, TypeId param) {
  method->type_names.push_back({c.name("Self"), param, {}, {}, true});
}

TypeId resolve_own_result(Checker& c, FunctionInfo* method, const TypeScope& plain) {
  TypeId param = own_self(c, method);
  ast::TypeExpr* written = method->decl->return_type;
  bool gives_one = method->frame == FrameKind::None || method->frame == FrameKind::Async;
  if (!param.valid() || !names_self(written)) return c.resolve_type(written, plain);
  if (gives_one) {
    TypeId result = c.resolve_type(written, c.scope_of(method));
    if (is_covariant(c, result, param)) return result;
  }
  method->type_names.pop_back();
  return c.resolve_type(written, plain);
}

void add_own_self(Checker& c, FunctionInfo* method, Subst& subst, TypeId receiver) {
  TypeId param = own_self(c, method);
  if (!param.valid() || subst.find(param).valid()) return;
  subst.add(param, receiver.valid() ? thawed_type(c, receiver) : c.apply(method->owner->self_type, subst));
}

const char* why_result(Checker& c, const FunctionInfo* method, TypeId self) {
  bool is_inherited = method && self.valid() && own_self(c, method).valid() && names_self(method->decl->return_type) &&
                      c.nominal_info(self) && c.nominal_info(self) != method->owner;
  if (!is_inherited) return "because of this result type";
  std::string text = "`Self` is `" + c.text(self) + "` where that inherits this method";
  return c.program.arena.copy_text({text.c_str(), text.size() + 1}).data();
}

bool varies_with_self(Checker& c, FunctionInfo* method) {
  std::string_view n = method->name().text();
  if (!method->has_self || n == "__init__" || n == "__del__" || n == "__drop__") return false;
  c.ensure_signature(method);
  if (!method->type_params.empty() || method->is_unannotated()) return false;  // no table can hold all of it
  if (!method->owner) return false;  // of an impl, which only its own type has
  if (method->owner->kind != Kind::Trait) return own_self(c, method).valid();
  TypeId self = method->owner->self_type;
  bool takes_self = std::ranges::any_of(method->params, [&](const ParamInfo& p) { return mentions(c, p.type, self); });
  return method->decl->has_body && method->result.valid() && method->result == self && !takes_self;
}

bool varies_with_self(Checker& c, NominalInfo* owner, Name n) {
  for (NominalInfo* at = owner; at; at = at->base.valid() ? c.nominal_info(at->base) : nullptr)
    if (Overloads* methods = at->find_method(n)) return varies_with_self(c, methods->front());
  for (NominalInfo* at = owner; at; at = at->base.valid() ? c.nominal_info(at->base) : nullptr)
    for (TypeId trait : at->traits)
      for (TypeId one : c.with_supertraits(trait, at->self_type))
        if (Overloads* methods = c.nominal_info(one)->find_method(n)) return varies_with_self(c, methods->front());
  return false;
}

}  // namespace meteor::typed
