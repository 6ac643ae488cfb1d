// The parser's state, shared by the parse_*.cpp files: recursive descent, one
// function per construct.
// Invariant: after a mistake is reported, `failing_` keeps what follows from it
// quiet until the parser stands again where it knows what comes next: at the end
// of a statement, or at a comma or the closing bracket around it.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "compiler/ast/ast.h"
#include "compiler/ast/item_list.h"
#include "compiler/ast/parse.h"
#include "compiler/tokens/lex.h"

namespace meteor::ast {

using diagnostics::Code;
using diagnostics::Diagnostic;
using tokens::Token;
using tokens::TokenKind;

class Parser {
 public:
  Parser(source::FileId file, const source::Sources& sources, base::Arena& arena, base::NameTable& names, diagnostics::Sink& sink,
         tokens::TokenList list, TokenRoles* roles = nullptr);

  Module* parse_module();

 private:
  using StmtList = ItemList<Stmt*, 8>;

  // How deep the tree may get: recursion of this parser, and of every stage after it, must fit the stack.
  static constexpr uint32_t MAX_DEPTH = 1000;
  static constexpr uint32_t MAX_CHAIN = 2000;
  static constexpr uint32_t MAX_CLAUSES = 100;   // of a comprehension: each is a loop in the one before

  class DepthGuard {
   public:
    explicit DepthGuard(Parser& parser) : parser_(parser) { parser_.depth_++; }
    ~DepthGuard() { parser_.depth_--; }
    bool ok() const { return parser_.depth_ <= MAX_DEPTH; }

   private:
    Parser& parser_;
  };

  struct Modifiers {                    // what stands before a declaration
    std::span<Decorator> decorators;
    bool is_pub = false;
    uint32_t start = 0;                 // of the first of them
  };

  // ---- parse.cpp: tokens, spans, mistakes, recovery
  const Token& tok() const { return tokens_[pos_]; }
  TokenKind kind() const { return tokens_[pos_].kind; }
  const Token& peek(uint32_t n = 1) const { return tokens_[pos_ + n < tokens_.size() ? pos_ + n : tokens_.size() - 1]; }
  TokenKind peek_kind(uint32_t n = 1) const { return peek(n).kind; }
  bool at(TokenKind k) const { return kind() == k; }
  bool at_word(std::string_view word) const { return at(TokenKind::Ident) && tok().name.text() == word; }
  const Token& next();
  bool accept(TokenKind k);
  void mark(TokenRole role) {   // the token at hand
    if (roles_ != nullptr) roles_->roles[pos_] = role;
  }
  bool expect(TokenKind k, std::string_view where);
  Span span_of(const Token& token) const { return {file_, token.start, token.end}; }
  Span here() const { return span_of(tok()); }
  Span span_from(uint32_t start) const { return {file_, start, prev_end_ > start ? prev_end_ : start}; }
  const tokens::Literal& literal_of(const Token& token) const { return list_.literals[token.literal]; }
  std::string describe(const Token& token) const;
  Diagnostic& error(Code code, Span span, std::string message);
  Diagnostic& error_unexpected(std::string_view expected);
  // Another language's word: names what to write, with the edit. Does not disturb parsing.
  void report_spelling(Span span, std::string_view written, std::string_view instead, std::optional<std::string> edit, std::string help = "");
  bool skip_group();
  void skip_to_element_end();
  void skip_to_line_end();
  void recover_element();
  void end_statement();
  bool accept_semicolon();
  void refuse_empty_statement();
  bool at_statement_end() const;
  bool after_block() const;   // of an anonymous `def` outside brackets: the next token begins another line
  bool starts_statement(uint32_t start) const;   // the token there, which was read already
  void report_too_deep();
  Name name_of_word(std::string_view text) { return names_.intern(text); }

  template <typename T>
  T* make(uint32_t start) {
    T* node = arena_.make<T>();
    node->span = span_from(start);
    return node;
  }
  Expr* error_expr(Span span);

