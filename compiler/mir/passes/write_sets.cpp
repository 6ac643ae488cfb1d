#include "compiler/mir/passes/write_sets.h"

#include <deque>

#include "compiler/base/check.h"

namespace meteor::mir {

using types::Kind;

namespace {

constexpr uint32_t GLOBAL_KEY = UINT32_MAX, CELL_KEY = UINT32_MAX - 1, ELEMENT_KEY = UINT32_MAX - 2;   // first halves of keys that are not fields

// After which an element may be gone from where it was. New elements and a buffer that moves take nothing away.
bool loses_elements(const Inst& inst) {
  if (inst.op != Op::Call || inst.call != CallKind::Intrinsic || !inst.type.valid()) return false;
  switch (inst.intrinsic) {
    case Intrinsic::RawTake: case Intrinsic::RawSet: case Intrinsic::RawSwap: case Intrinsic::RawMove: case Intrinsic::RawCopyTo:
    case Intrinsic::RawDropAll: case Intrinsic::RawZero: case Intrinsic::RawFree:
      return true;
    default: return false;
  }
}

// A buffer that one object gets from another: what it held is that one's no more, and goes when the other does. One that was just made
// or enlarged takes nothing away. Gives the type of its elements, or an invalid one.
TypeId takes_buffer(const types::TypeStore& types, const Function& function, const Inst& inst) {
  bool is_field = inst.op == Op::Assign && !inst.dst.path.empty() && inst.dst.path.back().kind == ProjectionKind::Field;
  if (!is_field || types.kind(inst.dst.path.back().type) != Kind::RawPtr || inst.args[0].kind == OperandKind::Const) return TypeId();
  TypeId element = types.arg(inst.dst.path.back().type);
  const Place& from = inst.args[0].place;
  if (!from.is_local() || from.local.index < function.param_count) return element;
  for (const Block& block : function.blocks)
    for (const Inst& def : block.insts) {
      if (def.dst.local != from.local) continue;
      bool makes = def.op == Op::Call && def.call == CallKind::Intrinsic &&
                   (def.intrinsic == Intrinsic::RawAlloc || def.intrinsic == Intrinsic::RawRealloc || def.intrinsic == Intrinsic::RawNull);
      if (!makes) return element;
    }
  return TypeId();
}

}  // namespace

bool SlotSet::unite(const SlotSet& other) {
  uint64_t grew = 0;
  for (size_t i = 0; i < words_.size(); ++i) {
    grew |= other.words_[i] & ~words_[i];
    words_[i] |= other.words_[i];
  }
  return grew != 0;
}

bool SlotSet::meets(const SlotSet& other) const {
  for (size_t i = 0; i < words_.size(); ++i)
    if (words_[i] & other.words_[i]) return true;
  return false;
}

WriteSets::WriteSets(const Program& program, const TypeFacts& facts)
    : program_(program), facts_(facts), del_node_(static_cast<uint32_t>(program.functions.size())), closure_node_(del_node_ + 1) {
  for (const auto& [type, nominal] : program_.typed->nominals)
    if (nominal.base.valid()) subclasses_[nominal.base].push_back(type);
  number_slots();
  nodes_.resize(closure_node_ + 1);
  for (Node& node : nodes_) node.writes.resize(slot_types_.size());
  solve();
}

uint32_t WriteSets::add_slot(Key key, TypeId type) {
  auto [at, fresh] = slots_.try_emplace(key, static_cast<uint32_t>(slot_types_.size()));
  if (fresh) slot_types_.push_back(type);
  return at->second;
}

void WriteSets::number_slots() {
  for (const auto& [type, nominal] : program_.typed->nominals) {
    if (program_.types->kind(type) != Kind::Class) continue;
    size_t inherited = 0;
    if (auto base = program_.typed->nominals.find(nominal.base); nominal.base.valid() && base != program_.typed->nominals.end()) inherited = base->second.fields.size();
    for (size_t i = inherited; i < nominal.fields.size(); ++i)
      if (facts_.needs_drop(nominal.fields[i].type)) add_slot({type.index, static_cast<uint32_t>(i)}, nominal.fields[i].type);
  }
  for (uint32_t i = 0; i < program_.typed->globals.size(); ++i)
    if (facts_.needs_drop(program_.typed->globals[i].type)) add_slot({GLOBAL_KEY, i}, program_.typed->globals[i].type);
  for (const Function& function : program_.functions) {
    auto add_cell = [&](TypeId type) {
      if (program_.types->kind(type) == Kind::Cell && facts_.needs_drop(program_.types->arg(type))) add_slot({CELL_KEY, type.index}, program_.types->arg(type));
    };
    for (const Local& local : function.locals) add_cell(local.type);
    for (TypeId capture : function.captures) add_cell(capture);
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts)
        if (loses_elements(inst) && facts_.needs_drop(inst.type)) add_slot({ELEMENT_KEY, inst.type.index}, inst.type);
  }
}

