// DWARF for emitted functions: lines and functions always mean Meteor source, variables are shown with their basic types.
// With DebugLevel::None every call does nothing.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/llvm_ir/emit.h"
#include "compiler/llvm_ir/layout.h"
#include "compiler/mir/mir.h"
#include "compiler/source/sources.h"

namespace meteor::llvm_ir {

class DebugInfo {
 public:
  DebugInfo(llvm::Module& module, const mir::Program& program, const source::Sources& sources, DebugLevel level, bool optimise);

  void start_function(const mir::Function& function, llvm::Function* ir);
  // For code that is made around a function, which may be inlined there: `b` writes it as the function's own.
  void start_wrapper(llvm::IRBuilder<>& b, const mir::Function& function, llvm::Function* ir);
  void set_location(llvm::IRBuilder<>& b, source::Span span);
  void declare_variable(llvm::IRBuilder<>& b, const mir::Local& local, uint32_t param_number, llvm::Value* address, Layout& layout);
  void clear_location(llvm::IRBuilder<>& b);
  void finish();

 private:
  llvm::DISubprogram* make_function(const mir::Function& function, llvm::Function* ir);
  llvm::DIFile* file(source::FileId id);
  llvm::DIType* type(mir::TypeId id, Layout& layout);

  const mir::Program& program_;
  const source::Sources& sources_;
  DebugLevel level_;
  bool optimise_;
  std::unique_ptr<llvm::DIBuilder> builder_;
  llvm::DICompileUnit* unit_ = nullptr;
  llvm::DISubprogram* current_ = nullptr;
  llvm::DebugLoc last_;
  std::unordered_map<uint32_t, llvm::DIFile*> files_;
  std::unordered_map<mir::TypeId, llvm::DIType*> types_;
};

}  // namespace meteor::llvm_ir
