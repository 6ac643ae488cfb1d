#include "compiler/mir/passes/end_temporaries.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "compiler/mir/init_state.h"
#include "compiler/mir/liveness.h"
#include "compiler/mir/regions/region_graph.h"
#include "compiler/mir/regions/region_types.h"

namespace meteor::mir {

namespace {

using types::Kind;

class EndTemporaries {
 public:
  EndTemporaries(const Program& program, const TypeFacts& facts, const RegionTypes& regions, bool sends,
                 Function& function)
      : program_(program),
        facts_(facts),
        regions_(regions),
        sends_(sends),
        function_(function),
        of_loops_(function.blocks.size()),
        of_passes_(function.blocks.size()) {}

  void run() {
    find_leaving();
    take_out_of_optionals();
    find_temporaries();
    find_held_while_sending();
    find_assigned_in_loops();
    find_ended_by_passes();
    find_taken_apart();
    if (!any_) return;
    keep_addressed();
    InitFlow init(function_);
    Liveness live(function_);
    find_ended_on_the_way(init, live);
    for (BlockId id : init.order()) insert_drops(id, init, live);
  }

 private:
  bool may_end(LocalId id, LocalKind kind) const {
    return may_hold(id, kind) && !facts_.drop_is_observable(function_.local(id).type);
  }

  bool may_hold(LocalId id, LocalKind kind) const {
    const Local& local = function_.local(id);
    if (local.kind != kind || local.ownership != Ownership::Owned || local.by_reference) return false;
    return facts_.needs_drop(local.type) && regions_.can_alias(local.type) && !is_error(local.type);
  }

  bool is_error(TypeId type) const {
    if (program_.types->kind(type) == Kind::Optional) type = program_.types->arg(type);
    return type == program_.typed->raisable;
  }

  // A function that sends something ends its variables too where they are last used: who else may hold a part of what
  // is sent would take following every reference.
  void find_temporaries() {
    bool sends = leaving_ != LocalSet();
    for (uint32_t i = function_.param_count; i < function_.locals.size(); ++i) {
      if (!may_end(LocalId(i), LocalKind::Temp) && !(sends && may_end(LocalId(i), LocalKind::Variable))) continue;
      ends_.add(LocalId(i));
      any_ = true;
    }
  }

  // What can be observed to end does so with its statement, unless the statement sends something in between. The end of
  // a statement may be blocks away; an error on the way there ends the statement.
  void find_held_while_sending() {
    bool sends = false;
    for_each_inst([&](const Inst& inst) { sends |= is_sending(inst); });
    if (!sends) return;
    std::vector<LocalSet> held_at(function_.blocks.size());  // the beginning of a block
    for (bool grows = true; grows;) {
      grows = false;
      for (size_t i = function_.blocks.size(); i-- > 0;) {
        const Block& block = function_.blocks[i];
        LocalSet held;
        for_each_target(block.terminator, [&](BlockId next) { held.unite(held_at[next.index]); });
        held.remove(block.terminator.value.place.local);
        end_if_held(block, held);
        grows |= held_at[i].unite(held);
      }
    }
  }

  // `held`: from here to the end of its statement, without being used. At the end of the block, then at its beginning.
  void end_if_held(const Block& block, LocalSet& held) {
    for (size_t k = block.insts.size(); k-- > 0;) {
      const Inst& inst = block.insts[k];
      if (inst.op == Op::Drop) {
        const Place& place = inst.args[0].place;
        if (place.is_local() && place.local.index >= function_.param_count && may_hold(place.local, LocalKind::Temp))
          held.add(place.local);
        continue;
      }
      for (const Operand& arg : inst.args)
        if (arg.place.local.valid()) held.remove(arg.place.local);
      if (inst.dst.local.valid()) held.remove(inst.dst.local);
      if (!is_sending(inst)) continue;
      held.for_each([&](LocalId local) { ends_.add(local); });
      any_ = true;
    }
  }

  bool is_sending(const Inst& inst) const {
    return calls_known_function(inst) && program_.functions[inst.function.index].leaving != 0;
  }

