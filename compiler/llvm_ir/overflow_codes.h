// What `_hook_overflow` of std/core/hooks.met is told: which operation had a result that does not fit.
#ifndef METEOR_COMPILER_LLVM_IR_OVERFLOW_CODES_H
#define METEOR_COMPILER_LLVM_IR_OVERFLOW_CODES_H

#include <cstdint>

namespace meteor::llvm_ir::overflow {

enum : uint64_t { ADD, SUB, MUL, FLOOR_DIV, SHL, POW, NEG, FLOAT_POW, CONCAT };

constexpr int CODE_SHIFT = 16;  // below it: whether the operands are signed, and their width

}  // namespace meteor::llvm_ir::overflow

#endif
