// A module taken apart: each function and variable is defined in one part, helpers have copies wherever they are used.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace meteor::object {

using Globals = std::unordered_set<const llvm::GlobalValue*>;

// Calls `found` for the functions and variables that `user` names, inside constants too.
template <typename Found>
void for_each_global(const llvm::User& user, std::unordered_set<const llvm::Constant*>& seen, Found&& found) {
  for (const llvm::Use& use : user.operands()) {
    if (auto* global = llvm::dyn_cast<llvm::GlobalValue>(use.get())) found(*global);
    else if (auto* constant = llvm::dyn_cast<llvm::Constant>(use.get()); constant && constant->getNumOperands() && seen.insert(constant).second)
      for_each_global(*constant, seen, found);
  }
}

template <typename Found>
void for_each_global_in(const llvm::GlobalValue& value, Found&& found) {
  std::unordered_set<const llvm::Constant*> seen;
  for_each_global(value, seen, found);   // a variable's value; what stands before a function
  if (auto* function = llvm::dyn_cast<llvm::Function>(&value))
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) for_each_global(instruction, seen, found);
}

llvm::StringRef owner_of(const llvm::GlobalValue& value);
// False: a helper, or defined outside the module.
bool is_owned(const llvm::GlobalValue& value);

class Division {
 public:
  static constexpr uint32_t NONE = UINT32_MAX;
  using Owners = std::unordered_map<const llvm::GlobalValue*, uint32_t>;   // of all that is owned
  using MayInline = std::function<bool(uint32_t part, const llvm::Function& other)>;

  Division(const llvm::Module& module, Owners owners, uint32_t parts, const MayInline& may_inline);

  uint32_t part_of(const llvm::GlobalValue& value) const;
  bool defines(uint32_t part, const llvm::GlobalValue& value) const { return part_of(value) == part || helpers_[part].contains(&value); }
  // Defined elsewhere, and known here too, so that it can be inlined.
  bool inlines(uint32_t part, const llvm::GlobalValue& value) const { return inlined_[part].contains(&value); }
  bool is_seen_by_others(const llvm::GlobalValue& value) const { return seen_by_others_.contains(&value); }

 private:
  void find_needs(const llvm::GlobalValue& from, uint32_t part, const MayInline& may_inline);

  Owners owners_;
  std::vector<Globals> helpers_, inlined_;   // by part
  Globals seen_by_others_;
};

void show_to_others(llvm::GlobalValue& value);

enum class Role : uint8_t { Declared, Defined, Inlined };
std::vector<Role> roles_in(const llvm::Module& module, uint32_t part, const Division& division);   // of its functions and variables, in order
void set_roles(llvm::Module& module, const std::vector<Role>& roles);
void remove_unused_declarations(llvm::Module& module);
std::string write_bitcode(const llvm::Module& module);

}  // namespace meteor::object
