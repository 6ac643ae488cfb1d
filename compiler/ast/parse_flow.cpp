// if, while, for, try, with.
#include "compiler/ast/parser.h"

namespace meteor::ast {

Stmt* Parser::parse_if() {
  uint32_t start = next().start;
  ItemList<IfBranch> branches;
  IfStmt* stmt = make<IfStmt>(start);
  Expr* condition = parse_expr();
  branches.push({condition, parse_block("if")});
  while (true) {
    translate_clause("elsif", TokenKind::Elif);
    translate_clause("elseif", TokenKind::Elif);
    if (at(TokenKind::Elif)) {
      next();
    } else if (at(TokenKind::Else) && peek_kind() == TokenKind::If) {
      next();
      next();
    } else {
      break;
    }
    condition = parse_expr();
    branches.push({condition, parse_block("elif")});
  }
  if (accept(TokenKind::Else)) {
    stmt->has_else = true;
    stmt->else_body = parse_block("else");
  }
  stmt->branches = branches.finish(arena_);
  stmt->span = span_from(start);
  return stmt;
}

Stmt* Parser::parse_while() {
  uint32_t start = next().start;
  Expr* condition = parse_expr();
  Block body = parse_block("while");
  Block else_body;
  if (accept(TokenKind::Else)) else_body = parse_block("else");
  WhileStmt* stmt = make<WhileStmt>(start);
  stmt->condition = condition, stmt->body = body, stmt->else_body = else_body;
  return stmt;
}

// The names after `for`: `x`, `k, v`, `(a, b), *rest`.
Expr* Parser::parse_targets() {
  uint32_t start = tok().start;
  ItemList<Expr*> items;
  bool is_tuple = false;
  do {
    if (at(TokenKind::In)) break;
    uint32_t item_start = tok().start;
    if (at(TokenKind::Star)) mark(TokenRole::Prefix);
    bool is_star = accept(TokenKind::Star);
    Expr* item = parse_guarded(BIT_OR);
    if (is_star) {
      StarExpr* star = make<StarExpr>(item_start);
      star->operand = item;
      item = star;
    }
    items.push(item);
    is_tuple |= at(TokenKind::Comma);
  } while (!failing_ && accept(TokenKind::Comma));
  if (items.empty()) {
    report_expected_expression();
    return error_expr(span_from(start));
  }
  Expr* target = items[0];
  if (is_tuple) {
    TupleExpr* tuple = make<TupleExpr>(start);
    tuple->items = items.finish(arena_);
    target = tuple;
  }
  if (!failing_) check_target(target);
  return target;
}

Stmt* Parser::parse_for(bool is_async, uint32_t start) {
  next();
  Expr* target = parse_targets();
  Expr* iterable = nullptr;
  if (!failing_) translate_clause("of", TokenKind::In);
  if (failing_ || !expect(TokenKind::In, "after the loop's variable")) iterable = error_expr(here());
  else iterable = parse_expr_list();
  Block body = parse_block("for");
  Block else_body;
  if (accept(TokenKind::Else)) else_body = parse_block("else");
  ForStmt* stmt = make<ForStmt>(start);
  stmt->target = target, stmt->iterable = iterable;
  stmt->body = body, stmt->else_body = else_body;
  stmt->is_async = is_async;
  return stmt;
}

Stmt* Parser::parse_try() {
  uint32_t start = next().start;
  TryStmt* stmt = make<TryStmt>(start);
  stmt->body = parse_block("try");
  ItemList<CatchClause, 3> catches;
  translate_clause("except", TokenKind::Catch);
  while (at(TokenKind::Catch)) {
    catches.push(parse_catch());
    translate_clause("except", TokenKind::Catch);
  }
  if (!catches.empty() && accept(TokenKind::Else)) stmt->else_body = parse_block("else");
  if (accept(TokenKind::Finally)) {
    stmt->has_finally = true;
    stmt->finally_body = parse_block("finally");
  }
  if (catches.empty() && !stmt->has_finally) {
    sink_.report(Code::ExpectedBlock, {file_, start, start + 3}, "`try` without `catch` or `finally`").help = "add what to do about an error: `catch Error as e:`";
  }
  stmt->catches = catches.finish(arena_);
  stmt->span = span_from(start);
  return stmt;
}

CatchClause Parser::parse_catch() {
  CatchClause clause;
  uint32_t start = next().start;
  ItemList<TypeExpr*> types;
  if (at(TokenKind::LeftParen) && !failing_) {
    // `except (A, B) as e`
    Span list = {file_, tok().start, tokens_[tok().literal].end};
    next();
    brackets_++;
    std::string edit;
    while (!at(TokenKind::RightParen) && !at(TokenKind::End)) {
      types.push(parse_type());
      edit += (edit.empty() ? "" : " | ") + std::string(sources_.text(types.back()->span));
      recover_element();
      if (!accept(TokenKind::Comma)) break;
    }
    expect(TokenKind::RightParen, "");
    brackets_--;
    if (types.size() > 1) report_spelling(list, "(A, B)", "A | B", edit, "several errors are joined by `|`");
  } else if (!at(TokenKind::Colon) && !at(TokenKind::As) && !at_statement_end()) {
    uint32_t first = tok().start;
    bool has_comma = false;
    std::string edit;
    do {
      types.push(parse_type());
      edit += (edit.empty() ? "" : " | ") + std::string(sources_.text(types.back()->span));
      has_comma |= at(TokenKind::Comma);
    } while (!failing_ && (accept(TokenKind::Pipe) || accept(TokenKind::Comma)));
    if (has_comma) report_spelling(span_from(first), "A, B", "A | B", edit, "several errors are joined by `|`");
  }
  if (!failing_ && accept(TokenKind::As)) {
    clause.name_span = here();
    if (at(TokenKind::Ident)) clause.name = next().name;
    else error(Code::ExpectedName, here(), "expected a name after `as`, found " + describe(tok()));
  }
  if (types.size() == 1 && !clause.name && !failing_) clause.name = translate_caught_name(*types[0], clause.name_span);
  clause.types = types.finish(arena_);
  clause.span = span_from(start);
  clause.body = parse_block("catch");
  return clause;
}

void Parser::parse_with_item(ItemList<WithItem>& items) {
  bool outer_as = std::exchange(allow_as_, false);
  WithItem item;
  item.value = parse_expr();
  allow_as_ = outer_as;
  if (!failing_ && accept(TokenKind::As)) {
    item.target = parse_postfix();
    if (!failing_) check_target(item.target);
  }
  items.push(item);
}

Stmt* Parser::parse_with(bool is_async, uint32_t start) {
  next();
  ItemList<WithItem> items;
  // `with (a as x, b as y):` has its items in parentheses, `with (a):` an expression.
  bool is_bracketed = false;
  if (at(TokenKind::LeftParen)) {
    uint32_t close = tok().literal;
    TokenKind after = close + 1 < tokens_.size() ? tokens_[close + 1].kind : TokenKind::End;
    uint32_t depth = 0;
    for (uint32_t i = pos_; i < close && (after == TokenKind::Colon || after == TokenKind::Newline); i++) {
      TokenKind k = tokens_[i].kind;
      if (k == TokenKind::LeftParen || k == TokenKind::LeftBracket || k == TokenKind::LeftBrace) depth++;
      if (k == TokenKind::RightParen || k == TokenKind::RightBracket || k == TokenKind::RightBrace) depth--;
      if (k == TokenKind::As && depth == 1) is_bracketed = true;
    }
  }
  if (is_bracketed) {
    next();
    brackets_++;
    while (!at(TokenKind::RightParen) && !at(TokenKind::End)) {
      parse_with_item(items);
      recover_element();
      if (!accept(TokenKind::Comma)) break;
    }
    expect(TokenKind::RightParen, "");
    brackets_--;
  } else {
    do parse_with_item(items);
    while (!failing_ && accept(TokenKind::Comma));
  }
  Block body = parse_block("with");
  WithStmt* stmt = make<WithStmt>(start);
  stmt->items = items.finish(arena_);
  stmt->body = body, stmt->is_async = is_async;
  return stmt;
}

}  // namespace meteor::ast
