#include "compiler/object/overflow_checks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/mir/facts.h"

namespace meteor::object {

namespace {

using Wide = __int128;

constexpr size_t LARGEST_LOOP = 300;          // instructions; a bigger one is not made twice
constexpr int64_t MOST_STEP = 64;
constexpr int LIMIT_BITS[] = {30, 20};        // how small "small" is: the first that is enough

struct Interval {
  Wide low, high;
  bool fits() const { return low >= INT64_MIN && high <= INT64_MAX; }
};

// One loop under the assumption that its leaves lie in [-2^bits, 2^bits) and that it runs fewer than 2^bits times.
class Proof {
 public:
  Proof(llvm::Loop& loop, llvm::ScalarEvolution& evolution, int bits) : loop_(loop), evolution_(evolution), limit_(Wide(1) << bits) {}

  bool cannot_overflow(llvm::WithOverflowInst* check) {
    std::optional<Interval> value = result(check, 0);
    return value && value->fits();
  }

  const std::set<llvm::Value*>& leaves() const { return leaves_; }
  bool counts() const { return counts_; }

 private:
  static std::optional<Interval> join(std::optional<Interval> a, std::optional<Interval> b, llvm::Instruction::BinaryOps op) {
    if (!a || !b) return std::nullopt;
    switch (op) {
      case llvm::Instruction::Add: return Interval{a->low + b->low, a->high + b->high};
      case llvm::Instruction::Sub: return Interval{a->low - b->high, a->high - b->low};
      case llvm::Instruction::Mul: {
        Wide products[] = {a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high};
        return Interval{*std::min_element(products, products + 4), *std::max_element(products, products + 4)};
      }
      default: return std::nullopt;
    }
  }

  // What the arithmetic gives; only intervals that fit are ever multiplied, so nothing here overflows.
  std::optional<Interval> result(llvm::WithOverflowInst* check, int depth) {
    if (!check->isSigned()) return std::nullopt;
    std::optional<Interval> found = join(of(check->getLHS(), depth + 1), of(check->getRHS(), depth + 1), check->getBinaryOp());
    if (found && !found->fits()) return std::nullopt;
    return found;
  }

  std::optional<Interval> of(llvm::Value* value, int depth) {
    if (depth > 16 || !value->getType()->isIntegerTy(64)) return std::nullopt;
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return Interval{constant->getSExtValue(), constant->getSExtValue()};
    auto known = known_.find(value);
    if (known != known_.end()) return known->second;
    std::optional<Interval> found = loop_.isLoopInvariant(value) ? leaf(value) : computed(value, depth);
    if (found && !found->fits()) found = std::nullopt;
    known_[value] = found;
    return found;
  }

  // None: it is never small, whatever the test before the loop finds.
  std::optional<Interval> range(const llvm::SCEV* expression) {
    llvm::ConstantRange range = evolution_.getSignedRange(expression);
    Interval small{std::max<Wide>(range.getSignedMin().getSExtValue(), -limit_), std::min<Wide>(range.getSignedMax().getSExtValue(), limit_ - 1)};
    return small.low <= small.high ? std::optional(small) : std::nullopt;
  }

  std::optional<Interval> leaf(llvm::Value* value) {
    leaves_.insert(value);
    return range(evolution_.getSCEV(value));
  }

