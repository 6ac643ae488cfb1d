#include "compiler/object/pairs.h"

#include <gtest/gtest.h>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>

namespace meteor::object {
namespace {

class Pairs : public ::testing::Test {
 protected:
  llvm::LLVMContext context;
  llvm::Module module{"pairs", context};
  llvm::IRBuilder<> b{context};
  llvm::Type* word = b.getInt64Ty();
  llvm::StructType* pair = llvm::StructType::get(context, {b.getInt64Ty(), b.getPtrTy()});
  llvm::Function* function = llvm::Function::Create(llvm::FunctionType::get(pair, {b.getPtrTy(), b.getPtrTy()}, false),
                                                    llvm::Function::ExternalLinkage, "f", module);

  void SetUp() override { b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function)); }

  llvm::Value* from() { return function->getArg(0); }
  llvm::Value* to() { return function->getArg(1); }

  void split() {
    split_pairs(module);
    std::string report;
    llvm::raw_string_ostream out(report);
    EXPECT_FALSE(llvm::verifyModule(module, &out)) << report;
  }

  // How many there are, of values of several words or of one.
  template <typename Kind>
  size_t count(bool whole) {
    size_t found = 0;
    for (llvm::Instruction& instruction : function->getEntryBlock())
      if (auto* access = llvm::dyn_cast<Kind>(&instruction))
        found += llvm::getLoadStoreType(access)->isAggregateType() == whole;
    return found;
  }
};

TEST_F(Pairs, ACopyGoesWordByWord) {
  b.CreateStore(b.CreateLoad(pair, from()), to());
  b.CreateRet(llvm::Constant::getNullValue(pair));
  split();
  EXPECT_EQ(count<llvm::LoadInst>(true) + count<llvm::StoreInst>(true), 0u);
  EXPECT_EQ(count<llvm::LoadInst>(false), 2u);
  EXPECT_EQ(count<llvm::StoreInst>(false), 2u);
}

TEST_F(Pairs, WordsThatNobodyAsksForAreNotRead) {
  b.CreateStore(b.CreateExtractValue(b.CreateLoad(pair, from()), 1), to());
  b.CreateRet(llvm::Constant::getNullValue(pair));
  split();
  EXPECT_EQ(count<llvm::LoadInst>(false), 1u);
}

TEST_F(Pairs, WhatIsReturnedWholeIsReadWhole) {
  b.CreateRet(b.CreateLoad(pair, from()));
  split();
  EXPECT_EQ(count<llvm::LoadInst>(true), 1u);
}

TEST_F(Pairs, AConstantIsStoredWithoutItsUndefinedWords) {
  b.CreateStore(llvm::ConstantStruct::get(pair, {b.getInt64(7), llvm::UndefValue::get(b.getPtrTy())}), to());
  b.CreateRet(llvm::Constant::getNullValue(pair));
  split();
  EXPECT_EQ(count<llvm::StoreInst>(false), 1u);
  EXPECT_EQ(count<llvm::StoreInst>(true), 0u);
}

TEST_F(Pairs, AWordIsAlignedNoBetterThanItsPair) {
  b.CreateAlignedStore(b.CreateAlignedLoad(pair, from(), llvm::Align(2)), to(), llvm::Align(16));
  b.CreateRet(llvm::Constant::getNullValue(pair));
  split();
  std::vector<llvm::Align> loads, stores;
  for (llvm::Instruction& instruction : function->getEntryBlock()) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load->getAlign());
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) stores.push_back(store->getAlign());
  }
  EXPECT_EQ(loads, (std::vector{llvm::Align(2), llvm::Align(2)}));
  EXPECT_EQ(stores, (std::vector{llvm::Align(16), llvm::Align(8)}));
}

TEST_F(Pairs, ArraysAndNestedValuesStayWhole) {
  auto* nested = llvm::StructType::get(context, {pair, b.getInt64Ty()});
  b.CreateStore(b.CreateLoad(nested, from()), to());
  b.CreateRet(llvm::Constant::getNullValue(pair));
  split();
  EXPECT_EQ(count<llvm::LoadInst>(true), 1u);
  EXPECT_EQ(count<llvm::StoreInst>(true), 1u);
}

}  // namespace
}  // namespace meteor::object
