#include "compiler/mir/regions/region_flow.h"

#include <algorithm>
#include <numeric>

#include "compiler/mir/flow.h"

namespace meteor::mir {

namespace {

constexpr size_t MOST_WORK =
    20'000'000;  // nodes times instructions: about what a pass over the largest functions may cost

bool mentions(const Inst& inst, LocalId local) {
  return std::ranges::any_of(
      inst.args, [&](const Operand& arg) { return arg.kind != OperandKind::Const && arg.place.local == local; });
}

}  // namespace

Partition::Partition(uint32_t count) : labels_(count) { std::iota(labels_.begin(), labels_.end(), 0u); }

void Partition::join(uint32_t a, uint32_t b) {
  auto [least, other] = std::minmax(labels_[a], labels_[b]);
  if (least != other) std::ranges::replace(labels_, uint32_t(other), uint32_t(least));
}

void Partition::part(uint32_t node) {
  uint32_t label = labels_[node];
  labels_[node] = node;
  if (label != node) return;
  auto next = std::ranges::find(labels_.begin() + node + 1, labels_.end(), label);
  std::replace(next, labels_.end(), label, static_cast<uint32_t>(next - labels_.begin()));
}

bool Partition::unite(const Partition& other) {
  bool grew = false;
  for (uint32_t i = 0; i < labels_.size(); ++i) {
    if (labels_[i] == labels_[other.labels_[i]]) continue;
    join(i, other.labels_[i]);
    grew = true;
  }
  return grew;
}

RegionFlow::RegionFlow(const RegionFacts& facts, const Function& function)
    : RegionJoins(facts, function), is_lent_(function.locals.size()) {
  size_t insts = 0;
  for (const Block& block : function.blocks) {
    insts += block.insts.size() + 1;
    for (const Inst& inst : block.insts)
      for (const Operand& arg : inst.args)
        if (arg.kind == OperandKind::Ref && arg.place.local.valid() && (inst.lends || inst.op != Op::Call))
          is_lent_[arg.place.local.index] = true;
  }
  for (uint32_t i = 0; i < function.locals.size(); ++i)
    if (function.locals[i].by_reference) is_lent_[i] = true;
  if (function.blocks.empty() || insts * node_count() > MOST_WORK) return;
  solve();
}

void RegionFlow::solve() {
  states_.resize(function_.blocks.size());
  waits_.resize(function_.blocks.size());
  flow_into(BlockId(0), Partition(node_count()));
  while (!work_.empty()) {
    uint32_t at = work_.back();
    work_.pop_back();
    waits_[at] = false;
    Partition state = *states_[at];
    state_ = &state;
    const Block& block = function_.blocks[at];
    for (uint32_t i = 0; i < block.insts.size(); ++i) step(block.insts[i], {function_.id, at, i});
    visit(block.terminator);
    for_each_target(block.terminator, [&](BlockId target) { flow_into(target, state); });
  }
  state_ = nullptr;
}

void RegionFlow::flow_into(BlockId block, const Partition& state) {
  std::unique_ptr<Partition>& known = states_[block.index];
  bool grew = known ? known->unite(state) : true;
  if (!known) known = std::make_unique<Partition>(state);
  if (!grew || waits_[block.index]) return;
  waits_[block.index] = true;
  work_.push_back(block.index);
}

// Where it raises, its destination is as it was.
void RegionFlow::step(const Inst& inst, Site site) {
  if (inst.on_error.valid()) {
    Partition raised = *state_;
    std::swap(*state_, raised);
    visit(inst, site);
    flow_into(inst.on_error, *state_);
    std::swap(*state_, raised);
  }
  if (renews(inst)) state_->part(inst.dst.local.index);
  visit(inst, site);
  for (const Operand& arg : inst.args)
    if (arg.kind == OperandKind::Move && arg.place.is_local() && can_part(arg.place.local) &&
        !(inst.dst.local.valid() && inst.dst.local == arg.place.local))
      state_->part(arg.place.local.index);
}

bool RegionFlow::renews(const Inst& inst) const {
  return inst.dst.is_local() && can_part(inst.dst.local) && !mentions(inst, inst.dst.local);
}

const Partition* RegionFlow::at(uint32_t block, uint32_t inst) {
  if (!is_known() || !states_[block]) return nullptr;
  if (at_block_ != block) {
    at_block_ = block;
    at_insts_.clear();
    Partition state = *states_[block];
    state_ = &state;
    const Block& code = function_.blocks[block];
    for (uint32_t i = 0; i < code.insts.size(); ++i) {
      Partition during = state;  // what it takes is still there, and it has done what it does
      state_ = &during;
      if (renews(code.insts[i])) during.part(code.insts[i].dst.local.index);
      visit(code.insts[i], {function_.id, block, i});
      state_ = &state;
      step(code.insts[i], {function_.id, block, i});
      at_insts_.push_back(std::move(during));
    }
    state_ = nullptr;
  }
  return &at_insts_[inst];
}

}  // namespace meteor::mir
