#include "compiler/object/pairs.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace meteor::object {

namespace {

constexpr unsigned MOST_PARTS = 4;

// Null if it is no small struct of plain words.
llvm::StructType* pair_type(llvm::Type* type) {
  auto* pair = llvm::dyn_cast<llvm::StructType>(type);
  if (!pair || pair->getNumElements() > MOST_PARTS) return nullptr;
  for (llvm::Type* part : pair->elements())
    if (part->isAggregateType() || part->isVectorTy()) return nullptr;
  return pair;
}

class PartAccess {
 public:
  PartAccess(llvm::Instruction& at, llvm::Value* pointer, llvm::Align align, llvm::StructType* type)
      : b_(&at),
        layout_(*at.getModule()->getDataLayout().getStructLayout(type)),
        pointer_(pointer),
        align_(align),
        type_(type) {}

  llvm::Value* load(unsigned part) {
    return b_.CreateAlignedLoad(type_->getElementType(part), address(part), align(part));
  }
  void store(unsigned part, llvm::Value* value) { b_.CreateAlignedStore(value, address(part), align(part)); }
  llvm::Value* extract(llvm::Value* whole, unsigned part) {
    return b_.CreateExtractValue(whole, part);
  }  // folds constants

 private:
  llvm::Value* address(unsigned part) { return part == 0 ? pointer_ : b_.CreateStructGEP(type_, pointer_, part); }
  llvm::Align align(unsigned part) const { return llvm::commonAlignment(align_, layout_.getElementOffset(part)); }

  llvm::IRBuilder<> b_;
  const llvm::StructLayout& layout_;
  llvm::Value* pointer_;
  llvm::Align align_;
  llvm::StructType* type_;
};

void split_store(llvm::StoreInst& store) {
  llvm::StructType* type = pair_type(store.getValueOperand()->getType());
  if (!type || !store.isSimple()) return;
  PartAccess access(store, store.getPointerOperand(), store.getAlign(), type);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    llvm::Value* part = access.extract(store.getValueOperand(), i);
    if (!llvm::isa<llvm::UndefValue>(part)) access.store(i, part);
  }
  store.eraseFromParent();
}

// Stores are split by now, so whoever needs no more than parts says so.
void split_load(llvm::LoadInst& load) {
  llvm::StructType* type = pair_type(load.getType());
  if (!type || !load.isSimple()) return;
  for (llvm::User* user : load.users())
    if (!llvm::isa<llvm::ExtractValueInst>(user)) return;
  PartAccess access(load, load.getPointerOperand(), load.getAlign(), type);
  llvm::SmallVector<llvm::Value*, MOST_PARTS> parts(type->getNumElements());
  for (llvm::User* user : llvm::make_early_inc_range(load.users())) {
    auto* extract = llvm::cast<llvm::ExtractValueInst>(user);
    llvm::Value*& part = parts[extract->getIndices().front()];
    if (!part) part = access.load(extract->getIndices().front());
    extract->replaceAllUsesWith(part);
    extract->eraseFromParent();
  }
  load.eraseFromParent();
}

template <typename Kind>
std::vector<Kind*> all_in(llvm::Function& function) {
  std::vector<Kind*> found;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : block)
      if (auto* one = llvm::dyn_cast<Kind>(&instruction)) found.push_back(one);
  return found;
}

}  // namespace

void split_pairs(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::StoreInst* store : all_in<llvm::StoreInst>(function)) split_store(*store);
    for (llvm::LoadInst* load : all_in<llvm::LoadInst>(function)) split_load(*load);
  }
}

}  // namespace meteor::object
