#include "compiler/mir/passes/prove_crossings.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/mir/passes/simplify_cfg.h"
#include "compiler/mir/regions/crossings.h"

namespace meteor::mir {

using typed::RegionRole;

namespace {

// What `_spawn` of std/core/isolate.met is told about its result.
constexpr uint64_t RESULT_IS_PROVEN = 1, RESULT_IS_ASSERTED = 2;
constexpr uint32_t PROOF_ARGUMENT = 2;

// Twins of the functions through which an argument leaves. To assert what was proven each crossing has its own, which knows where it stands.
class Twins {
 public:
  explicit Twins(Program& program) : program_(program) {}

  FunctionId find(FunctionId id, uint32_t param, Span crossing) {
    bool asserts = program_.proven == ProvenCrossings::Assert;
    Key key{id.index, param, asserts ? crossing.file.index : 0, asserts ? crossing.start : 0};
    auto [known, is_new] = twins_.try_emplace(key);
    if (is_new) known->second = make(id, param, crossing);
    return known->second;
  }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

  FunctionId make(FunctionId id, uint32_t param, Span crossing) {
    std::vector<LocalId> carriers = carriers_of(program_.functions[id.index], param);
    Function twin = copy_of(id, param);
    twin.region = RegionRole::None;   // its calls are rewritten here
    for (Block& block : twin.blocks) {
      for (Inst& inst : block.insts) {
        if (!calls_known_function(inst)) continue;
        for (uint32_t i = 0; i < inst.args.size(); ++i)
          if (is_any_of(inst.args[i], carriers)) rewrite(inst, i, crossing);
      }
      std::erase_if(block.insts, [](const Inst& inst) { return inst.op == Op::Call && !inst.function.valid() && inst.call == CallKind::Direct; });
    }
    FunctionId made = twin.id;
    program_.functions[made.index] = std::move(twin);
    return made;
  }

  // A copy with an id of its own, whose place in the program is still empty.
  Function copy_of(FunctionId id, uint32_t param) {
    Function twin = program_.functions[id.index];
    twin.id = FunctionId(static_cast<uint32_t>(program_.functions.size()));
    bool asserts = program_.proven == ProvenCrossings::Assert;
    twin.twin = asserts ? Function::Twin::Asserting : Function::Twin::Proven;
    twin.symbol += asserts ? " (asserting " + std::to_string(twin.id.index) + ")" : " (proven " + std::to_string(param) + ")";   // the library's names depend on nothing else
    program_.functions.emplace_back();
    return twin;
  }

  void rewrite(Inst& inst, uint32_t arg, Span crossing) {
    const Function& callee = program_.functions[inst.function.index];
    if (callee.region == RegionRole::Check) inst.function = program_.proven == ProvenCrossings::Assert ? asserting_check(callee.id, crossing) : FunctionId();
    else if (inst.args[arg].kind == OperandKind::Move && checks_whole(program_, callee, arg)) inst.function = find(callee.id, arg, crossing);
  }

  // `_check_move` that tells the runtime where the crossing is.
  FunctionId asserting_check(FunctionId id, Span crossing) {
    Key key{id.index, UINT32_MAX, crossing.file.index, crossing.start};
    auto [known, is_new] = twins_.try_emplace(key);
    if (!is_new) return known->second;
    Function twin = copy_of(id, 0);
    twin.region = RegionRole::None;
    for (Block& block : twin.blocks)
      for (size_t i = 0; i < block.insts.size(); ++i) {
        const Inst& begin = block.insts[i];
        if (begin.op != Op::Call || begin.call != CallKind::Direct || program_.functions[begin.function.index].symbol != "met_walk_begin") continue;
        const Function& callee = program_.functions[begin.function.index];
        Inst site;
        site.op = Op::Call;
        site.call = CallKind::Intrinsic;
        site.intrinsic = Intrinsic::CallSite;
        site.span = crossing;
        site.type = program_.types->int_;
        Local place;
        place.type = callee.locals[1].type;
        site.dst.local = LocalId(static_cast<uint32_t>(twin.locals.size()));
        twin.locals.push_back(place);
        Operand given;
        given.kind = OperandKind::Copy;
        given.type = place.type;
        given.place.local = site.dst.local;
        block.insts[i].args[1] = std::move(given);
        block.insts.insert(block.insts.begin() + static_cast<ptrdiff_t>(i), std::move(site));
        ++i;
      }
    known->second = twin.id;
    program_.functions[twin.id.index] = std::move(twin);
    return known->second;
  }

  static bool is_any_of(const Operand& operand, const std::vector<LocalId>& locals) {
    return operand.kind != OperandKind::Const && operand.place.is_local() && std::ranges::find(locals, operand.place.local) != locals.end();
  }

  Program& program_;
  std::map<Key, FunctionId> twins_;
};

}  // namespace

void prove_crossings(Program& program, const TypeFacts& facts) {
  if (!program.lists_crossings && !program.typed->starts_isolates()) return;
  Crossings crossings(program, facts);
  if (program.lists_crossings) program.crossings = crossings.report();
  Twins twins(program);
  auto inst_at = [&](Site site) -> Inst& { return program.functions[site.function.index].blocks[site.block].insts[site.inst]; };
  bool any = false;
  for (const Crossings::Leaving& one : crossings.leaving()) {
    // What the library's own functions hand on is rewritten in their twins.
    if (!one.is_proven || program.functions[one.site.function.index].region != RegionRole::None) continue;
    FunctionId callee = inst_at(one.site).function;
    if (!checks_whole(program, program.functions[callee.index], one.arg)) continue;
    FunctionId twin = twins.find(callee, one.arg, inst_at(one.site).span);
    inst_at(one.site).function = twin;
    any = true;
  }
  for (const Crossings::Returning& one : crossings.returning()) {
    Inst& start = inst_at(one.site);
    if (!one.is_proven || start.args.size() <= PROOF_ARGUMENT || start.args[PROOF_ARGUMENT].kind != OperandKind::Const) continue;
    start.args[PROOF_ARGUMENT].constant.bits = program.proven == ProvenCrossings::Assert ? RESULT_IS_ASSERTED : RESULT_IS_PROVEN;
  }
  if (any) simplify_cfg(program, facts);
}

}  // namespace meteor::mir
