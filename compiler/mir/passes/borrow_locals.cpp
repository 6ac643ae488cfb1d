#include "compiler/mir/passes/borrow_locals.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/mir/liveness.h"
#include "compiler/mir/passes/lenders.h"
#include "compiler/mir/passes/write_sets.h"

namespace meteor::mir {

namespace {

// Beyond this the check of every instruction against every live candidate is not worth its time.
constexpr size_t LARGEST_FUNCTION = 20'000;

class BorrowLocals {
 public:
  BorrowLocals(Function& function, const TypeFacts& facts, const WriteSets& writes, Lenders& lenders)
      : function_(function), facts_(facts), writes_(writes), lenders_(lenders), candidates_(function.locals.size()) {}

  void run() {
    if (!find_candidates()) return;
    Liveness live(function_);
    do {
      drop_new_owners();
      find_dependences();
    } while (drop_violated(live) && !candidates_left_.empty());
    if (!candidates_left_.empty()) rewrite();
  }

 private:
  // What a candidate's value depends on, besides other candidates.
  struct Candidate {
    bool is = false;
    bool has_source = false;
    SlotSet slots;
    std::vector<LocalId> roots;    // locals that must keep what they hold
    std::vector<LocalId> moved;    // locals that hand their value over to this one
    std::vector<LocalId> from;     // candidates whose dependences are this one's too
    SlotSet all_slots;             // with those of `from`
    std::vector<LocalId> all_roots;
  };

  Candidate& of(LocalId id) { return candidates_[id.index]; }

  bool is_class_reference(LocalId id) const { return facts_.is_class_reference(function_.local(id).type); }

  bool find_candidates() {
    if (function_.has_frame()) return false;   // what is borrowed does not live across a suspension
    size_t count = 0;
    for (const Block& block : function_.blocks) count += block.insts.size();
    if (count > LARGEST_FUNCTION) return false;
    for (uint32_t i = function_.param_count; i < function_.locals.size(); ++i) {
      const Local& local = function_.locals[i];
      bool own = local.ownership == Ownership::Owned && !local.by_reference && local.kind != LocalKind::Environment && local.kind != LocalKind::Param;
      candidates_[i].is = own && facts_.needs_drop(local.type) && (local.kind == LocalKind::Temp || !facts_.drop_is_observable(local.type));
      if (candidates_[i].is) candidates_[i].slots = writes_.no_slots();
    }
    for (const Block& block : function_.blocks) {
      for (const Inst& inst : block.insts) {
        if (inst.error.valid()) of(inst.error).is = false;
        for (const Operand& arg : inst.args)
          if (arg.kind == OperandKind::Ref && arg.place.local.valid() && (arg.place.path.empty() || !is_class_reference(arg.place.local))) of(arg.place.local).is = false;
        if (inst.dst.local.valid() && !inst.dst.is_local() && !is_class_reference(inst.dst.local)) of(inst.dst.local).is = false;
        if (inst.dst.is_local() && of(inst.dst.local).is && !add_source(inst)) of(inst.dst.local).is = false;
      }
      if (block.terminator.error.valid()) of(block.terminator.error).is = false;
    }
    for (uint32_t i = 0; i < candidates_.size(); ++i)
      if (candidates_[i].is && candidates_[i].has_source) candidates_left_.push_back(LocalId(i));
      else candidates_[i].is = false;
    return !candidates_left_.empty();
  }

  // Whether the instruction gives its destination something to borrow.
  bool add_source(const Inst& inst) {
    Candidate& candidate = of(inst.dst.local);
    if (inst.op == Op::Assign) {
      const Operand& from = inst.args[0];
      if (from.kind == OperandKind::Const) return from.constant.kind == ConstKind::Null || from.constant.kind == ConstKind::Zero;
      if (from.kind != OperandKind::Copy && from.kind != OperandKind::Move) return false;
      if (from.kind == OperandKind::Move) candidate.moved.push_back(from.place.local);
      return add_place(candidate, from.place);
    }
    if (inst.op != Op::Call || inst.args.empty()) return false;
    const Operand& holder = inst.args[0];
    if (inst.call == CallKind::Intrinsic && inst.intrinsic == Intrinsic::RawGet) {
      writes_.add_elements(candidate.slots, inst.type);
      return holder.kind == OperandKind::Copy && !holder.place.is_local() && add_place(candidate, holder.place);
    }
    if (inst.call != CallKind::Direct || (holder.kind != OperandKind::Borrow && holder.kind != OperandKind::Ref)) return false;
    const SlotSet* lent = lenders_.find(inst.function);
    if (!lent) return false;
    candidate.slots.unite(*lent);
    return add_place(candidate, holder.place);
  }

