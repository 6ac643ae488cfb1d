// The operations of compiler/typed/intrinsics.def, expanded in place.
#include <functional>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/function_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

using typed::Intrinsic;

void FunctionEmitter::emit_intrinsic(const Inst& inst) {
  if (inst.intrinsic == Intrinsic::EnumTag) return emit_enum_tag(inst);
  if (inst.intrinsic == Intrinsic::DynTypeName) return emit_type_name_of(inst);
  if (inst.intrinsic == Intrinsic::FrameValue || inst.intrinsic == Intrinsic::FrameTake || inst.intrinsic == Intrinsic::FrameYield) return emit_frame_value(inst);
  std::vector<llvm::Value*> args;
  for (const Operand& arg : inst.args) args.push_back(value(arg));
  believe_memory(inst, args);
  llvm::Value* result = emit_raw_intrinsic(inst, args);
  if (result && !result->getType()->isVoidTy()) set(inst, result);
}

llvm::Value* FunctionEmitter::emit_raw_intrinsic(const Inst& inst, const std::vector<llvm::Value*>& args) {
  TypeId type = inst.type;
  auto rep = [&]() -> const Rep& { return m_.layout().rep(type); };
  auto size = [&] { return b_.getInt64(rep().size); };
  auto bytes = [&](llvm::Value* count) { return b_.CreateMul(count, size(), "", true, true); };
  auto at = [&](llvm::Value* base, llvm::Value* index) { return b_.CreateInBoundsGEP(rep().memory, base, index); };
  llvm::MDNode* raw = m_.tags().raw();
  auto align = [&] { return llvm::Align(rep().align); };
  switch (inst.intrinsic) {
    case Intrinsic::RawAlloc: return m_.call_runtime(b_, RuntimeFunction::met_raw_alloc, {bytes(args[0])});
    case Intrinsic::RawRealloc: return m_.call_runtime(b_, RuntimeFunction::met_raw_realloc, {args[0], bytes(args[1]), bytes(args[2])});
    case Intrinsic::RawFree: return m_.call_runtime(b_, RuntimeFunction::met_raw_free, {args[0], bytes(args[1])});
    case Intrinsic::CallSite: return m_.site(f_, inst.span);
    case Intrinsic::RawNull: return llvm::ConstantPointerNull::get(m_.layout().pointer_type());
    case Intrinsic::RawGet: {
      llvm::Value* from = at(args[0], args[1]);
      Shape shape = rep().shape;
      bool aggregate = shape == Shape::Record || shape == Shape::TaggedEnum || shape == Shape::TaggedOptional;
      if (aggregate) m_.retain_at(b_, from, type);
      llvm::Value* element = m_.mark_object(m_.load(b_, from, type, raw), type);
      if (!aggregate) m_.retain(b_, element, type);
      return element;
    }
    case Intrinsic::RawPeek: return m_.mark_object(m_.load(b_, at(args[0], args[1]), type, raw), type);
    case Intrinsic::RawTake: return m_.load(b_, at(args[0], args[1]), type, raw);
    case Intrinsic::RawInit: m_.store(b_, args[2], at(args[0], args[1]), type, raw); return nullptr;
    case Intrinsic::RawSet: {
      llvm::Value* to = at(args[0], args[1]);
      llvm::Value* old = m_.load(b_, to, type, raw);
      m_.store(b_, args[2], to, type, raw);
      m_.release(b_, old, type);
      return nullptr;
    }
    case Intrinsic::RawSwap: {
      llvm::Value* first = at(args[0], args[1]);
      llvm::Value* second = at(args[0], args[2]);
      llvm::Value* a = m_.load(b_, first, type, raw);
      llvm::Value* b = m_.load(b_, second, type, raw);
      m_.store(b_, b, first, type, raw);
      m_.store(b_, a, second, type, raw);
      return nullptr;
    }
    case Intrinsic::RawMove: b_.CreateMemMove(at(args[0], args[1]), align(), at(args[0], args[2]), align(), bytes(args[3])); return nullptr;
    case Intrinsic::RawCopyTo: b_.CreateMemCpy(at(args[0], args[1]), align(), at(args[2], args[3]), align(), bytes(args[4])); return nullptr;
    case Intrinsic::RawDropAll: emit_raw_drop_all(at(args[0], args[1]), args[2], type); return nullptr;
    case Intrinsic::RawZero: b_.CreateMemSet(at(args[0], args[1]), b_.getInt8(0), bytes(args[2]), align()); return nullptr;
    case Intrinsic::RawEqualBytes: {
      llvm::PointerType* pointer = m_.layout().pointer_type();
      llvm::FunctionCallee memcmp = m_.c_function("memcmp", b_.getInt32Ty(), {pointer, pointer, b_.getInt64Ty()});
      return b_.CreateICmpEQ(b_.CreateCall(memcmp, {args[0], args[1], bytes(args[2])}), b_.getInt32(0));
    }
    case Intrinsic::ConstantArray: return emit_constant_array(args, type);
    case Intrinsic::SizeOf: return size();
    case Intrinsic::IsPlain: return b_.getInt1(rep().plain);
    case Intrinsic::CanChange: return b_.getInt1(m_.can_change(type));
    case Intrinsic::TypeName: return m_.text_literal(m_.type_text(type), false);
    case Intrinsic::Address: {
      llvm::Value* object = args[0]->getType()->isStructTy() ? b_.CreateExtractValue(args[0], 0) : args[0];
      return object->getType()->isPointerTy() ? b_.CreatePtrToInt(object, b_.getInt64Ty()) : b_.CreateIntCast(object, b_.getInt64Ty(), false);
    }
    case Intrinsic::RefCount: {
      llvm::LoadInst* count = b_.CreateLoad(b_.getInt32Ty(), args[0]);
      count->setAtomic(llvm::AtomicOrdering::Monotonic);   // others may be changing it
      return b_.CreateZExt(m_.tags().mark(count, m_.tags().count()), b_.getInt64Ty());
    }
    case Intrinsic::IsUnique:
      if (!args[0]->getType()->isPointerTy()) return b_.getTrue();   // a value: nobody else has it
      // Both counts at once: one strong reference, no weak one, no flag.
      return b_.CreateICmpEQ(m_.tags().mark(b_.CreateLoad(b_.getInt64Ty(), args[0]), m_.tags().count()), b_.getInt64(1));
    case Intrinsic::VisitPlace:
      if (!rep().plain) m_.visit_at(b_, args[0], type, args[1], m_.runtime(RuntimeFunction::met_walk_visit), m_.c_string(""));
      return nullptr;
    case Intrinsic::VisitParts: {
      if (rep().plain) return nullptr;
      llvm::Value* room = m_.temporary(b_, rep().memory);
      m_.store(b_, args[0], room, type);
      m_.visit_at(b_, room, type, args[1], m_.runtime(RuntimeFunction::met_walk_visit), m_.c_string(""));
      return nullptr;
    }
    case Intrinsic::Slowpath: return nullptr;   // the block says it
    case Intrinsic::Likely: return b_.CreateIntrinsic(llvm::Intrinsic::expect, {b_.getInt1Ty()}, {args[0], b_.getTrue()});
    default: return emit_math_intrinsic(inst, args);
  }
}

