#include "compiler/mir/regions/crossings.h"

#include <algorithm>

namespace meteor::mir {

using typed::RegionRole;
using types::Kind;

namespace {

bool is_zero(const Inst& inst) { return inst.op == Op::Assign && inst.args[0].kind == OperandKind::Const && inst.args[0].constant.kind == ConstKind::Zero; }

}  // namespace

std::vector<LocalId> carriers_of(const Function& function, uint32_t param) {
  std::vector<LocalId> out{LocalId(param)};
  auto is_carrier = [&](LocalId local) { return std::ranges::find(out, local) != out.end(); };
  auto hands_on = [&](const Inst& inst) { return inst.op == Op::Assign && inst.args[0].kind == OperandKind::Move && inst.args[0].place.is_local() && is_carrier(inst.args[0].place.local); };
  // Each value of a carrier is zero or comes from a carrier.
  auto holds_nothing_else = [&](LocalId local) {
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts) {
        bool writes = (inst.dst.local.valid() && inst.dst.local == local && !(inst.dst.is_local() && (is_zero(inst) || hands_on(inst)))) ||
                      std::ranges::any_of(inst.args, [&](const Operand& arg) { return arg.kind == OperandKind::Ref && arg.place.is_local() && arg.place.local == local; });
        if (writes) return false;
      }
    return true;
  };
  if (!holds_nothing_else(LocalId(param))) return {};
  for (bool again = true; again;) {
    again = false;
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts) {
        if (!inst.dst.is_local() || is_carrier(inst.dst.local) || inst.dst.local.index < function.param_count || !hands_on(inst) || !holds_nothing_else(inst.dst.local)) continue;
        out.push_back(inst.dst.local);
        again = true;
      }
  }
  return out;
}

bool checks_whole(const Program& program, const Function& function, uint32_t param, int depth) {
  constexpr int DEPTH_MAX = 8;
  if (depth > DEPTH_MAX || function.region == RegionRole::None) return false;
  bool found = false;
  std::vector<LocalId> carriers = carriers_of(function, param);
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts) {
      if (!calls_known_function(inst)) continue;
      const Function& callee = program.functions[inst.function.index];
      for (uint32_t i = 0; i < inst.args.size(); ++i) {
        if (inst.args[i].kind == OperandKind::Const || !inst.args[i].place.is_local() || std::ranges::find(carriers, inst.args[i].place.local) == carriers.end()) continue;
        found |= callee.region == RegionRole::Check || (inst.args[i].kind == OperandKind::Move && checks_whole(program, callee, i, depth + 1));
      }
    }
  return found;
}

Crossings::Crossings(const Program& program, const TypeFacts& types) : program_(program), facts_(program, RegionTypes(program)), isolation_(facts_, types), callers_(program.functions.size()) {
  find_sites();
  if (leaving_.empty() && returning_.empty()) return;
  std::vector<uint32_t> all;
  for (const Function& function : program.functions)
    if (!function.blocks.empty()) all.push_back(function.id.index);
  summarise(std::move(all));
  while (look_again()) {}
  judge_results();
}

void Crossings::find_sites() {
  for (const Function& function : program_.functions)
    for (uint32_t b = 0; b < function.blocks.size(); ++b)
      for (uint32_t i = 0; i < function.blocks[b].insts.size(); ++i) {
        const Inst& inst = function.blocks[b].insts[i];
        auto calls = [&](FunctionId callee) {
          std::vector<uint32_t>& known = callers_[callee.index];
          if (known.empty() || known.back() != function.id.index) known.push_back(function.id.index);
        };
        if (inst.op == Op::Call && inst.call == CallKind::Virtual)
          for (FunctionId target : facts_.targets(inst)) calls(target);
        if (!calls_known_function(inst)) continue;
        calls(inst.function);
        const Function& callee = program_.functions[inst.function.index];
        Site site{function.id, b, i};
        for (uint32_t arg = 0; arg < inst.args.size() && arg < 64; ++arg)
          if (callee.leaving >> arg & 1) leaving_.push_back({site, arg});
        if (callee.region != RegionRole::Start || inst.args.empty() || !inst.args[0].place.is_local()) continue;
        const Inst* closure = closure_in(function, inst.args[0].place.local);
        FunctionId body = closure ? body_behind(closure->function) : FunctionId();
        if (body.valid()) returning_.push_back({site, body});
      }
}

