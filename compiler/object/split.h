// Glue that is translated quickly (llvm_ir::QUICK) becomes a module of its own, in a context of its own, and an object file: a second
// thread makes it with LLVM's fast code generator while the first optimises the rest.
// Invariant: a function has its body in one of the two; data that has an identity is in the first.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "compiler/base/result.h"

namespace llvm {
class LLVMContext;
class Module;
}

namespace meteor::object {

bool has_quick_part(const llvm::Module& module);

// What the other thread needs to make the quick part.
struct QuickPart {
  std::string bitcode;                      // of the whole module
  std::unordered_set<std::string> owned;    // the functions whose bodies are in this part
};

// Leaves the rest in `module`.
QuickPart take_quick_part(llvm::Module& module);
base::Result<std::unique_ptr<llvm::Module>> read(const QuickPart& part, llvm::LLVMContext& context);

}  // namespace meteor::object
