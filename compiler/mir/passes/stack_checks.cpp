#include "compiler/mir/passes/stack_checks.h"

#include "compiler/mir/passes/recursion.h"

namespace meteor::mir {

namespace {

Operand operand(OperandKind kind, LocalId local, TypeId type) {
  Operand operand;
  operand.kind = kind;
  operand.type = type;
  operand.place.local = local;
  return operand;
}

// Leaves the function before it has begun: what was handed over to it ends here.
BlockId add_raise(Function& function, LocalId error, TypeId raisable, const TypeFacts& facts) {
  Block block;
  block.is_cold = true;
  auto add = [&](Op op, Operand arg) {
    Inst inst;
    inst.op = op;
    inst.span = function.span;
    inst.args.push_back(std::move(arg));
    block.insts.push_back(std::move(inst));
  };
  add(Op::Trace, operand(OperandKind::Borrow, error, raisable));
  for (uint32_t i = function.param_count; i-- > 0;) {
    const Local& param = function.locals[i];
    bool ends_here = param.ownership == Ownership::Owned && !param.by_reference && facts.needs_drop(param.type);
    if (ends_here) add(Op::Drop, operand(OperandKind::Move, LocalId(i), param.type));
  }
  block.terminator.kind = TerminatorKind::Raise;
  block.terminator.span = function.span;
  block.terminator.error = error;
  function.blocks.push_back(std::move(block));
  return BlockId(static_cast<uint32_t>(function.blocks.size() - 1));
}

void insert_check(Function& function, TypeId raisable, const TypeFacts& facts) {
  Local error;
  error.type = raisable;
  error.span = function.span;
  function.locals.push_back(error);
  LocalId local(static_cast<uint32_t>(function.locals.size() - 1));

  Inst check;
  check.op = Op::RequireStack;
  check.span = function.span;
  check.error = local;
  check.on_error = add_raise(function, local, raisable, facts);
  std::vector<Inst>& first = function.blocks[0].insts;
  first.insert(first.begin(), std::move(check));
}

}  // namespace

void insert_stack_checks(Program& program, const TypeFacts& facts) {
  std::vector<bool> is_recursive = find_recursive(program);
  for (Function& function : program.functions) {
    bool runs = !function.blocks.empty() && function.id != program.start;
    if (runs && is_recursive[function.id.index]) insert_check(function, program.typed->raisable, facts);
  }
}

}  // namespace meteor::mir
