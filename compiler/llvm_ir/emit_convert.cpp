// Conversions between numbers, and views of the same bits as another type.
#include <cmath>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/function_emitter.h"

namespace meteor::llvm_ir {

void FunctionEmitter::emit_convert(const Inst& inst) {
  TypeId from_type = inst.args[0].type;
  TypeId to_type = inst.type.valid() ? inst.type : dst_type(inst);
  const Rep& from = m_.layout().rep(from_type);
  const Rep& to = m_.layout().rep(to_type);
  llvm::Value* a = value(inst.args[0]);
  if (from.shape == Shape::Float && to.shape == Shape::Float) return set(inst, b_.CreateFPCast(a, to.value));
  if (from.shape == Shape::Float) return set(inst, float_to_int(inst, a, to, m_.layout().is_integer_signed(to_type)));
  bool from_signed = from.shape == Shape::Int && m_.layout().is_integer_signed(from_type);
  if (to.shape == Shape::Float) return set(inst, from_signed ? b_.CreateSIToFP(a, to.value) : b_.CreateUIToFP(a, to.value));
  set(inst, int_to_int(inst, a, from_type, to_type));
}

llvm::Value* FunctionEmitter::float_to_int(const Inst& inst, llvm::Value* from, const Rep& to, bool is_signed) {
  unsigned width = to.value->getIntegerBitWidth();
  if (inst.checked && inst.can_raise()) {
    // Fits exactly when -2^(w-1) - 1 < x < 2^(w-1) (unsigned: -1 < x < 2^w); a nan fails both comparisons.
    // The lower bound itself is exact where x + 1 is not, so it is compared inclusively for wide types.
    llvm::Value* wide = b_.CreateFPExt(from, b_.getDoubleTy());
    double upper = std::ldexp(1.0, static_cast<int>(is_signed ? width - 1 : width));
    double lower = is_signed ? -upper : -1.0;
    llvm::Value* below = llvm::ConstantFP::get(b_.getDoubleTy(), upper);
    bool inclusive = is_signed && width == 64;
    if (is_signed && !inclusive) lower -= 1.0;
    llvm::Value* above = llvm::ConstantFP::get(b_.getDoubleTy(), lower);
    llvm::Value* fits = b_.CreateAnd(inclusive ? b_.CreateFCmpOGE(wide, above) : b_.CreateFCmpOGT(wide, above), b_.CreateFCmpOLT(wide, below));
    uint64_t what = uint64_t(2) << 16 | uint64_t(is_signed) << 8 | width;
    check(inst, b_.CreateNot(fits), m_.typed().hooks.conversion, {b_.getInt64(0), wide, b_.getInt64(what)});
  }
  auto id = is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  if (inst.checked && inst.can_raise()) return is_signed ? b_.CreateFPToSI(from, to.value) : b_.CreateFPToUI(from, to.value);
  return b_.CreateIntrinsic(id, {to.value, from->getType()}, {from});
}

llvm::Value* FunctionEmitter::int_to_int(const Inst& inst, llvm::Value* from, TypeId from_type, TypeId to_type) {
  const Rep& from_rep = m_.layout().rep(from_type);
  bool from_signed = from_rep.shape == Shape::Int && m_.layout().is_integer_signed(from_type);
  const Rep& to_rep = m_.layout().rep(to_type);
  llvm::Value* narrow = b_.CreateIntCast(from, to_rep.value, from_signed);
  if (inst.checked && inst.can_raise() && to_rep.shape == Shape::Int) {
    bool to_signed = m_.layout().is_integer_signed(to_type);
    llvm::Value* back = b_.CreateIntCast(narrow, from->getType(), to_signed);
    llvm::Value* lost = b_.CreateICmpNE(back, from);
    // The bits may come back although the sign has changed its meaning: -1 and the greatest uint64.
    if (from_signed != to_signed) {
      llvm::Value* zero = llvm::ConstantInt::get(to_rep.value, 0);
      llvm::Value* from_zero = llvm::ConstantInt::get(from->getType(), 0);
      llvm::Value* flipped = from_signed ? b_.CreateICmpSLT(from, from_zero) : b_.CreateICmpSLT(narrow, zero);
      lost = b_.CreateOr(lost, flipped);
    }
    uint64_t what = uint64_t(!from_signed) << 16 | uint64_t(to_signed) << 8 | to_rep.value->getIntegerBitWidth();
    check(inst, lost, m_.typed().hooks.conversion, {b_.CreateIntCast(from, b_.getInt64Ty(), from_signed), llvm::ConstantFP::get(b_.getDoubleTy(), 0), b_.getInt64(what)});
  }
  return narrow;
}

void FunctionEmitter::emit_reinterpret(const Inst& inst) {
  llvm::Value* from = value(inst.args[0]);
  TypeId to_type = dst_type(inst);
  llvm::Type* to = m_.layout().rep(to_type).value;
  const Rep& from_rep = m_.layout().rep(inst.args[0].type);
  if (from->getType() == to) return set(inst, from);
  if (from->getType()->isIntegerTy() && to->isIntegerTy()) {
    bool is_signed = from_rep.shape == Shape::Int && m_.layout().is_integer_signed(inst.args[0].type);
    return set(inst, b_.CreateIntCast(from, to, is_signed));
  }
  const Rep& to_rep = m_.layout().rep(to_type);
  if (from_rep.shape == Shape::TaggedOptional && to_rep.shape != Shape::TaggedOptional) return set(inst, m_.from_memory(b_, b_.CreateExtractValue(from, 1), to_type));
  llvm::Type* room_type = from_rep.size >= to_rep.size ? from_rep.memory : to_rep.memory;
  llvm::Value* room = m_.temporary(b_, room_type);
  m_.store(b_, from, room, inst.args[0].type);
  set(inst, m_.load(b_, room, to_type));
}

}  // namespace meteor::llvm_ir
