// What another isolate than the program's first may run: everything that can be reached from where the runtime begins a
// job, through calls that are known, and through those that are not: function values, virtual methods, trait objects,
// `__del__`.
#pragma once

#include <vector>

#include "compiler/mir/mir.h"

namespace meteor::mir {

// Can the program run anything in another thread?
bool has_other_isolates(const typed::Program& program);

// Per function: another isolate may run it. More than really do, never fewer.
std::vector<bool> find_run_elsewhere(const Program& program);

}  // namespace meteor::mir
