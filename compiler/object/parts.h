// A program's module → the program's own part and those of the library, each to become an object file.
// A library part comes in one fixed order and with no names but those of its functions and types, so that programs which use the same
// of the library have the same part, and its object file can be kept from one to the next.
// Invariant: what has an owner (llvm_ir::OWNER) is defined in one part; helpers have copies wherever they are used.
#pragma once

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace meteor::object {

bool has_library_part(const llvm::Module& module);

struct LibraryPart {
  std::string bitcode;
  bool is_quick;       // all glue: needs no optimisation (llvm_ir::QUICK)
};

// Leaves the program's own part in `module`. `inlines`: together with what it may want to inline of the others.
std::vector<LibraryPart> take_library_parts(llvm::Module& module, bool inlines);

}  // namespace meteor::object