  bool add_place(Candidate& candidate, const Place& place) {
    if (place.global.valid()) {
      candidate.slots.unite(writes_.depends_on(function_, place).slots);
    } else {
      const Local& root = function_.local(place.local);
      if (root.by_reference) return false;   // someone's variable: who knows who else may assign it
      writes_.add_path(candidate.slots, function_, place);
      if (root.ownership == Ownership::Owned) candidate.roots.push_back(place.local);
    }
    candidate.has_source = true;
    return true;
  }

  // What gets a value from a local that owns it becomes the owner.
  void drop_new_owners() {
    for (bool again = true; again;) {
      again = false;
      for (LocalId id : candidates_left_) {
        if (!of(id).is || std::ranges::all_of(of(id).moved, [&](LocalId from) { return of(from).is; })) continue;
        of(id).is = false;
        again = true;
      }
    }
    std::erase_if(candidates_left_, [&](LocalId id) { return !of(id).is; });
  }

  // A root that is a candidate itself hands on what it depends on; any other must keep its value.
  void find_dependences() {
    for (LocalId id : candidates_left_) {
      Candidate& candidate = of(id);
      candidate.all_slots = candidate.slots;
      candidate.all_roots.clear();
      candidate.from.clear();
      for (LocalId root : candidate.roots) (of(root).is ? candidate.from : candidate.all_roots).push_back(root);
      sort_unique(candidate.all_roots);
      sort_unique(candidate.from);
    }
    for (bool again = true; again;) {
      again = false;
      for (LocalId id : candidates_left_) {
        Candidate& candidate = of(id);
        for (LocalId other : candidate.from) {
          if (other == id) continue;
          again |= candidate.all_slots.unite(of(other).all_slots);
          size_t before = candidate.all_roots.size();
          candidate.all_roots.insert(candidate.all_roots.end(), of(other).all_roots.begin(), of(other).all_roots.end());
          sort_unique(candidate.all_roots);
          again |= candidate.all_roots.size() != before;
        }
      }
    }
  }

  static void sort_unique(std::vector<LocalId>& ids) {
    std::sort(ids.begin(), ids.end(), [](LocalId a, LocalId b) { return a.index < b.index; });
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }

  // Who loses its value by what is written: candidates by slot sets, and by the local where their value begins.
  struct Dependants {
    std::map<SlotSet, LocalSet> by_slots;  // of the instructions seen so far
    std::unordered_map<uint32_t, LocalSet> by_root;
  };

  Dependants find_dependants() {
    Dependants dependants;
    for (LocalId id : candidates_left_)
      for (LocalId root : of(id).all_roots) dependants.by_root[root.index].add(id);
    return dependants;
  }

  LocalSet& dependants_on(const SlotSet& written, Dependants& dependants) {
    auto [at, fresh] = dependants.by_slots.try_emplace(written);
    if (fresh)
      for (LocalId id : candidates_left_)
        if (of(id).is && of(id).all_slots.meets(written)) at->second.add(id);
    return at->second;
  }

  // Removes candidates that are in use while something may take their value away. Whether there were any.
  bool drop_violated(const Liveness& live) {
    bool any = false;
    Dependants dependants = find_dependants();
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      if (!live.reachable(BlockId(i))) continue;
      const Block& block = function_.blocks[i];
      LocalSet after = live.live_out(BlockId(i));
      live.step(block.terminator, after);
      for (size_t k = block.insts.size(); k-- > 0;) {
        const Inst& inst = block.insts[k];
        LocalSet before = after;
        live.step(inst, before);
        if (has_effects(inst)) {
          any |= drop_violated_by(inst, dependants_on(writes_.written_by(function_, inst), dependants), after, before);
          for_each_changed(inst, [&](LocalId root) {
            auto found = dependants.by_root.find(root.index);
            if (found != dependants.by_root.end()) any |= drop_violated_by(inst, found->second, after, before);
          });
        }
        after = std::move(before);
      }
    }
    if (any) std::erase_if(candidates_left_, [&](LocalId id) { return !of(id).is; });
    return any;
  }

