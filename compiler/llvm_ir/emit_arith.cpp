// Arithmetic as §2 and §4 of the reference say: integers raise when a result does not fit, `//` and `%` round down.
#include "compiler/base/check.h"
#include "compiler/llvm_ir/function_emitter.h"
#include "compiler/llvm_ir/overflow_codes.h"

namespace meteor::llvm_ir {

using namespace overflow;
using typed::BinaryOp;
using typed::UnaryOp;

namespace {

// What `_hook_overflow` is told besides the operands: the operator, the width, and whether it is signed.
uint64_t describe(uint64_t op, llvm::Type* type, bool is_signed) {
  return op << CODE_SHIFT | uint64_t(is_signed) << 8 | type->getScalarSizeInBits();
}

uint64_t operator_code(const mir::Inst& inst) {
  if (inst.op == mir::Op::Unary) return NEG;
  switch (inst.binary) {
    case BinaryOp::Add: return ADD;
    case BinaryOp::Sub: return SUB;
    case BinaryOp::Mul: return MUL;
    case BinaryOp::FloorDiv: return FLOOR_DIV;
    case BinaryOp::Shl: return SHL;
    default: return POW;
  }
}

}  // namespace

void FunctionEmitter::check_overflow(const Inst& inst, llvm::Value* failed, llvm::Value* a, llvm::Value* b) {
  bool is_signed = m_.layout().rep(inst.args[0].type).shape == Shape::Int && m_.layout().is_integer_signed(inst.args[0].type);
  auto wide = [&](llvm::Value* value) { return b_.CreateIntCast(value, b_.getInt64Ty(), is_signed); };
  check(inst, failed, m_.typed().hooks.overflow, {wide(a), wide(b), b_.getInt64(describe(operator_code(inst), a->getType(), is_signed))});
}

llvm::Value* FunctionEmitter::overflowing(const Inst& inst, llvm::Intrinsic::ID id, llvm::Value* a, llvm::Value* b) {
  llvm::Value* both = b_.CreateBinaryIntrinsic(id, a, b);
  check_overflow(inst, b_.CreateExtractValue(both, 1), a, b);
  return b_.CreateExtractValue(both, 0);
}

void FunctionEmitter::emit_unary(const Inst& inst) {
  TypeId type = inst.args[0].type;
  const Rep& rep = m_.layout().rep(type);
  llvm::Value* a = value(inst.args[0]);
  if (inst.unary == UnaryOp::Invert) return set(inst, b_.CreateNot(a));
  if (rep.shape == Shape::Float) return set(inst, b_.CreateFNeg(a));
  llvm::Value* zero = llvm::ConstantInt::get(rep.value, 0);
  if (!inst.can_raise() || !inst.checked) return set(inst, b_.CreateNeg(a));
  auto id = m_.layout().is_integer_signed(type) ? llvm::Intrinsic::ssub_with_overflow : llvm::Intrinsic::usub_with_overflow;
  set(inst, overflowing(inst, id, zero, a));
}

void FunctionEmitter::emit_binary(const Inst& inst) {
  TypeId type = inst.args[0].type;
  const Rep& rep = m_.layout().rep(type);
  llvm::Value* a = value(inst.args[0]);
  llvm::Value* b = value(inst.args[1]);
  if (rep.shape == Shape::Float) set(inst, emit_float_binary(inst, a, b));
  else set(inst, emit_int_binary(inst, a, b, rep.shape == Shape::Int && m_.layout().is_integer_signed(type)));
}

llvm::Value* FunctionEmitter::emit_float_binary(const Inst& inst, llvm::Value* a, llvm::Value* b) {
  llvm::Type* type = a->getType();
  auto check_zero = [&] {
    if (inst.can_raise() && inst.checked) check(inst, b_.CreateFCmpOEQ(b, llvm::ConstantFP::get(type, 0)), m_.typed().hooks.zero_division);
  };
  auto through_double = [&](RuntimeFunction function) {
    llvm::Value* wide = m_.call_runtime(b_, function, {b_.CreateFPExt(a, b_.getDoubleTy()), b_.CreateFPExt(b, b_.getDoubleTy())});
    return b_.CreateFPTrunc(wide, type);
  };
  switch (inst.binary) {
    case BinaryOp::Add: return b_.CreateFAdd(a, b);
    case BinaryOp::Sub: return b_.CreateFSub(a, b);
    case BinaryOp::Mul: return b_.CreateFMul(a, b);
    case BinaryOp::Div: check_zero(); return b_.CreateFDiv(a, b);
    case BinaryOp::FloorDiv: check_zero(); return through_double(RuntimeFunction::met_float_floor_div);
    case BinaryOp::Mod: check_zero(); return through_double(RuntimeFunction::met_float_mod);
    case BinaryOp::Pow: {
      bool checked = inst.can_raise() && inst.checked;
      llvm::Value* zero = llvm::ConstantFP::get(type, 0);
      if (checked) check(inst, b_.CreateAnd(b_.CreateFCmpOEQ(a, zero), b_.CreateFCmpOLT(b, zero)), m_.typed().hooks.zero_division);
      llvm::Value* power = through_double(RuntimeFunction::met_float_pow);
      if (checked) {   // infinite out of finite numbers
        llvm::Value* infinity = llvm::ConstantFP::getInfinity(type);
        auto size = [&](llvm::Value* x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); };
        llvm::Value* finite = b_.CreateAnd(b_.CreateFCmpOLT(size(a), infinity), b_.CreateFCmpOLT(size(b), infinity));
        check(inst, b_.CreateAnd(finite, b_.CreateFCmpOEQ(size(power), infinity)), m_.typed().hooks.overflow,
              {b_.getInt64(0), b_.getInt64(0), b_.getInt64(FLOAT_POW << CODE_SHIFT)});
      }
      return power;
    }
    default: CHECK(!"not an operation on floats"); return nullptr;
  }
}

