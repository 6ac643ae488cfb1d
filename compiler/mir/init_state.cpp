#include "compiler/mir/init_state.h"

namespace meteor::mir {

void InitState::consume(const Inst& inst) {
  for (const Operand& arg : inst.args)
    if (arg.kind == OperandKind::Move && arg.place.is_local()) uninit(arg.place.local);
}

void InitState::store(const Inst& inst) {
  if (!inst.dst.is_local()) return;
  bool zeroes = inst.op == Op::Assign && inst.args[0].kind == OperandKind::Const && inst.args[0].constant.kind == ConstKind::Zero;
  zeroes ? zero(inst.dst.local) : init(inst.dst.local);
}

InitFlow::InitFlow(const Function& function) : order_(reachable_blocks(function)), entry_(function.blocks.size()) {
  size_t count = function.locals.size();
  std::vector<uint32_t> position(function.blocks.size(), UINT32_MAX);
  for (size_t i = 0; i < order_.size(); ++i) position[order_[i].index] = static_cast<uint32_t>(i);
  std::vector<bool> reached(function.blocks.size()), waiting(order_.size());
  if (order_.empty()) return;
  InitState& start = entry_[0];
  for (uint32_t i = 0; i < count; ++i) {
    const Local& local = function.locals[i];
    bool given = i < function.param_count || local.kind == LocalKind::Environment || local.by_reference;
    given ? start.maybe_init.add(LocalId(i)) : start.maybe_uninit.add(LocalId(i));
  }
  reached[0] = true;
  waiting[0] = true;

  // Sweeps in reverse post-order until nothing changes: a loop nest of depth d takes about d + 2 sweeps.
  bool again = true;
  while (again) {
    again = false;
    for (size_t at = 0; at < order_.size(); ++at) {
      if (!waiting[at]) continue;
      waiting[at] = false;
      InitState state = entry_[order_[at].index];
      auto flow_to = [&](BlockId target, const InitState& out) {
        InitState& in = entry_[target.index];
        bool grew = in.maybe_init.unite(out.maybe_init);
        grew |= in.maybe_uninit.unite(out.maybe_uninit);
        if (!grew && reached[target.index]) return;
        reached[target.index] = true;
        size_t to = position[target.index];
        waiting[to] = true;
        if (to <= at) again = true;
      };
      const Block& block = function.blocks[order_[at].index];
      for (const Inst& inst : block.insts) {
        state.consume(inst);
        if (inst.on_error.valid()) {
          bool had = state.maybe_init.has(inst.error), lacked = state.maybe_uninit.has(inst.error);
          state.init(inst.error);
          flow_to(inst.on_error, state);
          if (!had) state.maybe_init.remove(inst.error);
          if (lacked) state.maybe_uninit.add(inst.error);
        }
        state.store(inst);
      }
      for_each_target(block.terminator, [&](BlockId target) { flow_to(target, state); });
    }
  }
}

}  // namespace meteor::mir