  void find_assigned_in_loops() {
    for (const LoopRange& loop : function_.loops) {
      for (uint32_t i = loop.head.index; i < loop.end; ++i)
        for (const Inst& inst : function_.blocks[i].insts) {
          LocalId local = inst.dst.local;
          if (!inst.dst.is_local() || !may_end(local, LocalKind::Variable)) continue;
          of_loops_[loop.after.index].push_back(local);
          any_ = true;
        }
    }
  }

  // The variables of a `for`, of a pattern or of a case of `select`, what a loop got last: they end with their pass,
  // also by `break`, unless something reads them later.
  void find_ended_by_passes() {
    for (const LoopRange& loop : function_.loops) {
      Pass pass{loop.end, {}};
      for (uint32_t i = loop.head.index; i < loop.end; ++i)
        for (const Inst& inst : function_.blocks[i].insts) {
          if (!inst.ends_with_pass || !may_end_with_pass(inst.dst.local)) continue;
          if (std::ranges::find(pass.ended, inst.dst.local) == pass.ended.end()) pass.ended.push_back(inst.dst.local);
        }
      if (pass.ended.empty()) continue;
      std::vector<LocalId>& after = of_loops_[loop.after.index];
      after.insert(after.end(), pass.ended.begin(), pass.ended.end());
      of_passes_[loop.head.index] = std::move(pass);
      any_ = true;
    }
  }

  // Where nobody can observe the end, only who sends something to another isolate asks who else holds it.
  bool may_end_with_pass(LocalId id) const {
    const Local& local = function_.local(id);
    if (local.ownership != Ownership::Owned || local.by_reference || !facts_.needs_drop(local.type) ||
        is_error(local.type))
      return false;
    return facts_.drop_is_observable(local.type) || (sends_ && regions_.can_alias(local.type));
  }

  // Locals whose value leaves the isolate, by itself or in what is made of it: an object, a collection, an enum, a tuple,
  // a closure, or what a function gives that takes it as `owned`. They end where they are last used.
  void find_leaving() {
    for_each_inst([&](const Inst& inst) {
      for_each_leaving_arg(inst, [&](size_t i) {
        if (inst.args[i].kind != OperandKind::Const && inst.args[i].place.is_local())
          leaving_.add(inst.args[i].place.local);
      });
    });
    for (bool grows = leaving_ != LocalSet(); grows;) {
      grows = false;
      for_each_inst([&](const Inst& inst) {
        bool is_made = goes_into_leaving(inst), is_filled = fills_leaving(inst);
        if (!is_made && !is_filled) return;
        for (const Operand& arg : inst.args) {
          bool is_given = arg.kind == OperandKind::Copy || arg.kind == OperandKind::Move || (is_filled && arg.kind == OperandKind::Borrow);
          if (!is_given || !arg.place.local.valid() || !facts_.needs_drop(arg.type)) continue;
          if (!std::ranges::all_of(arg.place.path, is_in_place) || leaving_.has(arg.place.local)) continue;
          leaving_.add(arg.place.local);
          grows = true;
        }
      });
    }
    leaving_.for_each([&](LocalId local) {
      if (!may_end(local, function_.local(local).kind)) return;
      ends_.add(local);
      any_ = true;
    });
    find_sent();
  }

  // What statements make in order to send it. A variable whose last use is to go into one of these is handed on, also
  // where its end can be observed: that does not come now.
  void find_sent() {
    auto is_temp = [&](const Operand& arg) {
      return arg.kind != OperandKind::Const && arg.place.is_local() &&
             function_.local(arg.place.local).kind == LocalKind::Temp;
    };
    for_each_inst([&](const Inst& inst) {
      for_each_leaving_arg(inst, [&](size_t i) {
        if (is_temp(inst.args[i])) sent_.add(inst.args[i].place.local);
      });
    });
    for (bool grows = sent_ != LocalSet(); grows;) {
      grows = false;
      for_each_inst([&](const Inst& inst) {
        if (!makes_sent(inst)) return;
        any_ = true;
        for (const Operand& arg : inst.args) {
          if (!is_temp(arg) || sent_.has(arg.place.local)) continue;
          sent_.add(arg.place.local);
          grows = true;
        }
      });
    }
  }

