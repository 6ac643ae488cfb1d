// The text of `--dump=…`.
#pragma once

#include <string>
#include <string_view>

#include "compiler/base/name.h"
#include "compiler/mir/mir.h"
#include "compiler/source/sources.h"

namespace llvm {
class Module;
}

namespace meteor::pipeline {

// `name`, `module.name` or `module:name`; whatever it is when nothing is wanted.
bool is_named(std::string_view full, std::string_view wanted);

std::string dump_tokens(const source::Sources& sources, base::NameTable& names);   // of the main file
std::string dump_mir(const mir::Program& program, std::string_view function);
std::string dump_llvm(const llvm::Module& module, std::string_view function);
std::string dump_asm(const std::string& assembly, std::string_view function);

}  // namespace meteor::pipeline
