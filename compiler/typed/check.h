// check: parsed modules in, one typed program out.
#pragma once

#include <span>
#include <string>

#include "compiler/ast/ast.h"
#include "compiler/base/name.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/source/sources.h"
#include "compiler/typed/typed.h"
#include "compiler/types/types.h"

namespace meteor::typed {

struct ParsedModule {
  std::string name;             // dotted path as imported: `a.b`; the program's main file has its file's stem
  std::string package;          // the top-level package or folder it comes from, for visibility
  ast::Module* tree = nullptr;
  bool is_core = false;         // all core files share one name space, visible everywhere
  bool is_std = false;
  bool is_main = false;         // the file the user named
};

struct CheckInput {
  std::span<ParsedModule> modules;   // core first, then every module after those it imports; main last
  base::NameTable& names;
  source::Sources& sources;        // derived methods are added as sources
};

// Fills `program`. Returns false when errors were reported; `program` is then not fit for lowering.
bool check(const CheckInput& input, types::TypeStore& types, Program& program, diagnostics::Sink& sink);

}  // namespace meteor::typed