  bool makes_sent(const Inst& inst) const {
    switch (inst.op) {
      case Op::MakeStruct:
      case Op::MakeTuple:
      case Op::MakeEnum:
      case Op::MakeSome:
      case Op::MakeClosure:
      case Op::MakeDyn:
      case Op::MakeAny:
      case Op::Reinterpret:
      case Op::Assign: return inst.dst.is_local() && sent_.has(inst.dst.local);
      default: return false;
    }
  }

  bool hands_on(const Inst& inst, const Operand& arg) const {
    return arg.kind == OperandKind::Copy && arg.place.is_local() &&
           may_hold(arg.place.local, function_.local(arg.place.local).kind) && makes_sent(inst);
  }

  static bool is_in_place(const Projection& step) {
    return step.kind == ProjectionKind::Payload || step.kind == ProjectionKind::Cast;
  }

  // A method of something that leaves, or of a part of it, may store what it is given: `xs.append(doc)`.
  bool fills_leaving(const Inst& inst) const {
    return inst.op == Op::Call && !inst.args.empty() && inst.args[0].kind == OperandKind::Borrow &&
           inst.args[0].place.local.valid() && leaving_.has(inst.args[0].place.local);
  }

  bool goes_into_leaving(const Inst& inst) const { return inst.dst.local.valid() && leaving_.has(inst.dst.local); }

  template <typename F>
  void for_each_leaving_arg(const Inst& inst, F&& visit) const {
    if (!calls_known_function(inst)) return;
    uint64_t leaves = program_.functions[inst.function.index].leaving;
    for (size_t i = 0; i < inst.args.size() && i < 64; ++i)
      if (leaves >> i & 1) visit(i);
  }

  // What leaves the isolate out of an optional gets a temporary of its own: the optional may then end before the call.
  void take_out_of_optionals() {
    if (leaving_ == LocalSet()) return;
    for (Block& block : function_.blocks)
      for (size_t k = 0; k < block.insts.size(); ++k) {
        std::vector<Inst> copies;
        auto take = [&](size_t i) {
          Operand& arg = block.insts[k].args[i];
          bool is_part = arg.kind == OperandKind::Copy && arg.place.local.valid() && !arg.place.path.empty();
          if (is_part && facts_.needs_drop(arg.type) && std::ranges::all_of(arg.place.path, is_in_place))
            copies.push_back(take_out(arg, block.insts[k].span));
        };
        const Inst& inst = block.insts[k];
        bool is_made = goes_into_leaving(inst) && !(inst.op == Op::Assign && inst.dst.is_local());
        if (is_made)
          for (size_t i = 0; i < inst.args.size(); ++i) take(i);
        else
          for_each_leaving_arg(inst, take);
        block.insts.insert(block.insts.begin() + static_cast<ptrdiff_t>(k), copies.begin(), copies.end());
        k += copies.size();
      }
  }

  // The copy into a temporary, which the operand becomes a move of.
  Inst take_out(Operand& part, Span span) {
    Local temp;
    temp.type = part.type;
    temp.kind = LocalKind::Temp;
    temp.span = span;
    Inst copy;
    copy.op = Op::Assign;
    copy.span = span;
    copy.initializes = true;
    copy.dst.local = LocalId(static_cast<uint32_t>(function_.locals.size()));
    copy.args.push_back(std::move(part));
    function_.locals.push_back(temp);
    leaving_.add(copy.dst.local);
    part = {};
    part.kind = OperandKind::Move;
    part.type = temp.type;
    part.place.local = copy.dst.local;
    return copy;
  }

