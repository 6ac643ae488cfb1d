// Copies a few functions and variables of a module into a module of their own, in the order in which they are first
// used. Invariant: the copy depends on what is copied alone, neither on the rest of the module nor on the order in it.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include <llvm/IR/Module.h>

namespace meteor::object {

// What a function or variable names, in the order of first use. Looked up once.
class Uses {
 public:
  const std::vector<const llvm::GlobalValue*>& of(const llvm::GlobalValue& value);

 private:
  std::unordered_map<const llvm::GlobalValue*, std::vector<const llvm::GlobalValue*>> known_;
};

enum class UnitRole : uint8_t {
  Declared,
  Defined,   // here and nowhere else
  Inlined,   // defined elsewhere
  Helper,    // each unit that uses it has a copy, and the linker keeps one
  Shared,    // the same, under its own name
  Constant,  // without a name: each unit has its own
};

struct UnitMember {
  const llvm::GlobalValue* value;
  UnitRole role;
};

// `helper_prefix`: helpers of another prefix are others to the linker.
std::unique_ptr<llvm::Module> copy_unit(const llvm::Module& module, const std::vector<UnitMember>& members,
                                        const char* helper_prefix);

}  // namespace meteor::object
