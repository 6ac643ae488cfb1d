// Calls of C functions by the System V convention for x86-64. Two-word values (text, func, dyn) take two integer registers,
// or the stack when fewer than two are left.
#pragma once

#include <vector>

#include "compiler/llvm_ir/module_emitter.h"

namespace meteor::llvm_ir {

llvm::Function* declare_extern(ModuleEmitter& m, const mir::Function& function);
// `args` as the function's parameters say, Ref ones as addresses. The result in registers, or null when there is none.
llvm::Value* call_extern(ModuleEmitter& m, Builder& b, const mir::Function& function, llvm::ArrayRef<llvm::Value*> args);

}  // namespace meteor::llvm_ir
