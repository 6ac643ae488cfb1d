#include "compiler/mir/passes/last_use.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "compiler/mir/liveness.h"

namespace meteor::mir {

namespace {

// By the body of an `async def`: how the function that callers see hands its parameters over. Moved: the source says `owned`.
using Makers = std::unordered_map<uint32_t, const Inst*>;

class LastUse {
 public:
  LastUse(const Program& program, const Makers& makers, Function& function, const TypeFacts& facts) : program_(program), makers_(makers), function_(function), facts_(facts), live_(function) {
    for (const Block& block : function.blocks)
      if (block.terminator.kind == TerminatorKind::Return && block.terminator.value.kind == OperandKind::Move) result_.add(block.terminator.value.place.local);
    find_borrowers();
  }

  void run() {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      if (!live_.reachable(BlockId(i))) continue;
      Block& block = function_.blocks[i];
      LocalSet live = live_.live_out(BlockId(i));
      live_.step(block.terminator, live);
      std::vector<Inst> insts;   // backward
      for (size_t k = block.insts.size(); k-- > 0;) {
        Inst& inst = block.insts[k];
        LocalSet before = live;
        visit(inst, live);
        live_.step(inst, before);
        bool takes = taking_;
        taking_ = false;
        if (takes && !inst.initializes) {
          // Only assign writes to a local with a value: by way of a new one.
          Inst assign = inst;
          Local temp;
          temp.type = function_.local(inst.dst.local).type;
          temp.span = inst.span;
          function_.locals.push_back(temp);
          LocalId fresh(static_cast<uint32_t>(function_.locals.size() - 1));
          inst.op = take_op_;
          inst.dst.local = fresh;
          assign.args[0].kind = OperandKind::Move;
          assign.args[0].type = temp.type;
          assign.args[0].place = {};
          assign.args[0].place.local = fresh;
          insts.push_back(std::move(assign));
        } else if (takes) {
          inst.op = take_op_;
        }
        if (takes && take_op_ == Op::Reinterpret) inst.type = function_.local(inst.dst.local).type;
        insts.push_back(std::move(inst));
        live = std::move(before);
      }
      block.insts.assign(std::make_move_iterator(insts.rbegin()), std::make_move_iterator(insts.rend()));
    }
  }

 private:
  // Locals that hold something of another one without counting it, directly or through a third.
  void find_borrowers() {
    borrowers_.resize(function_.locals.size());
    std::vector<std::pair<LocalId, LocalId>> lends;  // from, to
    for (const Block& block : function_.blocks)
      for (const Inst& inst : block.insts) {
        if (!inst.dst.is_local() || function_.local(inst.dst.local).ownership != Ownership::Borrowed) continue;
        for (const Operand& arg : inst.args)
          if (arg.kind != OperandKind::Const && arg.place.local.valid() && arg.place.local != inst.dst.local)
            lends.push_back({arg.place.local, inst.dst.local});
      }
    for (auto [from, to] : lends) borrowers_[from.index].add(to);
    // Backward, since most borrow from what was set before them.
    for (bool again = true; again;) {
      again = false;
      for (size_t i = lends.size(); i-- > 0;)
        again |= borrowers_[lends[i].first.index].unite(borrowers_[lends[i].second.index]);
    }
  }

  // A local may be among its own borrowers, in a cycle: it is not live after its last use.
  bool is_lent(LocalId id, const Inst& inst, const LocalSet& live_after) const {
    const LocalSet& borrowers = borrowers_[id.index];
    if (borrowers.meets(live_after) || (inst.on_error.valid() && borrowers.meets(live_.live_in(inst.on_error))))
      return true;
    return std::ranges::any_of(inst.args, [&](const Operand& arg) {
      return arg.kind != OperandKind::Const && arg.place.local.valid() && arg.place.local != id &&
             borrowers.has(arg.place.local);
    });
  }

  bool may_give_up(LocalId id, const Inst& inst, size_t arg) const {
    const Local& local = function_.local(id);
    if (local.ownership != Ownership::Owned || local.by_reference || !facts_.needs_drop(local.type)) return false;
    // What a loop iterates over, a scope or a context manager lives to the end of its statement, however it is awaited.
    if (local.kind == LocalKind::Temp && inst.op == Op::Await && facts_.drop_is_observable(local.type))
      return is_consumed(inst, arg);
    if (local.kind == LocalKind::Temp || !facts_.drop_is_observable(local.type)) return true;
    // The body of an `async def` owns its parameters, but whoever awaits it keeps what it has.
    bool passed = inst.op == Op::MakeFuture ||
                  ((inst.op == Op::Call || inst.op == Op::Await) && inst.call != CallKind::Intrinsic &&
                   is_consumed(inst, arg) && !is_frozen(local.type));
    bool returned = inst.op == Op::Assign && inst.dst.is_local() && result_.has(inst.dst.local);
    return passed || returned;
  }

