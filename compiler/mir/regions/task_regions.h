// Regions as other tasks of the isolate see them, and what functions read and write of them: what a parameter leads to,
// or what others can reach. A function that changes only what its caller alone has changes nothing that another task
// can see.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "compiler/mir/call_targets.h"
#include "compiler/mir/outside_effects.h"
#include "compiler/mir/regions/region_graph.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

// What all regions of a program need to know of its calls.
struct TaskCode {
  TaskCode(const Program& program, const TypeFacts& facts);
  // Of a call through a table or function value, or where a generator is resumed.
  std::vector<FunctionId> targets(const Inst& inst);

  const Program& program;
  const TypeFacts& facts;
  CallTargets calls;
  std::unordered_map<TypeId, std::vector<FunctionId>> generators;  // bodies by the type of the object
};

// Bit i: what parameter i leads to. OPEN: what others can reach.
struct Accesses {
  static constexpr uint64_t OPEN = 1ull << 63;
  uint64_t reads = 0, writes = 0;
  bool add(const Accesses& other);  // whether it grew
};

class TaskRegions {
 public:
  // Of these functions, which must have the functions they call with them. With a target only objects of its kind count
  // (RegionTypes).
  TaskRegions(TaskCode& code, const std::vector<uint32_t>& functions, TypeId target);

  const RegionFacts& facts() const { return facts_; }
  const RegionGraph& graph(const Function& function) const { return *graphs_[function.id.index]; }
  bool has(FunctionId function) const { return graphs_[function.index] != nullptr; }

  // visit(node, writes) for what an instruction may read or write, itself and by what it calls (when that goes these
  // ways): a local that leads there, or the node of the others.
  template <typename F>
  void for_each_access(const RegionJoins& nodes, const Function& function, const Inst& inst, Ways ways, F&& visit);

 private:
  void find_callers(const std::vector<uint32_t>& functions);
  void summarise(std::vector<uint32_t> work);
  void find_accesses(std::vector<uint32_t> work);
  Accesses accesses_in(const Function& function, Ways ways);
  template <typename Look>
  void until_settled(std::vector<uint32_t> work, Look&& look);
  template <typename F>
  void for_each_callee(const Inst& inst, F&& visit);
  template <typename F>
  void access_place(const RegionJoins& nodes, const Function& function, const Place& place, bool writes,
                    F&& visit) const;
  template <typename F>
  void access_by_call(const RegionJoins& nodes, const Inst& inst, Ways ways, F&& visit);
  template <typename F>
  void access_by_intrinsic(const RegionJoins& nodes, const Function& function, const Inst& inst, F&& visit) const;
  template <typename F>
  void access_by_callee(const RegionJoins& nodes, const Inst& inst, const Function& callee, Ways ways, F&& visit) const;
  const Accesses& accesses_of(const Function& callee, Ways ways) const;
  bool extern_writes(const Function& callee, const Inst& inst) const;

  TaskCode& code_;
  RegionFacts facts_;
  std::vector<std::unique_ptr<RegionGraph>> graphs_;  // per function; null: not one of those
  std::vector<Accesses> accesses_[2];                 // by ways, per function
  std::vector<std::vector<uint32_t>> callers_;        // per function
};

// ---- templates ----

template <typename F>
void TaskRegions::for_each_callee(const Inst& inst, F&& visit) {
  if (calls_known_function(inst)) {
    visit(inst.function);
  } else if (inst.op == Op::Call || inst.op == Op::ResumeGenerator) {
    for (FunctionId target : code_.targets(inst)) visit(target);
  }
}

// Bits of the local itself are nobody else's, unless it is the caller's variable; those of an object are where the way
// to it begins. What is written is only the last object on the way.
template <typename F>
void TaskRegions::access_place(const RegionJoins& nodes, const Function& function, const Place& place, bool writes,
                               F&& visit) const {
  const Program& program = facts_.program;
  bool is_captured = function.environment.valid() && place.local == function.environment;
  bool is_open = place.global.valid() || is_captured;
  bool touches = is_captured ||
                 (place.local.valid() && function.local(place.local).by_reference && function.frame != FrameKind::None);
  TypeId holder = program.types->bool_;
  if (place.local.valid()) holder = function.local(place.local).type;
  if (place.global.valid()) {
    bool is_own = place.global.index < program.typed->globals.size();
    if (is_own) holder = program.typed->globals[place.global.index].type;
    touches = writes || !is_own || !program.typed->globals[place.global.index].is_const;
  }
  for (const Projection& step : place.path) {
    types::Kind kind = program.types->kind(holder);
    bool enters = step.kind == ProjectionKind::Field && (kind == types::Kind::Class || kind == types::Kind::Cell);
    if (enters) touches = facts_.types.is_target(holder) || (touches && !writes);
    is_open |= facts_.types.is_shareable(holder) || facts_.types.is_frozen(holder);
    holder = step.type;
  }
  if (touches) visit(is_open ? nodes.open() : place.local.index, writes);
}

