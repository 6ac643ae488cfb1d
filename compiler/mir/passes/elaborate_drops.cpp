#include "compiler/mir/passes/elaborate_drops.h"

#include <iterator>

#include "compiler/mir/init_state.h"
#include "compiler/mir/liveness.h"

namespace meteor::mir {

namespace {

class Elaboration {
 public:
  Elaboration(Function& function, const TypeFacts& facts) : function_(function), facts_(facts) {}

  void run() {
    skip_drops();
    LocalSet unclear = find_unclear();
    bool any = false;
    unclear.for_each([&](LocalId) { any = true; });
    if (any) keep_zero(unclear);
    make_exact();
  }

 private:
  bool owns(LocalId id) const {
    const Local& local = function_.local(id);
    return local.ownership == Ownership::Owned && !local.by_reference && facts_.needs_drop(local.type);
  }

  static bool drops_local(const Inst& inst) { return inst.op == Op::Drop && inst.args[0].place.is_local(); }
  bool replaces_local(const Inst& inst) const { return inst.op == Op::Assign && !inst.initializes && inst.dst.is_local() && owns(inst.dst.local); }

  // An edge to a block that only drops something which this edge can't have initialised goes on to the next one.
  void skip_drops() {
    InitFlow flow(function_);
    auto skip = [&](BlockId& target, const InitState& state) {
      for (size_t steps = 0; steps < function_.blocks.size(); ++steps) {
        const Block& block = function_.blocks[target.index];
        bool only_drop = block.insts.size() == 1 && drops_local(block.insts[0]) && block.terminator.kind == TerminatorKind::Goto;
        bool empty = block.insts.empty() && block.terminator.kind == TerminatorKind::Goto && !(block.terminator.target == target);
        if (!empty && (!only_drop || !state.surely_uninit(block.insts[0].args[0].place.local))) return;
        target = block.terminator.target;
      }
    };
    for (BlockId id : flow.order()) {
      InitState state = flow.at_entry(id);
      Block& block = function_.blocks[id.index];
      for (Inst& inst : block.insts) {
        state.consume(inst);
        if (inst.on_error.valid()) {
          InitState with_error = state;
          with_error.init(inst.error);
          skip(inst.on_error, with_error);
        }
        state.store(inst);
      }
      for_each_target(block.terminator, [&](BlockId& target) { skip(target, state); });
    }
  }

  LocalSet find_unclear() const {
    InitFlow flow(function_);
    LocalSet unclear;
    for (BlockId id : flow.order()) {
      InitState state = flow.at_entry(id);
      for (const Inst& inst : function_.blocks[id.index].insts) {
        LocalId local = drops_local(inst) ? inst.args[0].place.local : LocalId();
        if (!drops_local(inst)) state.consume(inst);
        if (replaces_local(inst)) local = inst.dst.local;
        if (local.valid() && !state.surely_init(local) && !state.surely_uninit(local)) unclear.add(local);
        if (drops_local(inst)) state.consume(inst);
        state.store(inst);
      }
    }
    return unclear;
  }

  Inst zero(LocalId local, Span span) const {
    Inst inst;
    inst.op = Op::Assign;
    inst.span = span;
    inst.initializes = true;
    inst.dst.local = local;
    Operand value;
    value.type = function_.local(local).type;
    value.constant.kind = ConstKind::Zero;
    inst.args.push_back(value);
    return inst;
  }

  // Zero at the entry, and again after each drop or move that is not the last thing to happen to it.
  void keep_zero(const LocalSet& unclear) {
    Liveness needed(function_, DropUse::Reads);
    size_t count = function_.blocks.size();
    for (uint32_t i = 0; i < count; ++i) {
      if (!needed.reachable(BlockId(i))) continue;
      Block& block = function_.blocks[i];
      LocalSet live = needed.live_out(BlockId(i));
      needed.step(block.terminator, live);
      std::vector<Inst> insts;   // backward
      for (size_t k = block.insts.size(); k-- > 0;) {
        Inst inst = std::move(block.insts[k]);
        LocalSet before = live;
        needed.step(inst, before);
        std::vector<Inst> first;   // to run before the instruction
        for (Operand& arg : inst.args) {
          if (arg.kind != OperandKind::Move || !unclear.has(arg.place.local)) continue;
          LocalId local = arg.place.local;
          bool again = live.has(local) || (inst.on_error.valid() && needed.live_in(inst.on_error).has(local));
          if (!again || (inst.dst.is_local() && inst.dst.local == local)) continue;
          if (inst.op == Op::Drop || !inst.on_error.valid()) {
            insts.push_back(zero(local, inst.span));
          } else {   // the error edge must find it zero too: out of the way first
            LocalId held = new_temp(local);
            Inst out = zero(held, inst.span);
            out.args[0] = arg;
            first.push_back(std::move(out));
            first.push_back(zero(local, inst.span));
            arg.place.local = held;
          }
        }
        insts.push_back(std::move(inst));
        for (size_t f = first.size(); f-- > 0;) insts.push_back(std::move(first[f]));
        live = std::move(before);
      }
      if (i == 0) unclear.for_each([&](LocalId local) { if (local.index >= function_.param_count) insts.push_back(zero(local, function_.span)); });
      Block& now = function_.blocks[i];
      now.insts.assign(std::make_move_iterator(insts.rbegin()), std::make_move_iterator(insts.rend()));
    }
  }

  LocalId new_temp(LocalId like) {
    Local temp;
    temp.type = function_.local(like).type;
    temp.span = function_.local(like).span;
    function_.locals.push_back(temp);
    return LocalId(static_cast<uint32_t>(function_.locals.size() - 1));
  }

  void make_exact() {
    InitFlow flow(function_);
    for (BlockId id : flow.order()) {
      InitState state = flow.at_entry(id);
      std::vector<Inst>& insts = function_.blocks[id.index].insts;
      size_t kept = 0;
      for (size_t k = 0; k < insts.size(); ++k) {
        Inst& inst = insts[k];
        bool needless = drops_local(inst) && state.surely_uninit(inst.args[0].place.local);
        state.consume(inst);
        if (replaces_local(inst) && state.surely_uninit(inst.dst.local)) inst.initializes = true;
        state.store(inst);
        if (needless) continue;
        if (kept != k) insts[kept] = std::move(inst);
        ++kept;
      }
      insts.resize(kept);
    }
  }

  Function& function_;
  const TypeFacts& facts_;
};

}  // namespace

void elaborate_drops(Program& program, const TypeFacts& facts) {
  for (Function& function : program.functions)
    if (!function.blocks.empty()) Elaboration(function, facts).run();
}

}  // namespace meteor::mir