  // Passing a frozen value does not move it: the variable still has it until the function ends.
  bool is_frozen(types::TypeId type) const {
    const types::Type& t = program_.types->get(type);
    if (t.kind == types::Kind::Frozen) return true;
    if (t.kind != types::Kind::Optional && t.kind != types::Kind::Tuple) return false;
    return std::ranges::all_of(t.args,
                               [&](types::TypeId arg) { return !facts_.drop_is_observable(arg) || is_frozen(arg); });
  }

  bool is_consumed(const Inst& inst, size_t arg) const {
    if (!inst.function.valid()) return inst.op == Op::Call;
    if (program_.functions[inst.function.index].frame == FrameKind::None) return true;
    auto maker = makers_.find(inst.function.index);
    return maker != makers_.end() && arg < maker->second->args.size() && maker->second->args[arg].kind == OperandKind::Move;
  }

  // A local's class reference, only seen as another type.
  bool is_same_reference(const Operand& arg) const {
    if (!facts_.is_class_reference(arg.type) || !facts_.is_class_reference(function_.local(arg.place.local).type)) return false;
    for (const Projection& step : arg.place.path)
      if (step.kind != ProjectionKind::Payload && step.kind != ProjectionKind::Cast) return false;
    return true;
  }

  bool used_elsewhere(const Inst& inst, size_t arg) const {
    LocalId id = inst.args[arg].place.local;
    if (inst.dst.local == id) return true;
    for (size_t i = 0; i < inst.args.size(); ++i)
      if (i != arg && inst.args[i].kind != OperandKind::Const && inst.args[i].place.local == id) return true;
    return false;
  }

  void visit(Inst& inst, const LocalSet& live_after) {
    if (inst.op == Op::Drop) return;
    for (size_t i = 0; i < inst.args.size(); ++i) {
      Operand& arg = inst.args[i];
      LocalId id = arg.place.local;
      if (arg.kind != OperandKind::Copy || !id.valid() || !facts_.needs_drop(arg.type)) continue;
      bool whole = arg.place.path.empty();
      bool payload = arg.place.path.size() == 1 && arg.place.path[0].kind == ProjectionKind::Payload && inst.op == Op::Assign && inst.dst.is_local();
      bool same_bits = !payload && is_same_reference(arg) && inst.op == Op::Assign && inst.dst.is_local();
      if (!whole && !payload && !same_bits) continue;
      if (id.index >= base_locals_ || live_after.has(id) || (inst.on_error.valid() && live_.live_in(inst.on_error).has(id))) continue;
      if (used_elsewhere(inst, i) || !may_give_up(id, inst, i) || is_lent(id, inst, live_after)) continue;
      arg.kind = OperandKind::Move;
      if (whole) continue;
      arg.type = function_.local(id).type;
      arg.place.path.clear();
      taking_ = true;
      take_op_ = payload ? Op::TakeSome : Op::Reinterpret;
    }
  }

  const Program& program_;
  const Makers& makers_;
  Function& function_;
  const TypeFacts& facts_;
  Liveness live_;
  LocalSet result_;            // what returns give
  std::vector<LocalSet> borrowers_;  // per local
  size_t base_locals_ = function_.locals.size();
  bool taking_ = false;        // the instruction just visited takes an optional apart, or sees a reference as another class
  Op take_op_{};
};

}  // namespace

void move_last_uses(Program& program, const TypeFacts& facts) {
  std::vector<Inst> kept;   // copies: the pass changes what it goes through
  kept.reserve(program.functions.size());
  Makers makers;
  for (const Function& function : program.functions)
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts)
        if (inst.op == Op::MakeFuture && program.functions[inst.function.index].symbol == function.symbol + ".body" && makers.emplace(inst.function.index, nullptr).second) {
          kept.push_back(inst);
          makers[inst.function.index] = &kept.back();
        }
  for (Function& function : program.functions)
    if (!function.blocks.empty()) LastUse(program, makers, function, facts).run();
}

}  // namespace meteor::mir
