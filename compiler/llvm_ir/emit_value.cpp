// Loads, stores and tests that depend only on the representation.
#include "compiler/base/check.h"
#include "compiler/llvm_ir/module_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

llvm::Value* ModuleEmitter::temporary(Builder& b, llvm::Type* type, const char* name) {
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  Builder at_entry(&entry, entry.begin());
  return at_entry.CreateAlloca(type, nullptr, name);
}

llvm::Value* ModuleEmitter::to_memory(Builder& b, llvm::Value* value, TypeId type) {
  return layout_.rep(type).shape == Shape::Bool ? b.CreateZExt(value, b.getInt8Ty()) : value;
}

llvm::Value* ModuleEmitter::from_memory(Builder& b, llvm::Value* value, TypeId type) {
  return layout_.rep(type).shape == Shape::Bool ? b.CreateTrunc(value, b.getInt1Ty()) : value;
}

llvm::Value* ModuleEmitter::load(Builder& b, llvm::Value* address, TypeId type, llvm::MDNode* tag) {
  const Rep& rep = layout_.rep(type);
  llvm::LoadInst* value = b.CreateLoad(rep.memory, address);
  if (tag) value->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
  if (rep.shape == Shape::Bool)
    value->setMetadata(llvm::LLVMContext::MD_range,
                       llvm::MDNode::get(context_, {llvm::ConstantAsMetadata::get(b.getInt8(0)), llvm::ConstantAsMetadata::get(b.getInt8(2))}));
  return from_memory(b, value, type);
}

void ModuleEmitter::store(Builder& b, llvm::Value* value, llvm::Value* address, TypeId type, llvm::MDNode* tag) {
  llvm::StoreInst* store = b.CreateStore(to_memory(b, value, type), address);
  if (tag) store->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
}

llvm::Value* ModuleEmitter::mark_object(llvm::Value* loaded, TypeId type) {
  auto* load = llvm::dyn_cast<llvm::LoadInst>(loaded);
  if (!load || !options_.optimise || options_.check_facts || layout_.kind(type) != types::Kind::Class) return loaded;
  uint64_t size = layout_.size_of(layout_.class_object(layout_.strip(type)));
  auto number = [&](uint64_t value) {
    return llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), value)));
  };
  load->setMetadata(llvm::LLVMContext::MD_nonnull, llvm::MDNode::get(context_, {}));
  load->setMetadata(llvm::LLVMContext::MD_dereferenceable, number(size));
  load->setMetadata(llvm::LLVMContext::MD_align, number(alignof(met_object)));
  return loaded;
}

llvm::Value* ModuleEmitter::is_null(Builder& b, llvm::Value* value, TypeId type) {
  const Rep& rep = layout_.rep(type);
  switch (rep.shape) {
    case Shape::Object:
    case Shape::BoxedEnum:
    case Shape::Weak:
    case Shape::RawPtr: return b.CreateIsNull(value);
    case Shape::Text: return b.CreateICmpEQ(b.CreateExtractValue(value, 1), b.getInt64(MET_STR_NULL_WORD1));
    case Shape::Func:
    case Shape::Dyn: return b.CreateIsNull(b.CreateExtractValue(value, 0));
    case Shape::TaggedOptional: return b.CreateICmpEQ(b.CreateExtractValue(value, 0), b.getInt8(0));
    case Shape::Nothing: return b.getTrue();
    default: return b.getFalse();
  }
}

llvm::Value* ModuleEmitter::case_number(Builder& b, llvm::Value* value, TypeId type) {
  const Rep& rep = layout_.rep(type);
  switch (rep.shape) {
    case Shape::CaseNumber: return b.CreateZExt(value, b.getInt64Ty());
    case Shape::TaggedEnum: return b.CreateZExt(b.CreateExtractValue(value, 0), b.getInt64Ty());
    case Shape::BoxedEnum: {
      llvm::Value* word = b.CreatePtrToInt(value, b.getInt64Ty());
      llvm::Value* result = temporary(b, b.getInt64Ty());
      b.CreateStore(b.CreateSub(word, b.getInt64(1)), result);
      emit_if(b, b.CreateICmpUGE(word, b.getInt64(MET_ENUM_UNIT_LIMIT)), nullptr, [&] {
        llvm::Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), value, sizeof(met_object));
        b.CreateStore(b.CreateZExt(b.CreateLoad(b.getInt32Ty(), at), b.getInt64Ty()), result);
      });
      return b.CreateLoad(b.getInt64Ty(), result);
    }
    default: CHECK(!"only an enum has a case number"); return nullptr;
  }
}

llvm::Value* ModuleEmitter::case_number_at(Builder& b, llvm::Value* address, TypeId type) {
  if (layout_.rep(type).shape == Shape::TaggedEnum) return b.CreateZExt(b.CreateLoad(b.getInt32Ty(), address), b.getInt64Ty());
  return case_number(b, load(b, address, type), type);
}

llvm::Value* ModuleEmitter::payload_address(Builder& b, llvm::Value* base, const Rep& rep, uint32_t case_index, uint32_t index) {
  const CaseLayout& layout = rep.cases[case_index];
  llvm::Value* payload = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, layout.offset);
  return b.CreateStructGEP(layout.fields, payload, index);
}

}  // namespace meteor::llvm_ir
