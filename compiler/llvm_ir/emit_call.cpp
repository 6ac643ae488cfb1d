#include "compiler/base/check.h"
#include "compiler/llvm_ir/c_abi.h"
#include "compiler/llvm_ir/function_emitter.h"

namespace meteor::llvm_ir {

using mir::CallKind;
using mir::OperandKind;

void FunctionEmitter::emit_call(const Inst& inst) {
  switch (inst.call) {
    case CallKind::Virtual: return emit_virtual_call(inst);
    case CallKind::Dyn: return emit_dyn_call(inst);
    case CallKind::Value: return emit_value_call(inst);
    case CallKind::Intrinsic: return emit_intrinsic(inst);
    case CallKind::Direct: break;
  }
  const mir::Function& target = m_.mir_function(inst.function);
  std::vector<llvm::Value*> args;
  for (const Operand& arg : inst.args) args.push_back(value(arg));
  if (target.is_extern) {
    llvm::Value* result = call_extern(m_, b_, target, args);
    if (result) set(inst, result);
    return;
  }
  CallShape shape = m_.shape_of(target);
  count_arguments(inst, args, true);
  finish_call(inst, args, shape, b_.CreateCall(shape.type, m_.function(inst.function), args));
}

// Naive counting: what is borrowed for a call is counted for its time.
void FunctionEmitter::count_arguments(const Inst& inst, const std::vector<llvm::Value*>& args, bool retain) {
  if (!m_.options().naive_counting) return;
  for (size_t i = 0; i < inst.args.size(); ++i) {
    if (inst.args[i].kind != OperandKind::Borrow || inst.call == CallKind::Value) continue;
    TypeId type = type_of(inst.args[i].place);
    if (inst.call == CallKind::Dyn && i == 0) continue;
    if (retain) m_.retain(b_, args[i], type);
    else m_.release(b_, args[i], type);
  }
}

// The destination changes only when nothing was raised.
void FunctionEmitter::finish_call(const Inst& inst, const std::vector<llvm::Value*>& args, const CallShape& shape, llvm::Value* result) {
  count_arguments(inst, args, false);
  if (shape.raises) {
    llvm::Value* error = shape.has_result ? b_.CreateExtractValue(result, 1) : result;
    if (!inst.can_raise() && checks_facts()) believe(mir::fact_of(inst.op), {.value = error});
    check_error(inst, error);
    if (shape.has_result) set(inst, b_.CreateExtractValue(result, 0));
  } else if (shape.has_result) {
    set(inst, result);
  }
}

void FunctionEmitter::emit_virtual_call(const Inst& inst) {
  const mir::Function& target = m_.mir_function(inst.function);
  std::vector<llvm::Value*> args;
  for (const Operand& arg : inst.args) args.push_back(value(arg));
  std::vector<llvm::Type*> params;
  for (llvm::Value* arg : args) params.push_back(arg->getType());
  CallShape shape = m_.make_shape(params, target.result, true);
  count_arguments(inst, args, true);
  finish_call(inst, args, shape, b_.CreateCall(shape.type, m_.virtual_function(b_, args[0], inst.index), args));
}

void FunctionEmitter::emit_dyn_call(const Inst& inst) {
  std::vector<llvm::Value*> args;
  for (const Operand& arg : inst.args) args.push_back(value(arg));
  if (inst.args[0].kind == OperandKind::Ref) args[0] = b_.CreateLoad(m_.layout().pair_type(), args[0]);
  llvm::Value* receiver = args[0];
  args[0] = b_.CreateExtractValue(receiver, 0);
  llvm::Value* at = b_.CreateConstInBoundsGEP1_64(m_.layout().pointer_type(), b_.CreateExtractValue(receiver, 1), inst.index);
  llvm::Value* code = b_.CreateLoad(m_.layout().pointer_type(), at);
  std::vector<llvm::Type*> params;
  for (llvm::Value* arg : args) params.push_back(arg->getType());
  bool has_dst = inst.dst.local.valid() || inst.dst.global.valid();
  TypeId result = inst.function.valid() ? m_.mir_function(inst.function).result : has_dst ? dst_type(inst) : inst.type.valid() ? inst.type : m_.types().void_;
  CallShape shape = m_.make_shape(params, result, true);
  count_arguments(inst, args, true);
  finish_call(inst, args, shape, b_.CreateCall(shape.type, code, args));
}

void FunctionEmitter::emit_value_call(const Inst& inst) {
  llvm::Value* callee = value(inst.args[0]);
  std::vector<llvm::Value*> args = {b_.CreateExtractValue(callee, 1)};
  for (size_t i = 1; i < inst.args.size(); ++i) args.push_back(value(inst.args[i]));
  std::vector<llvm::Type*> params;
  for (llvm::Value* arg : args) params.push_back(arg->getType());
  TypeId func = m_.layout().strip(inst.args[0].type);
  bool makes_future = m_.types().get(func).is_async;
  CallShape shape = m_.make_shape(params, makes_future ? dst_type(inst) : m_.types().func_result(func), true);
  finish_call(inst, args, shape, b_.CreateCall(shape.type, b_.CreateExtractValue(callee, 0), args));
}

}  // namespace meteor::llvm_ir
