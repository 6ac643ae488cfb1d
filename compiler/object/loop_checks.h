// Counting loops lose their range checks where the indexes are surely in range, so that they can be vectorised. LLVM splits
// such a loop; these passes bring it into the form in which LLVM can, and clean up after it.
#pragma once

#include <llvm/IR/PassManager.h>

namespace meteor::object {

// Moves reads of fields that hold an object (llvm_ir::AccessTags::OBJECT) out of loops that don't write them. Such a field holds an
// object of its class at any time, so what is known of the value stays known, and reads of the object's own fields can follow.
class ObjectReadsPass : public llvm::PassInfoMixin<ObjectReadsPass> {
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
