// How much of the stack is left (mir/passes/stack_checks).
#include "compiler/llvm_ir/function_emitter.h"
#include "compiler/llvm_ir/module_emitter.h"

namespace meteor::llvm_ir {

llvm::GlobalVariable* ModuleEmitter::stack_end() {
  if (stack_end_) return stack_end_;
  return stack_end_ = new llvm::GlobalVariable(*module_, llvm::Type::getInt64Ty(context_), false,
                                               llvm::GlobalValue::ExternalLinkage, nullptr, "met_stack_end", nullptr,
                                               llvm::GlobalValue::LocalExecTLSModel);
}

void FunctionEmitter::emit_require_stack(const Inst& inst) {
  llvm::LLVMContext& context = b_.getContext();
  bool is_arm = llvm::Triple(m_.module().getTargetTriple()).isAArch64();
  auto* name = llvm::MDNode::get(context, llvm::MDString::get(context, is_arm ? "sp" : "rsp"));
  llvm::Value* pointer = b_.CreateIntrinsic(llvm::Intrinsic::read_register, {b_.getInt64Ty()},
                                            {llvm::MetadataAsValue::get(context, name)});
  auto* end = b_.CreateLoad(b_.getInt64Ty(), b_.CreateThreadLocalAddress(m_.stack_end()));
  end->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
  check(inst, b_.CreateICmpULT(pointer, end), m_.typed().hooks.stack_overflow);
}

}  // namespace meteor::llvm_ir
