// Which locals of a MIR function need no stack slot: those that get their value at one place and that nobody needs the address of.
// Every use of such a local lies behind that place on all paths, since MIR reads only what is initialised; emitted in reverse
// post-order, the value is there before it is used.
#pragma once

#include <vector>

#include "compiler/llvm_ir/layout.h"
#include "compiler/mir/frames.h"
#include "compiler/mir/mir.h"

namespace meteor::llvm_ir {

struct RegisterRules {
  const mir::FrameLayout* frame = nullptr;   // what it keeps lives in memory
  bool keep_variables = false;               // those with names stay in memory, for the debugger
};

// Per local.
std::vector<bool> find_registers(const mir::Function& function, Layout& layout, const RegisterRules& rules);

}  // namespace meteor::llvm_ir
