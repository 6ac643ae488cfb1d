// An enum case hides a built-in of its name only as a value: where a type or a call can only mean what it hides, that
// is found here.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// As find_symbol, as if no enum had a case of that name.
Symbol find_past_cases(Checker& c, ModuleInfo* module, Name n);
Symbol find_past_cases(BodyChecker& b, Name n);

// What a name alone would mean if no enum had a case of that name.
BodyChecker::Entity find_past_case(BodyChecker& b, ast::Expr* expr);

// The same, if it is a type.
BodyChecker::Entity find_hidden_type(BodyChecker& b, ast::Expr* expr);

// A case without values is neither called nor used as a function.
bool is_plain_case(const Symbol& symbol);

}  // namespace meteor::typed
