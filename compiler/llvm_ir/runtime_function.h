// The runtime functions as LLVM declarations, made from their C prototypes in runtime/abi/runtime_functions.def.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
class Module;
}

namespace meteor::llvm_ir {

enum class RuntimeFunction : uint8_t {
#define RUNTIME_FUNCTION(result, name, params) name,
#include "runtime/abi/runtime_functions.def"
#undef RUNTIME_FUNCTION
};

// A met_str parameter is two words, a met_str result a pair of words.
llvm::Function* declare_runtime_function(RuntimeFunction function, llvm::Module& module);

}  // namespace meteor::llvm_ir
