#include "compiler/mir/passes/shared_effects.h"

#include <algorithm>
#include <deque>

#include "compiler/mir/flow.h"
#include "compiler/mir/outside_effects.h"

namespace meteor::mir {

using types::Kind;

namespace {

constexpr uint32_t ELEMENT = UINT32_MAX - 2;  // the first half of the keys of elements

}  // namespace

void PlaceSet::add(uint32_t place) {
  if (words_.size() <= place / 64) words_.resize(place / 64 + 1);
  words_[place / 64] |= 1ull << (place % 64);
}

bool PlaceSet::has(uint32_t place) const {
  return place / 64 < words_.size() && (words_[place / 64] >> (place % 64) & 1);
}

bool PlaceSet::unite(const PlaceSet& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
  uint64_t grew = 0;
  for (size_t i = 0; i < other.words_.size(); ++i) {
    grew |= other.words_[i] & ~words_[i];
    words_[i] |= other.words_[i];
  }
  return grew != 0;
}

bool PlaceSet::meets(const PlaceSet& other) const {
  for (size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i)
    if (words_[i] & other.words_[i]) return true;
  return false;
}

bool PlaceSet::empty() const {
  return std::ranges::all_of(words_, [](uint64_t word) { return word == 0; });
}

bool Effects::add(const Effects& other) {
  bool grew = (other.writes_anything && !writes_anything) || (other.reads_anything && !reads_anything);
  writes_anything |= other.writes_anything;
  reads_anything |= other.reads_anything;
  grew |= writes.unite(other.writes);
  return reads.unite(other.reads) || grew;
}

SharedEffects::SharedEffects(const Program& program, const TypeFacts& facts)
    : program_(program),
      facts_(facts),
      targets_(program),
      effects_(program.functions.size() * 2),
      callers_(effects_.size()) {
  for (const Function& function : program.functions) begin(function);
  solve();
}

uint32_t SharedEffects::number(Key key, TypeId holder) {
  auto [found, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(numbers_.size()));
  if (is_new) holders_.push_back(holder);
  return found->second;
}

// Inherited fields belong to the class that declares them.
uint32_t SharedEffects::field(TypeId owner, uint32_t index) {
  const auto& nominals = program_.typed->nominals;
  for (auto found = nominals.find(owner); found != nominals.end() && found->second.base.valid();
       found = nominals.find(owner)) {
    auto above = nominals.find(found->second.base);
    if (above == nominals.end() || index >= above->second.fields.size()) break;
    owner = found->second.base;
  }
  return number({owner.index, index}, owner);
}

uint32_t SharedEffects::element(const Inst& inst) { return number({ELEMENT, inst.type.index}, inst.args[0].type); }

void SharedEffects::add_read(Effects& effects, const Function& function, const Place& place) {
  for_each_step(function, place, [&](uint32_t step) { effects.reads.add(step); });
}

void SharedEffects::add_write(Effects& effects, const Function& function, const Place& place) {
  uint32_t last = UINT32_MAX;
  for_each_step(function, place, [&](uint32_t step) { last = step; });
  if (last != UINT32_MAX) effects.writes.add(last);
}

void SharedEffects::add_intrinsic(Effects& effects, const Inst& inst) {
  if (runs_other_code(inst.intrinsic)) effects.writes_anything = effects.reads_anything = true;
  if (inst.intrinsic == Intrinsic::FrameValue) effects.reads_anything = true;
  if (reads_elements(inst.intrinsic)) effects.reads.add(element(inst));
  if (!writes_elements(inst.intrinsic)) return;
  effects.writes.add(element(inst));
  bool drops = inst.intrinsic == Intrinsic::RawSet || inst.intrinsic == Intrinsic::RawDropAll;
  if (drops && facts_.drop_is_observable(inst.type)) effects.writes_anything = true;
}

void SharedEffects::add_extern(Effects& effects, const Function& callee, const Inst& inst) const {
  if (only_locks(callee.symbol)) return;
  effects.reads_anything |= !works_on_values(callee.symbol);
  for (const Operand& arg : inst.args) {  // what it is given to change
    Kind kind = program_.types->kind(arg.type);
    if (kind == Kind::Class || kind == Kind::Any || kind == Kind::RawPtr) effects.writes_anything = true;
  }
}

// What has no MIR.
void SharedEffects::add_call(Effects& effects, const Inst& inst) {
  if (inst.op != Op::Call) return;
  if (inst.call == CallKind::Intrinsic) add_intrinsic(effects, inst);
  if (inst.call != CallKind::Direct) return;
  const Function& callee = program_.functions[inst.function.index];
  if (callee.is_extern) add_extern(effects, callee, inst);
}

// Without what the functions do that it calls.
void SharedEffects::add_own(Effects& effects, const Function& function, const Inst& inst) {
  for (const Operand& arg : inst.args)
    if (arg.kind != OperandKind::Const) add_read(effects, function, arg.place);
  if (inst.op == Op::Assign) {
    add_write(effects, function, inst.dst);
    if (!inst.initializes && facts_.drop_is_observable(inst.args[0].type)) effects.writes_anything = true;
  }
  if (inst.op == Op::Drop && facts_.drop_is_observable(inst.args[0].type)) effects.writes_anything = true;
  if (inst.op == Op::ResumeGenerator || inst.op == Op::Await) effects.writes_anything = effects.reads_anything = true;
  if (inst.op != Op::Call) return;
  for (const Operand& arg : inst.args)
    if (arg.kind == OperandKind::Ref) add_write(effects, function, arg.place);
  add_call(effects, inst);
}

// What makes a `local` variable does so once, where nobody can have seen it before.
template <typename F>
void SharedEffects::for_each_callee(const Inst& inst, F&& visit) {
  if (inst.op != Op::Call) return;
  if (inst.call != CallKind::Direct) {
    for (FunctionId function : targets_.of(inst)) visit(function);
  } else if (!program_.functions[inst.function.index].makes_local) {
    visit(inst.function);
  }
}

void SharedEffects::add(Effects& effects, const Function& function, const Inst& inst, Ways ways) {
  add_own(effects, function, inst);
  for_each_callee(inst, [&](FunctionId callee) { effects.add(effects_[node(callee, ways)]); });
}

Effects SharedEffects::of_callees(const Inst& inst, Ways ways) {
  Effects effects;
  add_call(effects, inst);
  for_each_callee(inst, [&](FunctionId callee) { effects.add(effects_[node(callee, ways)]); });
  return effects;
}

void SharedEffects::begin(const Function& function) {
  Effects& all = effects_[node(function.id, Ways::All)];
  Effects& returning = effects_[node(function.id, Ways::Returning)];
  if (function.blocks.empty() && !function.is_extern) {  // not known
    for (Effects* effects : {&all, &returning}) effects->writes_anything = effects->reads_anything = true;
    return;
  }
  std::vector<bool> returns = returning_blocks(function);
  auto calls = [&](Ways own, FunctionId callee, Ways ways) {
    std::vector<uint32_t>& callers = callers_[node(callee, ways)];
    auto caller = static_cast<uint32_t>(node(function.id, own));
    if (callers.empty() || callers.back() != caller) callers.push_back(caller);
  };
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    const Block& block = function.blocks[i];
    TerminatorKind end = block.terminator.kind;
    bool looks = end == TerminatorKind::Branch || end == TerminatorKind::Switch || end == TerminatorKind::Return;
    if (looks && block.terminator.value.kind != OperandKind::Const) {
      add_read(all, function, block.terminator.value.place);
      if (returns[i]) add_read(returning, function, block.terminator.value.place);
    }
    for (const Inst& inst : block.insts) {
      add_own(all, function, inst);
      if (returns[i]) add_own(returning, function, inst);
      bool goes_on = inst.on_error.valid() && returns[inst.on_error.index];
      for_each_callee(inst, [&](FunctionId callee) {
        calls(Ways::All, callee, Ways::All);
        if (returns[i]) calls(Ways::Returning, callee, goes_on ? Ways::All : Ways::Returning);
      });
    }
  }
}

void SharedEffects::solve() {
  std::deque<uint32_t> work;
  std::vector<bool> waiting(effects_.size(), true);
  for (uint32_t i = 0; i < effects_.size(); ++i) work.push_back(i);
  while (!work.empty()) {
    uint32_t at = work.front();
    work.pop_front();
    waiting[at] = false;
    for (uint32_t caller : callers_[at]) {
      if (!effects_[caller].add(effects_[at]) || waiting[caller]) continue;
      waiting[caller] = true;
      work.push_back(caller);
    }
  }
}

}  // namespace meteor::mir
