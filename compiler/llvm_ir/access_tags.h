// What a load or store can't meet: LLVM's type-based alias metadata. A field of one class is never an element of a list,
// a count or another field, so what a loop stores into elements leaves the list's length and buffer in registers.
// Safety: memory passes from one use to another only through calls that LLVM can't look into (drops and frees), and
// what a `ref` parameter points to is accessed without a tag, since that may be any of these.
#pragma once

#include <map>
#include <string>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>

#include "compiler/mir/erased_types.h"
#include "compiler/mir/mir.h"

namespace meteor::llvm_ir {

class AccessTags {
 public:
  AccessTags(const typed::Program& program, const types::TypeStore& types, llvm::LLVMContext& context);

  // How the names of tags of fields begin; the first when the field always holds an object (object::FieldReadsPass).
  static constexpr const char *OBJECT = "object field ", *FIELD = "field ";

  llvm::MDNode* field(mir::TypeId type, uint32_t index);   // of a class
  llvm::MDNode* global(mir::GlobalId id);
  llvm::MDNode* raw() const { return raw_; }               // an element behind a c_ptr
  llvm::MDNode* count() const { return count_; }           // the counts of an object
  llvm::MDNode* cell() const { return cell_; }
  llvm::MDNode* capture() const { return capture_; }
  llvm::MDNode* text() const { return text_; }             // the characters of a text, which never change

  template <typename Instruction>
  Instruction* mark(Instruction* access, llvm::MDNode* tag) const {
    if (tag) access->setMetadata(llvm::LLVMContext::MD_tbaa, tag);
    return access;
  }

 private:
  llvm::MDNode* make(const std::string& name);
  std::string owner_name(mir::TypeId type) const;

  const typed::Program& program_;
  const types::TypeStore& types_;
  llvm::LLVMContext& context_;
  llvm::MDNode* root_;
  llvm::MDNode *raw_, *count_, *cell_, *capture_, *text_;
  mir::ErasedTypes erased_;   // instances that share code share the tags of their fields
  std::map<std::pair<uint32_t, uint32_t>, llvm::MDNode*> fields_;
  std::map<uint32_t, llvm::MDNode*> globals_;
};

}  // namespace meteor::llvm_ir
