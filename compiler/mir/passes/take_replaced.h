// A copy of what a place holds, when the place gets another value next, takes the reference out of it: after
// `after = node.next; node.next = before` the count of the old value is what it was, so neither the copy nor the assignment counts.
// Needs and leaves exact drops.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

bool is_same(const Place& a, const Place& b);

void take_replaced(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
