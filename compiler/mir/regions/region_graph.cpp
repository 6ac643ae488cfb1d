#include "compiler/mir/regions/region_graph.h"

#include <numeric>

namespace meteor::mir {

RegionGraph::RegionGraph(const RegionFacts& facts, const Function& function)
    : RegionJoins(facts, function), parents_(node_count()) {
  std::iota(parents_.begin(), parents_.end(), 0u);
  for (uint32_t b = 0; b < function.blocks.size(); ++b) {
    const Block& block = function.blocks[b];
    for (uint32_t i = 0; i < block.insts.size(); ++i) visit(block.insts[i], {function.id, b, i});
    visit(block.terminator);
  }
}

uint32_t RegionGraph::find(uint32_t node) const {
  while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
  return node;
}

void RegionGraph::join_nodes(uint32_t a, uint32_t b, Why why, FunctionId callee) {
  uint32_t x = find(a), y = find(b);
  if (x == y) return;
  parents_[x] = y;
  edges_.push_back({a, b, span_, why, callee});
}

RegionSummary RegionGraph::summary() const {
  RegionSummary out;
  uint32_t count = function_.param_count;
  std::unordered_map<uint32_t, uint32_t> first;
  for (uint32_t i = 0; i < count + 2; ++i) {
    uint32_t node = find(i < count ? i : i == count ? result() : error());
    bool is_open = node == find(open()) || (function_.environment.valid() && node == find(function_.environment.index));
    out.classes.push_back(is_open ? RegionSummary::OPEN : first.try_emplace(node, i).first->second);
  }
  return out;
}

}  // namespace meteor::mir
