// A recursion that goes too deep raises StackOverflow: each function that may be on the stack several times at once asks
// first whether enough of the stack is left (Op::RequireStack).
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void insert_stack_checks(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