  std::optional<Interval> computed(llvm::Value* value, int depth) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) return counter(phi);
    if (auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(value)) {
      auto* check = llvm::dyn_cast<llvm::WithOverflowInst>(part->getAggregateOperand());
      return check && part->getIndices()[0] == 0 ? result(check, depth) : std::nullopt;
    }
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
      bool widens = llvm::isa<llvm::SExtInst>(cast) || llvm::isa<llvm::ZExtInst>(cast);
      unsigned bits = widens ? cast->getSrcTy()->getIntegerBitWidth() : 64;
      if (bits > 32) return std::nullopt;
      return llvm::isa<llvm::SExtInst>(cast) ? Interval{-(Wide(1) << (bits - 1)), (Wide(1) << (bits - 1)) - 1} : Interval{0, (Wide(1) << bits) - 1};
    }
    auto* op = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (!op) return std::nullopt;
    auto* by = llvm::dyn_cast<llvm::ConstantInt>(op->getOperand(1));
    std::optional<Interval> a = of(op->getOperand(0), depth + 1);
    if (!a) return std::nullopt;
    switch (op->getOpcode()) {
      case llvm::Instruction::SDiv: return by && by->getSExtValue() > 0 ? std::optional(Interval{a->low / by->getSExtValue(), a->high / by->getSExtValue()}) : std::nullopt;
      case llvm::Instruction::AShr: return by && by->getZExtValue() < 64 ? std::optional(Interval{a->low >> by->getZExtValue(), a->high >> by->getZExtValue()}) : std::nullopt;
      case llvm::Instruction::Shl: return by && by->getZExtValue() < 32 ? std::optional(Interval{a->low << by->getZExtValue(), a->high << by->getZExtValue()}) : std::nullopt;
      case llvm::Instruction::And: return by && by->getSExtValue() >= 0 ? std::optional(Interval{0, by->getSExtValue()}) : std::nullopt;
      default: return join(a, of(op->getOperand(1), depth + 1), op->getOpcode());
    }
  }

  // A variable that goes up or down by a constant, from a start that is a leaf.
  std::optional<Interval> counter(llvm::PHINode* phi) {
    auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(phi));
    if (!steps || steps->getLoop() != &loop_ || !steps->isAffine() || phi->getParent() != loop_.getHeader()) return std::nullopt;
    auto* step = llvm::dyn_cast<llvm::SCEVConstant>(steps->getStepRecurrence(evolution_));
    if (!step || step->getAPInt().abs().ugt(MOST_STEP)) return std::nullopt;
    llvm::Value* start = phi->getIncomingValueForBlock(loop_.getLoopPreheader());
    if (!llvm::isa<llvm::ConstantInt>(start)) leaves_.insert(start);
    std::optional<Interval> from = range(evolution_.getSCEV(start));
    if (!from) return std::nullopt;
    Wide way = Wide(step->getAPInt().getSExtValue()) * limit_;
    counts_ = true;
    return Interval{from->low + std::min<Wide>(way, 0), from->high + std::max<Wide>(way, 0)};
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  Wide limit_;
  std::map<llvm::Value*, std::optional<Interval>> known_;
  std::set<llvm::Value*> leaves_;   // values from outside that must be small
  bool counts_ = false;             // whether the number of rounds must be small
};

