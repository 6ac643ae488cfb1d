// Which methods of the library's collections only read, found on their source by a fixpoint over what they call. What
// is not understood counts as a write, so a method that nobody thought of is refused on a frozen collection rather than
// let through.
#pragma once

#include "compiler/typed/checker.h"

namespace meteor::typed {

// Does the function of core leave what this parameter refers to as it is, and keep no way to change it? `param` counts
// self.
bool reads_only(Checker& checker, FunctionInfo* function, size_t param);

}  // namespace meteor::typed
