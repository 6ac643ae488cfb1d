// tokens → tree.
#pragma once

#include "compiler/ast/ast.h"
#include "compiler/ast/token_roles.h"
#include "compiler/base/arena.h"
#include "compiler/base/name.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/source/sources.h"

namespace meteor::ast {

// Never fails and always ends: broken code gives Error nodes and diagnostics, in the order of the source.
// The tree lives in `arena` and refers to `sources` and `names`.
Module* parse(source::FileId file, const source::Sources& sources, base::Arena& arena, base::NameTable& names, diagnostics::Sink& sink);
// The same, and what it took the tokens for. The roles hold only when nothing was reported.
Module* parse(source::FileId file, const source::Sources& sources, base::Arena& arena, base::NameTable& names, diagnostics::Sink& sink, TokenRoles& roles);

}  // namespace meteor::ast
