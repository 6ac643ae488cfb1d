// Puts the body of a function in place of an instruction that calls or awaits it.
#pragma once

#include <functional>

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

// What followed the instruction goes on in a block of its own, the last one. `adapt` sees each instruction that was taken over.
void splice(const Program& program, const TypeFacts& facts, Function& caller, BlockId at, uint32_t index, const Function& callee,
            const std::function<void(Inst&)>& adapt);

}  // namespace meteor::mir
