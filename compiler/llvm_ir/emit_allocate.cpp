// Small objects are taken from the thread's free lists in place (runtime/abi/abi.h says what those are); an empty list is
// a call. One function per size, which LLVM inlines where it pays.
#include "compiler/llvm_ir/module_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

llvm::Value* ModuleEmitter::new_object(Builder& b, llvm::Constant* descriptor, llvm::StructType* object) {
  uint64_t size = layout_.size_of(object);
  return new_object(b, descriptor, size, size);
}

llvm::Value* ModuleEmitter::new_object(Builder& b, llvm::Constant* descriptor, uint64_t size, uint64_t zeroed) {
  bool calls = !options_.optimise || options_.sanitize_address || size > MET_SMALL_BLOCK_MAX;
  if (calls) return call_runtime(b, RuntimeFunction::met_object_new, {descriptor});
  return b.CreateCall(allocator(size, zeroed), {descriptor});
}

llvm::Function* ModuleEmitter::allocator(uint64_t size, uint64_t zeroed) {
  llvm::Function*& function = allocators_[size << 32 | zeroed];
  if (function) return function;
  llvm::PointerType* pointer = layout_.pointer_type();
  function = make_function(llvm::FunctionType::get(pointer, {pointer}, false), "new " + std::to_string(size));
  function->addFnAttr(llvm::Attribute::InlineHint);
  function->addRetAttr(llvm::Attribute::NoAlias);
  function->addRetAttr(llvm::Attribute::NonNull);
  function->addRetAttr(llvm::Attribute::getWithDereferenceableBytes(context_, size));
  if (!heap_) {
    llvm::Type* lists = llvm::ArrayType::get(pointer, MET_SMALL_BLOCK_MAX / MET_BLOCK_STEP + 1);
    heap_ = new llvm::GlobalVariable(*module_, lists, false, llvm::GlobalValue::ExternalLinkage, nullptr, "met_heap", nullptr, llvm::GlobalValue::LocalExecTLSModel);
  }
  auto* taken = llvm::BasicBlock::Create(context_, "taken", function);
  auto* empty = llvm::BasicBlock::Create(context_, "empty", function);
  Builder b(llvm::BasicBlock::Create(context_, "entry", function, taken));
  llvm::Value* type = function->getArg(0);
  llvm::Value* heap = b.CreateIntrinsic(llvm::Intrinsic::threadlocal_address, {pointer}, {heap_});
  llvm::Value* list = b.CreateConstInBoundsGEP1_64(pointer, heap, (size + MET_BLOCK_STEP - 1) / MET_BLOCK_STEP);
  llvm::Value* block = b.CreateLoad(pointer, list);
  b.CreateCondBr(b.CreateIsNull(block), empty, taken, unlikely_);
  b.SetInsertPoint(taken);
  b.CreateStore(b.CreateLoad(pointer, block), list);
  b.CreateStore(b.getInt64(1), block);   // both counts: strong is the first, low half
  b.CreateStore(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), block, offsetof(met_object, type)));
  b.CreateMemSet(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), block, sizeof(met_object)), b.getInt8(0), zeroed - sizeof(met_object), llvm::Align(alignof(met_object)));
  b.CreateRet(block);
  b.SetInsertPoint(empty);
  b.CreateRet(call_runtime(b, RuntimeFunction::met_object_new, {type}));
  return function;
}

bool ModuleEmitter::notes_places(const mir::Function& function) const {
  return options_.leak_check && function.span.valid() && !sources_.path(function.span.file).starts_with(options_.library);
}

void ModuleEmitter::note_place(Builder& b, const mir::Function& function, source::Span span) {
  if (!span.valid()) return;
  if (!allocation_site_) {
    allocation_site_ = new llvm::GlobalVariable(*module_, layout_.pointer_type(), false, llvm::GlobalValue::ExternalLinkage, nullptr, "met_allocation_site", nullptr,
                                                llvm::GlobalValue::LocalExecTLSModel);
  }
  b.CreateStore(site(function, span), b.CreateThreadLocalAddress(allocation_site_));
}

}  // namespace meteor::llvm_ir
