// Checks the rules of mir.h on a function or program. A violation is a bug of the compiler: it is printed with function,
// block and instruction, and the process ends by CHECK.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

// Before drop elaboration a Drop or a replacing Assign of a whole local adapts to whether it holds a value; afterwards
// each is exact.
enum class DropForm : uint8_t { Adaptive, Exact };

// One line per violation, empty when there is none.
std::vector<std::string> find_violations(const Program& program, const TypeFacts& facts, const Function& function, DropForm form);

// `after` names the pass that has just run.
void verify(const Program& program, const TypeFacts& facts, DropForm form, std::string_view after);

}  // namespace meteor::mir
