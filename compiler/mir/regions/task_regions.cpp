// Summaries of regions start from "nothing in common", those of accesses from "nothing"; both grow until nothing
// changes, the second after the first.
#include "compiler/mir/regions/task_regions.h"

#include <algorithm>
#include <utility>

#include "compiler/mir/flow.h"

namespace meteor::mir {

using types::Kind;

namespace {

TypeId bare(const types::TypeStore& types, TypeId type) {
  while (types.kind(type) == Kind::Frozen || types.kind(type) == Kind::Optional) type = types.arg(type);
  return type;
}

}  // namespace

TaskCode::TaskCode(const Program& program, const TypeFacts& facts) : program(program), facts(facts), calls(program) {
  for (const Function& function : program.functions)
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts)
        if (inst.op == Op::MakeFuture && program.functions[inst.function.index].frame == FrameKind::Generator)
          generators[bare(*program.types, function.local(inst.dst.local).type)].push_back(inst.function);
}

std::vector<FunctionId> TaskCode::targets(const Inst& inst) {
  if (inst.op == Op::ResumeGenerator) return generators[bare(*program.types, inst.args[0].type)];
  return calls.of(inst);
}

bool Accesses::add(const Accesses& other) {
  bool grew = (other.reads & ~reads) || (other.writes & ~writes);
  reads |= other.reads;
  writes |= other.writes;
  return grew;
}

TaskRegions::TaskRegions(TaskCode& code, const std::vector<uint32_t>& functions, TypeId target)
    : code_(code),
      facts_(code.program, RegionTypes(code.program, Others::Tasks, target)),
      graphs_(code.program.functions.size()),
      callers_(code.program.functions.size()) {
  for (std::vector<Accesses>& accesses : accesses_) accesses.resize(code.program.functions.size());
  find_callers(functions);
  summarise(functions);
  for (uint32_t at : functions) graphs_[at] = std::make_unique<RegionGraph>(facts_, code.program.functions[at]);
  find_accesses(functions);
}

void TaskRegions::find_callers(const std::vector<uint32_t>& functions) {
  for (uint32_t at : functions)
    for (const Block& block : code_.program.functions[at].blocks)
      for (const Inst& inst : block.insts)
        for_each_callee(inst, [&](FunctionId callee) {
          std::vector<uint32_t>& known = callers_[callee.index];
          if (known.empty() || known.back() != at) known.push_back(at);
        });
}

// Looks at each function, and again at the callers of those that `look` says have changed.
template <typename Look>
void TaskRegions::until_settled(std::vector<uint32_t> work, Look&& look) {
  std::vector<bool> waits(callers_.size());
  for (uint32_t at : work) waits[at] = true;
  std::ranges::reverse(work);
  while (!work.empty()) {
    uint32_t at = work.back();
    work.pop_back();
    waits[at] = false;
    if (!look(at)) continue;
    for (uint32_t caller : callers_[at]) {
      if (waits[caller]) continue;
      waits[caller] = true;
      work.push_back(caller);
    }
  }
}

void TaskRegions::summarise(std::vector<uint32_t> work) {
  until_settled(std::move(work), [&](uint32_t at) {
    RegionSummary summary = RegionGraph(facts_, code_.program.functions[at]).summary();
    if (summary == facts_.summaries[at]) return false;
    facts_.summaries[at] = std::move(summary);
    return true;
  });
}

void TaskRegions::find_accesses(std::vector<uint32_t> work) {
  until_settled(std::move(work), [&](uint32_t at) {
    bool grew = false;
    for (Ways ways : {Ways::All, Ways::Returning})
      grew |= accesses_[static_cast<size_t>(ways)][at].add(accesses_in(code_.program.functions[at], ways));
    return grew;
  });
}

const Accesses& TaskRegions::accesses_of(const Function& callee, Ways ways) const {
  static constexpr Accesses ANYTHING{Accesses::OPEN, Accesses::OPEN};
  return callee.blocks.empty() ? ANYTHING : accesses_[static_cast<size_t>(ways)][callee.id.index];
}

Accesses TaskRegions::accesses_in(const Function& function, Ways ways) {
  const RegionGraph& graph = *graphs_[function.id.index];
  Accesses found;
  std::unordered_map<uint32_t, uint64_t> bits;  // by region
  auto bit_of = [](uint32_t param) { return param < 63 ? 1ull << param : Accesses::OPEN; };
  for (uint32_t i = 0; i < function.param_count; ++i) bits[graph.find(i)] |= bit_of(i);
  bits[graph.find(graph.open())] |= Accesses::OPEN;
  if (function.environment.valid()) bits[graph.find(function.environment.index)] |= Accesses::OPEN;
  auto add = [&](uint32_t node, bool writes) {
    auto known = bits.find(graph.find(node));
    if (known != bits.end()) (writes ? found.writes : found.reads) |= known->second;
  };
  std::vector<bool> returns = returning_blocks(function);
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    if (ways == Ways::Returning && !returns[i]) continue;
    const Block& block = function.blocks[i];
    for (const Inst& inst : block.insts) {
      bool goes_on = ways == Ways::All || (inst.on_error.valid() && returns[inst.on_error.index]);
      for_each_access(graph, function, inst, goes_on ? Ways::All : Ways::Returning, add);
    }
    TerminatorKind end = block.terminator.kind;
    bool looks = end == TerminatorKind::Branch || end == TerminatorKind::Switch || end == TerminatorKind::Return;
    if (looks && block.terminator.value.kind != OperandKind::Const)
      access_place(graph, function, block.terminator.value.place, false, add);
  }
  return found;
}

bool TaskRegions::extern_writes(const Function& callee, const Inst& inst) const {
  if (only_reads(facts_.program, callee)) return false;
  return std::ranges::any_of(inst.args, [&](const Operand& arg) {
    Kind kind = facts_.program.types->kind(arg.type);
    return kind == Kind::Class || kind == Kind::Any || kind == Kind::RawPtr || facts_.types.can_alias(arg.type);
  });
}

}  // namespace meteor::mir
