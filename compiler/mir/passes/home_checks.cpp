#include "compiler/mir/passes/home_checks.h"

#include <algorithm>

#include "compiler/mir/elsewhere.h"
#include "compiler/mir/flow.h"

namespace meteor::mir {

namespace {

bool is_check(const Inst& inst) { return inst.op == Op::RequireHome; }

bool has_check(const Function& function) {
  return std::ranges::any_of(function.blocks,
                             [](const Block& block) { return std::ranges::any_of(block.insts, is_check); });
}

// A call stays in one isolate from its beginning to its end, suspended or not: who was at home once is so for the rest
// of it.
void remove_repeated(Function& function) {
  std::vector<BlockId> order = reachable_blocks(function);
  std::vector<bool> asked(function.blocks.size(), true);  // on every way to the block's beginning
  asked[0] = false;
  auto leave = [&](BlockId block, auto&& visit) {
    bool state = asked[block.index];
    for (const Inst& inst : function.blocks[block.index].insts) {
      if (inst.on_error.valid()) visit(inst.on_error, state);
      state |= is_check(inst);
    }
    for_each_target(function.blocks[block.index].terminator, [&](BlockId target) { visit(target, state); });
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (BlockId block : order)
      leave(block, [&](BlockId target, bool state) {
        if (state || !asked[target.index]) return;
        asked[target.index] = false;
        changed = true;
      });
  }
  for (BlockId block : order) {
    bool state = asked[block.index];
    std::erase_if(function.blocks[block.index].insts, [&](const Inst& inst) {
      if (!is_check(inst)) return false;
      bool known = state;
      state = true;
      return known;
    });
  }
}

}  // namespace

void remove_home_checks(Program& program, const TypeFacts&) {
  std::vector<Function*> asking;
  for (Function& function : program.functions)
    if (has_check(function)) asking.push_back(&function);
  if (asking.empty()) return;
  std::vector<bool> elsewhere = find_run_elsewhere(program);
  for (Function* function : asking) {
    if (elsewhere[function->id.index]) {
      remove_repeated(*function);
      continue;
    }
    for (Block& block : function->blocks) std::erase_if(block.insts, is_check);
  }
}

}  // namespace meteor::mir