llvm::Value* FunctionEmitter::emit_int_binary(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed) {
  using namespace llvm::Intrinsic;
  bool checked = inst.checked && inst.can_raise();
  switch (inst.binary) {
    case BinaryOp::Add:
      return checked ? overflowing(inst, is_signed ? sadd_with_overflow : uadd_with_overflow, a, b) : b_.CreateAdd(a, b, "", !is_signed, is_signed);
    case BinaryOp::Sub:
      return checked ? overflowing(inst, is_signed ? ssub_with_overflow : usub_with_overflow, a, b) : b_.CreateSub(a, b, "", !is_signed, is_signed);
    case BinaryOp::Mul:
      return checked ? overflowing(inst, is_signed ? smul_with_overflow : umul_with_overflow, a, b) : b_.CreateMul(a, b, "", !is_signed, is_signed);
    case BinaryOp::WrapAdd: return b_.CreateAdd(a, b);
    case BinaryOp::WrapSub: return b_.CreateSub(a, b);
    case BinaryOp::WrapMul: return b_.CreateMul(a, b);
    case BinaryOp::BitAnd: return b_.CreateAnd(a, b);
    case BinaryOp::BitOr: return b_.CreateOr(a, b);
    case BinaryOp::BitXor: return b_.CreateXor(a, b);
    case BinaryOp::FloorDiv: return emit_floor_div(inst, a, b, is_signed);
    case BinaryOp::Mod: return emit_mod(inst, a, b, is_signed);
    case BinaryOp::Shl:
    case BinaryOp::Shr: return emit_shift(inst, a, b, is_signed);
    case BinaryOp::Pow: return emit_int_pow(inst, a, b, is_signed);
    case BinaryOp::Div: break;
  }
  CHECK(!"`/` on ints is lowered to floats");
  return nullptr;
}

