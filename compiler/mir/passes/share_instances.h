// Finds instances of one generic function that come out as the same code, so that they can share it. Looks at MIR after all passes.
#pragma once

#include <vector>

#include "compiler/mir/mir.h"

namespace meteor::mir {

// Per function: the one whose code it shares, or itself.
std::vector<FunctionId> share_instances(const Program& program);
// Every function has its own.
std::vector<FunctionId> share_nothing(const Program& program);

}  // namespace meteor::mir
