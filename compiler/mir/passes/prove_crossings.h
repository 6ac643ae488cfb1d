// Proves crossings by regions (regions/crossings). A call whose argument is proven goes to a twin of its function that does not walk the argument's graph, or,
// where the program asserts what was proven, to one that takes a failure for a mistake of the compiler.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void prove_crossings(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