void Crossings::summarise(std::vector<uint32_t> work) {
  std::vector<bool> waiting(program_.functions.size());
  for (uint32_t at : work) waiting[at] = true;
  std::ranges::reverse(work);
  while (!work.empty()) {
    uint32_t at = work.back();
    work.pop_back();
    waiting[at] = false;
    RegionSummary summary = RegionGraph(facts_, program_.functions[at]).summary();
    if (summary == facts_.summaries[at]) continue;
    facts_.summaries[at] = std::move(summary);
    for (uint32_t caller : callers_[at]) {
      if (waiting[caller]) continue;
      waiting[caller] = true;
      work.push_back(caller);
    }
  }
}

// Whether something that was taken as proven is not.
bool Crossings::look_again() {
  size_t refuted = isolation_.refuted();
  isolation_.forget();
  std::vector<uint32_t> changed;
  for (Leaving& one : leaving_) {
    if (!one.is_proven || is_proven(one, &one.reason)) continue;
    one.is_proven = false;
    facts_.checked.insert({one.site, one.arg});
    changed.push_back(one.site.function.index);
  }
  isolation_.forget();
  summarise(std::move(changed));
  return !changed.empty() || isolation_.refuted() != refuted;
}

// The variable that the value is, or was moved from for the call.
static std::string name_behind(const Function& function, const Operand& value) {
  if (!value.place.is_local()) return "";
  LocalId local = value.place.local;
  std::string name = function.local(local).name.str();
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts)
      if (name.empty() && inst.op == Op::Assign && inst.dst.is_local() && inst.dst.local == local && inst.args[0].place.is_local())
        name = function.local(inst.args[0].place.local).name.str();
  return name;
}

// The instruction that made the function value in a local that gets no other.
const Inst* Crossings::closure_in(const Function& function, LocalId local) const {
  constexpr int STEPS_MAX = 4;
  for (int step = 0; step < STEPS_MAX; ++step) {
    const Inst* def = nullptr;
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts) {
        if (!inst.dst.local.valid() || inst.dst.local != local) continue;
        if (def || !inst.dst.is_local()) return nullptr;
        def = &inst;
      }
    if (!def || local.index < function.param_count) return nullptr;
    if (def->op == Op::MakeClosure) return def;
    if (def->op != Op::Assign || def->args[0].kind != OperandKind::Move) return nullptr;
    local = def->args[0].place.local;
  }
  return nullptr;
}

// Of an async function the closure only gives the object around its frame. Nothing else that belongs to its isolate comes back.
FunctionId Crossings::body_behind(FunctionId closure) const {
  const Function& function = program_.functions[closure.index];
  auto found = program_.typed->nominals.find(function.result);
  if (found == program_.typed->nominals.end() || !(found->second.is_pinned || found->second.has_frame)) return closure;
  FunctionId body;
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts) {
      if (inst.op != Op::Call || inst.call != CallKind::Direct) continue;
      for (const Block& inner : program_.functions[inst.function.index].blocks)
        for (const Inst& made : inner.insts) {
          if (made.op != Op::MakeFuture) continue;
          if (body.valid()) return {};
          body = made.function;
        }
    }
  return body;
}

TypeId Crossings::obstacle_of(const Function& function, const Operand& value) const {
  const Inst* closure = program_.types->kind(value.type) == Kind::Func && value.place.is_local() ? closure_in(function, value.place.local) : nullptr;
  if (!closure) return facts_.types.obstacle(value.type);
  for (const Operand& capture : closure->args)
    if (TypeId found = facts_.types.obstacle(capture.type); found.valid()) return found;
  return {};
}

std::string Crossings::describe(TypeId obstacle) const {
  std::string type = "`" + program_.types->text(obstacle) + "`";
  switch (program_.types->kind(obstacle)) {
    case Kind::Func: return "what a function has captured is seen when it moves";
    case Kind::Weak: return "it may hold weak references";
    case Kind::Any: case Kind::Dyn: return "it may hold a value of type " + type + ", whose content is seen when it moves";
    default: return "a " + type + " is shared as it moves";
  }
}

// A function value that several isolates may call as it is: a literal that holds nothing which can change, or only such function values.
bool Crossings::captures_only_fixed(const Function& function, const Operand& value, int depth) const {
  constexpr int DEPTH_MAX = 4;
  if (is_fixed(value.type)) return true;
  if (depth > DEPTH_MAX || program_.types->kind(value.type) != Kind::Func || value.kind == OperandKind::Const || !value.place.is_local()) return false;
  const Inst* closure = closure_in(function, value.place.local);
  return closure && std::ranges::all_of(closure->args, [&](const Operand& capture) { return captures_only_fixed(function, capture, depth + 1); });
}