  // Enums and optionals out of which something is taken that then leaves the isolate: `case Work(doc): ch.send(doc)`.
  void find_taken_apart() {
    if (leaving_ == LocalSet()) return;
    LocalSet taken;
    auto is_inside = [](const Projection& step) {
      return step.kind == ProjectionKind::Case || step.kind == ProjectionKind::Payload;
    };
    auto is_field = [](const Projection& step) { return step.kind == ProjectionKind::Field; };
    for (bool grows = true; grows;) {
      grows = false;
      for_each_inst([&](const Inst& inst) {
        if (inst.op != Op::Assign || !inst.dst.is_local() || inst.args[0].kind != OperandKind::Copy) return;
        const Place& from = inst.args[0].place;
        bool takes = leaving_.has(inst.dst.local) && std::ranges::any_of(from.path, is_inside) &&
                     std::ranges::none_of(from.path, is_field);
        bool hands_on = taken.has(inst.dst.local) && std::ranges::none_of(from.path, is_field);
        if (!(takes || hands_on) || !from.local.valid() || taken.has(from.local)) return;
        taken.add(from.local);
        grows = true;
        const Local& whole = function_.local(from.local);
        if (!may_hold(from.local, whole.kind) || regions_.ends_visibly(whole.type)) return;
        ends_.add(from.local);
        any_ = true;
      });
    }
  }

  template <typename F>
  void for_each_inst(F&& visit) const {
    for (const Block& block : function_.blocks)
      for (const Inst& inst : block.insts) visit(inst);
  }

  // Somebody may have the address of it, or of something in it, for longer than the instruction takes.
  void keep_addressed() {
    for (const Block& block : function_.blocks)
      for (const Inst& inst : block.insts) {
        bool gives_pointer = inst.dst.is_local() && holds_pointer(function_.local(inst.dst.local).type);
        for (const Operand& arg : inst.args) {
          bool is_pointer = gives_pointer || (arg.kind != OperandKind::Const && holds_pointer(arg.type));
          if (!arg.place.local.valid() || !(is_pointer || arg.kind == OperandKind::Ref)) continue;
          ends_.remove(arg.place.local);
          if (is_pointer || inst.lends) addressed_.add(arg.place.local);
        }
      }
  }

  bool holds_pointer(TypeId type) const {
    const types::Type& t = program_.types->get(type);
    auto in_fields = [&](std::span<const typed::Field> fields) {
      for (const typed::Field& field : fields)
        if (holds_pointer(field.type)) return true;
      return false;
    };
    switch (t.kind) {
      case Kind::RawPtr: return true;
      case Kind::Optional: case Kind::Tuple:
        for (TypeId arg : t.args)
          if (holds_pointer(arg)) return true;
        return false;
      case Kind::Struct: case Kind::Enum: {
        auto found = program_.typed->nominals.find(type);
        if (found == program_.typed->nominals.end() || found->second.is_recursive) return false;
        if (in_fields(found->second.fields)) return true;
        for (const typed::EnumCase& one : found->second.cases)
          if (in_fields(one.fields)) return true;
        return false;
      }
      default: return false;
    }
  }

  // What a block may have to end where it begins: temporaries that a block before it sets or still needs. The others it
  // finds ended.
  void find_ended_on_the_way(const InitFlow& init, const Liveness& live) {
    may_end_at_.resize(function_.blocks.size());
    for (BlockId id : init.order()) {
      const Block& block = function_.blocks[id.index];
      LocalSet held = live.live_in(id);
      held.unite(live.live_out(id));
      for (const Inst& inst : block.insts)
        if (inst.dst.is_local() && ends_.has(inst.dst.local)) held.add(inst.dst.local);
      if (block.is_cold) held.unite(init.at_entry(id).maybe_init);  // ends nothing
      for_each_successor(block, [&](BlockId next) { may_end_at_[next.index].unite(held); });
    }
  }

  Inst drop(LocalId local, Span span) const {
    Inst inst;
    inst.op = Op::Drop;
    inst.span = span;
    Operand value;
    value.kind = OperandKind::Move;
    value.type = function_.local(local).type;
    value.place.local = local;
    inst.args.push_back(std::move(value));
    return inst;
  }

