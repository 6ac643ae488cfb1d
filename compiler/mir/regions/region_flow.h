// Regions of one function at each of its points: a local that gets a new value leaves its region, one that is moved or
// dropped holds nothing any more. So what a function gives away at the end of a pass of a loop does not count for what
// the next pass makes.
#pragma once

#include <memory>
#include <vector>

#include "compiler/mir/regions/region_joins.h"

namespace meteor::mir {

// Sets of nodes that have nothing in common.
class Partition {
 public:
  explicit Partition(uint32_t count);
  uint32_t find(uint32_t node) const { return labels_[node]; }
  void join(uint32_t a, uint32_t b);
  void part(uint32_t node);            // from whatever it was together with
  bool unite(const Partition& other);  // whether something was joined

 private:
  std::vector<uint32_t> labels_;  // the least node of the set
};

class RegionFlow final : public RegionJoins {
 public:
  RegionFlow(const RegionFacts& facts, const Function& function);

  bool is_known() const { return !states_.empty(); }  // not of functions that are too large
  // The regions while an instruction runs: what it reads and writes is in the region that it has before or after it.
  // Null: nothing gets there.
  const Partition* at(uint32_t block, uint32_t inst);

 private:
  void join_nodes(uint32_t a, uint32_t b, Why, FunctionId) override { state_->join(a, b); }
  void solve();
  void step(const Inst& inst, Site site);
  void flow_into(BlockId block, const Partition& state);
  bool renews(const Inst& inst) const;  // its destination has nothing of what it held before
  bool can_part(LocalId local) const { return !is_lent_[local.index]; }

  std::vector<bool> is_lent_;                       // per local: something has its address
  std::vector<std::unique_ptr<Partition>> states_;  // per block, at its start
  std::vector<uint32_t> work_;
  std::vector<bool> waits_;
  Partition* state_ = nullptr;  // at hand
  uint32_t at_block_ = UINT32_MAX;
  std::vector<Partition> at_insts_;  // of that block
};

}  // namespace meteor::mir
