// An `async def` that never suspends is an ordinary function: finds those bodies and turns awaits of them into calls.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void find_suspending(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