  // Before what stands at the end of `insts`, which are in reverse order. The drop at the end of the statement or function is not needed
  // then, where nothing leads from here to it but these.
  void insert_drop(std::vector<Inst>& insts, LocalId local, Span span) const {
    constexpr size_t NEAR = 64;   // it is an optimisation: elaborate-drops knows what holds nothing
    for (size_t i = insts.size(), last = i > NEAR ? i - NEAR : 0; i-- > last;) {
      if (insts[i].dst.local == local) break;
      if (insts[i].op != Op::Drop || !insts[i].args[0].place.is_local() || insts[i].args[0].place.local != local) continue;
      insts.erase(insts.begin() + static_cast<ptrdiff_t>(i));
      break;
    }
    insts.push_back(drop(local, span));
  }

  void insert_drops(BlockId id, const InitFlow& init, const Liveness& live) {
    Block& block = function_.blocks[id.index];
    LocalSet after = live.live_out(id);
    live.step(block.terminator, after);
    std::vector<Inst> insts;   // backward
    end_pass(id, after, insts);
    for (size_t k = block.insts.size(); k-- > 0;) {
      Inst& inst = block.insts[k];
      if (inst.op != Op::Drop)
        for (const Operand& arg : inst.args) {
          LocalId local = arg.place.local;
          bool keeps = arg.kind == OperandKind::Borrow || arg.kind == OperandKind::Copy;
          bool is_last = keeps && local.valid() && !after.has(local) && inst.dst.local != local &&
                         (ends_.has(local) || (hands_on(inst, arg) && !addressed_.has(local)));
          if (is_last && !has_drop(insts, local)) insert_drop(insts, local, inst.span);
        }
      live.step(inst, after);
      insts.push_back(std::move(inst));
    }
    // What another way on from a block before this one still needs.
    if (!block.is_cold) {
      const InitState& state = init.at_entry(id);
      auto end = [&](LocalId local) {
        if (!after.has(local)) insert_drop(insts, local, block.terminator.span);
      };
      state.maybe_init.for_each_common(may_end_at_[id.index], [&](LocalId local) {
        if (ends_.has(local)) end(local);
      });
      for (LocalId local : of_loops_[id.index])
        if (!state.surely_uninit(local) && !addressed_.has(local)) end(local);
    }
    block.insts.assign(std::make_move_iterator(insts.rbegin()), std::make_move_iterator(insts.rend()));
  }

  // Where a block of a loop goes back to its head.
  void end_pass(BlockId id, const LocalSet& live, std::vector<Inst>& insts) const {
    const Terminator& end = function_.blocks[id.index].terminator;
    if (end.kind != TerminatorKind::Goto || id.index < end.target.index ||
        id.index >= of_passes_[end.target.index].blocks_end)
      return;
    for (LocalId local : of_passes_[end.target.index].ended)
      if (!live.has(local) && !addressed_.has(local)) insts.push_back(drop(local, end.span));
  }

  // Right here, since the same instruction uses it twice.
  static bool has_drop(const std::vector<Inst>& insts, LocalId local) {
    for (size_t i = insts.size(); i-- > 0 && insts[i].op == Op::Drop;)
      if (insts[i].args[0].place.is_local() && insts[i].args[0].place.local == local) return true;
    return false;
  }

  const Program& program_;
  const TypeFacts& facts_;
  const RegionTypes& regions_;
  const bool sends_;  // something in the program may leave its isolate
  Function& function_;
  LocalSet leaving_;
  LocalSet sent_;                                 // temporaries: see find_sent
  LocalSet ends_;                                 // temporaries
  std::vector<LocalSet> may_end_at_;              // by block
  std::vector<std::vector<LocalId>> of_loops_;    // by the block after a loop: variables that it assigns
  struct Pass {
    uint32_t blocks_end = 0;
    std::vector<LocalId> ended;
  };
  std::vector<Pass> of_passes_;  // by the head of a loop: what its passes end, in the order of the assignments
  LocalSet addressed_;
  bool any_ = false;
};

}  // namespace

void end_temporaries(Program& program, const TypeFacts& facts) {
  RegionTypes regions(program);
  bool sends = std::ranges::any_of(program.functions, [](const Function& f) { return f.leaving != 0; });
  for (Function& function : program.functions)
    if (!function.blocks.empty()) EndTemporaries(program, facts, regions, sends, function).run();
}

}  // namespace meteor::mir
