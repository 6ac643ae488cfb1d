// LLVM IR → optimised IR → machine code in memory.
#pragma once

#include <string>

#include "compiler/base/result.h"
#include "compiler/object/target.h"

namespace llvm {
class Module;
}

namespace meteor::object {

// `sanitizer` as base::SANITIZER: with "address" or "thread", emitted code checks its memory accesses.
void optimise(llvm::Module& module, Target& target, OptLevel level, const std::string& sanitizer = "");

enum class CodeForm : uint8_t { Object, Assembly };
base::Result<std::string> codegen(llvm::Module& module, Target& target, CodeForm form);

}  // namespace meteor::object