// Texts are immortal or lie in their words, so copies of the bytes are as good as the elements themselves.
llvm::Value* FunctionEmitter::emit_constant_array(const std::vector<llvm::Value*>& leaves, TypeId type) {
  size_t next = 0;
  std::function<llvm::Constant*(TypeId)> take = [&](TypeId wanted) -> llvm::Constant* {
    const Rep& rep = m_.layout().rep(wanted);
    if (m_.layout().kind(wanted) != types::Kind::Tuple) {
      auto* leaf = llvm::cast<llvm::Constant>(leaves[next++]);
      return leaf->getType()->isIntegerTy(1) ? llvm::ConstantInt::get(rep.memory, leaf->isOneValue()) : leaf;
    }
    std::vector<llvm::Constant*> parts;
    for (TypeId part : m_.types().get(m_.layout().strip(wanted)).args) parts.push_back(take(part));
    return llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(rep.memory), parts);
  };
  std::vector<llvm::Constant*> elements;
  while (next < leaves.size()) elements.push_back(take(type));
  const Rep& rep = m_.layout().rep(type);
  auto* array = llvm::ArrayType::get(rep.memory, elements.size());
  llvm::Constant* data = llvm::ConstantArray::get(array, elements);
  if (!checks_facts()) return m_.constant_data(data, rep.align);
  // Measured like a buffer of the runtime.
  llvm::Constant* measure[] = {b_.getInt64(rep.size * elements.size()), b_.getInt64(MET_MEASURE_MARK), data};
  llvm::Constant* measured = m_.constant_data(llvm::ConstantStruct::getAnon(measure), std::max<uint64_t>(rep.align, MET_MEASURE_BYTES));
  return llvm::ConstantExpr::getGetElementPtr(b_.getInt8Ty(), measured, b_.getInt64(MET_MEASURE_BYTES));
}

