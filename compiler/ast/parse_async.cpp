// Statements of structured concurrency, and `unsafe`.
#include "compiler/ast/parser.h"

namespace meteor::ast {

// `await scope:`, `await scope(timeout=2s) as s:`; a call of a function of that name has no block.
bool Parser::at_scope() const {
  if (peek_kind() != TokenKind::Ident || !(peek().name == name_scope_)) return false;
  uint32_t after = pos_ + 2;
  if (peek_kind(2) == TokenKind::LeftParen) after = peek(2).literal + 1;
  if (after + 1 >= tokens_.size()) return false;
  TokenKind k = tokens_[after].kind;
  return k == TokenKind::Colon || k == TokenKind::As || (k == TokenKind::Newline && tokens_[after + 1].kind == TokenKind::Indent);
}

// `select:`, `select(fair=true):`
bool Parser::at_select() const {
  if (at_block_word("select")) return true;
  if (!at_word("select") || peek_kind() != TokenKind::LeftParen) return false;
  uint32_t after = peek().literal + 1;
  if (after + 1 >= tokens_.size()) return false;
  TokenKind k = tokens_[after].kind;
  return k == TokenKind::Colon || (k == TokenKind::Newline && tokens_[after + 1].kind == TokenKind::Indent);
}

// `shield:` and the like; with anything but a block after it the word is a name.
bool Parser::at_block_word(std::string_view word) const {
  TokenKind following = peek_kind();
  if (following != TokenKind::Colon && following != TokenKind::Newline) return false;
  if (!at_word(word)) return false;
  return following == TokenKind::Colon || peek_kind(2) == TokenKind::Indent;
}

Stmt* Parser::parse_scope() {
  uint32_t start = next().start;
  next();
  ScopeStmt* stmt = make<ScopeStmt>(start);
  if (at(TokenKind::LeftParen)) stmt->args = parse_args();
  stmt->name = name_scope_;
  if (!failing_ && accept(TokenKind::As)) {
    if (at(TokenKind::Ident)) stmt->name = next().name;
    else error(Code::ExpectedName, here(), "expected a name after `as`, found " + describe(tok()));
  }
  stmt->body = parse_block("await scope");
  stmt->span = span_from(start);
  return stmt;
}

Stmt* Parser::parse_select() {
  uint32_t start = next().start;
  SelectStmt* stmt = make<SelectStmt>(start);
  if (at(TokenKind::LeftParen)) stmt->args = parse_args();
  ItemList<SelectCase> cases;
  DepthGuard guard(*this);
  bool is_indented = false;
  if (!guard.ok()) {
    report_too_deep();
    skip_to_line_end();
    failing_ = false;
    accept(TokenKind::Newline);
    skip_group();
  } else if (begin_block("select", is_indented)) {
    while (!at(TokenKind::Dedent) && !at(TokenKind::End)) {
      failing_ = false;
      uint32_t before = pos_;
      if (at(TokenKind::Case) || at_default()) {
        cases.push(parse_select_case());
      } else {
        error_unexpected("`case` or `default` in the select");
        end_statement();
        if (at(TokenKind::Indent)) skip_group();
        if (pos_ == before) next();
      }
      if (!is_indented) break;
    }
    if (is_indented) accept(TokenKind::Dedent);
  }
  stmt->cases = cases.finish(arena_);
  stmt->span = span_from(start);
  return stmt;
}

// `case msg = await inbox.recv() if is_open:`, `case await sleep(1s):`
SelectCase Parser::parse_select_case() {
  SelectCase result;
  uint32_t start = tok().start;
  if (at(TokenKind::Case)) {
    next();
    Expr* awaited = at(TokenKind::Await) ? parse_guarded(OR) : parse_expr_list();   // `if` begins the guard
    if (!failing_ && accept(TokenKind::Eq)) {
      check_target(awaited);
      result.target = awaited;
      awaited = parse_guarded(OR);
    }
    if (!failing_ && accept(TokenKind::If)) result.guard = parse_expr();
    AwaitExpr* wait = awaited->as<AwaitExpr>();
    if (wait != nullptr) {
      result.awaited = wait->operand;
    } else {
      if (!failing_) sink_.report(Code::UnexpectedToken, awaited->span, "a case of `select` awaits something").help = "write `case x = await …:` or `case await …:`";
      result.awaited = error_expr(awaited->span);
    }
  } else {
    if (at(TokenKind::Else)) report_spelling(here(), "else", "default", "default");
    next();
  }
  result.span = span_from(start);
  result.body = parse_block(result.awaited != nullptr ? "case" : "default");
  return result;
}

Stmt* Parser::parse_shield() {
  uint32_t start = next().start;
  Block body = parse_block("shield");
  ShieldStmt* stmt = make<ShieldStmt>(start);
  stmt->body = body;
  return stmt;
}

Stmt* Parser::parse_unsafe() {
  uint32_t start = next().start;
  Block body = parse_block("unsafe");
  UnsafeStmt* stmt = make<UnsafeStmt>(start);
  stmt->body = body;
  return stmt;
}

}  // namespace meteor::ast
