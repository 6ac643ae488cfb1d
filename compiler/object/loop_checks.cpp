#include "compiler/object/loop_checks.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/MemorySSAUpdater.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InductiveRangeCheckElimination.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "compiler/llvm_ir/access_tags.h"
#include "compiler/object/overflow_checks.h"

namespace meteor::object {

namespace {

enum class Reads : uint8_t { Other, Field, ObjectField };

// What the load's alias tag says it reads.
Reads what_it_reads(const llvm::LoadInst& load) {
  llvm::MDNode* tag = load.getMetadata(llvm::LLVMContext::MD_tbaa);
  auto* type = tag ? llvm::dyn_cast<llvm::MDNode>(tag->getOperand(1)) : nullptr;
  auto* name = type ? llvm::dyn_cast<llvm::MDString>(type->getOperand(0)) : nullptr;
  if (!name) return Reads::Other;
  if (name->getString().starts_with(llvm_ir::AccessTags::OBJECT)) return Reads::ObjectField;
  return name->getString().starts_with(llvm_ir::AccessTags::FIELD) ? Reads::Field : Reads::Other;
}

class FieldReads {
 public:
  FieldReads(llvm::LoopInfo& loops, llvm::MemorySSA& memory) : loops_(loops), memory_(memory), updater_(&memory) {}

  // As far out as it goes. Whether it went anywhere.
  bool hoist(llvm::LoadInst* load) {
    bool moved = false;
    while (llvm::Loop* loop = loops_.getLoopFor(load->getParent())) {
      if (!hoist(load, *loop)) break;
      moved = true;
    }
    return moved;
  }

 private:
  bool hoist(llvm::LoadInst* load, llvm::Loop& loop) {
    llvm::BasicBlock* before = loop.getLoopPreheader();
    if (!before) return false;
    if (!loop.isLoopInvariant(load->getPointerOperand())) {
      auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(load->getPointerOperand());
      if (!address || !loop.hasLoopInvariantOperands(address)) return false;
      address->moveBefore(before->getTerminator());
    }
    llvm::MemoryAccess* written = memory_.getWalker()->getClobberingMemoryAccess(load);
    if (!memory_.isLiveOnEntryDef(written) && loop.contains(written->getBlock())) return false;
    if (!llvm::isSafeToSpeculativelyExecute(load, before->getTerminator())) return false;
    load->moveBefore(before->getTerminator());
    updater_.moveToPlace(memory_.getMemoryAccess(load), before, llvm::MemorySSA::BeforeTerminator);
    // What else is known of the value may hold only behind a test that stays in the loop.
    if (what_it_reads(*load) == Reads::Field) load->dropUnknownNonDebugMetadata({llvm::LLVMContext::MD_tbaa});
    return true;
  }

  llvm::LoopInfo& loops_;
  llvm::MemorySSA& memory_;
  llvm::MemorySSAUpdater updater_;
};

}  // namespace

llvm::PreservedAnalyses FieldReadsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  std::vector<llvm::LoadInst*> loads;
  for (llvm::Loop* loop : loops)
    for (llvm::BasicBlock* block : loop->blocks())
      for (llvm::Instruction& inst : *block)
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst); load && what_it_reads(*load) != Reads::Other) loads.push_back(load);
  if (loads.empty()) return llvm::PreservedAnalyses::all();
  llvm::MemorySSA& memory = analyses.getResult<llvm::MemorySSAAnalysis>(function).getMSSA();
  memory.ensureOptimizedUses();
  FieldReads reads(loops, memory);
  bool any = false;
  for (bool again = true; again;) {   // one that moves may let another follow
    again = false;
    for (llvm::LoadInst* load : loads) again |= reads.hoist(load);
    any |= again;
  }
  if (!any) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  kept.preserve<llvm::MemorySSAAnalysis>();
  return kept;
}

llvm::PreservedAnalyses LoopChecksPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (analyses.getResult<llvm::LoopAnalysis>(function).empty()) return llvm::PreservedAnalyses::all();
  bool any = false;
  auto simplify = [&](bool fully) {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    if (fully) {
      passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));   // what stood behind a check
      passes.addPass(llvm::EarlyCSEPass(true));   // one pointer for one buffer, or the vectoriser takes it for two that overlap
    }
    passes.run(function, analyses);
    any = true;
  };
  auto run = [&](auto pass, bool fully) {
    llvm::PreservedAnalyses kept = pass.run(function, analyses);
    if (kept.areAllPreserved()) return;
    analyses.invalidate(function, kept);
    simplify(fully);
  };
  run(OverflowChecksPass(), false);
  run(llvm::IRCEPass(), true);
  return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

// A check `i < length` that LLVM has turned into `i != length` is none at which it can split the loop.
void set_loop_options() {
  auto& options = llvm::cl::getRegisteredOptions();
  auto found = options.find("disable-lftr");
  if (found != options.end()) static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
}

}  // namespace meteor::object
