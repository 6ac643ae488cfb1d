#include "compiler/mir/passes/simplify_cfg.h"

#include <iterator>

#include "compiler/mir/flow.h"

namespace meteor::mir {

namespace {

// Where a jump to `block` ends up; a cycle of empty blocks stays as it is.
BlockId final_target(const Function& function, BlockId block) {
  for (size_t steps = 0; steps < function.blocks.size(); ++steps) {
    const Block& b = function.blocks[block.index];
    if (!b.insts.empty() || b.terminator.kind != TerminatorKind::Goto || b.terminator.target == block) return block;
    block = b.terminator.target;
  }
  return block;
}

void thread_jumps(Function& function) {
  for (Block& block : function.blocks) {
    for (Inst& inst : block.insts)
      if (inst.on_error.valid()) inst.on_error = final_target(function, inst.on_error);
    for_each_target(block.terminator, [&](BlockId& target) { target = final_target(function, target); });
    Terminator& end = block.terminator;
    if (end.kind == TerminatorKind::Branch && end.value.kind == OperandKind::Const) {
      BlockId taken = end.value.constant.bits ? end.target : end.other;
      end = Terminator{TerminatorKind::Goto, end.span, {}, taken, {}, {}, {}};
    } else if (end.kind == TerminatorKind::Branch && end.target == end.other) {
      end = Terminator{TerminatorKind::Goto, end.span, {}, end.target, {}, {}, {}};
    }
  }
}

// Exits of a cleanup that no path takes any more.
void prune_switches(Function& function) {
  ExecutableBlocks executable(function, [](const Inst&) { return true; });
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    Terminator& end = function.blocks[i].terminator;
    if (end.kind != TerminatorKind::Switch || !executable.has(BlockId(i))) continue;
    std::erase_if(end.cases, [&](const SwitchTarget& c) { return !executable.may_take(end, c.value); });
    if (end.cases.empty()) end = Terminator{TerminatorKind::Goto, end.span, {}, end.target, {}, {}, {}};
  }
}

void join_blocks(Function& function) {
  std::vector<uint32_t> ways_in(function.blocks.size());
  std::vector<BlockId> order = reachable_blocks(function);
  for (BlockId block : order) for_each_successor(function.blocks[block.index], [&](BlockId next) { ++ways_in[next.index]; });
  for (BlockId id : order) {
    Block& block = function.blocks[id.index];
    while (block.terminator.kind == TerminatorKind::Goto) {
      BlockId next = block.terminator.target;
      if (next == id || next.index == 0 || ways_in[next.index] != 1) break;
      Block& tail = function.blocks[next.index];
      block.insts.insert(block.insts.end(), std::make_move_iterator(tail.insts.begin()), std::make_move_iterator(tail.insts.end()));
      block.terminator = std::move(tail.terminator);
      block.is_cold |= tail.is_cold;
      tail = Block{};
    }
  }
}

void remove_unreachable(Function& function) {
  std::vector<bool> keep(function.blocks.size());
  for (BlockId block : reachable_blocks(function)) keep[block.index] = true;
  std::vector<BlockId> renamed(function.blocks.size());
  std::vector<Block> blocks;
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    if (!keep[i]) continue;
    renamed[i] = BlockId(static_cast<uint32_t>(blocks.size()));
    blocks.push_back(std::move(function.blocks[i]));
  }
  for (Block& block : blocks) {
    for (Inst& inst : block.insts)
      if (inst.on_error.valid()) inst.on_error = renamed[inst.on_error.index];
    for_each_target(block.terminator, [&](BlockId& target) { target = renamed[target.index]; });
  }
  function.blocks = std::move(blocks);
}

}  // namespace

void simplify_cfg(Function& function) {
  if (function.blocks.empty()) return;
  prune_switches(function);
  thread_jumps(function);
  join_blocks(function);
  remove_unreachable(function);
}

void simplify_cfg(Program& program, const TypeFacts&) {
  for (Function& function : program.functions) simplify_cfg(function);
}

}  // namespace meteor::mir
