// What the user's code may change behind a narrowed place: found on the syntax
// trees, by name, so that a call or a loop ends only the facts it can really write.
//
// A call by name reaches every function of that name; a call of a function value reaches everything. Operators, loops, text and
// drops may run any of the user's hooks (`__eq__`, `next`, `__del__` …), so every function is taken to run them.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/typed/entities.h"

namespace meteor::typed {

// Which fields and which variables of modules and of functions around it some code assigns, itself and through what it
// calls.
struct FieldWrites {
  std::unordered_set<Name> fields;
  std::unordered_set<Name> variables;
  bool anything = false;                     // it may run code that is not known here

  bool is_empty() const { return fields.empty() && variables.empty() && !anything; }
};

// What one body does itself.
struct BodyWrites {
  FieldWrites own;
  std::unordered_set<Name> calls;            // functions, methods and properties of the user, by name
};

struct WrittenNames {
  std::unordered_set<Name> functions;        // every function, method and property outside the library
  std::unordered_set<Name> globals;          // module variables some function assigns
  bool has_destructors = false;              // what is dropped may run a `__del__`, or the clean-up of a generator or task
  bool overloads_operators = false;          // operators and loops may run user code

  std::unordered_map<Name, std::vector<ast::FunctionDecl*>> bodies;   // by name; a class's name gives its constructors
  std::unordered_set<Name> takes_reference;  // functions with `ref` parameters
  std::unordered_set<Name> variables;        // that may hold functions: parameters, assigned names, names given by imports
  std::unordered_set<Name> fields;           // likewise
  FieldWrites hooks;                         // what operators, loops, text and drops may run
  mutable std::unordered_map<ast::FunctionDecl*, BodyWrites> summaries;   // of those that were asked for
};

// May this expression itself, its operands aside, run code that the user wrote?
bool may_run_user_code(ast::Expr* expr, const WrittenNames& names);

// What running this code may write: a statement list, an expression, or all functions of a name.
FieldWrites writes_of(ast::Block body, ast::Expr* condition, const WrittenNames& names);
FieldWrites writes_of(ast::FunctionDecl* function, const WrittenNames& names);
FieldWrites writes_of(Name function, const WrittenNames& names);

}  // namespace meteor::typed
