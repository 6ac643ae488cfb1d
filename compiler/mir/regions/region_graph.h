// Regions of one function: which of its locals may lead to something in common, whatever path is taken. Union-find over
// the nodes of region_joins.h.
#pragma once

#include "compiler/mir/regions/region_joins.h"

namespace meteor::mir {

class RegionGraph final : public RegionJoins {
 public:
  struct Edge {
    uint32_t a, b;
    Span span;
    Why why;
    FunctionId callee;  // Kept, Given
  };

  RegionGraph(const RegionFacts& facts, const Function& function);

  uint32_t find(uint32_t node) const;
  RegionSummary summary() const;
  const std::vector<Edge>& edges() const { return edges_; }

 private:
  void join_nodes(uint32_t a, uint32_t b, Why why, FunctionId callee) override;

  mutable std::vector<uint32_t> parents_;
  std::vector<Edge> edges_;
};

}  // namespace meteor::mir
