// A program's module → the program's own part, and the library's code in units: each function and type of the library
// is one, with what it may inline. A unit holds nothing that depends on the rest of the program, so its object file can
// be kept and serve every program. Invariant: what has an owner (llvm_ir::OWNER) is defined in one unit or in the
// program's part. Helpers have copies wherever they are used; the linker keeps one of those that units have.
#pragma once

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace meteor::object {

bool has_library_units(const llvm::Module& module);

struct LibraryUnit {
  std::string name;         // of what it defines
  std::string bitcode;      // equal bitcode is the same unit
  size_t instructions = 0;  // that LLVM gets to translate
  bool is_quick = false;    // glue: needs no optimisation (llvm_ir::QUICK)
};

// By name. Leaves the program's own part in `module`. `inlines`: each together with what it may want to inline of the
// others.
std::vector<LibraryUnit> take_library_units(llvm::Module& module, bool inlines);

}  // namespace meteor::object
