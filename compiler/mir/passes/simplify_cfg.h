// Removes blocks that nothing reaches, jumps that only lead to another jump, and joins a block with its only successor
// when that has no other way in. Needs and leaves any form of drops.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void simplify_cfg(Function& function);
void simplify_cfg(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