llvm::Value* FunctionEmitter::emit_floor_div(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed) {
  llvm::Type* type = a->getType();
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  check(inst, b_.CreateICmpEQ(b, zero), m_.typed().hooks.zero_division);
  if (!is_signed) return b_.CreateUDiv(a, b);
  llvm::Value* least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getIntegerBitWidth()));
  llvm::Value* minus_one = llvm::ConstantInt::getSigned(type, -1);
  check_overflow(inst, b_.CreateAnd(b_.CreateICmpEQ(a, least), b_.CreateICmpEQ(b, minus_one)), a, b);
  llvm::Value* quotient = b_.CreateSDiv(a, b);
  llvm::Value* rest = b_.CreateSub(a, b_.CreateMul(quotient, b));
  llvm::Value* down = b_.CreateAnd(b_.CreateICmpNE(rest, zero), b_.CreateICmpSLT(b_.CreateXor(rest, b), zero));
  return b_.CreateSub(quotient, b_.CreateZExt(down, type));
}

llvm::Value* FunctionEmitter::emit_mod(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed) {
  llvm::Type* type = a->getType();
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  check(inst, b_.CreateICmpEQ(b, zero), m_.typed().hooks.zero_division);
  if (!is_signed) return b_.CreateURem(a, b);
  // The least number modulo -1 traps on the machine, though the answer is 0 as for every other.
  llvm::Value* minus_one = llvm::ConstantInt::getSigned(type, -1);
  llvm::Value* divisor = b_.CreateSelect(b_.CreateICmpEQ(b, minus_one), llvm::ConstantInt::get(type, 1), b);
  llvm::Value* rest = b_.CreateSRem(a, divisor);
  llvm::Value* fix = b_.CreateAnd(b_.CreateICmpNE(rest, zero), b_.CreateICmpSLT(b_.CreateXor(rest, b), zero));
  return b_.CreateSelect(fix, b_.CreateAdd(rest, b), rest);
}

llvm::Value* FunctionEmitter::emit_shift(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed) {
  llvm::Type* type = a->getType();
  llvm::Type* amount_type = b->getType();   // any width: 64 fits the narrowest
  unsigned width = type->getIntegerBitWidth();
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  llvm::Value* none = llvm::ConstantInt::get(amount_type, 0);
  bool amount_signed = m_.layout().is_integer_signed(inst.args[1].type);
  llvm::Value* wide_amount = b_.CreateIntCast(b, b_.getInt64Ty(), amount_signed);
  if (amount_signed && inst.can_raise() && inst.checked) check(inst, b_.CreateICmpSLT(b, none), m_.typed().hooks.shift, {wide_amount});
  llvm::Value* too_far = b_.CreateICmpUGE(b, llvm::ConstantInt::get(amount_type, width));
  auto amount_or = [&](unsigned instead) {
    llvm::Value* amount = b_.CreateSelect(too_far, llvm::ConstantInt::get(amount_type, instead), b);
    return b_.CreateIntCast(amount, type, false);
  };
  if (inst.binary == BinaryOp::Shr) {
    if (is_signed) return b_.CreateAShr(a, amount_or(width - 1));
    return b_.CreateSelect(too_far, zero, b_.CreateLShr(a, amount_or(0)));
  }
  if (!is_signed) return b_.CreateSelect(too_far, zero, b_.CreateShl(a, amount_or(0)));
  llvm::Value* amount = amount_or(width - 1);
  llvm::Value* shifted = b_.CreateShl(a, amount);
  llvm::Value* lost = b_.CreateOr(b_.CreateICmpNE(b_.CreateAShr(shifted, amount), a), b_.CreateAnd(too_far, b_.CreateICmpNE(a, zero)));
  check_overflow(inst, lost, a, wide_amount);
  return b_.CreateSelect(too_far, zero, shifted);
}

