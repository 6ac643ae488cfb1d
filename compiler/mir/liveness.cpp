#include "compiler/mir/liveness.h"

namespace meteor::mir {

Liveness::Liveness(const Function& function, DropUse drops, const TypeFacts* facts)
    : function_(function), drops_(drops), facts_(facts), reachable_(function.blocks.size()), live_in_(function.blocks.size()) {
  std::vector<BlockId> order = reachable_blocks(function);
  for (BlockId block : order) reachable_[block.index] = true;
  bool again = true;
  while (again) {
    again = false;
    for (size_t i = order.size(); i-- > 0;) {
      const Block& block = function.blocks[order[i].index];
      LocalSet live = live_out(order[i]);
      step(block.terminator, live);
      for (size_t k = block.insts.size(); k-- > 0;) step(block.insts[k], live);
      again |= live_in_[order[i].index].unite(live);
    }
  }
}

LocalSet Liveness::live_out(BlockId block) const {
  LocalSet live;
  for_each_target(function_.blocks[block.index].terminator, [&](BlockId target) { live.unite(live_in_[target.index]); });
  return live;
}

void Liveness::step(const Terminator& terminator, LocalSet& live) const {
  if (terminator.value.kind != OperandKind::Const && terminator.value.place.local.valid()) live.add(terminator.value.place.local);
  if (terminator.kind == TerminatorKind::Raise) live.add(terminator.error);
}

void Liveness::step(const Inst& inst, LocalSet& live) const {
  bool drops_old = drops_ == DropUse::Reads && inst.op == Op::Assign && !inst.initializes && inst.dst.is_local() &&
                   (facts_ == nullptr || function_.local(inst.dst.local).by_reference || facts_->needs_drop(function_.local(inst.dst.local).type));
  bool reads_old = inst.dst.local.valid() && (!inst.dst.is_local() || drops_old);
  if (inst.dst.is_local()) live.remove(inst.dst.local);
  if (inst.on_error.valid()) {
    LocalSet error_live = live_in_[inst.on_error.index];
    error_live.remove(inst.error);
    live.unite(error_live);
  }
  if (inst.op == Op::Drop && drops_ == DropUse::Ends) {
    if (inst.args[0].place.is_local()) live.remove(inst.args[0].place.local);
    return;
  }
  for (const Operand& arg : inst.args)
    if (arg.kind != OperandKind::Const && arg.place.local.valid()) live.add(arg.place.local);
  if (reads_old) live.add(inst.dst.local);
}

}  // namespace meteor::mir
