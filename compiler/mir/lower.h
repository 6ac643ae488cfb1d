// lower: the typed tree → MIR, before any pass: drops are adaptive (see verify.h) and everything that might raise has
// an error edge.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/types/types.h"

namespace meteor::mir {

// `types` gains the compiler's own types (cells, optional errors). Both must outlive the result.
Program lower(const typed::Program& program, types::TypeStore& types);

}  // namespace meteor::mir
