// Reading a `frozen T` as its T, and what its parts are then: frozen too. A value
// of a frozen type is never converted back, so no path leads to a write.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// The value as the type inside, for an operation that only reads it.
Expr* thaw(BodyChecker& body, Expr* value);
// What is reached through a frozen value: frozen, unless it is copied or immutable anyway.
Expr* freeze_part(BodyChecker& body, Expr* value);
// The result of a method of a frozen value. A collection that the library made anew is the caller's own.
Expr* freeze_result(BodyChecker& body, Expr* value, FunctionInfo* method);
// Reports a method that changes its object; `type` is the one inside.
bool refuse_frozen_write(BodyChecker& body, TypeId type, Span span, FunctionInfo* method);
inline bool is_frozen(BodyChecker& body, Expr* value) { return body.c.kind(value->type) == Kind::Frozen; }

}  // namespace meteor::typed
