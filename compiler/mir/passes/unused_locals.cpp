#include "compiler/mir/passes/unused_locals.h"

namespace meteor::mir {

namespace {

template <typename F>
void for_each_local(Function& function, F&& visit) {
  auto in_operand = [&](Operand& operand) { if (operand.kind != OperandKind::Const) visit(operand.place.local); };
  for (Block& block : function.blocks) {
    for (Inst& inst : block.insts) {
      visit(inst.dst.local);
      visit(inst.error);
      for (Operand& arg : inst.args) in_operand(arg);
    }
    in_operand(block.terminator.value);
    visit(block.terminator.error);
  }
}

void remove_unused(Function& function) {
  std::vector<bool> used(function.locals.size());
  for (uint32_t i = 0; i < function.locals.size(); ++i)
    used[i] = i < function.param_count || function.locals[i].kind == LocalKind::Environment;
  for_each_local(function, [&](LocalId local) { if (local.valid()) used[local.index] = true; });
  std::vector<LocalId> renamed(function.locals.size());
  std::vector<Local> locals;
  for (uint32_t i = 0; i < function.locals.size(); ++i) {
    if (!used[i]) continue;
    renamed[i] = LocalId(static_cast<uint32_t>(locals.size()));
    locals.push_back(function.locals[i]);
  }
  if (locals.size() == function.locals.size()) return;
  for_each_local(function, [&](LocalId& local) { if (local.valid()) local = renamed[local.index]; });
  if (function.environment.valid()) function.environment = renamed[function.environment.index];
  function.locals = std::move(locals);
}

}  // namespace

void remove_unused_locals(Program& program, const TypeFacts&) {
  for (Function& function : program.functions)
    if (!function.blocks.empty()) remove_unused(function);
}

}  // namespace meteor::mir