  // ---- parse_stmt.cpp
  void parse_statements(StmtList& out);
  void parse_line(StmtList& out);
  void parse_simple_line(StmtList& out);
  // ---- parse_decorated.cpp
  void push_statement(StmtList& out, Stmt* stmt);
  void push_decorated(StmtList& out, FunctionDecl* function);
  FunctionDecl* push_cached(StmtList& out, FunctionDecl* function, const Decorator& decorator);
  template <typename T>
  T* made(Span span);
  NameExpr* made_name(Name name, Span span);
  Stmt* made_assign(Expr* target, Expr* value, Span span);
  // What is read is evaluated elsewhere than where it stands: `place` names it in the message about `:=` there.
  template <typename Read>
  Expr* without_walrus(const char* place, Read&& read) {
    const char* outer = std::exchange(no_walrus_, place);
    Expr* value = read();
    no_walrus_ = outer;
    return value;
  }
  Stmt* parse_simple();
  Stmt* parse_simple_here();
  Stmt* noted(Stmt* stmt, uint32_t start) {
    stmt->has_walrus |= walrus_end_ > start;
    return stmt;
  }
  bool at_compound() const;
  Stmt* parse_compound();
  Stmt* parse_compound_here();
  Block parse_block(std::string_view owner);
  bool begin_block(std::string_view owner, bool& is_indented);
  bool recover_header(bool& is_indented);
  void parse_unexpected_indent(StmtList& out);
  Stmt* parse_expression_statement(bool is_pub, uint32_t start);
  Stmt* parse_assignment(Expr* first, bool is_pub, uint32_t start);
  Expr* parse_assigned_value();
  bool check_target(Expr* target, bool in_list = false);
  Stmt* parse_return();
  Stmt* parse_raise();
  Stmt* parse_defer();
  Stmt* parse_del();
  Stmt* parse_assert();
  Stmt* parse_names(bool is_global);
  Stmt* parse_const(Modifiers modifiers);
  Stmt* parse_local(Modifiers modifiers);
  Stmt* parse_type_alias(Modifiers modifiers);
  bool at_operand_after_word() const;
  std::string_view take_doc(Block& body);

  // ---- parse_flow.cpp
  Stmt* parse_if();
  Stmt* parse_while();
  Stmt* parse_for(bool is_async, uint32_t start);
  Stmt* parse_try();
  CatchClause parse_catch();
  Stmt* parse_with(bool is_async, uint32_t start);
  void parse_with_item(ItemList<WithItem>& items);
  Expr* parse_targets();

  // ---- parse_switch.cpp
  Stmt* parse_switch();
  bool at_default() const;
  SwitchCase parse_case();

  // ---- parse_async.cpp
  bool at_scope() const;
  bool at_block_word(std::string_view word) const;
  Stmt* parse_scope();
  bool at_select() const;
  Stmt* parse_select();
  SelectCase parse_select_case();
  Stmt* parse_shield();
  Stmt* parse_unsafe();

  // ---- parse_function.cpp
  Stmt* parse_function(Modifiers modifiers, bool is_async, std::string_view abi);
  Stmt* parse_extern(Modifiers modifiers);
  std::span<Param> parse_params();
  bool parse_param(ItemList<Param>& params, bool& keyword_only);
  std::span<TypeParam> parse_type_params();
  TypeExpr* parse_return_type();
  Expr* parse_anon_def(bool is_async, uint32_t start);
  bool at_lambda() const;
  Expr* parse_lambda();
  Expr* finish_lambda(std::span<Param> params, bool is_async, uint32_t start);
  Expr* parse_python_lambda();
  std::span<Decorator> parse_decorators();
  Stmt* parse_decorated();
  Stmt* parse_declaration(Modifiers modifiers);

  // ---- parse_class.cpp
  struct Members {
    ItemList<FieldDecl> fields;
    ItemList<EnumCaseDecl> cases;
    ItemList<FunctionDecl*> methods;
    ItemList<Stmt*> nested;
    std::string_view doc;
    ClassKind form = ClassKind::Class;
    bool is_impl = false;
  };
  Stmt* parse_class(Modifiers modifiers, ClassKind form);
  Stmt* parse_impl();
  void parse_members(Members& members, std::string_view owner);
  void parse_member_line(Members& members);
  bool parse_class_member(Members& members);
  bool add_declaration(Members& members, Stmt* stmt);
  bool check_self(const FunctionDecl& method);
  void parse_field(Members& members);
  void parse_enum_case(Members& members);
  std::span<Param> parse_payload();

  // ---- parse_import.cpp
  void parse_import(StmtList& out);
  Stmt* parse_from_import();
  std::span<Name> parse_module_path(Span& span);

  // ---- parse_expr.cpp
  enum Precedence : uint8_t {
    NONE, OR, AND, NOT, COMPARE, COALESCE, CAST, RANGE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, ADD, MUL, UNARY,
  };
  static Precedence precedence_of(TokenKind kind);
  Expr* parse_expr();
  Expr* parse_guarded(Precedence min);
  Expr* parse_expr_list(bool allow_star = true);
  Expr* parse_expr_or_star();
  Expr* parse_expr_here();
  bool at_walrus() const;
  bool begins_statement(uint32_t at) const;
  Expr* parse_walrus(NameExpr* target);
  Expr* parse_binary(Precedence min);
  Expr* parse_not();
  Expr* parse_binary_step(Expr* left, Precedence precedence);
  Expr* parse_comparison(Expr* first);
  Expr* parse_is(Expr* value);
  Expr* parse_unary();
  Expr* parse_power();
  Expr* parse_await();
  Expr* parse_spawn();
  Expr* parse_yield();
  bool grow_chain(Expr*& left);

  // ---- parse_postfix.cpp
  Expr* parse_postfix();
  Expr* parse_member(Expr* object);
  Expr* parse_call(Expr* callee, std::span<TypeExpr*> type_args);
  std::span<Arg> parse_args();
  Arg parse_arg();
  Expr* parse_index(Expr* object);
  Expr* parse_index_item();

