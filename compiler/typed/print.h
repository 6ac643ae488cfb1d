// The typed tree as text, for tests and `--dump=typed`: one statement per line,
// blocks indented, expressions as calls of their node's name. Variables are
// numbered (`x.2`, `%5` for temps); an expression's type follows it where the
// parts do not give it away.
#pragma once

#include <string>
#include <string_view>

#include "compiler/typed/typed.h"

namespace meteor::typed {

// All functions of the user's program and the library, or those of this name (`f`, `C.method`).
std::string print(const Program& program, const types::TypeStore& types, std::string_view function);

}  // namespace meteor::typed
