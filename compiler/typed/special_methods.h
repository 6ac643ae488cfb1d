// Methods that the language calls by name (`__eq__`, `__len__`, …): special_methods.def lists them, and every
// declaration of one is held against that list. What emitted calls rely on holds from here on: the number of
// parameters, the result, and that a call does its work at once where nobody would await what it gives.
#pragma once

#include "compiler/typed/checker.h"

namespace meteor::typed {

// Fills in what the declaration of a special method leaves to the language, and reports what it says otherwise: such a
// method is refused, and no call of it is checked. Takes a signature that has just been resolved.
void check_special_method(Checker& c, FunctionInfo* info);
// The same for a result that its body has told.
void check_special_result(Checker& c, const Instance& instance);

}  // namespace meteor::typed
