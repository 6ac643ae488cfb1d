// Removes locals that nothing mentions and numbers the others anew. Parameters and the environment stay.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void remove_unused_locals(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