llvm::Value* FunctionEmitter::emit_math_intrinsic(const Inst& inst, const std::vector<llvm::Value*>& args) {
  auto count = [&](llvm::Intrinsic::ID id, bool with_flag) {
    llvm::Value* result = with_flag ? b_.CreateBinaryIntrinsic(id, args[0], b_.getFalse()) : b_.CreateUnaryIntrinsic(id, args[0]);
    return b_.CreateZExt(result, b_.getInt64Ty());
  };
  switch (inst.intrinsic) {
    case Intrinsic::Unchecked: return b_.CreateAdd(args[0], args[1]);
    case Intrinsic::FloatBits: return b_.CreateBitCast(args[0], b_.getInt64Ty());
    case Intrinsic::BitsFloat: return b_.CreateBitCast(args[0], b_.getDoubleTy());
    case Intrinsic::Sqrt: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, args[0]);
    case Intrinsic::Floor: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, args[0]);
    case Intrinsic::Ceil: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, args[0]);
    case Intrinsic::Trunc: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, args[0]);
    case Intrinsic::FloatAbs: return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, args[0]);
    case Intrinsic::PopCount: return count(llvm::Intrinsic::ctpop, false);
    case Intrinsic::LeadingZeros: return count(llvm::Intrinsic::ctlz, true);
    case Intrinsic::TrailingZeros: return count(llvm::Intrinsic::cttz, true);
    case Intrinsic::Truncate: {
      bool is_signed = m_.layout().is_integer_signed(inst.args[0].type);
      return b_.CreateIntCast(args[0], m_.layout().rep(inst.type).value, is_signed);
    }
    default: CHECK(!"an intrinsic without a handler"); return nullptr;
  }
}

void FunctionEmitter::emit_raw_drop_all(llvm::Value* first, llvm::Value* count, TypeId type) {
  if (m_.layout().is_plain(type)) return;
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* loop = new_block("drop_all");
  auto* body = new_block();
  auto* done = new_block();
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  auto* index = b_.CreatePHI(b_.getInt64Ty(), 2);
  index->addIncoming(b_.getInt64(0), before);
  b_.CreateCondBr(b_.CreateICmpSLT(index, count), body, done);
  b_.SetInsertPoint(body);
  m_.release_at(b_, b_.CreateInBoundsGEP(m_.layout().rep(type).memory, first, index), type);
  index->addIncoming(b_.CreateAdd(index, b_.getInt64(1)), b_.GetInsertBlock());
  b_.CreateBr(loop);
  b_.SetInsertPoint(done);
}

}  // namespace meteor::llvm_ir
