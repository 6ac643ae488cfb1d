// A large module → slices of about the same size, which are translated at the same time. How many depends on the module alone, so that a
// program comes out the same on every machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "compiler/base/result.h"
#include "compiler/object/division.h"

namespace meteor::object {

struct Slices {
  std::string bitcode;                      // of the whole
  std::vector<std::vector<Role>> others;    // per slice but the first: what it has of it
};

// Leaves the first in `module`. `inlines`: each together with what it may want to inline of the others.
Slices take_slices(llvm::Module& module, bool inlines);

// Reads nothing of the rest. Several threads may do so at once, each with a context of its own.
base::Result<std::unique_ptr<llvm::Module>> read_slice(const Slices& slices, size_t which, llvm::LLVMContext& context);

}  // namespace meteor::object
