// Functions that may be on the stack several times at once: those in a cycle of the call graph, and those that call what only running tells.
#pragma once

#include <vector>

#include "compiler/mir/mir.h"

namespace meteor::mir {

std::vector<bool> find_recursive(const Program& program);   // by function

}  // namespace meteor::mir
