#include "compiler/mir/flow.h"

#include <algorithm>

namespace meteor::mir {

std::vector<BlockId> reachable_blocks(const Function& function) {
  std::vector<BlockId> order;
  if (function.blocks.empty()) return order;
  std::vector<bool> seen(function.blocks.size());
  struct Visit { BlockId block; std::vector<BlockId> rest; };
  std::vector<Visit> stack;
  auto enter = [&](BlockId block) {
    if (seen[block.index]) return;
    seen[block.index] = true;
    Visit visit{block, {}};
    for_each_successor(function.blocks[block.index], [&](BlockId next) { if (!seen[next.index]) visit.rest.push_back(next); });
    stack.push_back(std::move(visit));
  };
  enter(BlockId(0));
  while (!stack.empty()) {
    if (stack.back().rest.empty()) {
      order.push_back(stack.back().block);
      stack.pop_back();
    } else {
      BlockId next = stack.back().rest.back();
      stack.back().rest.pop_back();
      enter(next);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace meteor::mir
