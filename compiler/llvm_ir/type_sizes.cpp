#include "compiler/llvm_ir/type_sizes.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/LLVMContext.h>

#include "compiler/llvm_ir/layout.h"

namespace meteor::llvm_ir {

struct TypeSizes::State {
  llvm::LLVMContext context;
  llvm::DataLayout data_layout;
  Layout layout;
  State(const mir::Program& program, const std::string& text) : data_layout(text), layout(program, data_layout, context) {}
};

TypeSizes::TypeSizes(const mir::Program& program, const std::string& data_layout) : state_(std::make_unique<State>(program, data_layout)) {}
TypeSizes::~TypeSizes() = default;

mir::SizeAndAlign TypeSizes::operator()(mir::TypeId type) {
  const Rep& rep = state_->layout.rep(type);
  if (rep.shape == Shape::Nothing) return {};
  return {rep.size, rep.align};
}

}  // namespace meteor::llvm_ir
