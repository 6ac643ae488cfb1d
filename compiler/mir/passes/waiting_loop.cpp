#include "compiler/mir/passes/waiting_loop.h"

#include "compiler/mir/flow.h"

namespace meteor::mir {

using types::Kind;

WaitingLoop::WaitingLoop(const types::TypeStore& types, SharedEffects& shared, const Function& function,
                         std::vector<bool> round)
    : types_(types), shared_(shared), function_(function), round_(std::move(round)) {
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    if (!round_[i]) continue;
    for (const Inst& inst : function.blocks[i].insts) note(inst);
  }
}

// Two locals with cells are two variables: a variable of the function itself, or one that it has captured.
LocalId WaitingLoop::cell_of(const Place& place) const {
  if (!place.local.valid() || place.path.size() != 1) return LocalId();
  const Local& local = function_.local(place.local);
  return types_.kind(local.type) == Kind::Cell && local.kind != LocalKind::Temp ? place.local : LocalId();
}

void WaitingLoop::note(const Inst& inst) {
  if (inst.dst.is_local())
    definitions_[inst.dst.local.index].push_back(&inst);
  else if (inst.dst.local.valid())
    changed_elsewhere_.insert(inst.dst.local.index);
  for (const Operand& arg : inst.args)
    if (arg.kind == OperandKind::Ref && arg.place.local.valid()) changed_elsewhere_.insert(arg.place.local.index);
  if (inst.op == Op::Checkpoint) return;
  bool comes_round = inst.on_error.valid() && round_[inst.on_error.index];
  Effects effects;
  shared_.add(effects, function_, inst, comes_round ? Ways::All : Ways::Returning);
  LocalId cell = inst.op == Op::Assign ? cell_of(inst.dst) : LocalId();
  if (cell.valid() && !effects.writes_anything) {
    written_cells_.insert(cell.index);
    written_as_.unite(effects.writes);
    effects.writes = PlaceSet();
  }
  effects_.add(effects);
}

bool WaitingLoop::only_others_end_it() {
  if (effects_.writes_anything || !want_exits()) return false;
  bool has_choices = false;
  while (!open_.empty()) {
    LocalId local = open_.back();
    open_.pop_back();
    if (!want_definitions(local)) return false;
    // Which of several values it has depends on the way that was taken.
    if (auto found = definitions_.find(local.index);
        found != definitions_.end() && found->second.size() > 1 && !has_choices) {
      has_choices = true;
      if (!want_all_branches()) return false;
    }
  }
  return reads_shared_ && !has_cycle();
}

bool WaitingLoop::want_exits() {
  for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
    if (!round_[i]) continue;
    const Terminator& end = function_.blocks[i].terminator;
    bool leaves = false;
    for_each_target(end, [&](BlockId target) { leaves |= !round_[target.index]; });
    if (leaves && !want(end.value, LocalId())) return false;
  }
  return true;
}

bool WaitingLoop::want_all_branches() {
  for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
    TerminatorKind kind = function_.blocks[i].terminator.kind;
    bool chooses = kind == TerminatorKind::Branch || kind == TerminatorKind::Switch;
    if (round_[i] && chooses && !want(function_.blocks[i].terminator.value, LocalId())) return false;
  }
  return true;
}

// False: it reads what the loop writes.
bool WaitingLoop::want(const Operand& operand, LocalId reader) {
  if (operand.kind == OperandKind::Const) return true;
  LocalId cell = cell_of(operand.place);
  if (cell.valid() && written_cells_.contains(cell.index)) return false;
  bool is_written = false;
  shared_.for_each_step(function_, operand.place, [&](uint32_t step) {
    is_written |= effects_.writes.has(step) || (!cell.valid() && written_as_.has(step));
    reads_shared_ = true;
  });
  if (is_written) return false;
  LocalId local = operand.place.local;
  if (!local.valid()) return true;
  // A part of the local is its own only where no object is in between; assigning through a reference changes that
  // object.
  if (changed_elsewhere_.contains(local.index) && types_.kind(function_.local(local).type) != Kind::Cell &&
      types_.kind(function_.local(local).type) != Kind::Class)
    return false;
  if (reader.valid()) needs_[reader.index].push_back(local.index);
  if (needs_.try_emplace(local.index).second) open_.push_back(local);
  return true;
}

// False: the loop makes it from something of its own.
bool WaitingLoop::want_definitions(LocalId local) {
  auto found = definitions_.find(local.index);
  if (found == definitions_.end()) return true;
  for (const Inst* inst : found->second) {
    bool is_constant = inst->op == Op::Assign && inst->args[0].kind == OperandKind::Const;
    if (is_constant && function_.local(local).kind != LocalKind::Temp) return false;
    if (inst->op == Op::ResumeGenerator || inst->may_suspend()) return false;
    if (inst->op == Op::WeakGet) reads_shared_ = true;
    for (const Operand& arg : inst->args)
      if (!want(arg, local)) return false;
    Effects callees = shared_.of_callees(*inst, Ways::Returning);
    if (callees.reads_anything || callees.reads.meets(effects_.writes) || callees.reads.meets(written_as_))
      return false;
    reads_shared_ |= !callees.reads.empty();
  }
  return true;
}

// A local that is made from itself changes from round to round.
bool WaitingLoop::has_cycle() const {
  std::unordered_map<uint32_t, uint32_t> readers;  // of each, how many are left
  for (const auto& [local, needs] : needs_)
    for (uint32_t need : needs) ++readers[need];
  std::vector<uint32_t> free;
  for (const auto& [local, needs] : needs_)
    if (!readers.contains(local)) free.push_back(local);
  size_t left = needs_.size();
  while (!free.empty()) {
    uint32_t local = free.back();
    free.pop_back();
    --left;
    for (uint32_t need : needs_.at(local))
      if (--readers[need] == 0) free.push_back(need);
  }
  return left > 0;
}

}  // namespace meteor::mir