  static bool has_effects(const Inst& inst) {
    return inst.op == Op::Call || inst.op == Op::Drop || inst.op == Op::Assign || inst.dst.is_local() || std::ranges::any_of(inst.args, [](const Operand& arg) { return arg.kind == OperandKind::Move; });
  }

  // Whether a candidate holds something while the instruction runs: read by it, later, or on its error edge.
  static bool is_in_use(LocalId id, const Inst& inst, const LocalSet& after, const LocalSet& before) {
    if (inst.op == Op::Drop && inst.args[0].place.local == id) return false;
    bool defined = inst.dst.is_local() && inst.dst.local == id;
    bool read = inst.op != Op::Drop && std::ranges::any_of(inst.args, [&](const Operand& arg) {
                  return arg.kind != OperandKind::Const && arg.place.local == id;
                });
    // A def may read the local that it replaces (`node = node.next`): what it reads it reads before it has effects.
    return defined ? read && inst.op == Op::Call : read || after.has(id) || before.has(id);
  }

  // Those of `losers` that are in use; they are losers no more, so that nothing looks at them again.
  bool drop_violated_by(const Inst& inst, LocalSet& losers, const LocalSet& after, const LocalSet& before) {
    std::vector<LocalId> lost;
    auto look_at = [&](LocalId id) {
      if (!of(id).is)
        lost.push_back(id);
      else if (is_in_use(id, inst, after, before))
        lost.push_back(id);
    };
    losers.for_each_common(after, look_at);
    losers.for_each_common(before, look_at);
    for (const Operand& arg : inst.args)
      if (arg.kind != OperandKind::Const && arg.place.local.valid() && losers.has(arg.place.local))
        look_at(arg.place.local);
    bool any = false;
    for (LocalId id : lost) {
      any |= of(id).is;
      of(id).is = false;
      losers.remove(id);
    }
    return any;
  }

  // visit(LocalId) for each local whose own value the instruction changes or takes away.
  template <typename F>
  void for_each_changed(const Inst& inst, F&& visit) const {
    if (inst.dst.local.valid() && writes_.writes_local(function_, inst.dst)) visit(inst.dst.local);
    for (const Operand& arg : inst.args)
      if (arg.place.local.valid() && (arg.kind == OperandKind::Move ||
                                      (arg.kind == OperandKind::Ref && writes_.writes_local(function_, arg.place))))
        visit(arg.place.local);
  }

  void rewrite() {
    for (LocalId id : candidates_left_) function_.local(id).ownership = Ownership::Borrowed;
    for (Block& block : function_.blocks) {
      for (Inst& inst : block.insts) {
        bool to_borrowed = inst.dst.is_local() && of(inst.dst.local).is;
        for (Operand& arg : inst.args) {
          if (arg.kind == OperandKind::Move && of(arg.place.local).is && inst.op != Op::Drop) arg.kind = OperandKind::Copy;
          if (to_borrowed && inst.op == Op::Assign && arg.kind != OperandKind::Const) arg.kind = OperandKind::Borrow;
        }
        if (!to_borrowed) continue;
        if (inst.op == Op::Assign) inst.initializes = true;
        else if (inst.call == CallKind::Intrinsic) inst.intrinsic = Intrinsic::RawPeek;
        else inst.function = lenders_.twin_of(inst.function);
      }
      Operand& value = block.terminator.value;
      if (value.kind == OperandKind::Move && of(value.place.local).is) value.kind = OperandKind::Copy;
      std::erase_if(block.insts, [&](const Inst& inst) { return inst.op == Op::Drop && inst.args[0].place.is_local() && of(inst.args[0].place.local).is; });
    }
  }

  Function& function_;
  const TypeFacts& facts_;
  const WriteSets& writes_;
  Lenders& lenders_;
  std::vector<Candidate> candidates_;       // per local
  std::vector<LocalId> candidates_left_;
};

}  // namespace

void borrow_locals(Program& program, const TypeFacts& facts) {
  WriteSets writes(program, facts);
  Lenders lenders(program, facts, writes);
  for (Function& function : program.functions)
    if (!function.blocks.empty()) BorrowLocals(function, facts, writes, lenders).run();
  lenders.finish();
}

}  // namespace meteor::mir