template <typename F>
void TaskRegions::access_by_intrinsic(const RegionJoins& nodes, const Function& function, const Inst& inst,
                                      F&& visit) const {
  if (runs_other_code(inst.intrinsic)) {
    visit(nodes.open(), true);
    visit(nodes.open(), false);
  }
  if (inst.intrinsic == Intrinsic::FrameValue) visit(nodes.open(), false);
  bool writes = writes_elements(inst.intrinsic), reads = reads_elements(inst.intrinsic);
  if (!writes && !reads) return;
  for (const Operand& arg : inst.args) {
    if (arg.kind == OperandKind::Const || facts_.program.types->kind(arg.type) != types::Kind::RawPtr ||
        !facts_.types.is_target(arg.type))
      continue;
    uint32_t node = nodes.node_of(arg);
    if (node == RegionJoins::NONE) node = nodes.open();
    if (function.environment.valid() && arg.place.local == function.environment) node = nodes.open();
    if (writes) visit(node, true);
    if (reads) visit(node, false);
  }
  bool drops = inst.intrinsic == Intrinsic::RawSet || inst.intrinsic == Intrinsic::RawDropAll;
  if (drops && code_.facts.drop_is_observable(inst.type)) visit(nodes.open(), true);
}

template <typename F>
void TaskRegions::access_by_callee(const RegionJoins& nodes, const Inst& inst, const Function& callee, Ways ways,
                                   F&& visit) const {
  if (callee.is_extern) {
    if (only_locks(callee.symbol)) return;
    if (!works_on_values(callee.symbol)) visit(nodes.open(), false);
    if (extern_writes(callee, inst)) visit(nodes.open(), true);
    return;
  }
  const Accesses& own = accesses_of(callee, ways);
  bool knows_arguments = inst.call == CallKind::Direct || inst.call == CallKind::Virtual;
  for (bool writes : {false, true}) {
    uint64_t bits = writes ? own.writes : own.reads;
    if (bits & Accesses::OPEN || (bits && !knows_arguments)) visit(nodes.open(), writes);
    if (!knows_arguments) continue;
    for (uint32_t i = 0; i < inst.args.size() && i < 63; ++i) {
      uint32_t node = bits >> i & 1 ? nodes.node_of(inst.args[i]) : RegionJoins::NONE;
      if (node != RegionJoins::NONE) visit(node, writes);
    }
  }
}

template <typename F>
void TaskRegions::access_by_call(const RegionJoins& nodes, const Inst& inst, Ways ways, F&& visit) {
  // What makes a `local` variable does so once, where nobody can have seen it before.
  if (inst.call == CallKind::Direct && facts_.program.functions[inst.function.index].makes_local) return;
  for_each_callee(
      inst, [&](FunctionId id) { access_by_callee(nodes, inst, facts_.program.functions[id.index], ways, visit); });
}

template <typename F>
void TaskRegions::for_each_access(const RegionJoins& nodes, const Function& function, const Inst& inst, Ways ways,
                                  F&& visit) {
  auto drops = [&](TypeId type) {
    if (code_.facts.drop_is_observable(type)) visit(nodes.open(), true);
  };
  for (const Operand& arg : inst.args)
    if (arg.kind != OperandKind::Const) access_place(nodes, function, arg.place, false, visit);
  switch (inst.op) {
    case Op::Assign:
      access_place(nodes, function, inst.dst, true, visit);
      if (!inst.initializes) drops(inst.args[0].type);
      return;
    case Op::Drop: return drops(inst.args[0].type);
    case Op::Await: visit(nodes.open(), true); return visit(nodes.open(), false);
    case Op::ResumeGenerator: {  // its frame, and what its body has in it
      uint32_t node = nodes.node_of(inst.args[0]);
      visit(node, true);
      visit(node, false);
      for_each_callee(inst, [&](FunctionId body) {
        const Accesses& own = accesses_of(facts_.program.functions[body.index], Ways::All);
        if (own.reads & Accesses::OPEN) visit(nodes.open(), false);
        if (own.writes & Accesses::OPEN) visit(nodes.open(), true);
      });
      return;
    }
    case Op::Call:
      for (const Operand& arg : inst.args)
        if (arg.kind == OperandKind::Ref) access_place(nodes, function, arg.place, true, visit);
      if (inst.call == CallKind::Intrinsic) return access_by_intrinsic(nodes, function, inst, visit);
      return access_by_call(nodes, inst, ways, visit);
    default: return;
  }
}

}  // namespace meteor::mir
