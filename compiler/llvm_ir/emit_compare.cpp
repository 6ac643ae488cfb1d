#include "compiler/base/check.h"
#include "compiler/llvm_ir/function_emitter.h"

namespace meteor::llvm_ir {

using typed::CompareOp;

namespace {

llvm::CmpInst::Predicate int_predicate(CompareOp op, bool is_signed) {
  switch (op) {
    case CompareOp::Eq: return llvm::CmpInst::ICMP_EQ;
    case CompareOp::Ne: return llvm::CmpInst::ICMP_NE;
    case CompareOp::Lt: return is_signed ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
    case CompareOp::Le: return is_signed ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE;
    case CompareOp::Gt: return is_signed ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_UGT;
    case CompareOp::Ge: return is_signed ? llvm::CmpInst::ICMP_SGE : llvm::CmpInst::ICMP_UGE;
  }
  return llvm::CmpInst::ICMP_EQ;
}

llvm::CmpInst::Predicate float_predicate(CompareOp op) {
  switch (op) {
    case CompareOp::Eq: return llvm::CmpInst::FCMP_OEQ;
    case CompareOp::Ne: return llvm::CmpInst::FCMP_UNE;
    case CompareOp::Lt: return llvm::CmpInst::FCMP_OLT;
    case CompareOp::Le: return llvm::CmpInst::FCMP_OLE;
    case CompareOp::Gt: return llvm::CmpInst::FCMP_OGT;
    case CompareOp::Ge: return llvm::CmpInst::FCMP_OGE;
  }
  return llvm::CmpInst::FCMP_OEQ;
}

}  // namespace

void FunctionEmitter::emit_compare(const Inst& inst) {
  TypeId type = inst.args[0].type;
  llvm::Value* a = value(inst.args[0]);
  llvm::Value* b = value(inst.args[1]);
  const Rep& rep = m_.layout().rep(type);
  switch (rep.shape) {
    case Shape::Float: return set(inst, b_.CreateFCmp(float_predicate(inst.compare), a, b));
    case Shape::Int: return set(inst, b_.CreateICmp(int_predicate(inst.compare, m_.layout().is_integer_signed(type)), a, b));
    case Shape::Bool:
    case Shape::CaseNumber:
    case Shape::RawPtr:
    case Shape::Object: return set(inst, b_.CreateICmp(int_predicate(inst.compare, false), a, b));
    case Shape::TaggedEnum:
    case Shape::BoxedEnum:
      return set(inst, b_.CreateICmp(int_predicate(inst.compare, false), m_.case_number(b_, a, type), m_.case_number(b_, b, type)));
    case Shape::Text: {
      if (inst.compare == CompareOp::Eq) return set(inst, text_equal(a, b));
      if (inst.compare == CompareOp::Ne) return set(inst, b_.CreateNot(text_equal(a, b)));
      llvm::Value* order = m_.call_runtime(b_, RuntimeFunction::met_str_compare, {a, b});
      return set(inst, b_.CreateICmp(int_predicate(inst.compare, true), order, b_.getInt32(0)));
    }
    case Shape::Nothing: return set(inst, b_.getInt1(inst.compare == CompareOp::Eq));
    default: CHECK(!"not a type with a primitive comparison");
  }
}

llvm::Value* FunctionEmitter::text_equal(llvm::Value* a, llvm::Value* b) {
  llvm::Value* words[] = {b_.CreateExtractValue(a, 0), b_.CreateExtractValue(a, 1), b_.CreateExtractValue(b, 0), b_.CreateExtractValue(b, 1)};
  return b_.CreateCall(m_.text_equal(), words);
}

// Same words: equal. Else, when one of them is small: different, because a text that fits is always small.
llvm::Function* ModuleEmitter::text_equal() {
  if (text_equal_) return text_equal_;
  llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
  text_equal_ = make_function(llvm::FunctionType::get(llvm::Type::getInt1Ty(context_), {i64, i64, i64, i64}, false), "equal str");
  auto* entry = llvm::BasicBlock::Create(context_, "entry", text_equal_);
  auto* differ = llvm::BasicBlock::Create(context_, "differ", text_equal_);
  auto* both_long = llvm::BasicBlock::Create(context_, "long", text_equal_);
  auto* done = llvm::BasicBlock::Create(context_, "done", text_equal_);
  llvm::Value* a0 = text_equal_->getArg(0);
  llvm::Value* a1 = text_equal_->getArg(1);
  llvm::Value* b0 = text_equal_->getArg(2);
  llvm::Value* b1 = text_equal_->getArg(3);
  Builder b(entry);
  llvm::Value* same = b.CreateICmpEQ(b.CreateOr(b.CreateXor(a0, b0), b.CreateXor(a1, b1)), b.getInt64(0));
  b.CreateCondBr(same, done, differ);
  b.SetInsertPoint(differ);
  b.CreateCondBr(b.CreateICmpSLT(b.CreateOr(a1, b1), b.getInt64(0)), done, both_long);
  b.SetInsertPoint(both_long);
  llvm::Value* equal = call_runtime(b, RuntimeFunction::met_str_equal, {a0, a1, b0, b1});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto* result = b.CreatePHI(b.getInt1Ty(), 3);
  result->addIncoming(b.getTrue(), entry);
  result->addIncoming(b.getFalse(), differ);
  result->addIncoming(equal, both_long);
  b.CreateRet(result);
  return text_equal_;
}

void FunctionEmitter::emit_same(const Inst& inst) {
  llvm::Value* a = value(inst.args[0]);
  llvm::Value* b = value(inst.args[1]);
  const Rep& rep = m_.layout().rep(inst.args[0].type);
  auto word = [&](llvm::Value* v, unsigned i) { return b_.CreateExtractValue(v, i); };
  switch (rep.shape) {
    case Shape::Dyn: return set(inst, b_.CreateICmpEQ(word(a, 0), word(b, 0)));
    case Shape::Text:
    case Shape::Func: return set(inst, b_.CreateAnd(b_.CreateICmpEQ(word(a, 0), word(b, 0)), b_.CreateICmpEQ(word(a, 1), word(b, 1))));
    case Shape::Float: return set(inst, b_.CreateFCmpOEQ(a, b));
    case Shape::Nothing: return set(inst, b_.getTrue());
    default: CHECK(a->getType() == b->getType() && !a->getType()->isStructTy()); return set(inst, b_.CreateICmpEQ(a, b));
  }
}

}  // namespace meteor::llvm_ir