llvm::Value* FunctionEmitter::emit_int_pow(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed) {
  if (is_signed && inst.can_raise() && inst.checked)
    check(inst, b_.CreateICmpSLT(b, llvm::ConstantInt::get(b->getType(), 0)), m_.typed().hooks.negative_power);
  auto id = is_signed ? llvm::Intrinsic::smul_with_overflow : llvm::Intrinsic::umul_with_overflow;
  if (auto* exponent = llvm::dyn_cast<llvm::ConstantInt>(b); exponent && (exponent->equalsInt(2) || exponent->equalsInt(3))) {
    auto times = [&](llvm::Value* left) {
      llvm::Value* both = b_.CreateBinaryIntrinsic(id, left, a);
      check_overflow(inst, b_.CreateExtractValue(both, 1), a, b);
      return b_.CreateExtractValue(both, 0);
    };
    llvm::Value* square = times(a);
    return exponent->equalsInt(2) ? square : times(square);
  }
  llvm::Value* both = b_.CreateCall(m_.int_power(a->getType(), is_signed), {a, b});
  check_overflow(inst, b_.CreateExtractValue(both, 1), a, b);
  return b_.CreateExtractValue(both, 0);
}

// { result, overflowed } by repeated squaring; the exponent is not negative.
llvm::Function* ModuleEmitter::int_power(llvm::Type* type, bool is_signed) {
  auto key = std::pair(type, is_signed);
  auto found = int_powers_.find(key);
  if (found != int_powers_.end()) return found->second;
  auto* pair = llvm::StructType::get(type, llvm::Type::getInt1Ty(context_));
  llvm::Function* function = make_function(llvm::FunctionType::get(pair, {type, type}, false), "int power");
  int_powers_[key] = function;
  auto id = is_signed ? llvm::Intrinsic::smul_with_overflow : llvm::Intrinsic::umul_with_overflow;
  auto* entry = llvm::BasicBlock::Create(context_, "entry", function);
  auto* loop = llvm::BasicBlock::Create(context_, "loop", function);
  auto* more = llvm::BasicBlock::Create(context_, "more", function);
  auto* done = llvm::BasicBlock::Create(context_, "done", function);
  Builder b(entry);
  llvm::Value* zero = llvm::ConstantInt::get(type, 0);
  llvm::Value* one = llvm::ConstantInt::get(type, 1);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  auto* base = b.CreatePHI(type, 2);
  auto* exponent = b.CreatePHI(type, 2);
  auto* result = b.CreatePHI(type, 2);
  auto* overflow = b.CreatePHI(b.getInt1Ty(), 2);
  llvm::Value* odd = b.CreateICmpNE(b.CreateAnd(exponent, one), zero);
  llvm::Value* product = b.CreateBinaryIntrinsic(id, result, base);
  llvm::Value* next_result = b.CreateSelect(odd, b.CreateExtractValue(product, 0), result);
  llvm::Value* next_overflow = b.CreateOr(overflow, b.CreateAnd(odd, b.CreateExtractValue(product, 1)));
  llvm::Value* half = b.CreateLShr(exponent, one);
  b.CreateCondBr(b.CreateICmpEQ(half, zero), done, more);
  b.SetInsertPoint(more);   // the square will be used: the top bit of the exponent is still to come
  llvm::Value* square = b.CreateBinaryIntrinsic(id, base, base);
  llvm::Value* square_overflow = b.CreateOr(next_overflow, b.CreateExtractValue(square, 1));
  llvm::Value* next_base = b.CreateExtractValue(square, 0);
  b.CreateBr(loop);
  auto join = [&](llvm::PHINode* phi, llvm::Value* first, llvm::Value* again) {
    phi->addIncoming(first, entry);
    phi->addIncoming(again, more);
  };
  join(base, function->getArg(0), next_base);
  join(exponent, function->getArg(1), half);
  join(result, one, next_result);
  join(overflow, b.getFalse(), square_overflow);
  b.SetInsertPoint(done);
  llvm::Value* both = b.CreateInsertValue(llvm::PoisonValue::get(pair), next_result, 0);
  b.CreateRet(b.CreateInsertValue(both, next_overflow, 1));
  return function;
}

}  // namespace meteor::llvm_ir
