#include "compiler/mir/passes/lenders.h"

#include "compiler/mir/init_state.h"

namespace meteor::mir {

namespace {

bool is_raw_get(const Inst& inst) { return inst.op == Op::Call && inst.call == CallKind::Intrinsic && inst.intrinsic == Intrinsic::RawGet; }

// Follows results back to the elements they were read from.
class ResultSources {
 public:
  using Gets = std::vector<std::pair<uint32_t, uint32_t>>;

  ResultSources(const Function& function, const TypeFacts& facts) : function_(function), facts_(facts), defs_(function.locals.size()), on_way_(function.locals.size()) {
    for (uint32_t b = 0; b < function.blocks.size(); ++b)
      for (uint32_t i = 0; i < function.blocks[b].insts.size(); ++i) {
        const Inst& inst = function.blocks[b].insts[i];
        if (inst.dst.local.valid()) defs_[inst.dst.local.index].push_back({b, i});
        for (const Operand& arg : inst.args)
          if (arg.kind == OperandKind::Ref && arg.place.local.valid()) defs_[arg.place.local.index].push_back({b, i});
      }
  }

  // Whether every result is an element behind a pointer that the first parameter holds, or a constant.
  bool run(Gets& gets) {
    for (const Block& block : function_.blocks) {
      if (block.terminator.kind != TerminatorKind::Return) continue;
      const Operand& value = block.terminator.value;
      if (value.kind == OperandKind::Const) continue;
      if (value.kind != OperandKind::Move || !trace(value.place.local, gets)) return false;
    }
    return !gets.empty() && nothing_dropped();
  }

  // The place that holds the pointer of a raw_get, or null.
  const Place* pointer_place(const Inst& get) const {
    const Operand& pointer = get.args[0];
    if (pointer.kind != OperandKind::Copy || !pointer.place.local.valid()) return nullptr;
    if (pointer.place.local.index == 0) return &pointer.place;
    const std::vector<std::pair<uint32_t, uint32_t>>& defs = defs_[pointer.place.local.index];
    if (!pointer.place.is_local() || pointer.place.local.index < function_.param_count || defs.size() != 1) return nullptr;
    const Inst& def = function_.blocks[defs[0].first].insts[defs[0].second];
    bool copies = def.op == Op::Assign && def.dst.is_local() && def.args[0].kind == OperandKind::Copy && def.args[0].place.local.valid();
    return copies && def.args[0].place.local.index == 0 ? &def.args[0].place : nullptr;
  }

 private:
  bool trace(LocalId local, Gets& gets) {
    if (on_way_[local.index]) return true;
    on_way_[local.index] = true;
    if (local.index < function_.param_count) return false;
    for (auto [b, i] : defs_[local.index]) {
      const Inst& inst = function_.blocks[b].insts[i];
      if (!(inst.dst.is_local() && inst.dst.local == local)) return false;
      const Operand* from = inst.args.empty() ? nullptr : &inst.args[0];
      if (inst.op == Op::Assign && from->kind == OperandKind::Const) continue;
      bool passes_on = inst.op == Op::Assign || inst.op == Op::MakeSome;
      if (passes_on && from->kind == OperandKind::Move && trace(from->place.local, gets)) continue;
      if (!is_raw_get(inst) || !pointer_place(inst)) return false;
      gets.push_back({b, i});
    }
    return true;
  }

  // What a result passes through is never dropped while it holds something: the twin does not own it.
  bool nothing_dropped() const {
    InitFlow flow(function_);
    for (BlockId id : flow.order()) {
      InitState state = flow.at_entry(id);
      for (const Inst& inst : function_.blocks[id.index].insts) {
        bool drops = inst.op == Op::Drop && inst.args[0].place.local.valid() && on_way_[inst.args[0].place.local.index];
        if (drops && !state.surely_uninit(inst.args[0].place.local)) return false;
        bool replaces = inst.op == Op::Assign && !inst.initializes && inst.dst.is_local() && on_way_[inst.dst.local.index];
        if (replaces && !state.surely_uninit(inst.dst.local)) return false;
        for (const Operand& arg : inst.args)   // each is passed on once
          if (arg.kind == OperandKind::Copy && arg.place.local.valid() && on_way_[arg.place.local.index] && facts_.needs_drop(arg.type)) return false;
        state.consume(inst);
        state.store(inst);
      }
    }
    return true;
  }

  const Function& function_;
  const TypeFacts& facts_;
  std::vector<Gets> defs_;
  std::vector<bool> on_way_;
};

}  // namespace

// The twins are copies of the functions as they are now, before borrow_locals rewrites any.
Lenders::Lenders(Program& program, const TypeFacts& facts, const WriteSets& writes) : program_(program), facts_(facts), writes_(writes) {
  for (const Function& function : program.functions) inspect(function);
}

void Lenders::inspect(const Function& function) {
  if (function.blocks.empty() || function.param_count == 0 || function.environment.valid() || function.has_frame() || !facts_.needs_drop(function.result)) return;
  if (function.param_modes[0] == ParamMode::Owned) return;
  ResultSources sources(function, facts_);
  ResultSources::Gets gets;
  if (!sources.run(gets)) return;
  Lender lender;
  lender.slots = writes_.no_slots();
  for (auto [b, i] : gets) {
    const Inst& get = function.blocks[b].insts[i];
    writes_.add_path(lender.slots, function, *sources.pointer_place(get));
    writes_.add_elements(lender.slots, get.type);
  }
  // From reading the element to the return nothing may take it away.
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts)
      if (writes_.written_by(function, inst).meets(lender.slots)) return;
  lender.twin = function;
  lender.twin.id = {};
  lender.twin.name += " (lent)";
  if (!lender.twin.symbol.empty()) lender.twin.symbol += " (lent)";
  for (auto [b, i] : gets) lender.twin.blocks[b].insts[i].intrinsic = Intrinsic::RawPeek;
  lenders_.emplace(function.id.index, std::move(lender));
}

const SlotSet* Lenders::find(FunctionId function) const {
  auto found = lenders_.find(function.index);
  return found == lenders_.end() ? nullptr : &found->second.slots;
}

FunctionId Lenders::twin_of(FunctionId id) {
  Function& twin = lenders_.at(id.index).twin;
  if (!twin.id.valid()) {
    twin.id = FunctionId(static_cast<uint32_t>(program_.functions.size() + twins_.size()));
    twins_.push_back(twin);
  }
  return twin.id;
}

void Lenders::finish() {
  for (Function& twin : twins_) program_.functions.push_back(std::move(twin));
  twins_.clear();
}

}  // namespace meteor::mir
