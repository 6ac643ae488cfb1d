// How large values are in memory, for reports about frames. The same Layout that code is emitted with.
#pragma once

#include <memory>

#include "compiler/mir/frames.h"

namespace meteor::llvm_ir {

class TypeSizes {
 public:
  TypeSizes(const mir::Program& program, const std::string& data_layout);
  ~TypeSizes();
  mir::SizeAndAlign operator()(mir::TypeId type);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace meteor::llvm_ir
