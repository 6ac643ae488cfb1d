// Functions that visibly change what they captured: no isolate may call such a one beside others, so it can't be
// frozen. What is not visible here is found by compiler/mir/captures, and raises when it is frozen.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// `value` is given to `freeze`. False after an error: it is a function that stands here and changes a variable of `b`.
bool check_frozen_function(BodyChecker& b, Expr* value);

}  // namespace meteor::typed
