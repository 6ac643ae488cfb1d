// What values of different types have in common where nothing says which type is meant: `[Square(1.0), Circle(2.0)]`.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// `dyn Trait` when the program's own types have one trait of the program in common (or one that builds on the others),
// optional when one of the values may be null; invalid when they have none; the error type when several are meant.
TypeId common_trait(BodyChecker& b, const std::vector<Expr*>& values, Span span);

}  // namespace meteor::typed
