// Help of diagnostics that several constructs share.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// For a name that a module does not have.
void suggest_module_member(Diagnostic& d, const ModuleInfo& module, Name wanted, Span place);
// Whether a statement of this kind in the body being checked holds the place.
bool is_within(BodyChecker& b, ast::StmtKind kind, Span place);

}  // namespace meteor::typed
