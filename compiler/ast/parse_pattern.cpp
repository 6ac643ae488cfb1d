// Patterns of `case` and `is`.
#include "compiler/ast/foreign_words.h"
#include "compiler/ast/parser.h"

namespace meteor::ast {

Pattern* Parser::make_pattern(PatternKind kind, uint32_t start) {
  Pattern* pattern = arena_.make<Pattern>();
  pattern->kind = kind;
  pattern->span = span_from(start);
  return pattern;
}

// `case a, b:` is a tuple without its parentheses.
Pattern* Parser::parse_pattern_list() {
  uint32_t start = tok().start;
  Pattern* first = parse_pattern();
  if (!at(TokenKind::Comma) || failing_) return first;
  ItemList<Pattern*> items;
  items.push(first);
  while (accept(TokenKind::Comma) && !at(TokenKind::Colon) && !at(TokenKind::If) && !failing_) items.push(parse_pattern());
  Pattern* tuple = make_pattern(PatternKind::Tuple, start);
  tuple->items = items.finish(arena_);
  return tuple;
}

// Alternatives, perhaps named: `1 | 2`, `str as s`.
Pattern* Parser::parse_pattern() {
  DepthGuard guard(*this);
  uint32_t start = tok().start;
  if (!guard.ok()) {
    report_too_deep();
    skip_to_element_end();
    return make_pattern(PatternKind::Error, start);
  }
  if (at(TokenKind::Star)) {
    mark(TokenRole::Prefix);
    next();
    Name name;
    if (at(TokenKind::Ident)) name = next().name;
    else error(Code::ExpectedName, here(), "expected a name after `*`, found " + describe(tok()));
    Pattern* star = make_pattern(PatternKind::Star, start);
    if (name.text() != "_") star->name = name;
    return star;
  }
  Pattern* pattern = parse_alternatives();
  if (!at(TokenKind::As) || failing_) return pattern;
  next();
  Name name;
  if (at(TokenKind::Ident)) name = next().name;
  else error(Code::ExpectedName, here(), "expected a name after `as`, found " + describe(tok()));
  Pattern* named = make_pattern(PatternKind::As, start);
  named->inner = pattern;
  if (name.text() != "_") named->name = name;
  return named;
}

Pattern* Parser::parse_alternatives() {
  uint32_t start = tok().start;
  Pattern* first = parse_pattern_primary();
  bool is_or = at(TokenKind::Or);
  if ((!at(TokenKind::Pipe) && !is_or) || failing_) return first;
  ItemList<Pattern*> items;
  items.push(first);
  while ((at(TokenKind::Pipe) || at(TokenKind::Or)) && !failing_) {
    if (at(TokenKind::Or)) report_spelling(here(), "or", "|", "|", "alternatives are joined by `|`");
    next();
    items.push(parse_pattern_primary());
  }
  Pattern* alternatives = make_pattern(PatternKind::Or, start);
  alternatives->items = items.finish(arena_);
  return alternatives;
}

Pattern* Parser::parse_pattern_primary() {
  uint32_t start = tok().start;
  switch (kind()) {
    case TokenKind::Ident:
      if (tok().name.text() == "_") {
        next();
        return make_pattern(PatternKind::Wildcard, start);
      }
      if (tok().name == name_func_ && peek_kind() == TokenKind::Less) break;
      if (const ForeignWord* word = find_foreign_literal(tok().name.text()); word != nullptr && peek_kind() != TokenKind::Dot) {
        Pattern* literal = nullptr;
        Expr* value = parse_name();
        literal = make_pattern(PatternKind::Literal, start);
        literal->literal = value;
        return literal;
      }
      return parse_path_pattern();
    case TokenKind::Int: case TokenKind::Float: case TokenKind::Duration: case TokenKind::Str: case TokenKind::Bytes: case TokenKind::True:
    case TokenKind::False: case TokenKind::Null: case TokenKind::Minus: return parse_literal_pattern();
    case TokenKind::LeftParen: return parse_pattern_group(TokenKind::RightParen, PatternKind::Tuple);
    case TokenKind::LeftBracket: return parse_pattern_group(TokenKind::RightBracket, PatternKind::List);
    case TokenKind::LeftBrace: return parse_pattern_group(TokenKind::RightBrace, PatternKind::Dict);
    case TokenKind::Dyn: case TokenKind::Frozen: case TokenKind::Async: break;
    default: {
      Span span = at_statement_end() ? Span{file_, prev_end_, prev_end_ + 1} : here();
      Diagnostic& d = error(Code::ExpectedPattern, span, "expected a pattern, found " + describe(tok()));
      if (at(TokenKind::FStringStart)) d.help = "a pattern is known before the program runs; compare in a guard: `case s if s == f\"…\"`";
      return make_pattern(PatternKind::Error, start);
    }
  }
  TypeExpr* type = parse_type();
  Pattern* pattern = make_pattern(PatternKind::Type, start);
  pattern->type = type;
  return pattern;
}

// A name with dots, perhaps with a payload: `Circle(r)`, `Rect(w=1)`; with type arguments or `?` it is a type.
Pattern* Parser::parse_path_pattern() {
  uint32_t start = tok().start;
  uint32_t first = pos_;
  ItemList<Name> path;
  path.push(next().name);
  while (at(TokenKind::Dot) && (peek_kind() == TokenKind::Ident || is_keyword(peek_kind()))) {
    next();
    path.push(next().name);
  }
  if (at(TokenKind::Question) || (at(TokenKind::Less) && scan_type_args(pos_, 0).pos != 0)) {
    pos_ = first;
    TypeExpr* type = parse_type();
    Pattern* pattern = make_pattern(PatternKind::Type, start);
    pattern->type = type;
    return pattern;
  }
  if (!at(TokenKind::LeftParen)) {
    Pattern* pattern = make_pattern(PatternKind::Path, start);
    pattern->path = path.finish(arena_);
    return pattern;
  }
  next();
  brackets_++;
  ItemList<PatternArg> args;
  while (!at(TokenKind::RightParen) && !at(TokenKind::End)) {
    PatternArg arg;
    if (at(TokenKind::Ident) && peek_kind() == TokenKind::Eq) {
      arg.name = next().name;
      mark(TokenRole::Named);
      next();
    }
    arg.pattern = parse_pattern();
    args.push(arg);
    if (!at(TokenKind::Comma) && !at(TokenKind::RightParen)) error_unexpected("`,` or `)` in the pattern");
    recover_element();
    if (!accept(TokenKind::Comma)) break;
  }
  expect(TokenKind::RightParen, "to close the pattern");
  brackets_--;
  Pattern* pattern = make_pattern(PatternKind::Call, start);
  pattern->path = path.finish(arena_);
  pattern->args = args.finish(arena_);
  return pattern;
}

// A literal, perhaps negated, or a range of two.
Pattern* Parser::parse_literal_pattern() {
  uint32_t start = tok().start;
  auto parse_value = [this]() -> Expr* {
    uint32_t value_start = tok().start;
    if (!at(TokenKind::Minus)) return parse_primary();
    mark(TokenRole::Prefix);
    next();
    if (!at(TokenKind::Int) && !at(TokenKind::Float) && !at(TokenKind::Duration)) {
      error(Code::ExpectedPattern, here(), "expected a number after `-`, found " + describe(tok()));
      return error_expr(span_from(value_start));
    }
    Expr* operand = parse_primary();
    UnaryExpr* node = make<UnaryExpr>(value_start);
    node->op = UnaryOp::Neg, node->operand = operand;
    return node;
  };
  Expr* value = parse_value();
  if (at(TokenKind::DotDot) && !failing_) {
    next();
    Expr* upper = parse_value();
    RangeExpr* range = make<RangeExpr>(start);
    range->lower = value, range->upper = upper;
    value = range;
  }
  Pattern* pattern = make_pattern(PatternKind::Literal, start);
  pattern->literal = value;
  return pattern;
}

// A name with dots as an expression.
Expr* Parser::path_expr(const Pattern* pattern) {
  Expr* expr = nullptr;
  for (Name part : pattern->path) {
    if (expr == nullptr) {
      auto* name = arena_.make<NameExpr>();
      name->name = part;
      expr = name;
    } else {
      auto* member = arena_.make<MemberExpr>();
      member->object = expr, member->name = part, member->name_span = pattern->span;
      expr = member;
    }
    expr->span = pattern->span;
  }
  return expr;
}

// One part of a dict pattern: a key, which is a literal or a name with dots, and the pattern of its value, or `**rest`.
Pattern* Parser::parse_pattern_entry() {
  uint32_t start = tok().start;
  if (at(TokenKind::StarStar)) {
    mark(TokenRole::Prefix);
    next();
    Name name;
    if (at(TokenKind::Ident)) name = next().name;
    else error(Code::ExpectedName, here(), "expected a name after `**`, found " + describe(tok()));
    Pattern* rest = make_pattern(PatternKind::Star, start);
    if (name.text() != "_") rest->name = name;
    return rest;
  }
  Pattern* key = parse_pattern_primary();
  Expr* value = key->kind == PatternKind::Path ? path_expr(key) : key->literal;
  bool is_range = value && value->kind == ExprKind::Range;
  if (key->kind != PatternKind::Error && (!value || is_range)) error(Code::ExpectedPattern, key->span, "the key of a dict pattern is a literal or a constant");
  expect(TokenKind::Colon, "after the key");
  Pattern* entry = make_pattern(PatternKind::Entry, start);
  entry->literal = value && !is_range ? value : error_expr(key->span);
  entry->inner = failing_ ? key : parse_pattern();
  entry->span = span_from(start);
  return entry;
}

// `(a, b)`, `[first, *rest]`, `{"key": a, **rest}`; `(a)` is a.
Pattern* Parser::parse_pattern_group(TokenKind closer, PatternKind form) {
  uint32_t start = next().start;
  brackets_++;
  ItemList<Pattern*> items;
  bool has_comma = false;
  while (!at(closer) && !at(TokenKind::End)) {
    items.push(form == PatternKind::Dict ? parse_pattern_entry() : parse_pattern());
    if (!at(TokenKind::Comma) && !at(closer)) error_unexpected("`,` or `" + std::string(tokens::spelling_of(closer)) + "` in the pattern");
    recover_element();
    if (!accept(TokenKind::Comma)) break;
    has_comma = true;
  }
  expect(closer, "to close the pattern");
  brackets_--;
  if (form == PatternKind::Tuple && items.size() == 1 && !has_comma) return items[0];
  Pattern* pattern = make_pattern(form, start);
  pattern->items = items.finish(arena_);
  return pattern;
}

}  // namespace meteor::ast
