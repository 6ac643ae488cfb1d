// A Copy of a local that is not read afterwards becomes a Move, so its count is handed on instead of raised and lowered.
// A variable whose end the program can observe keeps its value to the end of the function, unless it is returned or
// passed as `owned` (language reference §9). Needs adaptive drops: a drop of a moved local does nothing.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void move_last_uses(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
