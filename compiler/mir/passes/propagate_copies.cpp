#include "compiler/mir/passes/propagate_copies.h"

namespace meteor::mir {

namespace {

using types::Kind;

class CopyPropagation {
 public:
  CopyPropagation(const Program& program, Function& function, const TypeFacts& facts)
      : program_(program), function_(function), facts_(facts), stores_(function.locals.size()), source_(function.locals.size()) {}

  void run() {
    if (!find_candidates()) return;
    for (Block& block : function_.blocks) {
      for (Inst& inst : block.insts) {
        for (Operand& arg : inst.args)
          if (inst.op != Op::Drop) rewrite(arg);
        if (!inst.dst.is_local() && inst.dst.local.valid()) replace(inst.dst);
      }
      rewrite(block.terminator.value);
      std::erase_if(block.insts, [&](const Inst& inst) {
        if (inst.op == Op::Drop) return inst.args[0].place.is_local() && resolved(inst.args[0].place.local);
        return inst.dst.is_local() && resolved(inst.dst.local);
      });
    }
  }

 private:
  // Follows only what can't change while the parameter is borrowed: no step through an object or a cell.
  bool is_fixed(const Place& place) const {
    if (!place.local.valid()) return false;
    const Local& root = function_.local(place.local);
    if (root.ownership != Ownership::Borrowed || root.by_reference) return false;
    TypeId type = root.type;
    bool environment = place.local == function_.environment;
    for (size_t i = 0; i < place.path.size(); ++i) {
      Kind kind = program_.types->kind(type);
      bool into_environment = environment && i == 0;
      if (place.path[i].kind == ProjectionKind::Field && !into_environment && (kind == Kind::Class || kind == Kind::Cell)) return false;
      type = place.path[i].type;
    }
    return true;
  }

  bool find_candidates() {
    for (const Block& block : function_.blocks)
      for (const Inst& inst : block.insts) {
        if (inst.dst.local.valid() && (inst.dst.is_local() || writes_own_bits(inst.dst))) ++stores_[inst.dst.local.index];
        if (inst.error.valid()) ++stores_[inst.error.index];
        for (const Operand& arg : inst.args)
          if (arg.kind == OperandKind::Ref && arg.place.local.valid()) stores_[arg.place.local.index] = 2;
      }
    // A copy of a copy is found in the round after the first.
    bool any = false;
    for (bool again = true; again;) {
      again = false;
      for (const Block& block : function_.blocks)
        for (const Inst& inst : block.insts) {
          if (inst.op != Op::Assign || !inst.dst.is_local() || inst.args[0].kind != OperandKind::Copy) continue;
          LocalId local = inst.dst.local;
          const Local& target = function_.local(local);
          if (stores_[local.index] != 1 || resolved(local) || target.ownership != Ownership::Owned || local.index < function_.param_count || !facts_.needs_drop(target.type)) continue;
          Place from = inst.args[0].place;
          if (from.local.valid() && resolved(from.local)) replace(from);
          if (!is_fixed(from)) continue;
          source_[local.index] = std::move(from);
          again = any = true;
        }
    }
    return any;
  }

  // An assignment to a part of a struct or tuple changes the local itself.
  bool writes_own_bits(const Place& place) const {
    TypeId type = function_.local(place.local).type;
    for (const Projection& step : place.path) {
      Kind kind = program_.types->kind(type);
      if (step.kind == ProjectionKind::Field && (kind == Kind::Class || kind == Kind::Cell)) return false;
      type = step.type;
    }
    return true;
  }

  bool resolved(LocalId local) const { return source_[local.index].local.valid(); }

  void replace(Place& place) const {
    if (!place.local.valid() || !resolved(place.local)) return;
    Place found = source_[place.local.index];
    found.path.insert(found.path.end(), place.path.begin(), place.path.end());
    place = std::move(found);
  }

  void rewrite(Operand& operand) const {
    if (operand.kind == OperandKind::Const || !operand.place.local.valid() || !resolved(operand.place.local)) return;
    replace(operand.place);
    if (operand.kind == OperandKind::Move) operand.kind = OperandKind::Copy;
  }

  const Program& program_;
  Function& function_;
  const TypeFacts& facts_;
  std::vector<uint32_t> stores_;
  std::vector<Place> source_;   // per local: what it is a copy of
};

}  // namespace

void propagate_copies(Program& program, const TypeFacts& facts) {
  for (Function& function : program.functions)
    if (!function.blocks.empty()) CopyPropagation(program, function, facts).run();
}

}  // namespace meteor::mir
