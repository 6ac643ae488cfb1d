// emit: MIR → an LLVM module that holds the whole program.
// Invariant: only `main` is visible outside; what `main` does not reach is not in it.
#pragma once

#include <memory>
#include <string>

#include "compiler/mir/mir.h"
#include "compiler/source/sources.h"

namespace llvm {
class LLVMContext;
class Module;
}

namespace meteor::llvm_ir {

enum class DebugLevel : uint8_t {
  None,
  Lines,   // which function and line an address belongs to, inlined calls too: for the watch over busy tasks, and profilers
  Full,    // and variables: for debuggers
};

struct EmitOptions {
  std::string triple;
  std::string data_layout;
  DebugLevel debug = DebugLevel::None;
  bool optimise = true;        // false: keeps variables where a debugger finds them
  bool quick_glue = false;     // where there is much of it: it is translated quickly (object::optimise), only inner loops with care
  bool leak_check = false;     // objects can be walked, so that the leak check can name cycles, and know where they were made
  std::string library;         // the folder of the standard library: what it makes was made by its caller
  bool in_parts = false;       // OWNER is marked, that of the library where it has a large part of the program
  bool sanitize_address = false;
  bool check_facts = false;    // what the compiler believed is asserted
  bool naive_counting = false; // arguments are counted for the time of the call
  bool report_counting = false;// counts how often something is retained, and says so at the end
};

// Marks functions that are to be translated quickly.
inline constexpr const char* QUICK = "meteor-quick";

// Whose a function or variable is, in a program that is translated in parts (object/division.h). What has no owner is a helper
// without identity, of which there may be copies.
inline constexpr const char* OWNER = "meteor-owner";
inline constexpr const char* LIBRARY = "library";   // of a module that was imported
inline constexpr const char* CORE = "core";         // built in, over the library's types: the library's where that uses it, else the program's
inline constexpr const char* PROGRAM = "program";

std::unique_ptr<llvm::Module> emit(const mir::Program& program, const source::Sources& sources, const EmitOptions& options,
                                   llvm::LLVMContext& context);

}  // namespace meteor::llvm_ir