TypeId Crossings::job_of(const Function& callee) const {
  if (callee.region != RegionRole::Leave) return {};
  for (uint32_t i = 0; i < callee.param_count; ++i)
    if (callee.leaving >> i & 1 && program_.types->kind(callee.locals[i].type) == Kind::Func) return callee.locals[i].type;
  return {};
}

bool Crossings::is_proven(const Leaving& one, Reason* why) {
  const Function& function = program_.functions[one.site.function.index];
  const Inst& inst = inst_at(one.site);
  const Operand& value = inst.args[one.arg];
  if (value.kind == OperandKind::Const) return true;
  TypeId obstacle = obstacle_of(function, value);
  bool may_change = facts_.types.can_alias(value.type);
  if (!may_change && !obstacle.valid()) return true;
  const Function& callee = program_.functions[inst.function.index];
  bool is_function = program_.types->kind(value.type) == Kind::Func;
  if (is_function && callee.region == RegionRole::Leave && captures_only_fixed(function, value)) return true;
  if (!is_function && job_of(callee).valid() && !checks_whole(program_, callee, one.arg)) {   // its elements are handed over one by one
    auto parts = program_.types->get(value.type).args;
    if (std::ranges::all_of(parts, [&](TypeId part) { return is_fixed(part); })) return true;
    *why = {"its elements may have parts in common, so `" + callee.name + "` looks at each", {}};
    return false;
  }
  if (!checks_whole(program_, callee, one.arg)) *why = {"`" + callee.name + (is_function ? "` shares what it has captured" : "` looks at every part of it in any case"), {}};
  else if (obstacle.valid()) *why = {describe(obstacle), {}};
  else return isolation_.is_isolated(one.site, one.arg, why);
  return false;
}

void Crossings::judge_results() {
  for (Returning& one : returning_) {
    const Function& body = program_.functions[one.body.index];
    TypeId obstacle = facts_.types.obstacle(body.result);
    if (obstacle.valid()) one.reason = {describe(obstacle), {}};
    else one.is_proven = !facts_.types.can_alias(body.result) || isolation_.gives_isolated(body, &one.reason);
  }
}

// What jobs give is looked at when they are done, whatever is known of them: the pool is told nothing about the function.
void Crossings::report_job_result(const Inst& inst, const Function& callee, std::vector<Crossing>& out) const {
  TypeId job = job_of(callee);
  if (!job.valid() || is_fixed(program_.types->func_result(job))) return;
  TypeId result = program_.types->func_result(job), obstacle = facts_.types.obstacle(result);
  out.push_back({inst.span, "result of `" + callee.name + "`", "", result, false, obstacle.valid() ? describe(obstacle) : "what a job gives is looked at in any case", {}, false});
}

std::vector<Crossing> Crossings::report() const {
  std::vector<Crossing> out;
  for (const Function& function : program_.functions)
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts)
        if (calls_known_function(inst)) report_job_result(inst, program_.functions[inst.function.index], out);
  for (const Leaving& one : leaving_) {
    const Function& function = program_.functions[one.site.function.index];
    const Inst& inst = inst_at(one.site);
    const Function& callee = program_.functions[inst.function.index];
    const Operand& value = inst.args[one.arg];
    if (value.kind == OperandKind::Const || (callee.region == RegionRole::Send && !facts_.types.can_alias(value.type) && one.is_proven)) continue;
    bool is_function = program_.types->kind(value.type) == Kind::Func && value.place.is_local();
    if (const Inst* closure = is_function ? closure_in(function, value.place.local) : nullptr; closure && closure->args.empty()) continue;
    Crossing crossing;
    crossing.span = inst.span;
    crossing.what = callee.region == RegionRole::HandOver ? "spawn argument" : callee.region == RegionRole::Send ? "sent value" : "argument of `" + callee.name + "`";
    crossing.name = name_behind(function, value);
    crossing.type = value.type;
    crossing.is_proven = one.is_proven;
    crossing.reason = one.reason.text;
    crossing.cause = one.reason.cause;
    crossing.is_argument = callee.region == RegionRole::HandOver;
    out.push_back(std::move(crossing));
  }
  for (const Returning& one : returning_) {
    const Function& body = program_.functions[one.body.index];
    if (one.is_proven && !facts_.types.can_alias(body.result)) continue;
    out.push_back({inst_at(one.site).span, "spawn result", "", body.result, one.is_proven, one.reason.text, one.reason.cause, false});
  }
  return out;
}

}  // namespace meteor::mir
