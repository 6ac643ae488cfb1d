// Which names a block assigns, found on the syntax tree before it is checked:
// a name assigned anywhere in a function is local to it, as in Python.
#pragma once

#include <functional>
#include <unordered_set>

#include "compiler/ast/ast.h"

namespace meteor::typed {

struct AssignedName {
  base::Name name;
  source::Span span;
  bool in_loop = false;
  bool in_pattern = false;       // a bare name in a `case`, which may be a constant instead
  bool is_definition = false;    // nested def or class
  bool begins_pass = false;      // the target of a `for`, which is a new variable in each pass
};

// Calls `found` for every assignment to a plain name in `block`, nested blocks included, nested functions excluded.
void scan_assigned(ast::Block block, const std::function<void(const AssignedName&)>& found, bool in_loop = false);
// The names that `(n := …)` assigns in the expression, nested functions excluded.
void scan_walruses(ast::Expr* expr, const std::function<void(const AssignedName&)>& found, bool in_loop = false);
void scan_target(ast::Expr* target, const std::function<void(const AssignedName&)>& found, bool in_loop);
// The names a block declares `global` or `nonlocal`.
void scan_outer_names(ast::Block block, std::unordered_set<base::Name>& globals, std::unordered_set<base::Name>& nonlocals);

// Walks every expression and statement below, nested functions included.
struct TreeVisitor {
  std::function<void(ast::Expr*)> on_expr;
  std::function<void(ast::Stmt*)> on_stmt;
  bool into_functions = true;   // bodies of nested functions and lambdas
  void visit(ast::Block block);
  void visit(ast::Stmt* stmt);
  void visit(ast::Expr* expr);
  void visit_functions(ast::Stmt* stmt);
};

}  // namespace meteor::typed
