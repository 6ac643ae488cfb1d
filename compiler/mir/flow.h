// The edges of a function's graph, error edges included.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/mir/local_set.h"
#include "compiler/mir/mir.h"

namespace meteor::mir {

template <typename F>
void for_each_target(Terminator& terminator, F&& visit) {
  switch (terminator.kind) {
    case TerminatorKind::Goto: visit(terminator.target); break;
    case TerminatorKind::Branch: visit(terminator.target); visit(terminator.other); break;
    case TerminatorKind::Switch:
      for (SwitchTarget& c : terminator.cases) visit(c.block);
      visit(terminator.target);
      break;
    case TerminatorKind::Return: case TerminatorKind::Raise: case TerminatorKind::Unreachable: break;
  }
}

// visit(BlockId) for each successor by the terminator.
template <typename F>
void for_each_target(const Terminator& terminator, F&& visit) {
  for_each_target(const_cast<Terminator&>(terminator), [&](BlockId& target) { visit(static_cast<BlockId>(target)); });
}

// visit(BlockId) for each successor, by error edges and by the terminator.
template <typename F>
void for_each_successor(const Block& block, F&& visit) {
  for (const Inst& inst : block.insts)
    if (inst.on_error.valid()) visit(inst.on_error);
  for_each_target(block.terminator, visit);
}

// Blocks that control can reach from the entry, in reverse post-order.
std::vector<BlockId> reachable_blocks(const Function& function);

// Per block: control can get from it to a return.
std::vector<bool> returning_blocks(const Function& function);

// Like reachability, but a switch over a local that only ever gets constants (a cleanup's exits) leads only where one of
// those it got on the way leads. `takes_error_edge(inst)` says which error edges count.
class ExecutableBlocks {
 public:
  template <typename F>
  ExecutableBlocks(const Function& function, F&& takes_error_edge) : blocks_(function.blocks.size()) {
    find_constant_locals(function);
    if (function.blocks.empty()) return;
    go(BlockId(0));
    while (!work_.empty()) {
      const Block& block = function.blocks[work_.back().index];
      work_.pop_back();
      for (const Inst& inst : block.insts) {
        if (inst.on_error.valid() && !blocks_[inst.on_error.index] && takes_error_edge(inst)) go(inst.on_error);
        note_assign(inst);
      }
      visit(block.terminator);
    }
  }
  bool has(BlockId block) const { return blocks_[block.index]; }
  bool may_take(const Terminator& terminator, uint64_t value) const;   // this case of a switch

 private:
  struct Values { bool constant = false; std::vector<uint64_t> assigned; std::vector<const Terminator*> switches; };
  void find_constant_locals(const Function& function);
  void note_assign(const Inst& inst);
  void visit(const Terminator& terminator);
  void go(BlockId block) {
    if (blocks_[block.index]) return;
    blocks_[block.index] = true;
    work_.push_back(block);
  }

  std::vector<bool> blocks_;
  std::vector<BlockId> work_;
  std::vector<Values> values_;   // per local
};

}  // namespace meteor::mir
