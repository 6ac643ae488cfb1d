// What a variable without a known type will hold, read off the syntax tree:
// `best = null` before `best = p`, `xs = []` before `xs.append(p)`. Asked when
// something needs the type before the checker has come to that use.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// The type that `variable` (an inference variable) most likely stands for, or invalid. Reports and binds nothing.
TypeId type_by_later_use(BodyChecker& body, TypeId variable);
// At the end of a module's statements: types of its variables that only functions fill, `cache = {}`.
void settle_module_variables(BodyChecker& body);

}  // namespace meteor::typed
