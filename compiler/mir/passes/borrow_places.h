// An argument read from a field, a module variable or a cell is counted for the time of the call, since the callee might
// overwrite the place. Where nothing that runs meanwhile can write it, the place itself is borrowed instead (memory
// rule 3). Needs and leaves adaptive drops.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void borrow_places(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
