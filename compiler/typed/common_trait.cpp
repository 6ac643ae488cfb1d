// The one trait that values of different types share.
#include "compiler/typed/common_trait.h"

#include <algorithm>

namespace meteor::typed {

namespace {

bool is_of_program(Checker& c, TypeId type) {
  NominalInfo* info = c.nominal_info(type);
  return info && !info->module->is_std;
}

// The types behind the values, without null; empty: one of them is no type of the program.
std::vector<TypeId> own_types(BodyChecker& b, const std::vector<Expr*>& values, bool& may_be_null) {
  std::vector<TypeId> out;
  for (Expr* value : values) {
    TypeId type = b.c.resolve(b.known(value->type));
    if (b.types.kind(type) == Kind::Null || b.types.kind(type) == Kind::Optional) may_be_null = true;
    if (b.types.kind(type) == Kind::Null) continue;
    if (b.types.kind(type) == Kind::Optional) type = b.c.resolve(b.types.arg(type));
    bool is_dyn = b.types.kind(type) == Kind::Dyn && is_of_program(b.c, b.types.arg(type));
    if (!is_dyn && !is_of_program(b.c, type)) return {};
    if (std::ranges::find(out, type) == out.end()) out.push_back(type);
  }
  return out;
}

std::vector<TypeId> shared_traits(Checker& c, const std::vector<TypeId>& own) {
  std::vector<TypeId> shared, out;
  for (TypeId trait : c.traits_of(own[0])) {
    trait = c.resolve(trait);
    bool has_all = std::ranges::all_of(own, [&](TypeId type) { return c.kind(type) == Kind::Dyn ? c.builds_on(c.types.arg(type), trait, type) : c.implements(type, trait); });
    if (is_of_program(c, trait) && !c.types.has_var(trait) && has_all) shared.push_back(trait);
  }
  for (TypeId trait : shared) {
    bool is_below = std::ranges::any_of(shared, [&](TypeId other) { return other != trait && c.builds_on(other, trait, own[0]); });
    if (!is_below) out.push_back(trait);
  }
  return out;
}

}  // namespace

TypeId common_trait(BodyChecker& b, const std::vector<Expr*>& values, Span span) {
  Checker& c = b.c;
  bool may_be_null = false;
  std::vector<TypeId> own = own_types(b, values, may_be_null);
  if (own.empty()) return TypeId();
  std::vector<TypeId> shared = shared_traits(c, own);
  if (shared.empty()) return TypeId();
  if (shared.size() > 1) {
    std::string names;
    for (size_t i = 0; i < shared.size(); ++i) names += (i == 0 ? "`" : i + 1 == shared.size() ? " and `" : ", `") + c.text(shared[i]) + "`";
    Diagnostic& d = c.error(Code::TypeMismatch, span, "these values share the traits " + names + ", and nothing says which of them is meant");
    d.help = "say it: write the type of the variable, with `dyn " + c.text(shared[0]) + "`, or `… as dyn " + c.text(shared[0]) + "` at one of the values";
    return c.types.error;
  }
  TypeId dyn = c.types.wrap(Kind::Dyn, shared[0]);
  return may_be_null ? c.types.optional(dyn) : dyn;
}

}  // namespace meteor::typed
