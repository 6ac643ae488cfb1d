#include "compiler/mir/passes/slice_checks.h"

#include <deque>
#include <set>

#include "compiler/mir/flow.h"

namespace meteor::mir {

namespace {

using types::Kind;

// A field of a class (type, index), a module variable (GLOBAL, id) or the inside of a cell (CELL, type).
using SharedPlace = std::pair<uint32_t, uint32_t>;
constexpr uint32_t GLOBAL = UINT32_MAX, CELL = UINT32_MAX - 1;

struct Effects {
  bool anything = false;             // memory that is not a known field
  std::set<SharedPlace> writes;
  bool none() const { return !anything && writes.empty(); }
  bool add(const Effects& other) {
    size_t before = writes.size();
    bool was = anything;
    anything |= other.anything;
    writes.insert(other.writes.begin(), other.writes.end());
    return anything != was || writes.size() != before;
  }
};

class SliceChecks {
 public:
  SliceChecks(Program& program, const TypeFacts& facts) : program_(program), facts_(facts), effects_(program.functions.size()) {}

  void run() {
    bool any = false;
    for (Function& function : program_.functions) {
      std::erase_if(function.loops, [](const LoopRange& loop) { return !loop.has_checkpoint; });
      any |= !function.loops.empty();
    }
    if (!any) return;
    solve();
    for (Function& function : program_.functions) {
      for (const LoopRange& loop : function.loops)
        if (!keeps(function, loop)) remove(function, loop.head);
      function.loops.clear();
    }
  }

 private:
  // The last object, cell or module variable on the way to the place; none for a local's own bits.
  bool shared_place(const Function& function, const Place& place, SharedPlace& out) const {
    bool found = false;
    TypeId type;
    if (place.global.valid()) {
      out = {GLOBAL, place.global.index};
      found = true;
      size_t own = program_.typed->globals.size();
      type = place.global.index < own ? program_.typed->globals[place.global.index].type : program_.types->bool_;
    } else {
      type = function.local(place.local).type;
    }
    for (const Projection& step : place.path) {
      Kind kind = program_.types->kind(type);
      if (step.kind == ProjectionKind::Field && kind == Kind::Class) out = {type.index, step.index}, found = true;
      if (step.kind == ProjectionKind::Field && kind == Kind::Cell) out = {CELL, type.index}, found = true;
      type = step.type;
    }
    return found;
  }

  static bool writes_memory(Intrinsic intrinsic) {
    switch (intrinsic) {
      case Intrinsic::RawRealloc: case Intrinsic::RawFree: case Intrinsic::RawTake: case Intrinsic::RawInit: case Intrinsic::RawSet: case Intrinsic::RawSwap:
      case Intrinsic::RawMove: case Intrinsic::RawCopyTo: case Intrinsic::RawDropAll: case Intrinsic::RawZero: return true;
      default: return false;
    }
  }

  void add_own(const Function& function, const Inst& inst, Effects& effects) const {
    SharedPlace place;
    if (inst.op == Op::Assign) {
      if (shared_place(function, inst.dst, place)) effects.writes.insert(place);
      if (!inst.initializes && facts_.drop_is_observable(inst.args[0].type)) effects.anything = true;
    }
    if (inst.op == Op::Drop && facts_.drop_is_observable(inst.args[0].type)) effects.anything = true;
    if (inst.op == Op::ResumeGenerator) effects.anything = true;
    if (inst.op != Op::Call) return;
    for (const Operand& arg : inst.args)
      if (arg.kind == OperandKind::Ref && shared_place(function, arg.place, place)) effects.writes.insert(place);
    switch (inst.call) {
      case CallKind::Direct: {
        const Function& callee = program_.functions[inst.function.index];
        if (!callee.is_extern) break;
        for (const Operand& arg : inst.args) {   // what it is given to change
          Kind kind = program_.types->kind(arg.type);
          if (kind == Kind::Class || kind == Kind::Any || kind == Kind::RawPtr) effects.anything = true;
        }
        break;
      }
      case CallKind::Intrinsic: effects.anything |= writes_memory(inst.intrinsic); break;
      case CallKind::Virtual: case CallKind::Dyn: case CallKind::Value: effects.anything = true; break;
    }
  }