// Inherited fields belong to the class that declares them.
uint32_t WriteSets::field_slot(TypeId owner, uint32_t index) const {
  while (true) {
    auto found = program_.typed->nominals.find(owner);
    if (found == program_.typed->nominals.end()) return NONE;
    TypeId base = found->second.base;
    if (!base.valid()) break;
    auto above = program_.typed->nominals.find(base);
    if (above == program_.typed->nominals.end() || index >= above->second.fields.size()) break;
    owner = base;
  }
  auto slot = slots_.find({owner.index, index});
  return slot == slots_.end() ? NONE : slot->second;
}

uint32_t WriteSets::cell_slot(TypeId cell) const {
  auto slot = slots_.find({CELL_KEY, cell.index});
  return slot == slots_.end() ? NONE : slot->second;
}

// The slot whose bits change when `place` is assigned; NONE when that is a local's own, or nothing counted.
uint32_t WriteSets::written_slot(const Function& function, const Place& place) const {
  uint32_t slot = NONE;
  TypeId type;
  if (place.global.valid()) {
    auto found = slots_.find({GLOBAL_KEY, place.global.index});
    if (found != slots_.end()) slot = found->second;
    size_t own = program_.typed->globals.size();
    type = place.global.index < own ? program_.typed->globals[place.global.index].type : program_.types->bool_;
  } else {
    type = function.local(place.local).type;
  }
  for (const Projection& step : place.path) {
    if (step.kind == ProjectionKind::Field) {
      Kind kind = program_.types->kind(type);
      if (kind == Kind::Class) slot = field_slot(type, step.index);
      else if (kind == Kind::Cell) slot = cell_slot(type);
    }
    type = step.type;
  }
  return slot;
}

bool WriteSets::contains_inline(TypeId type, TypeId part) const {
  if (type == part) return true;
  const types::Type& t = program_.types->get(type);
  switch (t.kind) {
    case Kind::Optional: case Kind::Tuple: case Kind::Frozen:
      for (TypeId arg : t.args)
        if (contains_inline(arg, part)) return true;
      return false;
    case Kind::Struct: case Kind::Enum: {
      auto found = program_.typed->nominals.find(type);
      if (found == program_.typed->nominals.end() || found->second.is_recursive) return false;
      for (const typed::Field& field : found->second.fields)
        if (contains_inline(field.type, part)) return true;
      for (const typed::EnumCase& c : found->second.cases)
        for (const typed::Field& field : c.fields)
          if (contains_inline(field.type, part)) return true;
      return false;
    }
    default: return false;
  }
}

WriteSets::Dependence WriteSets::depends_on(const Function& function, const Place& place) const {
  Dependence on;
  on.slots.resize(slot_types_.size());
  on.root = place.local;
  TypeId type;
  if (place.global.valid()) {
    auto found = slots_.find({GLOBAL_KEY, place.global.index});
    if (found != slots_.end()) on.slots.add(found->second);
    type = program_.typed->globals[place.global.index].type;
  } else {
    type = function.local(place.local).type;
    // Someone's variable: whatever holds such a value might be the one.
    if (function.local(place.local).by_reference)
      for (uint32_t i = 0; i < slot_types_.size(); ++i)
        if (contains_inline(slot_types_[i], type)) on.slots.add(i);
  }
  add_path(on.slots, function, place);
  return on;
}

void WriteSets::add_path(SlotSet& slots, const Function& function, const Place& place) const {
  if (place.global.valid() && place.global.index >= program_.typed->globals.size()) return;   // synthesised: a flag
  TypeId type = place.global.valid() ? program_.typed->globals[place.global.index].type : function.local(place.local).type;
  bool in_environment = place.local.valid() && place.local == function.environment;
  for (const Projection& step : place.path) {
    if (step.kind == ProjectionKind::Field && !in_environment) {
      Kind kind = program_.types->kind(type);
      uint32_t slot = kind == Kind::Class ? field_slot(type, step.index) : kind == Kind::Cell ? cell_slot(type) : NONE;
      if (slot != NONE) slots.add(slot);
    }
    in_environment = false;
    type = step.type;
  }
}

