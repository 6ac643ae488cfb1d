// Functions of the runtime that only look at a text and are called once per character: a version of each in the program
// itself, for LLVM to inline. Same signature as the C function it stands for; same results (runtime/text/view.h).
#include "compiler/llvm_ir/module_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

namespace {

constexpr uint64_t HIGH_BITS = 0x8080808080808080ull;

llvm::Value* is_small(Builder& b, llvm::Value* word1) { return b.CreateICmpSLT(word1, b.getInt64(0)); }

llvm::Value* size_of(Builder& b, llvm::Value* word1) {
  llvm::Value* small_size = b.CreateAnd(b.CreateLShr(word1, 56), 0x7f);
  return b.CreateSelect(is_small(b, word1), small_size, b.CreateAnd(word1, MET_STR_SIZE_MASK));
}

}  // namespace

llvm::Function* ModuleEmitter::text_reader(const std::string& symbol) {
  bool is_size = symbol == "met_str_size", is_byte = symbol == "met_str_byte_at", is_length = symbol == "met_str_len";
  if (!options_.optimise || !(is_size || is_byte || is_length)) return nullptr;
  llvm::Function*& function = text_readers_[symbol];
  if (function) return function;
  llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
  std::vector<llvm::Type*> params(is_byte ? 3 : 2, i64);
  auto* type = llvm::FunctionType::get(i64, params, false);
  function = make_function(type, is_size ? "str size" : is_byte ? "str byte" : "str length");
  function->addFnAttr(llvm::Attribute::InlineHint);
  Builder b(llvm::BasicBlock::Create(context_, "entry", function));
  llvm::Value *word0 = function->getArg(0), *word1 = function->getArg(1);
  if (is_size) b.CreateRet(size_of(b, word1));
  else if (is_byte) emit_text_byte(b, word0, word1, function->getArg(2));
  else emit_text_length(b, word0, word1);
  return function;
}

void ModuleEmitter::emit_text_byte(Builder& b, llvm::Value* word0, llvm::Value* word1, llvm::Value* index) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* in_words = llvm::BasicBlock::Create(context_, "small", function);
  auto* in_object = llvm::BasicBlock::Create(context_, "object", function);
  b.CreateCondBr(is_small(b, word1), in_words, in_object);
  b.SetInsertPoint(in_words);
  llvm::Value* word = b.CreateSelect(b.CreateICmpULT(index, b.getInt64(8)), word0, word1);
  b.CreateRet(b.CreateAnd(b.CreateLShr(word, b.CreateShl(b.CreateAnd(index, 7), 3)), 0xff));
  b.SetInsertPoint(in_object);
  llvm::Value* text = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), b.CreateIntToPtr(word0, layout_.pointer_type()), offsetof(met_str_object, text));
  b.CreateRet(b.CreateZExt(tags_.mark(b.CreateLoad(b.getInt8Ty(), b.CreateInBoundsGEP(b.getInt8Ty(), text, index)), tags_.text()), b.getInt64Ty()));
}

// Of ASCII text the size; the rest has to be counted.
void ModuleEmitter::emit_text_length(Builder& b, llvm::Value* word0, llvm::Value* word1) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::Value* high = b.CreateAnd(b.CreateOr(word0, b.CreateAnd(word1, (uint64_t(1) << 56) - 1)), HIGH_BITS);
  llvm::Value* small_ascii = b.CreateICmpEQ(high, b.getInt64(0));
  llvm::Value* ascii = b.CreateSelect(is_small(b, word1), small_ascii, b.CreateICmpNE(b.CreateAnd(word1, MET_STR_ASCII), b.getInt64(0)));
  auto* at_once = llvm::BasicBlock::Create(context_, "ascii", function);
  auto* count = llvm::BasicBlock::Create(context_, "count", function);
  b.CreateCondBr(ascii, at_once, count);
  b.SetInsertPoint(at_once);
  b.CreateRet(size_of(b, word1));
  b.SetInsertPoint(count);
  b.CreateRet(b.CreateCall(c_function("met_str_len", b.getInt64Ty(), {b.getInt64Ty(), b.getInt64Ty()}), {word0, word1}));
}

}  // namespace meteor::llvm_ir
