// A function made here keeps the variables it captured: once one of them has been moved away, the function can't be used any more, by
// whatever name. What each variable holds is a fact of the flow; what a function captures is known when its whole body has been checked.
#pragma once

#include <tuple>
#include <vector>

#include "compiler/typed/body.h"

namespace meteor::typed {

// The variable gets the value: remembers the functions that it may be from now on.
void note_functions_held(BodyChecker& b, Expr* target, Expr* value);
// A variable that may hold functions is read, or a nested function is used, or a lambda is made.
void note_function_read(BodyChecker& b, Expr* place);
void note_function_used(BodyChecker& b, const MakeClosure* closure, Name name, Span span);
void note_lambda_made(BodyChecker& b, const MakeClosure* closure);
// Reports each such use of a function that needs what was moved away before. Requires: `closures` have all their captures.
void refuse_uses_after_moves(BodyChecker& root, const std::vector<std::tuple<MakeClosure*, BodyChecker*, BodyChecker*>>& closures);

}  // namespace meteor::typed
