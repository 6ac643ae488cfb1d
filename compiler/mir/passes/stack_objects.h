// An object that never leaves the function that makes it lies in that function's stack frame: no allocation, no count, and LLVM may
// keep its fields in registers. Where a small function only makes such an object and gives it back (`a + b` of two vectors), its body takes
// the place of the call first.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void place_on_stack(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