class LoopVersions {
 public:
  LoopVersions(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : function_(function),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        tree_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)) {}

  bool run(llvm::Loop& loop) {
    std::vector<llvm::WithOverflowInst*> checks;
    if (!only_checks(loop, checks)) return false;
    llvm::simplifyLoop(&loop, &tree_, &loops_, &evolution_, nullptr, nullptr, false);
    if (!loop.getLoopPreheader() || !loop.getLoopLatch() || !loop.isLoopSimplifyForm()) return false;
    for (int bits : LIMIT_BITS) {
      Proof proof(loop, evolution_, bits);
      if (!std::ranges::all_of(checks, [&](llvm::WithOverflowInst* check) { return proof.cannot_overflow(check); })) continue;
      const llvm::SCEV* rounds = proof.counts() ? evolution_.getExitCount(&loop, loop.getLoopLatch()) : nullptr;
      if (rounds && (llvm::isa<llvm::SCEVCouldNotCompute>(rounds) || !rounds->getType()->isIntegerTy(64))) return false;
      return split(loop, checks, proof, rounds, bits);
    }
    return false;
  }

 private:
  // Innermost, small, and nothing in it but arithmetic, memory and checks: such a loop may become a vector loop.
  static bool only_checks(llvm::Loop& loop, std::vector<llvm::WithOverflowInst*>& checks) {
    if (!loop.isInnermost()) return false;
    size_t size = 0;
    for (llvm::BasicBlock* block : loop.blocks())
      for (llvm::Instruction& inst : *block) {
        if (++size > LARGEST_LOOP) return false;
        if (auto* check = llvm::dyn_cast<llvm::WithOverflowInst>(&inst)) checks.push_back(check);
        else if (llvm::isa<llvm::CallBase>(inst) && !llvm::isa<llvm::IntrinsicInst>(inst)) return false;
      }
    return !checks.empty();
  }

  bool split(llvm::Loop& loop, const std::vector<llvm::WithOverflowInst*>& checks, const Proof& proof, const llvm::SCEV* rounds, int bits) {
    llvm::SCEVExpander expander(evolution_, function_.getParent()->getDataLayout(), "rounds");
    if (rounds && !expander.isSafeToExpand(rounds)) return false;
    if (!loop.isLCSSAForm(tree_)) llvm::formLCSSARecursively(loop, tree_, &loops_, &evolution_);
    llvm::BasicBlock* before = loop.getLoopPreheader();
    llvm::IRBuilder<> b(before->getTerminator());
    llvm::Value* small = b.getTrue();
    auto need = [&](llvm::Value* condition) { small = b.CreateAnd(small, condition); };
    if (rounds) need(b.CreateICmpULT(expander.expandCodeFor(rounds, b.getInt64Ty(), before->getTerminator()), b.getInt64(uint64_t(1) << bits)));
    b.SetInsertPoint(before->getTerminator());
    for (llvm::Value* leaf : proof.leaves())
      need(b.CreateICmpULT(b.CreateAdd(leaf, b.getInt64(uint64_t(1) << bits)), b.getInt64(uint64_t(1) << (bits + 1))));
    evolution_.forgetLoop(&loop);
    clone(loop, before, small);
    for (llvm::WithOverflowInst* check : checks)
      if (!assert_fits(check)) remove(check);
    return true;
  }

  // The copy keeps its checks; it is entered when something is not small.
  void clone(llvm::Loop& loop, llvm::BasicBlock* test, llvm::Value* small) {
    llvm::BasicBlock* preheader = llvm::SplitBlock(test, test->getTerminator(), &tree_, &loops_, nullptr, "small");
    llvm::SmallVector<llvm::BasicBlock*, 8> blocks, exits;
    llvm::ValueToValueMapTy map;
    loop.getUniqueExitBlocks(exits);
    llvm::Loop* copy = llvm::cloneLoopWithPreheader(preheader, test, &loop, map, ".checked", &loops_, &tree_, blocks);
    llvm::remapInstructionsInBlocks(blocks, map);
    for (llvm::BasicBlock* exit : exits)
      for (llvm::PHINode& phi : exit->phis())
        for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i) {
          auto from = map.find(phi.getIncomingBlock(i));
          if (from == map.end()) continue;
          auto value = map.find(phi.getIncomingValue(i));
          phi.addIncoming(value == map.end() ? phi.getIncomingValue(i) : static_cast<llvm::Value*>(value->second), llvm::cast<llvm::BasicBlock>(from->second));
        }
    test->getTerminator()->eraseFromParent();
    llvm::IRBuilder<>(test).CreateCondBr(small, preheader, copy->getLoopPreheader());
    tree_.recalculate(function_);
    // No pass need work on the copy any more.
    copy->getLoopLatch()->getTerminator()->setMetadata("loop_constrainer.loop.clone", llvm::MDNode::get(function_.getContext(), {}));
  }

  // --check-facts: what was proven is tested all the same. Gives false without the option.
  static bool assert_fits(llvm::WithOverflowInst* check) {
    llvm::Module& module = *check->getModule();
    if (!module.getFunction("met_fact_broken")) return false;
    llvm::IRBuilder<> b(check->getNextNode());
    llvm::FunctionCallee test = module.getOrInsertFunction("met_fact_fits", b.getVoidTy(), b.getInt8Ty(), b.getPtrTy());
    b.CreateCall(test, {b.CreateZExt(b.CreateExtractValue(check, 1), b.getInt8Ty()), b.CreateGlobalString(mir::text_of(mir::Fact::Fits))});
    return true;
  }

  static void remove(llvm::WithOverflowInst* check) {
    llvm::IRBuilder<> b(check);
    llvm::Value* sum = b.CreateBinOp(check->getBinaryOp(), check->getLHS(), check->getRHS());
    if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(sum)) op->setHasNoSignedWrap();
    llvm::Value* both = b.CreateInsertValue(llvm::PoisonValue::get(check->getType()), sum, 0);
    both = b.CreateInsertValue(both, b.getFalse(), 1);
    check->replaceAllUsesWith(both);
    check->eraseFromParent();
  }

  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& tree_;
  llvm::ScalarEvolution& evolution_;
};

}  // namespace

llvm::PreservedAnalyses OverflowChecksPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  bool any_check = false;
  for (llvm::Instruction& inst : llvm::instructions(function)) any_check |= llvm::isa<llvm::WithOverflowInst>(inst);
  if (!any_check || analyses.getResult<llvm::LoopAnalysis>(function).empty()) return llvm::PreservedAnalyses::all();
  LoopVersions versions(function, analyses);
  bool any = false;
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) any |= versions.run(*loop);
  return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace meteor::object
