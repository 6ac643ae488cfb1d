#include "compiler/mir/passes/borrow_places.h"

#include "compiler/mir/flow.h"
#include "compiler/mir/passes/write_sets.h"

namespace meteor::mir {

namespace {

class BorrowPlaces {
 public:
  BorrowPlaces(Function& function, const TypeFacts& facts, const WriteSets& writes) : function_(function), facts_(facts), writes_(writes), uses_(function.locals.size()) {}

  void run() {
    count_uses();
    for (Block& block : function_.blocks) {
      bool removed = false;
      for (size_t i = 0; i < block.insts.size(); ++i)
        if (is_candidate(block.insts[i]) && try_borrow(block, i)) {
          block.insts[i].op = Op::Drop;   // of a local that is never set: gone with the next line
          block.insts[i].dst = {};
          removed = true;
        }
      if (removed) std::erase_if(block.insts, [](const Inst& inst) { return inst.op == Op::Drop && inst.args[0].kind == OperandKind::Copy; });
    }
  }

 private:
  struct Uses { uint32_t stores = 0, borrows = 0, others = 0; };

  void count_uses() {
    auto use = [&](const Operand& operand) {
      if (operand.kind == OperandKind::Const || !operand.place.local.valid()) return;
      Uses& uses = uses_[operand.place.local.index];
      bool borrows = operand.kind == OperandKind::Borrow || (operand.kind == OperandKind::Ref && !operand.place.path.empty());
      ++(borrows ? uses.borrows : uses.others);
    };
    for (const Block& block : function_.blocks) {
      for (const Inst& inst : block.insts) {
        if (inst.op != Op::Drop)
          for (const Operand& arg : inst.args) use(arg);
        if (inst.dst.is_local()) ++uses_[inst.dst.local.index].stores;
        else if (inst.dst.local.valid()) ++uses_[inst.dst.local.index].others;
        if (inst.error.valid()) ++uses_[inst.error.index].others;
      }
      use(block.terminator.value);
    }
  }

  bool is_candidate(const Inst& inst) const {
    if (inst.op != Op::Assign || !inst.dst.is_local() || inst.args[0].kind != OperandKind::Copy) return false;
    const Operand& from = inst.args[0];
    if (!facts_.needs_drop(from.type)) return false;
    bool inside = from.place.global.valid() || !from.place.path.empty() || (from.place.local.valid() && function_.local(from.place.local).by_reference);
    const Local& local = function_.local(inst.dst.local);
    const Uses& uses = uses_[inst.dst.local.index];
    return inside && local.kind == LocalKind::Temp && !local.name && local.ownership == Ownership::Owned && uses.stores == 1 && uses.others == 0 && uses.borrows > 0;
  }

  // All uses follow in this block, and nothing up to the last writes what the value depends on.
  bool try_borrow(Block& block, size_t at) {
    LocalId temp = block.insts[at].dst.local;
    const Place from = block.insts[at].args[0].place;
    WriteSets::Dependence on = writes_.depends_on(function_, from);
    uint32_t left = uses_[temp.index].borrows;
    size_t last = at;
    while (left > 0) {
      if (++last == block.insts.size()) return false;
      const Inst& inst = block.insts[last];
      if (inst.op == Op::Drop && inst.args[0].place.local == temp) return false;
      if (writes_.may_write(function_, inst, on)) return false;
      for (const Operand& arg : inst.args)
        if (arg.kind != OperandKind::Const && arg.place.local == temp) --left;
    }
    for (size_t i = at + 1; i <= last; ++i)
      for (Operand& arg : block.insts[i].args) {
        if (arg.kind == OperandKind::Const || !(arg.place.local == temp)) continue;
        Place place = from;
        place.path.insert(place.path.end(), arg.place.path.begin(), arg.place.path.end());
        arg.place = std::move(place);
      }
    return true;
  }

  Function& function_;
  const TypeFacts& facts_;
  const WriteSets& writes_;
  std::vector<Uses> uses_;
};

}  // namespace

void borrow_places(Program& program, const TypeFacts& facts) {
  WriteSets writes(program, facts);
  for (Function& function : program.functions)
    if (!function.blocks.empty()) BorrowPlaces(function, facts, writes).run();
}

}  // namespace meteor::mir
