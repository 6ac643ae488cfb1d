// A module may be made into two object files by two threads, each part in a context of its own. The second part is either the glue that is
// to be translated quickly (llvm_ir::QUICK), by LLVM's fast code generator, or half of a big module.
// Invariant: data that has an identity is in the first part; a function that both can see has its body in one of the two. Of a big module's
// halves each has its own copies of small functions, so that they can be inlined everywhere.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "compiler/base/result.h"
#include "compiler/object/target.h"

namespace llvm {
class LLVMContext;
class Module;
}

namespace meteor::object {

enum class Cut : uint8_t { None, Quick, Half };

// How the module is best worked on by two threads.
Cut find_cut(const llvm::Module& module, OptLevel level);

// What the other thread needs to make its part.
struct SecondPart {
  Cut cut;
  std::string bitcode;                      // of the whole module
  std::unordered_set<std::string> owned;    // the functions whose bodies are in this part only
  OptLevel level;
};

// Leaves the first part in `module`.
SecondPart take_second_part(llvm::Module& module, Cut cut, OptLevel level);
base::Result<std::unique_ptr<llvm::Module>> read(const SecondPart& part, llvm::LLVMContext& context);

}  // namespace meteor::object
