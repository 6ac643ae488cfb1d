// MIR as text for people: `--dump=mir[:function]`, test expectations, and the verifier's complaints.
#pragma once

#include <string>
#include <string_view>

#include "compiler/mir/mir.h"

namespace meteor::mir {

std::string print(const Program& program, const Function& function);
// Every function with a body whose name is `filter` (all when empty).
std::string print(const Program& program, std::string_view filter = {});

// Parts, without a line end.
std::string print(const Program& program, const Function& function, const Inst& inst);
std::string print(const Program& program, const Function& function, const Terminator& terminator);
std::string print(const Program& program, const Function& function, LocalId local);

}  // namespace meteor::mir
