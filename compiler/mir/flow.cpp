#include "compiler/mir/flow.h"

#include <algorithm>

namespace meteor::mir {

std::vector<bool> returning_blocks(const Function& function) {
  std::vector<std::vector<uint32_t>> before(function.blocks.size());
  std::vector<bool> returns(function.blocks.size());
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    for_each_successor(function.blocks[i], [&](BlockId target) { before[target.index].push_back(i); });
    if (function.blocks[i].terminator.kind != TerminatorKind::Return) continue;
    returns[i] = true;
    open.push_back(i);
  }
  while (!open.empty()) {
    uint32_t at = open.back();
    open.pop_back();
    for (uint32_t block : before[at]) {
      if (returns[block]) continue;
      returns[block] = true;
      open.push_back(block);
    }
  }
  return returns;
}

std::vector<BlockId> reachable_blocks(const Function& function) {
  std::vector<BlockId> order;
  if (function.blocks.empty()) return order;
  std::vector<bool> seen(function.blocks.size());
  struct Visit { BlockId block; size_t rest; };   // what is `pending` from there on is still to be entered from it
  std::vector<Visit> stack;
  std::vector<BlockId> pending;
  auto enter = [&](BlockId block) {
    if (seen[block.index]) return;
    seen[block.index] = true;
    stack.push_back({block, pending.size()});
    for_each_successor(function.blocks[block.index], [&](BlockId next) { if (!seen[next.index]) pending.push_back(next); });
  };
  enter(BlockId(0));
  while (!stack.empty()) {
    if (stack.back().rest == pending.size()) {
      order.push_back(stack.back().block);
      stack.pop_back();
    } else {
      BlockId next = pending.back();
      pending.pop_back();
      enter(next);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

namespace {

bool is_int_constant(const Inst& inst) {
  return inst.op == Op::Assign && inst.args[0].kind == OperandKind::Const && inst.args[0].constant.kind == ConstKind::Int;
}

}  // namespace

void ExecutableBlocks::find_constant_locals(const Function& function) {
  values_.resize(function.locals.size());
  for (const Block& block : function.blocks)
    if (block.terminator.kind == TerminatorKind::Switch && block.terminator.value.place.is_local())
      values_[block.terminator.value.place.local.index].constant = block.terminator.value.place.local.index >= function.param_count;
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts) {
      if (inst.dst.local.valid() && !is_int_constant(inst)) values_[inst.dst.local.index].constant = false;
      for (const Operand& arg : inst.args)
        if (arg.kind == OperandKind::Ref && arg.place.local.valid()) values_[arg.place.local.index].constant = false;
    }
}

void ExecutableBlocks::note_assign(const Inst& inst) {
  if (!inst.dst.is_local() || !values_[inst.dst.local.index].constant) return;
  Values& values = values_[inst.dst.local.index];
  uint64_t value = inst.args[0].constant.bits;
  if (std::find(values.assigned.begin(), values.assigned.end(), value) != values.assigned.end()) return;
  values.assigned.push_back(value);
  for (const Terminator* end : values.switches)
    for (const SwitchTarget& c : end->cases)
      if (c.value == value) go(c.block);
}

void ExecutableBlocks::visit(const Terminator& terminator) {
  if (terminator.kind != TerminatorKind::Switch || !terminator.value.place.is_local() || !values_[terminator.value.place.local.index].constant)
    return for_each_target(terminator, [&](BlockId target) { go(target); });
  values_[terminator.value.place.local.index].switches.push_back(&terminator);
  for (const SwitchTarget& c : terminator.cases)
    if (may_take(terminator, c.value)) go(c.block);
  go(terminator.target);
}

bool ExecutableBlocks::may_take(const Terminator& terminator, uint64_t value) const {
  if (!terminator.value.place.is_local()) return true;
  const Values& values = values_[terminator.value.place.local.index];
  return !values.constant || std::find(values.assigned.begin(), values.assigned.end(), value) != values.assigned.end();
}

}  // namespace meteor::mir
