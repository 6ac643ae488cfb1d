// String literals, with adjacent ones joined, and f-strings.
#include "compiler/ast/parser.h"

namespace meteor::ast {

// `"a" "b"` is one string; with an f-string among them the whole is one.
Expr* Parser::parse_string() {
  uint32_t start = tok().start;
  auto at_string = [this] { return at(TokenKind::Str) || at(TokenKind::Bytes) || at(TokenKind::FStringStart); };
  if (!at(TokenKind::FStringStart)) {
    bool is_bytes = at(TokenKind::Bytes);
    TokenKind following = peek_kind();
    if (following != TokenKind::Str && following != TokenKind::Bytes && following != TokenKind::FStringStart) {
      std::string_view value = literal_of(next()).text;
      if (is_bytes) {
        BytesExpr* node = make<BytesExpr>(start);
        node->value = value;
        return node;
      }
      StrExpr* node = make<StrExpr>(start);
      node->value = value;
      return node;
    }
  }
  ItemList<FStringPart> parts;
  bool has_field = false;
  bool has_bytes = false;
  bool has_text = false;
  while (at_string()) {
    if (at(TokenKind::FStringStart)) {
      has_field = has_text = true;
      parse_fstring(parts);
      continue;
    }
    has_bytes |= at(TokenKind::Bytes);
    has_text |= at(TokenKind::Str);
    if (has_bytes && has_text) error(Code::UnexpectedToken, here(), "text and bytes cannot be joined");
    FStringPart part;
    part.text = literal_of(next()).text;
    parts.push(part);
  }
  if (has_field) {
    FStringExpr* node = make<FStringExpr>(start);
    node->parts = parts.finish(arena_);
    return node;
  }
  std::string joined;
  for (const FStringPart& part : parts) joined += part.text;
  if (has_bytes) {
    BytesExpr* node = make<BytesExpr>(start);
    node->value = arena_.copy_text(joined);
    return node;
  }
  StrExpr* node = make<StrExpr>(start);
  node->value = arena_.copy_text(joined);
  return node;
}

void Parser::parse_fstring(ItemList<FStringPart>& parts) {
  next();
  while (!at(TokenKind::FStringEnd) && !at(TokenKind::End)) {
    if (at(TokenKind::FStringText)) {
      FStringPart part;
      part.text = literal_of(next()).text;
      parts.push(part);
    } else if (at(TokenKind::FStringOpen)) {
      parts.push(parse_field());
    } else {
      next();
    }
  }
  const Token& end = next();
  prev_end_ = std::max(prev_end_, end.end);
}

FStringPart Parser::parse_field() {
  FStringPart part;
  uint32_t close = tok().literal;
  uint32_t text_start = next().end;
  uint32_t outer_brackets = std::exchange(brackets_, 0);   // `{a, b}` is a tuple
  bool outer_as = std::exchange(allow_as_, true);
  bool outer_failing = failing_;
  DepthGuard guard(*this);
  if (!guard.ok()) {
    report_too_deep();
    part.value = error_expr(here());
    while (pos_ < close) next();
  } else if (at(TokenKind::FStringClose) || at(TokenKind::FStringColon) || at(TokenKind::FStringConversion)) {
    bool is_closed = !at(TokenKind::FStringClose) || tok().end > tok().start;   // else the lexer has told so
    if (is_closed) error(Code::ExpectedExpression, {file_, text_start - 1, tok().end}, "expected an expression between `{` and `}`").help = "write `{{` for a brace that is text";
    part.value = error_expr(here());
  } else {
    part.value = parse_expr_list();
  }
  if (at(TokenKind::Eq) && !failing_) {
    next();
    part.debug = true;
    part.text = sources_.text({file_, text_start, tok().start});
  }
  if (at(TokenKind::FStringConversion) && !failing_) part.conversion = literal_of(next()).text[0];
  if (at(TokenKind::FStringColon) && !failing_) {
    next();
    ItemList<FStringPart> spec;
    while (!at(TokenKind::FStringClose) && !at(TokenKind::FStringEnd) && !at(TokenKind::End)) {
      if (at(TokenKind::FStringText)) {
        FStringPart piece;
        piece.text = literal_of(next()).text;
        spec.push(piece);
      } else if (at(TokenKind::FStringOpen)) {
        spec.push(parse_field());
      } else {
        next();
      }
    }
    part.spec = spec.finish(arena_);
  }
  if (!at(TokenKind::FStringClose)) error_unexpected("`}` after the expression");
  failing_ = outer_failing;
  while (pos_ < close) next();
  next();
  brackets_ = outer_brackets;
  allow_as_ = outer_as;
  return part;
}

}  // namespace meteor::ast
