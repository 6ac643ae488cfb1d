// `x is Trait`: whether the value's own type has the trait, and what may be done with x where it has.
#pragma once

#include <functional>

#include "compiler/typed/body.h"

namespace meteor::typed {

// `dyn` is the trait as a type. Where only the value itself can tell, the test looks for a table of its type.
Expr* test_trait(BodyChecker& b, Expr* value, TypeId type, TypeId dyn, Span span, const PlaceKey& key, Facts& yes,
                 std::optional<bool>& decided);
// Refuses a test for a type that was written without its arguments, if nothing tells them. `as_written` shows it with them.
bool refuses_open_type(Checker& c, TypeId tested, Span span, const std::function<std::string(const std::string&)>& as_written);
// Has every value of the type the trait, may one have it?
bool always_has_trait(Checker& c, TypeId type, TypeId dyn);
bool may_have_trait(Checker& c, TypeId type, TypeId dyn);
// A place that passed the test, as the trait, if that has the member and its type has not. Else the place.
Expr* seen_as_trait(BodyChecker& b, Expr* place, Name member);
// A `dyn` of a trait that builds on the wanted one, or a place that passed a test for it. Null: neither.
Expr* as_supertrait(BodyChecker& b, Expr* value, TypeId dyn);

}  // namespace meteor::typed
