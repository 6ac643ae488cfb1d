#include "compiler/mir/regions/region_joins.h"

#include <algorithm>
#include <numeric>

namespace meteor::mir {

using types::Kind;

bool calls_known_function(const Inst& inst) {
  return (inst.op == Op::Call && inst.call == CallKind::Direct) || inst.op == Op::Await || inst.op == Op::MakeFuture;
}

bool only_reads(const Program& program, const Function& function) {
  return function.is_extern && function.id.index < program.typed->functions.size() &&
         program.typed->functions[function.id.index].only_reads;
}

RegionFacts::RegionFacts(const Program& program, RegionTypes types)
    : program(program), types(std::move(types)), summaries(program.functions.size()) {
  for (const Function& function : program.functions) {
    RegionSummary& summary = summaries[function.id.index];
    summary.classes.resize(function.param_count + 2);
    std::iota(summary.classes.begin(), summary.classes.end(), 0u);
  }
  for (const auto& [type, nominal] : program.typed->nominals)
    if (nominal.base.valid()) subclasses[nominal.base].push_back(type);
}

std::vector<FunctionId> RegionFacts::targets(const Inst& inst) const {
  std::vector<FunctionId> out;
  std::vector<TypeId> classes{inst.args[0].type};
  while (!classes.empty()) {
    TypeId type = classes.back();
    classes.pop_back();
    auto found = program.typed->nominals.find(type);
    if (found == program.typed->nominals.end() || inst.index >= found->second.vtable.size()) return {};
    FunctionId target = found->second.vtable[inst.index];
    if (target.valid() && std::ranges::find(out, target) == out.end()) out.push_back(target);
    if (auto below = subclasses.find(type); below != subclasses.end())
      classes.insert(classes.end(), below->second.begin(), below->second.end());
  }
  return out;
}

void RegionJoins::join(uint32_t a, uint32_t b, Why why, FunctionId callee) {
  if (a != NONE && b != NONE) join_nodes(a, b, why, callee);
}

void RegionJoins::visit(const Terminator& terminator) {
  span_ = terminator.span;
  if (terminator.kind == TerminatorKind::Return) join(result(), node_of(terminator.value));
  if (terminator.kind == TerminatorKind::Raise) join(error(), terminator.error.index);
}

TypeId RegionJoins::type_of(const Place& place) const {
  if (!place.path.empty()) return place.path.back().type;
  if (place.local.valid()) return function_.local(place.local).type;
  size_t own = facts_.program.typed->globals.size();
  return place.global.index < own ? facts_.program.typed->globals[place.global.index].type
                                  : facts_.program.types->bool_;
}

uint32_t RegionJoins::node_of(const Operand& operand) const {
  return operand.kind == OperandKind::Const ? NONE : node_of(operand.place, operand.type);
}

uint32_t RegionJoins::node_of(const Place& place, TypeId type) const {
  if (!place.local.valid() && !place.global.valid()) return NONE;
  if (!facts_.types.can_alias(type)) return NONE;
  if (place.global.valid()) return open();
  TypeId holder = function_.local(place.local).type;
  for (const Projection& step : place.path) {  // inside a channel and its like everybody may look
    if (facts_.types.is_shareable(holder) || facts_.types.is_frozen(holder)) return open();
    holder = step.type;
  }
  return place.local.index;
}

void RegionJoins::join_all(const Inst& inst, bool opens, Why why) {
  uint32_t first = opens                                               ? open()
                   : inst.dst.local.valid() || inst.dst.global.valid() ? node_of(inst.dst, type_of(inst.dst))
                                                                       : NONE;
  auto add = [&](uint32_t node) {
    if (first == NONE) first = node;
    join(node, first, why);
  };
  for (const Operand& arg : inst.args) add(node_of(arg));
  if (opens && inst.dst.local.valid()) join(node_of(inst.dst, type_of(inst.dst)), open(), why);
  if (opens && inst.error.valid()) join(inst.error.index, open(), why);
}

void RegionJoins::visit(const Inst& inst, Site site) {
  span_ = inst.span;
  switch (inst.op) {
    case Op::Compare:
    case Op::Not:
    case Op::Unary:
    case Op::Binary:
    case Op::Convert:
    case Op::IsNull:
    case Op::IsType:
    case Op::EnumTag:
    case Op::Same:
    case Op::Concat:
    case Op::TypeNameOf:
    case Op::Trace:
    case Op::MarkDead:
    case Op::New:
    case Op::RequireHome:
    case Op::RequireStack: return;
    case Op::Drop:
      if (facts_.types.runs_code(inst.args[0].type)) join(node_of(inst.args[0]), open(), Why::Deleted);
      return;
    case Op::Assign: {
      uint32_t to = node_of(inst.dst, type_of(inst.dst));
      bool thaws = inst.args[0].kind != OperandKind::Const && facts_.types.is_frozen(inst.args[0].type);
      Why why = inst.dst.global.valid() || inst.args[0].place.global.valid() ? Why::ModuleVariable : Why::Flow;
      join(thaws ? open() : node_of(inst.args[0]), to, why);
      if (!inst.initializes && facts_.types.runs_code(type_of(inst.dst))) join(to, open(), Why::Deleted);
      return;
    }
    case Op::Reinterpret:
      join_all(inst, false);
      if (facts_.types.is_frozen(inst.args[0].type)) join(node_of(inst.dst, type_of(inst.dst)), open());
      return;
    case Op::Yield:
      join(node_of(inst.args[0]), result());
      if (inst.error.valid()) join(inst.error.index, open());
      return;
    case Op::Park:
    case Op::Checkpoint:
    case Op::Heed:
      if (inst.error.valid()) join(inst.error.index, open());  // whatever it is resumed with
      return;
    case Op::RunFrame:
    case Op::ResumeGenerator:
      join_all(inst, false);
      if (inst.error.valid()) join(inst.error.index, open());
      return;
    case Op::Call:
    case Op::Await:
    case Op::MakeFuture: return visit_call(inst, site);
    default: return join_all(inst, false);
  }
}

void RegionJoins::visit_call(const Inst& inst, Site site) {
  if (inst.op == Op::Call && inst.call == CallKind::Intrinsic) return visit_intrinsic(inst);
  bool is_known = inst.op != Op::Call || inst.call == CallKind::Direct;
  if (is_known) return apply(inst, facts_.program.functions[inst.function.index], site);
  std::vector<FunctionId> targets = inst.call == CallKind::Virtual ? facts_.targets(inst) : std::vector<FunctionId>();
  if (targets.empty()) return join_all(inst, true, Why::UnknownCode);
  for (FunctionId target : targets) apply(inst, facts_.program.functions[target.index], site);
}

void RegionJoins::visit_intrinsic(const Inst& inst) {
  switch (inst.intrinsic) {
    case Intrinsic::VisitParts:
    case Intrinsic::VisitPlace:
    case Intrinsic::IsUnique:
    case Intrinsic::RefCount:
    case Intrinsic::Address:
    case Intrinsic::DynTypeName:
    case Intrinsic::EnumTag: return;
    case Intrinsic::RawEqualBytes: return;
    case Intrinsic::RawCopyTo:  // the elements are in both, the memory is not
      if (facts_.types.can_alias(inst.type)) join_all(inst, false);
      return;
    case Intrinsic::JsonOfAny: return join_all(inst, true, Why::UnknownCode);
    case Intrinsic::RawSet:
    case Intrinsic::RawDropAll:
      return join_all(inst, inst.type.valid() && facts_.types.runs_code(inst.type), Why::Deleted);
    default: return join_all(inst, false);
  }
}

void RegionJoins::apply_extern(const Inst& inst, const Function& callee) {
  bool keeps = facts_.types.others() == Others::Isolates || !only_reads(facts_.program, callee);
  for (const Operand& arg : inst.args)
    if (keeps) join(node_of(arg), open(), Why::Kept, callee.id);
  if (inst.dst.local.valid()) join(node_of(inst.dst, type_of(inst.dst)), open(), Why::Given, callee.id);
}

void RegionJoins::apply(const Inst& inst, const Function& callee, Site site) {
  using typed::RegionRole;
  if (callee.region == RegionRole::TakeOver || callee.region == RegionRole::Check) return;
  if (callee.is_extern || callee.blocks.empty()) return apply_extern(inst, callee);
  bool makes_frame = inst.op == Op::MakeFuture;
  uint32_t count = callee.param_count;
  uint32_t dst = inst.dst.local.valid() || inst.dst.global.valid() ? node_of(inst.dst, type_of(inst.dst)) : NONE;
  uint32_t error = makes_frame ? dst : inst.error.valid() ? inst.error.index : NONE;
  // An error that a generator is resumed with may be anybody's. What its body does with it is what the body reads and
  // writes.
  if (makes_frame && callee.frame == FrameKind::Generator && facts_.types.others() == Others::Tasks) error = NONE;
  auto here = [&](uint32_t i) -> uint32_t {  // a node of the callee's summary as one of this function
    if (i == count) return dst;
    if (i == count + 1) return error;
    if (i >= inst.args.size()) return NONE;
    const Operand& arg = inst.args[i];
    bool leaves = i < 64 && (callee.leaving >> i & 1) && facts_.types.others() == Others::Isolates;
    if (leaves) {
      if (facts_.checked.contains({site, i})) join(node_of(arg), open(), Why::Sent, callee.id);
      return NONE;
    }
    bool thaws = arg.kind != OperandKind::Const && facts_.types.is_frozen(arg.type) &&
                 facts_.types.can_alias(callee.locals[i].type);
    return thaws ? open() : node_of(arg);
  };
  const std::vector<uint32_t>& classes = facts_.summaries[callee.id.index].classes;
  std::vector<uint32_t> members(classes.size(), NONE);  // per class: one of its nodes here
  for (uint32_t i = 0; i < classes.size(); ++i) {
    uint32_t own = here(i);
    if (own == NONE) continue;
    if (makes_frame) join(own, dst);
    if (classes[i] == RegionSummary::OPEN) {
      join(own, open(), i < count ? Why::Kept : Why::Given, callee.id);
      continue;
    }
    uint32_t& member = members[classes[i]];
    if (member == NONE)
      member = own;
    else
      join(own, member);
  }
}

}  // namespace meteor::mir
