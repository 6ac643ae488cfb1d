// What the user's code may change behind a narrowed place: found once on the
// syntax trees, so that a call or a loop forgets only what it can really write.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compiler/typed/entities.h"

namespace meteor::typed {

struct WrittenNames {
  std::unordered_set<Name> functions;        // every function, method and property outside the library
  std::unordered_set<Name> globals;          // module variables some function assigns
  bool has_destructors = false;              // what is dropped may run a `__del__`
  bool overloads_operators = false;          // operators and loops may run user code
};

// Which fields a body assigns, and whether it may do more by calling.
struct FieldWrites {
  std::unordered_set<Name> fields;
  bool calls = false;
};

FieldWrites scan_field_writes(ast::Block body, const WrittenNames& names);
// May this expression itself, its operands aside, run code that the user wrote?
bool may_run_user_code(ast::Expr* expr, const WrittenNames& names);

}  // namespace meteor::typed
