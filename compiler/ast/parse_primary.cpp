// Operands: names, literals, displays, comprehensions, parentheses.
#include "compiler/ast/foreign_names.h"
#include "compiler/ast/foreign_words.h"
#include "compiler/ast/parser.h"

namespace meteor::ast {

Expr* Parser::parse_primary() {
  uint32_t start = tok().start;
  switch (kind()) {
    case TokenKind::Ident: return parse_name();
    case TokenKind::Int: {
      const tokens::Literal& literal = literal_of(next());
      IntExpr* node = make<IntExpr>(start);
      node->value = literal.integer, node->too_big = literal.too_big;
      return node;
    }
    case TokenKind::Float: {
      const tokens::Literal& literal = literal_of(next());
      FloatExpr* node = make<FloatExpr>(start);
      node->value = literal.real;
      return node;
    }
    case TokenKind::Duration: {
      const tokens::Literal& literal = literal_of(next());
      DurationExpr* node = make<DurationExpr>(start);
      node->ns = int64_t(literal.integer);
      return node;
    }
    case TokenKind::True: case TokenKind::False: {
      bool value = next().kind == TokenKind::True;
      BoolExpr* node = make<BoolExpr>(start);
      node->value = value;
      return node;
    }
    case TokenKind::Null: next(); return make<NullExpr>(start);
    case TokenKind::Str: case TokenKind::Bytes: case TokenKind::FStringStart: return parse_string();
    case TokenKind::LeftParen: return parse_parenthesized();
    case TokenKind::LeftBracket: return parse_list();
    case TokenKind::LeftBrace: return parse_braces();
    case TokenKind::Def: return parse_anon_def(false, start);
    case TokenKind::Async:
      if (peek_kind() == TokenKind::Def) {
        next();
        return parse_anon_def(true, start);
      }
      return report_expected_expression();
    case TokenKind::Ellipsis: {
      bool is_statement = begins_statement(pos_) && (peek_kind() == TokenKind::Newline || peek_kind() == TokenKind::End);
      report_spelling(here(), "...", "pass", is_statement ? std::optional<std::string>("pass") : std::nullopt);
      next();
      return error_expr(span_from(start));
    }
    default: return report_expected_expression();
  }
}

// A keyword where a name is meant, as what follows shows: said once, then read as the name it was meant to be.
bool Parser::at_keyword_as_name() const {
  if (!is_keyword(kind())) return false;
  switch (kind()) {
    case TokenKind::Ref: case TokenKind::Owned: case TokenKind::Weak: case TokenKind::Dyn: case TokenKind::Frozen: case TokenKind::Spawn:
    case TokenKind::From: case TokenKind::Case: case TokenKind::Trait: case TokenKind::Impl: case TokenKind::Extern: case TokenKind::Pub:
    case TokenKind::Catch: case TokenKind::Global: case TokenKind::Const: case TokenKind::Defer: case TokenKind::Enum: case TokenKind::Struct:
    case TokenKind::Class: case TokenKind::Import: case TokenKind::Switch: break;
    default: return false;
  }
  TokenKind after = peek_kind();
  return after == TokenKind::Eq || after == TokenKind::Dot || after == TokenKind::Comma || after == TokenKind::RightParen || after == TokenKind::RightBracket ||
         after == TokenKind::Is || after == TokenKind::In || (after >= TokenKind::Plus && after <= TokenKind::QuestionQuestionEq && peek(2).kind != TokenKind::Greater);
}

Expr* Parser::parse_keyword_as_name() {
  uint32_t start = tok().start;
  uint64_t bit = uint64_t(1) << (size_t(kind()) - size_t(TokenKind::And));
  if ((reported_keywords_ & bit) == 0 && !failing_) {
    reported_keywords_ |= bit;
    sink_.report(Code::UnexpectedToken, here(), describe(tok()) + " is a keyword and cannot be a name").help = "choose another name";
  }
  Name name = next().name;
  NameExpr* node = make<NameExpr>(start);
  node->name = name;
  return node;
}

Expr* Parser::report_expected_expression() {
  if (at_keyword_as_name()) return parse_keyword_as_name();
  Span span = at_statement_end() ? Span{file_, prev_end_, prev_end_ + 1} : here();
  Diagnostic& d = error(Code::ExpectedExpression, span, "expected an expression, found " + describe(tok()));
  if (at(TokenKind::Slash) || at(TokenKind::SlashSlash)) d.help = "a comment begins with `#`";
  if (at_channel_arrow()) d.help = "the next value of a channel is `await ch.recv()`";
  if (at(TokenKind::Owned)) d.help = "`owned` stands before a parameter or an argument";
  return error_expr(here());
}

Expr* Parser::parse_name() {
  uint32_t start = tok().start;
  Name name = tok().name;
  std::string_view text = name.text();
  if (name == name_super_ && (peek_kind() == TokenKind::Dot || (peek_kind() == TokenKind::LeftParen && peek_kind(2) == TokenKind::RightParen))) {
    next();
    SuperExpr* node = make<SuperExpr>(start);
    if (at(TokenKind::LeftParen)) {
      Span call = {file_, start, peek().end};
      report_spelling(call, "super()", "super", "super");
      next();
      next();
    }
    return node;
  }
  if (text == "lambda" && (peek_kind() == TokenKind::Ident || peek_kind() == TokenKind::Colon || peek_kind() == TokenKind::Star)) return parse_python_lambda();
  if (text == "new" && peek_kind() == TokenKind::Ident) {
    report_spelling({file_, start, peek().start}, "new", "", "", "call the class: there is no `new`");
    next();
    start = tok().start;
    name = tok().name;
    text = name.text();
  }
  // `println!(…)`
  if (peek_kind() == TokenKind::Bang && peek_kind(2) == TokenKind::LeftParen) {
    const ForeignName* macro = find_foreign_value(text);
    std::string_view meant = macro != nullptr ? macro->instead : text == "print" || text == "assert" ? text : std::string_view();
    if (!meant.empty()) {
      Span call = {file_, start, peek().end};
      report_spelling(call, std::string(text) + "!", meant, std::string(meant));
      next();
      next();
      NameExpr* node = make<NameExpr>(start);
      node->name = names_.intern(meant);
      return node;
    }
  }
  if (const ForeignWord* word = find_foreign_literal(text)) {
    report_spelling(here(), text, word->instead, std::string(word->instead));
    next();
    if (word->instead == "null") return make<NullExpr>(start);
    BoolExpr* node = make<BoolExpr>(start);
    node->value = word->instead == "true";
    return node;
  }
  next();
  NameExpr* node = make<NameExpr>(start);
  node->name = name;
  return node;
}

// `(a)`, `()`, `(a, b)`, `(x for x in xs)`.
Expr* Parser::parse_parenthesized() {
  uint32_t start = next().start;
  walrus_paren_ = start;
  brackets_++;
  bool outer_as = std::exchange(allow_as_, true);
  ItemList<Expr*> items;
  bool is_tuple = at(TokenKind::RightParen);
  Expr* comprehension = nullptr;
  while (!at(TokenKind::RightParen) && !at(TokenKind::End)) {
    uint32_t element_start = tok().start;
    Expr* element = parse_expr_or_star();
    if (items.empty() && at_comprehension() && !failing_) {
      comprehension = parse_comprehension(ComprehensionKind::Generator, nullptr, element, element_start);
    } else {
      items.push(element);
    }
    if (!at(TokenKind::Comma) && !at(TokenKind::RightParen)) error_unexpected("`)`");
    recover_element();
    if (!accept(TokenKind::Comma)) break;
    is_tuple = true;
  }
  expect(TokenKind::RightParen, "");
  allow_as_ = outer_as;
  brackets_--;
  Expr* result;
  if (comprehension != nullptr) {
    result = comprehension;
    result->span = span_from(start);
  } else if (is_tuple || items.empty()) {
    TupleExpr* node = make<TupleExpr>(start);
    node->items = items.finish(arena_);
    result = node;
  } else {
    result = items[0];
    result->span = span_from(start);
  }
  result->parenthesized = true;
  return result;
}

Expr* Parser::parse_list() {
  uint32_t start = next().start;
  brackets_++;
  bool outer_as = std::exchange(allow_as_, true);
  ItemList<Expr*> items;
  Expr* comprehension = nullptr;
  while (!at(TokenKind::RightBracket) && !at(TokenKind::End)) {
    Expr* element = parse_expr_or_star();
    if (items.empty() && at_comprehension() && !failing_) {
      comprehension = parse_comprehension(ComprehensionKind::List, nullptr, element, start);
    } else {
      items.push(element);
    }
    if (!at(TokenKind::Comma) && !at(TokenKind::RightBracket)) error_unexpected("`,` or `]`");
    recover_element();
    if (!accept(TokenKind::Comma)) break;
  }
  expect(TokenKind::RightBracket, "to close the list");
  allow_as_ = outer_as;
  brackets_--;
  if (comprehension != nullptr) {
    comprehension->span = span_from(start);
    return comprehension;
  }
  ListExpr* node = make<ListExpr>(start);
  node->items = items.finish(arena_);
  return node;
}

// A dict or a set: the first element decides; `{}` is a dict.
Expr* Parser::parse_braces() {
  uint32_t start = next().start;
  brackets_++;
  bool outer_as = std::exchange(allow_as_, true);
  ItemList<DictItem> pairs;
  ItemList<Expr*> elements;
  Expr* comprehension = nullptr;
  while (!at(TokenKind::RightBrace) && !at(TokenKind::End)) {
    bool is_first = pairs.empty() && elements.empty();
    translate_spread(TokenKind::StarStar);
    if (at(TokenKind::StarStar)) {
      mark(TokenRole::Prefix);
      next();
      pairs.push({nullptr, parse_guarded(BIT_OR)});
    } else {
      Expr* key = parse_expr_or_star();
      if (accept(TokenKind::Colon)) {
        Expr* value = parse_expr();
        if (is_first && at_comprehension() && !failing_) comprehension = parse_comprehension(ComprehensionKind::Dict, key, value, start);
        else pairs.push({key, value});
      } else if (is_first && at_comprehension() && !failing_) {
        comprehension = parse_comprehension(ComprehensionKind::Set, nullptr, key, start);
      } else {
        if (!pairs.empty() && !failing_) error_unexpected("`:` and the value of this key");
        elements.push(key);
      }
    }
    if (!pairs.empty() && !elements.empty() && !failing_) error(Code::UnexpectedToken, here(), "a set has no `key: value` elements");
    if (!at(TokenKind::Comma) && !at(TokenKind::RightBrace)) error_unexpected("`,` or `}`");
    recover_element();
    if (!accept(TokenKind::Comma)) break;
  }
  expect(TokenKind::RightBrace, "");
  allow_as_ = outer_as;
  brackets_--;
  if (comprehension != nullptr) {
    comprehension->span = span_from(start);
    return comprehension;
  }
  if (!elements.empty() && pairs.empty()) {
    SetExpr* node = make<SetExpr>(start);
    node->items = elements.finish(arena_);
    return node;
  }
  DictExpr* node = make<DictExpr>(start);
  node->items = pairs.finish(arena_);
  return node;
}

bool Parser::at_comprehension() const { return at(TokenKind::For) || (at(TokenKind::Async) && peek_kind() == TokenKind::For); }

Expr* Parser::parse_comprehension(ComprehensionKind form, Expr* key, Expr* element, uint32_t start) {
  ItemList<ComprehensionClause> clauses;
  while (!failing_) {
    ComprehensionClause clause;
    if (at_comprehension()) {
      clause.is_async = accept(TokenKind::Async);
      next();
      clause.target = parse_targets();
      expect(TokenKind::In, "in the comprehension");
      clause.iterable = parse_guarded(OR);
    } else if (accept(TokenKind::If)) {
      clause.condition = parse_guarded(OR);
    } else {
      break;
    }
    clauses.push(clause);
    if (clauses.size() > MAX_CLAUSES) {
      report_too_deep();
      skip_to_element_end();
    }
  }
  ComprehensionExpr* node = make<ComprehensionExpr>(start);
  node->form = form, node->key = key, node->element = element;
  node->clauses = clauses.finish(arena_);
  return node;
}

}  // namespace meteor::ast
