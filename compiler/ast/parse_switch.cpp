// switch and its cases.
#include "compiler/ast/parser.h"

namespace meteor::ast {

// `default` is a name everywhere else. Python's `else` is taken for it.
bool Parser::at_default() const {
  return (at_word("default") && (peek_kind() == TokenKind::Colon || peek_kind() == TokenKind::Newline)) || at(TokenKind::Else);
}

Stmt* Parser::parse_switch() {
  uint32_t start = next().start;
  SwitchStmt* stmt = make<SwitchStmt>(start);
  stmt->subject = parse_expr_list();
  ItemList<SwitchCase> cases;
  DepthGuard guard(*this);
  bool is_indented = false;
  if (!guard.ok()) {
    report_too_deep();
    skip_to_line_end();
    failing_ = false;
    accept(TokenKind::Newline);
    skip_group();
  } else if (begin_block("switch", is_indented)) {
    while (!at(TokenKind::Dedent) && !at(TokenKind::End)) {
      failing_ = false;
      uint32_t before = pos_;
      if (at(TokenKind::Case) || at_default()) {
        cases.push(parse_case());
        if (!is_indented) break;
        continue;
      }
      if (at(TokenKind::Indent)) {
        if (!std::exchange(skipped_line_, false)) sink_.report(Code::UnexpectedIndent, {file_, tok().start, peek().end}, "this line is indented more than the one before it");
        skip_group();
        continue;
      }
      error_unexpected("`case` or `default` in the switch");
      end_statement();
      if (at(TokenKind::Indent)) skip_group();
      if (pos_ == before) next();
      if (!is_indented) break;
    }
    if (is_indented) accept(TokenKind::Dedent);
  }
  stmt->cases = cases.finish(arena_);
  stmt->span = span_from(start);
  return stmt;
}

SwitchCase Parser::parse_case() {
  SwitchCase result;
  uint32_t start = tok().start;
  if (at(TokenKind::Case)) {
    next();
    result.pattern = parse_pattern_list();
    if (!failing_ && accept(TokenKind::If)) result.guard = parse_expr();
  } else {
    if (at(TokenKind::Else)) report_spelling(here(), "else", "default", "default");
    next();
  }
  result.span = span_from(start);
  result.body = parse_block(result.pattern != nullptr ? "case" : "default");
  return result;
}

}  // namespace meteor::ast
