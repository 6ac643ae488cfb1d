// Counting loops lose their range checks where the indexes are surely in range, so that they can be vectorised. LLVM splits
// such a loop; these passes bring it into the form in which LLVM can, and clean up after it.
#pragma once

#include <llvm/IR/PassManager.h>

namespace meteor::object {

// Moves reads of fields out of loops that don't write them. LLVM does so too, but then forgets which field it is, so that any
// write in an outer loop might change it, and how big an object is that was read, so that reads of its fields can't follow. Both hold
// anywhere: an object's field is never something else, and one of a class (AccessTags::OBJECT) always holds an object of that class.
class FieldReadsPass : public llvm::PassInfoMixin<FieldReadsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Before the vectoriser: splits counting loops at the ends of the lists they index.
class LoopChecksPass : public llvm::PassInfoMixin<LoopChecksPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

// Settings of LLVM's own passes, for the process.
void set_loop_options();

}  // namespace meteor::object
