// A counting loop whose only other exits are checks is made twice: once as it is, and once without the checks of its integer
// arithmetic, for the case that everything the arithmetic starts from is small enough. One test before the loop decides.
// Invariant: the second loop computes only what is proven, by intervals, to stay within 64 bits under that test.
#pragma once

#include <llvm/IR/PassManager.h>

namespace meteor::object {

class OverflowChecksPass : public llvm::PassInfoMixin<OverflowChecksPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace meteor::object
