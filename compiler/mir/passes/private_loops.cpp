#include "compiler/mir/passes/private_loops.h"

#include <algorithm>
#include <set>

namespace meteor::mir {

namespace {

constexpr size_t MOST_KINDS =
    48;  // of objects that are looked at one by one: each costs a walk over the code that the loops call

bool asks(const Inst& inst, LocalId iterator) {
  if (!iterator.valid() || inst.op == Op::Drop) return false;
  return std::ranges::any_of(
      inst.args, [&](const Operand& arg) { return arg.kind != OperandKind::Const && arg.place.local == iterator; });
}

// Its bits are those of a local: no object is on the way, and no closure has it.
bool is_own_variable(const types::TypeStore& types, const Function& function, const Place& place) {
  if (!place.local.valid() || (function.environment.valid() && place.local == function.environment)) return false;
  TypeId holder = function.local(place.local).type;
  for (const Projection& step : place.path) {
    types::Kind kind = types.kind(holder);
    if (step.kind == ProjectionKind::Field && kind != types::Kind::Struct && kind != types::Kind::Tuple) return false;
    holder = step.type;
  }
  return true;
}

}  // namespace

PrivateLoops::PrivateLoops(const Program& program, const TypeFacts& facts, SharedEffects& shared)
    : program_(program), shared_(shared), code_(program, facts), calls_(program), functions_(concerned_functions()) {}

// Those with loops that are asked about, those that await them, and whatever one of these calls.
std::vector<uint32_t> PrivateLoops::concerned_functions() {
  std::vector<uint32_t> found;
  std::vector<bool> is_found(program_.functions.size());
  auto add = [&](uint32_t function) {
    if (is_found[function] || program_.functions[function].blocks.empty()) return;
    is_found[function] = true;
    found.push_back(function);
  };
  for (const Function& function : program_.functions)
    if (!function.loops.empty() && !function.is_std) add(function.id.index);
  for (size_t i = 0; i < found.size(); ++i)
    for (const Site& site : calls_.callers[found[i]])
      if (program_.functions[site.function.index].blocks[site.block].insts[site.inst].op == Op::Await)
        add(site.function.index);
  for (size_t i = 0; i < found.size(); ++i)
    for (const Block& block : program_.functions[found[i]].blocks)
      for (const Inst& inst : block.insts) {
        if (calls_known_function(inst))
          add(inst.function.index);
        else if (inst.op == Op::Call || inst.op == Op::ResumeGenerator)
          for (FunctionId target : code_.targets(inst)) add(target.index);
      }
  return found;
}

PrivateLoops::View& PrivateLoops::view(TypeId target) {
  View& known = views_[target.valid() ? target.index : UINT32_MAX];
  if (!known.regions) known.regions = std::make_unique<TaskRegions>(code_, functions_, target);
  return known;
}

bool PrivateLoops::is_private(const Function& function, const LoopRange& loop, const std::vector<uint32_t>& blocks,
                              const std::vector<bool>& round, const Effects& effects) {
  if (holds_for(TypeId(), function, loop, blocks, round)) return true;
  auto kinds = kinds_of(function, loop, blocks, effects);
  if (!kinds || kinds->empty()) return false;
  return std::ranges::all_of(*kinds, [&](TypeId kind) {
    return (views_.size() < MOST_KINDS || views_.contains(kind.index)) &&
           holds_for(kind, function, loop, blocks, round);
  });
}

// The kinds of objects that it writes or iterates over; nothing: that is not known, or a module variable is among them.
std::optional<std::vector<TypeId>> PrivateLoops::kinds_of(const Function& function, const LoopRange& loop,
                                                          const std::vector<uint32_t>& blocks, const Effects& effects) {
  PlaceSet places = effects.writes;
  Effects iteration;
  for (uint32_t block : blocks)
    for (const Inst& inst : function.blocks[block].insts)
      if (asks(inst, loop.iterator)) shared_.add(iteration, function, inst, Ways::All);
  if (effects.writes_anything || iteration.reads_anything) return std::nullopt;
  places.unite(iteration.reads);
  std::vector<TypeId> kinds;
  bool is_known = true;
  places.for_each([&](uint32_t place) {
    TypeId holder = shared_.holder_of(place);
    is_known &= holder.valid();
    if (std::ranges::find(kinds, holder) == kinds.end()) kinds.push_back(holder);
  });
  return is_known ? std::optional(kinds) : std::nullopt;
}

bool PrivateLoops::holds_for(TypeId target, const Function& function, const LoopRange& loop,
                             const std::vector<uint32_t>& blocks, const std::vector<bool>& round) {
  View& view = this->view(target);
  const RegionGraph& nodes = view.regions->graph(function);
  for (uint32_t b : blocks) {
    const Block& block = function.blocks[b];
    for (uint32_t i = 0; i < block.insts.size(); ++i) {
      bool iterates = asks(block.insts[i], loop.iterator), holds = true;
      bool goes_on = block.insts[i].on_error.valid() && round[block.insts[i].on_error.index];
      view.regions->for_each_access(nodes, function, block.insts[i], goes_on ? Ways::All : Ways::Returning,
                                    [&](uint32_t node, bool writes) {
                                      if (holds && (writes || iterates))
                                        holds = is_private_at(view, function, b, i, node);
                                    });
      if (!holds) return false;
    }
  }
  return true;
}

bool PrivateLoops::is_private_at(View& view, const Function& function, uint32_t block, uint32_t inst, uint32_t node) {
  Need need = need_at(view, function, block, inst, node);
  return !need.is_open && are_private(view, std::move(need.params));
}

// By what holds wherever the function is, else by what holds just there.
PrivateLoops::Need PrivateLoops::need_at(View& view, const Function& function, uint32_t block, uint32_t inst,
                                         uint32_t node) {
  const RegionGraph& graph = view.regions->graph(function);
  if (node == graph.open()) return {true, {}};
  Need need = need_of(view, function, graph, graph, node);
  if (!need.is_open && are_private(view, need.params)) return need;
  std::unique_ptr<RegionFlow>& flow = view.flows[function.id.index];
  if (!flow) flow = std::make_unique<RegionFlow>(view.regions->facts(), function);
  if (!flow->is_known()) return need;
  const Partition* there = flow->at(block, inst);
  return there ? need_of(view, function, *flow, *there, node) : Need();
}

template <typename Regions>
PrivateLoops::Need PrivateLoops::need_of(const View& view, const Function& function, const RegionJoins& nodes,
                                         const Regions& regions, uint32_t node) const {
  uint32_t region = regions.find(node);
  Need need;
  need.is_open =
      region == regions.find(nodes.open()) ||
      (function.environment.valid() && region == regions.find(function.environment.index)) ||
      (function.frame != FrameKind::Async && region == regions.find(nodes.result()));  // what was yielded before
  for (uint32_t i = 0; i < function.param_count; ++i)
    if (regions.find(i) == region &&
        (function.locals[i].by_reference || view.regions->facts().types.can_alias(function.locals[i].type)))
      need.params.push_back({function.id.index, i});
  return need;
}

// A function that is awaited has what its caller alone has: that one waits. Whoever makes a future of it may go on
// meanwhile.
const PrivateLoops::Need& PrivateLoops::need_of_param(View& view, Param param) {
  auto [found, is_new] = view.needs.try_emplace(param);
  Need& need = found->second;
  if (!is_new) return need;
  if (calls_.is_called_by_unknown[param.function]) need.is_open = true;
  for (const Site& site : calls_.callers[param.function]) {
    const Function& caller = program_.functions[site.function.index];
    const Inst& inst = caller.blocks[site.block].insts[site.inst];
    bool is_unused_maker = inst.op == Op::MakeFuture && calls_.callers[caller.id.index].empty() &&
                           !calls_.is_called_by_unknown[caller.id.index];
    if (is_unused_maker || need.is_open) continue;
    if (inst.op != Op::Await || param.index >= inst.args.size() || !view.regions->has(caller.id)) {
      need.is_open = true;
      continue;
    }
    const Operand& arg = inst.args[param.index];
    bool is_lent = arg.kind == OperandKind::Ref;
    if (is_lent && !is_own_variable(*program_.types, caller, arg.place)) view.needs[param].is_open = true;
    uint32_t node =
        is_lent && arg.place.local.valid() ? arg.place.local.index : view.regions->graph(caller).node_of(arg);
    if (node == RegionJoins::NONE) continue;
    Need there = need_at(view, caller, site.block, site.inst, node);
    Need& own = view.needs[param];
    own.is_open |= there.is_open;
    own.params.insert(own.params.end(), there.params.begin(), there.params.end());
  }
  return view.needs[param];
}

// Parameters that need each other in a circle are private unless one of them is open.
bool PrivateLoops::are_private(View& view, std::vector<Param> params) {
  std::set<Param> seen(params.begin(), params.end());
  while (!params.empty()) {
    Param param = params.back();
    params.pop_back();
    const Need& need = need_of_param(view, param);
    if (need.is_open) return false;
    for (const Param& other : need.params)
      if (seen.insert(other).second) params.push_back(other);
  }
  return true;
}

}  // namespace meteor::mir