// slot(number) for what the instruction itself writes, node(number) for whose code it may run.
template <typename F>
void WriteSets::for_each_effect(const Function& function, const Inst& inst, F&& slot, auto&& node) const {
  auto writes = [&](const Place& place) {
    uint32_t number = written_slot(function, place);
    if (number != NONE) slot(number);
  };
  if (inst.op == Op::Assign) {
    if (!inst.dst.is_local() || function.local(inst.dst.local).by_reference) writes(inst.dst);
    if (!inst.initializes && facts_.drop_is_observable(inst.args[0].type)) node(del_node_);
    if (TypeId element = takes_buffer(*program_.types, function, inst); element.valid())
      if (auto found = slots_.find({ELEMENT_KEY, element.index}); found != slots_.end()) slot(found->second);
  }
  if (inst.op == Op::Drop && facts_.drop_is_observable(inst.args[0].type)) node(del_node_);
  // While it is suspended, or inside another frame, anything may run.
  if (inst.may_suspend() || inst.op == Op::ResumeGenerator)
    for (uint32_t i = 0; i < slot_types_.size(); ++i) slot(i);
  if (inst.op != Op::Call) return;
  for (const Operand& arg : inst.args)
    if (arg.kind == OperandKind::Ref) writes(arg.place);
  switch (inst.call) {
    case CallKind::Direct: node(inst.function.index); break;
    case CallKind::Value: node(closure_node_); break;
    case CallKind::Intrinsic:
      if (inst.type.valid() && facts_.drop_is_observable(inst.type)) node(del_node_);
      if (loses_elements(inst))
        if (auto found = slots_.find({ELEMENT_KEY, inst.type.index}); found != slots_.end()) slot(found->second);
      break;
    case CallKind::Dyn: {
      TypeId dyn = inst.args[0].type;
      for (const typed::TraitTable& table : program_.typed->trait_tables)
        if (program_.types->kind(dyn) == Kind::Dyn && table.trait == program_.types->arg(dyn) && inst.index < table.slots.size() && table.slots[inst.index].valid()) node(table.slots[inst.index].index);
      break;
    }
    case CallKind::Virtual: {
      std::vector<TypeId> classes{inst.args[0].type};
      while (!classes.empty()) {
        TypeId type = classes.back();
        classes.pop_back();
        auto found = program_.typed->nominals.find(type);
        if (found != program_.typed->nominals.end() && inst.index < found->second.vtable.size() && found->second.vtable[inst.index].valid()) node(found->second.vtable[inst.index].index);
        if (auto below = subclasses_.find(type); below != subclasses_.end()) classes.insert(classes.end(), below->second.begin(), below->second.end());
      }
      break;
    }
  }
}

void WriteSets::solve() {
  auto calls = [&](uint32_t caller, uint32_t callee) {
    std::vector<uint32_t>& callers = nodes_[callee].callers;
    if (callers.empty() || callers.back() != caller) callers.push_back(caller);
  };
  for (uint32_t i = 0; i < program_.functions.size(); ++i) {
    const Function& function = program_.functions[i];
    if (function.blocks.empty() && !function.is_extern)   // not known
      for (uint32_t slot = 0; slot < slot_types_.size(); ++slot) nodes_[i].writes.add(slot);
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts) {
        for_each_effect(function, inst, [&](uint32_t slot) { nodes_[i].writes.add(slot); }, [&](uint32_t callee) { calls(i, callee); });
        if (inst.op == Op::MakeClosure) calls(closure_node_, inst.function.index);
      }
  }
  for (const auto& [type, nominal] : program_.typed->nominals)
    if (nominal.del.valid() && !nominal.del_is_internal) calls(del_node_, nominal.del.index);
  std::deque<uint32_t> work;
  std::vector<bool> waiting(nodes_.size(), true);
  for (uint32_t i = 0; i < nodes_.size(); ++i) work.push_back(i);
  while (!work.empty()) {
    uint32_t at = work.front();
    work.pop_front();
    waiting[at] = false;
    for (uint32_t caller : nodes_[at].callers)
      if (nodes_[caller].writes.unite(nodes_[at].writes) && !waiting[caller]) {
        waiting[caller] = true;
        work.push_back(caller);
      }
  }
}

SlotSet WriteSets::written_by(const Function& function, const Inst& inst) const {
  SlotSet written = no_slots();
  for_each_effect(
      function, inst, [&](uint32_t slot) { written.add(slot); },
      [&](uint32_t node) { written.unite(nodes_[node].writes); });
  return written;
}

SlotSet WriteSets::no_slots() const {
  SlotSet slots;
  slots.resize(slot_types_.size());
  return slots;
}

// Without a slot nothing in the program takes such elements away.
void WriteSets::add_elements(SlotSet& slots, TypeId element) const {
  if (auto found = slots_.find({ELEMENT_KEY, element.index}); found != slots_.end()) slots.add(found->second);
}

bool WriteSets::leads_into_object(const Function& function, const Place& place) const {
  TypeId type = function.local(place.local).type;
  for (const Projection& step : place.path) {
    Kind kind = program_.types->kind(type);
    if (step.kind == ProjectionKind::Field && (kind == Kind::Class || kind == Kind::Cell || place.local == function.environment)) return true;
    type = step.type;
  }
  return false;
}

bool WriteSets::may_write(const Function& function, const Inst& inst, const Dependence& on) const {
  bool hit = false;
  SlotSet own;
  own.resize(slot_types_.size());
  for_each_effect(function, inst, [&](uint32_t slot) { own.add(slot); }, [&](uint32_t node) { hit = hit || nodes_[node].writes.meets(on.slots); });
  if (hit || own.meets(on.slots)) return true;
  if (!on.root.valid()) return false;
  // The local itself, or another reference that might be to the same variable.
  bool through_reference = function.local(on.root).by_reference;
  auto touches = [&](const Place& place) {
    if (!place.local.valid()) return false;
    if (place.local == on.root) return written_slot(function, place) == NONE;
    return through_reference && function.local(place.local).by_reference;
  };
  if ((inst.dst.local.valid() || inst.dst.global.valid()) && touches(inst.dst)) return true;
  for (const Operand& arg : inst.args)
    if ((arg.kind == OperandKind::Move || arg.kind == OperandKind::Ref) && touches(arg.place)) return true;
  return false;
}

}  // namespace meteor::mir
