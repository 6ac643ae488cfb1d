// Tests for a trait at run time. The tables behind `dyn` are the list of types that have it: naming one for `any` makes
// build_trait_tables give every type of the program that has the trait a table, and the test looks for it.
// Invariant: a value of a class or `dyn` that passed keeps its type, since it has members that the trait has not; a
// fact with `#is` after its place says what it has besides.
#include "compiler/typed/has_trait.h"

#include "compiler/typed/frozen.h"

namespace meteor::typed {

namespace {

PlaceKey trait_key(const PlaceKey& place) { return place.empty() ? place : place + "#is"; }

Expr* viewed(BodyChecker& b, Expr* value, TypeId dyn, bool checked) {
  b.root->boxed_.push_back(value->type);
  return b.make_convert(ConvertKind::FromAny, value, dyn, checked);
}

}  // namespace

bool refuses_open_type(Checker& c, TypeId tested, Span span, const std::function<std::string(const std::string&)>& as_written) {
  if (!c.unifier.has_unbound(tested)) return false;
  TypeId named = c.unifier.shallow(tested);
  if (c.kind(named) == Kind::Dyn) named = c.unifier.shallow(c.types.arg(named));
  const NominalInfo* nominal = c.nominal_info(named);
  Diagnostic& d = c.error(Code::InvalidPattern, span, "the type arguments of `" + (nominal ? nominal->name.str() : c.text(named)) + "` are not known here");
  if (nominal) d.help = "write them: `" + as_written(nominal->name.str() + "<…>") + "`";
  return true;
}

bool always_has_trait(Checker& c, TypeId type, TypeId dyn) {
  TypeId trait = c.types.arg(c.unifier.shallow(dyn));
  type = c.unifier.shallow(type);
  switch (c.kind(type)) {
    case Kind::Any: return false;
    case Kind::Dyn: return c.builds_on(c.types.arg(type), trait, type);
    default: return c.implements(type, trait);
  }
}

bool may_have_trait(Checker& c, TypeId type, TypeId dyn) {
  Kind kind = c.kind(type);
  if (kind == Kind::Any || kind == Kind::Dyn || always_has_trait(c, type, dyn)) return true;
  return kind == Kind::Class && c.hierarchy().may_grow(c, c.nominal_info(type));
}

Expr* test_trait(BodyChecker& b, Expr* value, TypeId type, TypeId dyn, Span span, const PlaceKey& key, Facts& yes,
                 std::optional<bool>& decided) {
  bool always = always_has_trait(b.c, type, dyn);
  if (always || !may_have_trait(b.c, type, dyn)) {
    decided = always;
    return b.make_bool(always, span);
  }
  if (refuses_open_type(b.c, dyn, span, [](const std::string& full) { return "is " + full; })) return b.poison(span);
  auto* test = b.make<IsType>(b.types.bool_, span);
  test->operand = value;
  test->tested = b.c.resolve(dyn);
  bool is_any = b.c.kind(type) == Kind::Any;
  if (!key.empty()) yes.push_back({is_any ? key : trait_key(key), test->tested});
  return test;
}

Expr* seen_as_trait(BodyChecker& b, Expr* place, Name member) {
  if (b.flow.narrowed.empty() || b.is_poison(place)) return place;
  Kind kind = b.c.kind(place->type);
  if (kind != Kind::Class && kind != Kind::Dyn) return place;
  const Known* known = b.flow.find(trait_key(b.place_key(place)));
  if (!known || b.find_member(place->type, member) || !b.c.find_member(known->type, member)) return place;
  return viewed(b, place, known->type, known->in_doubt);
}

Expr* as_supertrait(BodyChecker& b, Expr* value, TypeId dyn) {
  TypeId type = b.c.unifier.shallow(value->type);
  Kind kind = b.c.kind(type);
  if (kind != Kind::Dyn && kind != Kind::Class) return nullptr;
  if (kind == Kind::Dyn && always_has_trait(b.c, type, dyn)) {
    b.c.implements(type, b.types.arg(b.c.unifier.shallow(dyn)));  // decides what is still open in its arguments
    return viewed(b, value, dyn, false);
  }
  const Known* known = b.flow.narrowed.empty() ? nullptr : b.flow.find(trait_key(b.place_key(value)));
  if (!known || !always_has_trait(b.c, known->type, dyn)) return nullptr;
  return viewed(b, value, dyn, known->in_doubt);
}

}  // namespace meteor::typed
