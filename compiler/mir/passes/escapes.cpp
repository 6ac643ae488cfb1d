// Starts from "no parameter escapes" and adds what is seen to, until nothing changes; each round looks again only at the callers of functions that changed.
#include "compiler/mir/passes/escapes.h"

#include <algorithm>

namespace meteor::mir {

namespace {

template <typename F>
void for_each_call(const Function& function, F&& visit) {
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts)
      if (inst.op == Op::Call && inst.call == CallKind::Direct) visit(inst.function);
}

bool can_be_asked(const Function& function) { return !function.blocks.empty() && !function.is_extern && function.frame == FrameKind::None; }

}  // namespace

Escapes::Escapes(const Program& program) : params_(program.functions.size()) {
  std::vector<std::vector<uint32_t>> callers(program.functions.size());
  std::vector<uint32_t> work;
  for (const Function& function : program.functions) {
    bool asked = can_be_asked(function);
    params_[function.id.index].assign(function.param_count, !asked);
    if (!asked) continue;
    work.push_back(function.id.index);
    for_each_call(function, [&](FunctionId callee) {
      std::vector<uint32_t>& known = callers[callee.index];
      if (known.empty() || known.back() != function.id.index) known.push_back(function.id.index);
    });
  }
  while (!work.empty()) {
    const Function& function = program.functions[work.back()];
    work.pop_back();
    bool changed = false;
    for (uint32_t i = 0; i < function.param_count; ++i) {
      if (params_[function.id.index][i] || !param_escapes(function, LocalId(i))) continue;
      params_[function.id.index][i] = changed = true;
    }
    if (!changed) continue;
    for (uint32_t caller : callers[function.id.index])
      if (can_be_asked(program.functions[caller])) work.push_back(caller);
  }
}

bool Escapes::param_escapes(const Function& function, LocalId param) const {
  if (function.local(param).ownership != Ownership::Borrowed || function.local(param).by_reference) return true;
  std::vector<LocalId> seen{param};
  for (size_t i = 0; i < seen.size(); ++i) {
    LocalId local = seen[i];
    std::vector<LocalId> aliases;
    for (const Block& block : function.blocks) {
      for (const Inst& inst : block.insts)
        for (const Operand& arg : inst.args)
          if (arg.kind != OperandKind::Const && arg.place.local == local && escapes(inst, arg, aliases)) return true;
      if (leaves(block.terminator) && block.terminator.value.place.local == local) return true;
    }
    for (LocalId alias : aliases)
      if (std::ranges::find(seen, alias) == seen.end()) seen.push_back(alias);
  }
  return false;
}

bool Escapes::leaves(const Terminator& terminator) {
  const Operand& value = terminator.value;
  return terminator.kind == TerminatorKind::Return && value.kind != OperandKind::Const && value.place.local.valid() && !value.place.enters();
}

bool Escapes::escapes(const Inst& inst, const Operand& arg, std::vector<LocalId>& aliases) const {
  if (!arg.place.path.empty()) {
    // What its fields hold is another object; the address of a field must not outlive the call.
    bool enters = arg.place.path[0].kind == ProjectionKind::Field;
    return !enters || (arg.kind == OperandKind::Ref && (inst.lends || inst.op != Op::Call));
  }
  if (inst.op == Op::Drop) return false;
  if (arg.kind != OperandKind::Borrow) return true;
  switch (inst.op) {
    case Op::Same: case Op::IsNull: case Op::IsType: case Op::MarkDead: case Op::TypeNameOf: return false;
    case Op::Assign:
      if (!inst.dst.is_local()) return true;
      aliases.push_back(inst.dst.local);
      return false;
    case Op::Call: return inst.call != CallKind::Direct || params_[inst.function.index][static_cast<size_t>(&arg - inst.args.data())];
    default: return true;
  }
}

}  // namespace meteor::mir
