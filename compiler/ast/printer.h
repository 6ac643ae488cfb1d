// The printer's state, shared by print.cpp (statements) and print_expr.cpp.
#pragma once

#include <charconv>
#include <string>

#include "compiler/ast/ast.h"

namespace meteor::ast {

class Printer {
 public:
  // Stands where a node is missing that every tree must have: a bug of the parser, which tests look for.
  static constexpr std::string_view MISSING = "<missing>";

  void expr(const Expr* expr);
  void type(const TypeExpr* type);
  void pattern(const Pattern* pattern);
  void stmt(const Stmt* stmt);
  void statements(Block body);

  std::string take() { return std::move(out_); }

 private:
  void put(std::string_view text) { out_ += text; }
  void name(Name name) { put(name ? name.text() : "_"); }
  void path(std::span<Name> path);
  void quoted(std::string_view text);
  void open(std::string_view head) { (out_ += '(') += head; }
  void close() { out_ += ')'; }
  void line();
  void block(Block body);
  void labelled_block(std::string_view label, Block body);

  template <typename... Exprs>
  void node(std::string_view head, const Exprs*... children) {
    open(head);
    ((put(" "), expr(children)), ...);
    close();
  }
  template <typename T>
  void list(std::string_view head, std::span<T*> items);
  void fstring_parts(std::span<FStringPart> parts);
  void args(std::span<Arg> args);
  void type_args(std::span<TypeExpr*> types);
  void comprehension(const ComprehensionExpr& node);
  void function(const FunctionDecl& function);
  void params(std::span<Param> params);
  void type_params(std::span<TypeParam> params);
  void class_decl(const ClassDecl& decl);
  void simple(const Stmt* stmt);
  void list_of(std::span<Expr*> items, std::string_view head);
  void declaration(std::string_view head, Name name, const TypeExpr* type, const Expr* value, bool is_pub);

  std::string out_;
  int indent_ = 0;
};

}  // namespace meteor::ast