  // ---- parse_primary.cpp
  Expr* parse_primary();
  Expr* parse_name();
  Expr* parse_parenthesized();
  Expr* parse_list();
  Expr* parse_braces();
  Expr* parse_comprehension(ComprehensionKind form, Expr* key, Expr* element, uint32_t start);
  bool at_comprehension() const;
  Expr* report_expected_expression();
  bool at_keyword_as_name() const;
  Expr* parse_keyword_as_name();

  // ---- parse_string.cpp
  Expr* parse_string();
  void parse_fstring(ItemList<FStringPart>& parts);
  FStringPart parse_field();

  // ---- parse_type.cpp
  bool at_optional_twice() const;  // `??` right behind a type, where no value follows
  TypeExpr* parse_type();
  TypeExpr* parse_type_base();
  TypeExpr* parse_named_type();
  TypeExpr* parse_func_type(bool is_async, uint32_t start);
  TypeExpr* parse_tuple_type();
  std::span<TypeExpr*> parse_type_args();
  TypeExpr* make_type(TypeKind kind, uint32_t start, TypeExpr* inner = nullptr);
  TypeExpr* error_type();
  bool accept_greater();
  // A place in the tokens, perhaps after the first half of a `>>`. Position 0 is failure.
  struct Place {
    uint32_t pos = 0;
    bool half = false;
  };
  Place scan_type(Place from, uint32_t depth);
  Place scan_type_args(uint32_t pos, uint32_t depth);
  Place scan_type_list(Place from, TokenKind closer, uint32_t depth);
  TokenKind kind_at(Place place) const;
  bool at_type_args();

  // ---- parse_pattern.cpp
  Pattern* parse_pattern();
  Pattern* parse_pattern_list();
  Pattern* parse_alternatives();
  Pattern* parse_pattern_primary();
  Pattern* parse_path_pattern();
  Pattern* parse_literal_pattern();
  Pattern* parse_pattern_group(TokenKind closer, PatternKind form);
  Pattern* parse_pattern_entry();
  Expr* path_expr(const Pattern* pattern);
  Pattern* make_pattern(PatternKind kind, uint32_t start);

  // ---- parse_foreign.cpp: statements that begin with another language's word
  void translate_foreign_word();
  bool begins_foreign_statement() const;
  void translate_spread(TokenKind meant);
  bool at_path_colons() const;
  void report_closed_range(Span dots, const Expr& upper);
  bool at_channel_arrow() const;
  Expr* report_channel_send(Expr* channel);
  void report_question();
  Name translate_caught_name(TypeExpr& type, Span& name_span);
  std::span<TypeExpr*> parse_foreign_bases();
  Stmt* parse_foreign_loop();
  bool is_arrow(uint32_t at) const;
  void take_arrow();
  std::span<TypeExpr*> parse_bracketed_args();
  TypeExpr* parse_bracketed_type(ItemList<Name>& path, uint32_t start);
  TypeExpr* parse_bare_tuple_type(TypeExpr* first);
  bool translate_clause(std::string_view word, TokenKind meant);

  source::FileId file_;
  const source::Sources& sources_;
  base::Arena& arena_;
  base::NameTable& names_;
  diagnostics::Sink& sink_;
  tokens::TokenList list_;
  std::vector<Token>& tokens_;
  TokenRoles* roles_;                   // null: nobody asks
  uint32_t pos_ = 0;
  uint32_t prev_end_ = 0;               // end of the last token taken that has bytes
  uint32_t depth_ = 0;
  uint32_t chain_ = 0;                  // height of the tallest operand made in the expression at hand
  uint32_t brackets_ = 0;               // open around the expression at hand, in the statement at hand
  bool failing_ = false;
  bool skipped_line_ = false;           // the last line was given up: a block below it is no second mistake
  bool in_trait_ = false;               // a `def` may have no body
  bool broken_header_ = false;          // of the last function: its mistake has been reported
  bool in_members_ = false;             // `const x: T` is a field
  bool in_index_ = false;               // two colons are a slice's there
  uint32_t type_end_ = 0;               // where the last type that was read ends
  bool allow_as_ = true;                // false where `as` names a target: `with x as y`
  bool reported_too_deep_ = false;
  const char* no_walrus_ = nullptr;     // what is being read, where that is no part of a function's body
  uint32_t walrus_paren_ = UINT32_MAX;  // the last `(` that opened no call
  uint32_t walrus_end_ = 0;             // of the last `(n := …)`
  uint64_t reported_keywords_ = 0;      // those taken for names, a bit each
  Diagnostic muted_;
  std::unordered_map<uint32_t, Place> type_args_ends_;   // by the position of `<`
  Name name_super_, name_self_, name_func_, name_scope_;
};

}  // namespace meteor::ast