  void solve() {
    std::vector<std::vector<uint32_t>> callers(program_.functions.size());
    for (const Function& function : program_.functions) {
      if (function.blocks.empty() && !function.is_extern) effects_[function.id.index].anything = true;
      for (const Block& block : function.blocks)
        for (const Inst& inst : block.insts) {
          add_own(function, inst, effects_[function.id.index]);
          if (inst.op == Op::Call && inst.call == CallKind::Direct) callers[inst.function.index].push_back(function.id.index);
          if (inst.op == Op::Await) effects_[function.id.index].anything = true;
        }
    }
    std::deque<uint32_t> work;
    for (uint32_t i = 0; i < program_.functions.size(); ++i) work.push_back(i);
    while (!work.empty()) {
      uint32_t at = work.front();
      work.pop_front();
      for (uint32_t caller : callers[at])
        if (effects_[caller].add(effects_[at])) work.push_back(caller);
    }
  }

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

  bool keeps(const Function& function, const LoopRange& loop) const {
    Effects effects;
    if (always_parks(function, loop)) return false;
    for (uint32_t i = loop.head.index; i < loop.end; ++i) {
      if (!inside(loop, i)) continue;
      for (const Inst& inst : function.blocks[i].insts) {
        if (inst.may_suspend() && inst.op != Op::Checkpoint) return true;
        add_own(function, inst, effects);
        if (inst.op == Op::Call && inst.call == CallKind::Direct) effects.add(effects_[inst.function.index]);
      }
    }
    if (effects.none() && !loop.iterates) return true;
    return !effects.anything && only_others_end_it(function, loop, effects);
  }

  // Every way out depends on shared places that the loop does not write, and on nothing that the loop changes by itself.
  bool only_others_end_it(const Function& function, const LoopRange& loop, const Effects& effects) const {
    std::vector<LocalId> wanted;
    bool reads_shared = false;
    auto depends_on = [&](const Operand& operand) {   // false: on something the loop writes
      if (operand.kind == OperandKind::Const) return true;
      SharedPlace place;
      if (shared_place(function, operand.place, place)) {
        if (effects.writes.contains(place)) return false;
        reads_shared = true;
      }
      if (operand.place.local.valid()) wanted.push_back(operand.place.local);
      return true;
    };
    for (uint32_t i = loop.head.index; i < loop.end; ++i) {
      if (!inside(loop, i) || function.blocks[i].is_cold) continue;   // cold: where errors go
      const Terminator& end = function.blocks[i].terminator;
      if (end.kind == TerminatorKind::Return || end.kind == TerminatorKind::Raise) return false;
      bool leaves = false;
      for_each_target(end, [&](BlockId target) { leaves |= !inside(loop, target.index); });
      if (!leaves) continue;
      if (end.kind != TerminatorKind::Branch || !depends_on(end.value)) return false;
    }
    std::set<uint32_t> seen;
    while (!wanted.empty()) {
      LocalId local = wanted.back();
      wanted.pop_back();
      if (!seen.insert(local.index).second) continue;
      for (uint32_t i = loop.head.index; i < loop.end; ++i) {
        if (!inside(loop, i)) continue;
        for (const Inst& inst : function.blocks[i].insts) {
          if (!inst.dst.is_local() || !(inst.dst.local == local)) continue;
          if (inst.op == Op::Call || inst.op == Op::Binary) return false;
          for (const Operand& arg : inst.args)
            if (!depends_on(arg)) return false;
        }
      }
    }
    return reads_shared;
  }

  static void remove(Function& function, BlockId head) {
    std::erase_if(function.blocks[head.index].insts, [](const Inst& inst) { return inst.op == Op::Checkpoint; });
  }

  Program& program_;
  const TypeFacts& facts_;
  std::vector<Effects> effects_;
};

}  // namespace

void choose_slice_checks(Program& program, const TypeFacts& facts) { SliceChecks(program, facts).run(); }

}  // namespace meteor::mir
