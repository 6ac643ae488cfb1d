// The small steps of lowering: blocks, instructions, operands, temporaries.
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

BlockId FunctionLowering::new_block(bool cold) {
  out_.blocks.emplace_back();
  out_.blocks.back().is_cold = cold;
  return BlockId(static_cast<uint32_t>(out_.blocks.size() - 1));
}

void FunctionLowering::terminate(Terminator terminator) {
  if (!reachable()) return;
  if (!terminator.span.valid()) terminator.span = span_;
  out_.blocks[current_.index].terminator = std::move(terminator);
  current_ = {};
}

void FunctionLowering::jump(BlockId target) {
  Terminator end;
  end.kind = TerminatorKind::Goto;
  end.target = target;
  terminate(std::move(end));
}

void FunctionLowering::branch(Operand condition, BlockId then_block, BlockId else_block) {
  Terminator end;
  end.kind = TerminatorKind::Branch;
  end.value = std::move(condition);
  end.target = then_block;
  end.other = else_block;
  terminate(std::move(end));
}

void FunctionLowering::ret(Operand value) {
  Terminator end;
  end.kind = TerminatorKind::Return;
  end.value = std::move(value);
  terminate(std::move(end));
}

// Code after a jump is lowered into a block that nothing reaches; simplify_cfg removes it.
void FunctionLowering::emit(Inst inst) {
  for (const Operand& arg : inst.args)
    if (arg.kind == OperandKind::Move && inst.op != Op::Drop) unschedule(arg.place.local);
  if (!reachable()) start(new_block());
  if (!inst.span.valid()) inst.span = span_;
  out_.blocks[current_.index].insts.push_back(std::move(inst));
}

void FunctionLowering::emit_raising(Inst inst) {
  for (const Operand& arg : inst.args)
    if (arg.kind == OperandKind::Move) unschedule(arg.place.local);
  inst.error = error_local();
  inst.on_error = landing_block();
  emit(std::move(inst));
}

void FunctionLowering::emit_drop(LocalId local) {
  if (!reachable()) return;
  Operand value = take(local);
  if (value.kind == OperandKind::Move) emit(make(Op::Drop, {std::move(value)}));
}

void FunctionLowering::assign(Place place, Operand value, bool initializes, bool ends_with_pass) {
  Inst inst = make(Op::Assign, {std::move(value)});
  inst.ends_with_pass = ends_with_pass && place.is_local();
  inst.dst = std::move(place);
  inst.initializes = initializes;
  emit(std::move(inst));
}

Operand FunctionLowering::emit_value(Inst inst, TypeId type) {
  LocalId temp = new_temp(type);
  inst.dst = place_of(temp);
  emit(std::move(inst));
  schedule_drop(temp);
  return take(temp);
}

Operand FunctionLowering::emit_raising_value(Inst inst, TypeId type) {
  LocalId temp = new_temp(type);
  inst.dst = place_of(temp);
  emit_raising(std::move(inst));
  schedule_drop(temp);
  return take(temp);
}

LocalId FunctionLowering::new_local(TypeId type, LocalKind kind, Name name) {
  Local local;
  local.type = type;
  local.kind = kind;
  local.name = name;
  local.span = span_;
  out_.locals.push_back(local);
  return LocalId(static_cast<uint32_t>(out_.locals.size() - 1));
}

LocalId FunctionLowering::error_local() {
  if (!error_.valid()) error_ = new_temp(program_.raisable);
  return error_;
}

Inst FunctionLowering::make(Op op, std::vector<Operand> args) const {
  Inst inst;
  inst.op = op;
  inst.args = std::move(args);
  inst.span = span_;
  return inst;
}

Inst FunctionLowering::make_call(FunctionId function, std::vector<Operand> args) const {
  Inst inst = make(Op::Call, std::move(args));
  inst.call = CallKind::Direct;
  inst.function = function;
  return inst;
}

Operand FunctionLowering::copy_of(Place place, TypeId type) const {
  Operand operand;
  operand.kind = OperandKind::Copy;
  operand.type = type;
  operand.place = std::move(place);
  return operand;
}

Operand FunctionLowering::borrow_of(Place place, TypeId type) const {
  Operand operand = copy_of(std::move(place), type);
  if (counted(type)) operand.kind = OperandKind::Borrow;
  return operand;
}

Operand FunctionLowering::take(LocalId local) const {
  TypeId type = out_.local(local).type;
  Operand operand = copy_of(place_of(local), type);
  if (counted(type)) operand.kind = OperandKind::Move;
  return operand;
}

Operand FunctionLowering::constant(ConstKind kind, TypeId type) {
  Operand operand;
  operand.kind = OperandKind::Const;
  operand.type = type;
  operand.constant.kind = kind;
  return operand;
}

Operand FunctionLowering::int_const(uint64_t bits) const {
  Operand operand = constant(ConstKind::Int, program_.types.int_);
  operand.constant.bits = bits;
  return operand;
}

Operand FunctionLowering::bool_const(bool value) const {
  Operand operand = constant(ConstKind::Bool, program_.types.bool_);
  operand.constant.bits = value;
  return operand;
}

}  // namespace meteor::mir
