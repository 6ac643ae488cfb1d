// The tree as text, for tests and `--dump=ast`: one statement per line, blocks
// indented, everything else in parentheses. Nothing but the tree is shown: no
// spans, no comments.
#pragma once

#include <string>

#include "compiler/ast/ast.h"

namespace meteor::ast {

std::string print(const Module& module);
// Only the function or class of this name, or the method `Class.method`.
std::string print(const Module& module, std::string_view name);
std::string print(const Expr* expr);
std::string print(const TypeExpr* type);
std::string print(const Pattern* pattern);

}  // namespace meteor::ast
