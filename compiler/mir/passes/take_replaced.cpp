// Safety: between the copy and the assignment nothing runs that could look at the place or let go of the copy: no call, no
// drop, no replaced reference, no error edge. The old value is alive all the while through the copy, so that the count which the
// assignment would have lowered was never the last one, and nobody's `__del__` moves.
#include "compiler/mir/passes/take_replaced.h"

#include <algorithm>

namespace meteor::mir {

namespace {

constexpr size_t LOOK_AHEAD = 16;

class Taker {
 public:
  Taker(Function& function, const TypeFacts& facts) : f_(function), facts_(facts) {}

  void run() {
    for (Block& block : f_.blocks)
      for (size_t i = 0; i < block.insts.size(); ++i) look_at(block.insts, i);
  }

 private:
  void look_at(std::vector<Inst>& insts, size_t copy) {
    Inst& inst = insts[copy];
    if (!only_stores(inst)) return;
    auto arg = std::ranges::find_if(inst.args, [&](const Operand& a) { return a.kind == OperandKind::Copy && a.place.local.valid() && !a.place.path.empty() && facts_.needs_drop(a.type); });
    if (arg == inst.args.end() || inst.args.size() != 1) return;
    if (inst.dst.is_local() && inst.dst.local == arg->place.local) return;
    size_t last = std::min(insts.size(), copy + LOOK_AHEAD);
    for (size_t i = copy + 1; i < last; ++i) {
      Inst& later = insts[i];
      if (later.op == Op::Assign && !later.initializes && is_same(later.dst, arg->place)) {
        arg->kind = OperandKind::Move;
        later.initializes = true;
        return;
      }
      bool moves_base = later.dst.is_local() && later.dst.local == arg->place.local;
      if (moves_base || !only_stores(later)) return;
    }
  }

  // Writes its result where nothing was, and does nothing else that anybody could notice.
  bool only_stores(const Inst& inst) const {
    if (inst.on_error.valid()) return false;
    switch (inst.op) {
      case Op::Assign: return inst.initializes || !facts_.needs_drop(inst.args[0].type);
      case Op::Unary: case Op::Binary: case Op::Compare: case Op::Not: case Op::Reinterpret: case Op::New: case Op::MakeStruct: case Op::MakeTuple:
      case Op::EnumTag: case Op::MakeSome: case Op::TakeSome: case Op::IsNull: case Op::Same: return true;
      default: return false;
    }
  }

  Function& f_;
  const TypeFacts& facts_;
};

}  // namespace

bool is_same(const Place& a, const Place& b) {
  return a.local == b.local && a.global == b.global && std::ranges::equal(a.path, b.path, [](const Projection& x, const Projection& y) {
           return x.kind == y.kind && x.index == y.index && x.case_index == y.case_index && x.type == y.type;
         });
}

void take_replaced(Program& program, const TypeFacts& facts) {
  for (Function& function : program.functions) Taker(function, facts).run();
}

}  // namespace meteor::mir
