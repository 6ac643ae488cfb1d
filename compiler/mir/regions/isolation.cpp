// Parameters that are `owned` are taken as isolated until a call shows otherwise; a call that does is remembered, and whoever asks
// (regions/crossings) asks again until no more are found.
#include "compiler/mir/regions/isolation.h"

#include <algorithm>
#include <deque>

namespace meteor::mir {

namespace {

constexpr int DEPTH_MAX = 100;   // calls through which a value is followed

std::string quoted(const Local& local) { return "`" + local.name.str() + "`"; }

}  // namespace

Isolation::Isolation(const RegionFacts& facts, const TypeFacts& types) : facts_(facts), types_(types), calls_(facts.program) {}

void Isolation::forget() {
  flows_.clear();
  std::erase_if(params_, [](const auto& known) { return known.second == Answer::Assumed; });
}

Isolation::Flows& Isolation::flows(const Function& function) {
  std::unique_ptr<Flows>& known = flows_[function.id.index];
  if (!known) known = std::make_unique<Flows>(facts_, function);
  return *known;
}

Isolation::Flows::Flows(const RegionFacts& facts, const Function& function) : graph(facts, function), init(function), live(function, DropUse::Ends) {
  for (uint32_t i = 0; i < function.locals.size(); ++i)
    if (facts.types.can_alias(function.locals[i].type)) members[graph.find(i)].push_back(i);
}

// Sets share what they have in common, so keeping one per instruction costs little.
const Isolation::BlockStates& Isolation::states(const Function& function, uint32_t index) {
  Flows& known = flows(function);
  auto [found, is_new] = known.blocks.try_emplace(index);
  BlockStates& states = found->second;
  if (!is_new) return states;
  const Block& block = function.blocks[index];
  InitState init = known.init.at_entry(BlockId(index));
  for (const Inst& inst : block.insts) {
    init.consume(inst);
    states.init.push_back(init);
    init.store(inst);
  }
  LocalSet live = known.live.live_out(BlockId(index));
  known.live.step(block.terminator, live);
  states.live.assign(block.insts.size(), LocalSet());
  for (size_t i = block.insts.size(); i-- > 0;) {
    states.live[i] = live;
    if (block.insts[i].on_error.valid()) states.live[i].unite(known.live.live_in(block.insts[i].on_error));
    known.live.step(block.insts[i], live);
  }
  return states;
}

// Counted locals hold what they were given until it is moved or dropped; the others matter as long as something reads them.
bool Isolation::is_held_after(const Function& function, Site site, LocalId id) {
  const BlockStates& known = states(function, site.block);
  const Local& local = function.local(id);
  bool is_counted = local.ownership == Ownership::Owned && types_.needs_drop(local.type);
  return is_counted ? known.init[site.inst].maybe_init.has(id) : known.live[site.inst].has(id);
}

bool Isolation::is_isolated(Site site, uint32_t arg, Reason* why) {
  const Function& function = facts_.program.functions[site.function.index];
  const Inst& inst = function.blocks[site.block].insts[site.inst];
  const Operand& value = inst.args[arg];
  RegionGraph& graph = flows(function).graph;
  uint32_t node = graph.node_of(value);
  if (node == RegionGraph::NONE) return true;
  uint32_t region = graph.find(node);
  if (!flows(function).live.reachable(BlockId(site.block))) return true;
  if (!is_private(function, node, region, why)) return false;
  for (uint32_t i = 0; i < inst.args.size(); ++i) {
    uint32_t other = i == arg ? RegionGraph::NONE : graph.node_of(inst.args[i]);
    if (other == RegionGraph::NONE || graph.find(other) != region) continue;
    if (why) *why = {"another argument leads to it as well", inst.span};
    return false;
  }
  uint32_t holder = RegionGraph::NONE;
  for (uint32_t i : flows(function).members[region]) {
    if ((value.place.is_local() && i == value.place.local.index) || !is_held_after(function, site, LocalId(i))) continue;
    if (holder == RegionGraph::NONE || (!function.locals[holder].name && function.locals[i].name)) holder = i;
  }
  if (holder == RegionGraph::NONE) {
    if (value.kind != OperandKind::Move && why) *why = {"it stays where it was taken from", inst.span};
    return value.kind == OperandKind::Move;
  }
  const Local& local = function.locals[holder];
  explain(function, node, holder, (local.name ? quoted(local) : "something else here") + " may still refer to it, or to a part of it", why);
  return false;
}

bool Isolation::gives_isolated(const Function& function, Reason* why) {
  RegionGraph& graph = flows(function).graph;
  return is_private(function, graph.result(), graph.find(graph.result()), why);
}

// Whether nobody outside the function reaches the region, other than by what it was given for good.
bool Isolation::is_private(const Function& function, uint32_t start, uint32_t region, Reason* why) {
  RegionGraph& graph = flows(function).graph;
  if (region == graph.find(graph.open())) {
    explain(function, start, graph.open(), "others may refer to it", why);
    return false;
  }
  if (function.environment.valid() && region == graph.find(function.environment.index)) {
    if (why) *why = {"it comes from a variable that this function has captured", function.span};
    return false;
  }
  for (uint32_t i = 0; i < function.param_count; ++i) {
    if (graph.find(i) != region || !facts_.types.can_alias(function.locals[i].type)) continue;
    if (function.param_modes[i] != ParamMode::Owned) {
      explain(function, start, i, quoted(function.locals[i]) + " belongs to the caller and may lead to it", why);
      return false;
    }
    if (!is_isolated_param(function, i, why)) return false;
  }
  return true;
}

bool Isolation::is_isolated_param(const Function& function, uint32_t param, Reason* why) {
  auto [known, is_new] = params_.try_emplace({function.id.index, param}, Answer::Assumed);
  auto answer_no = [&](Reason reason) {
    params_[{function.id.index, param}] = Answer::No;
    why_params_[{function.id.index, param}] = reason;
    if (why) *why = std::move(reason);
    return false;
  };
  if (!is_new) {
    if (known->second == Answer::Assumed) return true;
    if (why) *why = why_params_[{function.id.index, param}];
    return false;
  }
  std::string name = quoted(function.locals[param]);
  if (calls_.is_called_by_unknown[function.id.index]) return answer_no({"who calls `" + function.name + "` is known only at run time, and may still have " + name, function.span});
  if (calls_.callers[function.id.index].empty() || depth_ > DEPTH_MAX) return answer_no({"it is not known who calls `" + function.name + "`", function.span});
  for (Site site : calls_.callers[function.id.index]) {
    Reason inner;
    ++depth_;
    bool fine = is_isolated(site, param, &inner);
    --depth_;
    if (fine) continue;
    const Inst& call = facts_.program.functions[site.function.index].blocks[site.block].insts[site.inst];
    bool is_wrapper = call.op == Op::MakeFuture || !inner.cause.valid();   // the function that makes the frame: its own callers are meant
    if (is_wrapper) return answer_no(std::move(inner));
    return answer_no({"a caller of `" + function.name + "` may still have " + name, call.span});
  }
  return true;
}

// The last step on the way from one node to the other tells what happened.
void Isolation::explain(const Function& function, uint32_t from, uint32_t to, std::string fallback, Reason* why) {
  if (!why) return;
  using Why = RegionGraph::Why;
  RegionGraph& graph = flows(function).graph;
  std::unordered_map<uint32_t, std::vector<const RegionGraph::Edge*>> edges;
  for (const RegionGraph::Edge& edge : graph.edges()) {
    edges[edge.a].push_back(&edge);
    edges[edge.b].push_back(&edge);
  }
  std::unordered_map<uint32_t, const RegionGraph::Edge*> came_by{{from, nullptr}};
  std::deque<uint32_t> open{from};
  while (!open.empty() && !came_by.contains(to)) {
    uint32_t at = open.front();
    open.pop_front();
    for (const RegionGraph::Edge* edge : edges[at])
      if (uint32_t next = edge->a == at ? edge->b : edge->a; came_by.try_emplace(next, edge).second) open.push_back(next);
  }
  auto found = came_by.find(to);
  const RegionGraph::Edge* last = found == came_by.end() ? nullptr : found->second;
  *why = {std::move(fallback), last ? last->span : Span()};
  if (!last || to != graph.open()) return;
  std::string callee = last->callee.valid() ? facts_.program.functions[last->callee.index].name : "";
  bool is_internal = callee.starts_with("_") || callee.find("._") != std::string::npos;   // of the library, or nothing that the caller has written
  callee = is_internal ? "what is called" : "`" + callee + "`";
  switch (last->why) {
    case Why::ModuleVariable: why->text = "a module's variable may refer to it"; break;
    case Why::UnknownCode: why->text = "which code is called is known only at run time, and it may keep it"; break;
    case Why::Kept: why->text = callee + " may keep it, or a part of it"; break;
    case Why::Given: why->text = is_internal ? "what comes from there may be held elsewhere" : "what " + callee + " gives may be held elsewhere"; break;
    case Why::Deleted: why->text = "a `__del__` may keep it"; break;
    case Why::Sent: why->text = "it has been sent before, and that was not proven"; break;
    case Why::Flow: break;
  }
}

}  // namespace meteor::mir
