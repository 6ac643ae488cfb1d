// Writes to what a `const` holds. It is frozen, since every isolate sees it: no
// part of it can be assigned, and no method that changes it called through its
// name.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// Does `object`, as written, lead into a module's const? Then reports that it can't be changed. With a method: only if
// that may change the object it is called on, judged by its source.
// May the method change the object it is called on? Judged by its source.
bool changes_object(Checker& checker, FunctionInfo* method, int depth = 0);
bool refuse_const_write(BodyChecker& body, ast::Expr* object, Span span, FunctionInfo* method = nullptr);

}  // namespace meteor::typed
