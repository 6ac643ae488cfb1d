#include "compiler/object/loop_checks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/MemorySSAUpdater.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/InductiveRangeCheckElimination.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "compiler/llvm_ir/access_tags.h"

namespace meteor::object {

namespace {

// Whether the load reads a field that always holds an object: the name in its tag says so.
bool reads_object(const llvm::LoadInst& load) {
  llvm::MDNode* tag = load.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (!tag || !load.getMetadata(llvm::LLVMContext::MD_dereferenceable)) return false;
  auto* type = llvm::dyn_cast<llvm::MDNode>(tag->getOperand(1));
  auto* name = type ? llvm::dyn_cast<llvm::MDString>(type->getOperand(0)) : nullptr;
  return name && name->getString().starts_with(llvm_ir::AccessTags::OBJECT);
}

void collect(const llvm::Loop& loop, std::vector<llvm::LoadInst*>& loads) {
  for (llvm::BasicBlock* block : loop.blocks())
    for (llvm::Instruction& inst : *block)
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst); load && reads_object(*load)) loads.push_back(load);
}

}  // namespace

llvm::PreservedAnalyses ObjectReadsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  std::vector<llvm::LoadInst*> loads;
  for (llvm::Loop* loop : loops) collect(*loop, loads);
  if (loads.empty()) return llvm::PreservedAnalyses::all();
  llvm::MemorySSA& memory = analyses.getResult<llvm::MemorySSAAnalysis>(function).getMSSA();
  memory.ensureOptimizedUses();
  llvm::MemorySSAUpdater updater(&memory);
  bool any = false;
  for (llvm::LoadInst* load : loads) {   // as far out as it goes
    while (llvm::Loop* loop = loops.getLoopFor(load->getParent())) {
      llvm::BasicBlock* before = loop->getLoopPreheader();
      if (!before || !loop->isLoopInvariant(load->getPointerOperand())) {
        auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(load->getPointerOperand());
        if (!before || !address || !loop->hasLoopInvariantOperands(address)) break;
        address->moveBefore(before->getTerminator());
      }
      llvm::MemoryAccess* written = memory.getWalker()->getClobberingMemoryAccess(load);
      if (!memory.isLiveOnEntryDef(written) && loop->contains(written->getBlock())) break;
      if (!llvm::isSafeToSpeculativelyExecute(load, before->getTerminator())) break;
      load->moveBefore(before->getTerminator());
      updater.moveToPlace(memory.getMemoryAccess(load), before, llvm::MemorySSA::BeforeTerminator);
      any = true;
    }
  }
  if (!any) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  kept.preserve<llvm::MemorySSAAnalysis>();
  return kept;
}

llvm::PreservedAnalyses LoopChecksPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (analyses.getResult<llvm::LoopAnalysis>(function).empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept = llvm::IRCEPass().run(function, analyses);
  if (kept.areAllPreserved()) return kept;
  analyses.invalidate(function, kept);
  llvm::FunctionPassManager after;
  after.addPass(llvm::InstCombinePass());
  after.addPass(llvm::SimplifyCFGPass());
  after.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));   // what stood behind a check
  after.run(function, analyses);
  return llvm::PreservedAnalyses::none();
}

// A check `i < length` that LLVM has turned into `i != length` is none at which it can split the loop.
void set_loop_options() {
  auto& options = llvm::cl::getRegisteredOptions();
  auto found = options.find("disable-lftr");
  if (found != options.end()) static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
}

}  // namespace meteor::object
