#include "compiler/mir/passes/slice_checks.h"

#include <algorithm>
#include <set>

#include "compiler/mir/flow.h"
#include "compiler/mir/passes/private_loops.h"
#include "compiler/mir/passes/shared_effects.h"
#include "compiler/mir/passes/waiting_loop.h"

namespace meteor::mir {

namespace {


class SliceChecks {
 public:
  SliceChecks(Program& program, const TypeFacts& facts) : program_(program), facts_(facts) {}

  void run() {
    bool any = false;
    for (Function& function : program_.functions) {
      std::erase_if(function.loops, [](const LoopRange& loop) { return !loop.has_checkpoint; });
      any |= !function.loops.empty();
    }
    if (!any) return;
    SharedEffects effects(program_, facts_);
    PrivateLoops private_loops(program_, facts_, effects);
    std::vector<std::pair<FunctionId, BlockId>> whole;
    for (const Function& function : program_.functions)
      for (const LoopRange& loop : function.loops)
        if (!keeps(effects, private_loops, function, loop)) whole.push_back({function.id, loop.head});
    for (auto [function, head] : whole) remove(program_.functions[function.index], head);
    for (Function& function : program_.functions) function.loops.clear();
  }

 private:
  static bool inside(const LoopRange& loop, uint32_t block) {
    return block >= loop.head.index && block < loop.end && block != loop.after.index && block != loop.otherwise.index;
  }

  // Whoever parks gives up the turn: a loop that does so on each way round needs no check.
  static bool always_parks(const Function& function, const LoopRange& loop) {
    std::set<uint32_t> seen;
    std::vector<uint32_t> left = {loop.head.index};
    bool comes_round = false;
    auto go = [&](BlockId target) {
      if (target == loop.head) comes_round = true;
      else if (inside(loop, target.index) && seen.insert(target.index).second) left.push_back(target.index);
    };
    while (!left.empty() && !comes_round) {
      const Block& block = function.blocks[left.back()];
      left.pop_back();
      bool parks = false;
      for (const Inst& inst : block.insts) {
        if (inst.on_error.valid() && inst.op != Op::Checkpoint) go(inst.on_error);
        if (inst.op != Op::Park) continue;
        parks = true;
        break;
      }
      if (!parks) for_each_target(block.terminator, go);
    }
    return !comes_round;
  }

  // A `ref` parameter: the variable may be one that others have too.
  static bool writes_callers_variable(const Function& function, const Inst& inst) {
    auto is_lent = [&](const Place& place) { return place.local.valid() && function.local(place.local).by_reference; };
    if (inst.op == Op::Assign && is_lent(inst.dst)) return true;
    return std::ranges::any_of(inst.args, [&](const Operand& arg) { return arg.kind == OperandKind::Ref && is_lent(arg.place); });
  }

  bool keeps(SharedEffects& shared, PrivateLoops& private_loops, const Function& function, const LoopRange& loop) const {
    Effects effects;
    bool writes_lent = false;
    std::vector<uint32_t> blocks;
    if (always_parks(function, loop)) return false;
    for (uint32_t i = loop.head.index; i < loop.end; ++i) {
      if (!inside(loop, i)) continue;
      blocks.push_back(i);
      for (const Inst& inst : function.blocks[i].insts) {
        if (inst.may_suspend() && inst.op != Op::Checkpoint) return true;
        shared.add(effects, function, inst, Ways::All);
        writes_lent |= writes_callers_variable(function, inst);
      }
    }
    if (effects.writes_nothing() && !writes_lent && !loop.iterator.valid()) return true;
    std::vector<bool> round = rounds(function, loop);
    if (!function.is_std && private_loops.is_private(function, loop, blocks, round, effects)) return true;
    return WaitingLoop(*program_.types, shared, function, std::move(round)).only_others_end_it();
  }

  // Per block: it is on a way round the loop.
  static std::vector<bool> rounds(const Function& function, const LoopRange& loop) {
    std::vector<bool> round(function.blocks.size());
    round[loop.head.index] = true;
    for (bool grew = true; grew;) {
      grew = false;
      for (uint32_t i = loop.end; i-- > loop.head.index;) {
        if (round[i] || !inside(loop, i)) continue;
        for_each_successor(function.blocks[i], [&](BlockId target) { round[i] = round[i] || round[target.index]; });
        grew |= round[i];
      }
    }
    return round;
  }

  static void remove(Function& function, BlockId head) {
    std::erase_if(function.blocks[head.index].insts, [](const Inst& inst) { return inst.op == Op::Checkpoint; });
  }

  Program& program_;
  const TypeFacts& facts_;
};

}  // namespace

void choose_slice_checks(Program& program, const TypeFacts& facts) { SliceChecks(program, facts).run(); }

}  // namespace meteor::mir
