// Types, and the question whether `f<` begins type arguments or a comparison.
#include "compiler/ast/foreign_names.h"
#include "compiler/ast/parser.h"

namespace meteor::ast {

TypeExpr* Parser::make_type(TypeKind kind, uint32_t start, TypeExpr* inner) {
  TypeExpr* type = arena_.make<TypeExpr>();
  type->kind = kind;
  type->span = span_from(start);
  type->inner = inner;
  return type;
}

TypeExpr* Parser::error_type() {
  Span span = at_statement_end() ? Span{file_, prev_end_, prev_end_ + 1} : here();
  Diagnostic& d = error(Code::ExpectedType, span, "expected a type, found " + describe(tok()));
  if (at(TokenKind::LeftBracket)) d.help = "write `list<T>`";
  if (at(TokenKind::LeftBrace)) d.help = "write `dict<K, V>` or `set<T>`";
  if (at(TokenKind::Str)) d.help = "a type is written without quotes, also before its declaration";
  TypeExpr* type = arena_.make<TypeExpr>();
  type->span = span;
  return type;
}

// `str??` is one token, which is the operator where a value follows: `x as int ?? 0`.
bool Parser::at_optional_twice() const {
  if (!at(TokenKind::QuestionQuestion) || tok().start != prev_end_) return false;
  switch (peek().kind) {
    case TokenKind::Eq:
    case TokenKind::Comma:
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::Greater:
    case TokenKind::Colon:
    case TokenKind::Newline:
    case TokenKind::Semicolon: return true;
    default: return false;
  }
}

TypeExpr* Parser::parse_type() {
  DepthGuard guard(*this);
  if (!guard.ok()) {
    report_too_deep();
    skip_to_element_end();
    TypeExpr* type = arena_.make<TypeExpr>();
    type->span = here();
    return type;
  }
  uint32_t start = tok().start;
  TypeExpr* type = parse_type_base();
  if (accept(TokenKind::Question) || at_optional_twice()) type = make_type(TypeKind::Optional, start, type);
  if (at_optional_twice()) {
    Diagnostic& d = error(Code::UnexpectedToken, here(), "a type is optional or not: it can't be optional twice");
    d.help = "write one `?`";
    d.edits.push_back({here(), "?"});
    next();
  }
  if (at(TokenKind::Pipe) && !failing_) {
    // `int | None`: what Python writes for an optional.
    const Token& other = peek();
    bool is_null = other.kind == TokenKind::Null || (other.kind == TokenKind::Ident && other.name.text() == "None");
    if (is_null) {
      report_spelling({file_, prev_end_, other.end}, "| None", "?", "?", "an optional type is written `T?`");
      next();
      next();
      type = make_type(TypeKind::Optional, start, type);
    }
  }
  type_end_ = prev_end_;
  return type;
}

TypeExpr* Parser::parse_type_base() {
  uint32_t start = tok().start;
  switch (kind()) {
    case TokenKind::Ident:
      if (tok().name == name_func_ && (peek_kind() == TokenKind::Less || peek_kind() == TokenKind::Arrow)) return parse_func_type(false, start);
      return parse_named_type();
    case TokenKind::Null: {
      Name name = next().name;
      TypeExpr* type = make_type(TypeKind::Named, start);
      type->path = arena_.copy(&name, 1);
      return type;
    }
    case TokenKind::Async:
      if (peek_kind() == TokenKind::Ident && peek().name == name_func_) {
        next();
        return parse_func_type(true, start);
      }
      return error_type();
    case TokenKind::LeftParen: return parse_tuple_type();
    case TokenKind::Dyn: case TokenKind::Frozen: case TokenKind::Weak: {
      TypeKind form = at(TokenKind::Dyn) ? TypeKind::Dyn : at(TokenKind::Frozen) ? TypeKind::Frozen : TypeKind::Weak;
      DepthGuard guard(*this);
      next();
      if (!guard.ok()) {
        report_too_deep();
        skip_to_element_end();
        return make_type(TypeKind::Error, start);
      }
      TypeExpr* inner = parse_type_base();   // `dyn Shape?` is an optional
      return make_type(form, start, inner);
    }
    default: return error_type();
  }
}

TypeExpr* Parser::parse_named_type() {
  uint32_t start = tok().start;
  ItemList<Name> path;
  path.push(next().name);
  while (at(TokenKind::Dot)) {
    next();
    if (!at(TokenKind::Ident) && !is_keyword(kind())) {
      error(Code::ExpectedName, here(), "expected the name of a type after `.`, found " + describe(tok()));
      break;
    }
    path.push(next().name);
  }
  std::span<TypeExpr*> args;
  if (at(TokenKind::Less) && !failing_) {
    args = parse_type_args();
  } else if (at(TokenKind::LeftBracket) && !tok().space_before && !failing_) {
    return parse_bracketed_type(path, start);
  }
  TypeExpr* type = make_type(TypeKind::Named, start);
  if (path.size() == 1 && path[0].text() == "c_ptr" && args.size() == 1) {
    type->kind = TypeKind::Pointer;
    type->inner = args[0];
    return type;
  }
  type->path = path.finish(arena_);
  type->args = args;
  return type;
}

// The arguments of `list[int]`, up to its `]`, which is left. Those of a `Callable` are a list and a result.
std::span<TypeExpr*> Parser::parse_bracketed_args() {
  uint32_t close = tok().literal;
  next();
  ItemList<TypeExpr*> items;
  brackets_++;
  if (at(TokenKind::LeftBracket)) {
    next();
    while (!at(TokenKind::RightBracket) && !at(TokenKind::End) && !failing_) {
      items.push(parse_type());
      if (!accept(TokenKind::Comma)) break;
    }
    accept(TokenKind::RightBracket);
    accept(TokenKind::Comma);
  }
  while (!at(TokenKind::RightBracket) && !at(TokenKind::End) && !failing_) {
    items.push(parse_type());
    if (!accept(TokenKind::Comma)) break;
  }
  brackets_--;
  while (pos_ < close) next();
  return items.finish(arena_);
}

// A type with its arguments in square brackets, which is read as what it means: `int[]`, `list[int]`, `Optional[int]`.
TypeExpr* Parser::parse_bracketed_type(ItemList<Name>& path, uint32_t start) {
  Span bracket = here();
  std::string written(sources_.text({file_, start, prev_end_}));
  std::span<TypeExpr*> args = parse_bracketed_args();
  Span end = here();
  next();
  TypeExpr* type = make_type(TypeKind::Named, start);
  Name name = path[0];
  type->path = path.finish(arena_);
  type->args = args;
  if (failing_) return type;
  auto text_of = [&](std::span<TypeExpr*> types) {
    std::string text;
    for (TypeExpr* each : types) text += (text.empty() ? "" : ", ") + std::string(sources_.text(each->span));
    return text;
  };
  auto meant = [&](TypeKind kind, std::string_view shown, const std::string& instead) {
    report_spelling(type->span, shown, instead, instead);
    type->kind = kind;
  };
  if (args.empty()) {
    TypeExpr* element = make_type(TypeKind::Named, start);
    element->path = type->path;
    element->span = {file_, start, bracket.start};
    meant(TypeKind::Named, written + "[]", "list<" + written + ">");
    Name list = names_.intern("list");
    type->path = arena_.copy(&list, 1);
    type->args = arena_.copy(&element, 1);
  } else if (name.text() == "Optional" && args.size() == 1) {
    meant(TypeKind::Optional, "Optional[…]", text_of(args) + "?");
    type->inner = args[0];
  } else if (name.text() == "Callable") {
    std::span<TypeExpr*> params = args.first(args.size() - 1);
    meant(TypeKind::Func, "Callable[…]", "func<" + text_of(params) + "> -> " + text_of(args.last(1)));
    type->inner = args.back();
    type->args = params;
  } else if (name.text() == "Tuple" || name.text() == "tuple") {
    meant(TypeKind::Tuple, written + "[…]", "(" + text_of(args) + ")");
  } else {
    const ForeignName* foreign = find_foreign_type(name.text());
    bool is_renamed = foreign && !foreign->instead.empty();
    std::string ours(is_renamed ? foreign->instead : written);
    Diagnostic& d = sink_.report(Code::PythonSpelling, is_renamed ? type->span : bracket.to(end), is_renamed ? "`" + written + "[…]` is written `" + ours + "<…>`" : "type arguments are written with `<` and `>`");
    d.help = is_renamed ? "write `" + ours + "<…>`" : "write `<…>`";
    if (is_renamed) d.edits.push_back({{file_, start, bracket.start}, ours});
    d.edits.push_back({bracket, "<"});
    d.edits.push_back({end, ">"});
    Name renamed = names_.intern(ours);
    if (is_renamed) type->path = arena_.copy(&renamed, 1);
  }
  return type;
}

// `-> int, str` gives two values: a tuple, whose type has parentheses.
TypeExpr* Parser::parse_bare_tuple_type(TypeExpr* first) {
  uint32_t start = first->span.start;
  ItemList<TypeExpr*> items;
  items.push(first);
  while (accept(TokenKind::Comma)) items.push(parse_type());
  TypeExpr* type = make_type(TypeKind::Tuple, start);
  type->args = items.finish(arena_);
  if (failing_) return type;
  std::string written(sources_.text(type->span));
  report_spelling(type->span, written, "(" + written + ")", "(" + written + ")");
  return type;
}

// func<A, B> -> R
TypeExpr* Parser::parse_func_type(bool is_async, uint32_t start) {
  next();
  std::span<TypeExpr*> params;
  if (at(TokenKind::Less)) params = parse_type_args();
  TypeExpr* result = nullptr;
  if (at(TokenKind::Arrow) && !failing_) {
    next();
    result = parse_type();
  }
  TypeExpr* type = make_type(TypeKind::Func, start, result);
  type->is_async = is_async;
  type->args = params;
  return type;
}

// (A, B); (A) is A.
TypeExpr* Parser::parse_tuple_type() {
  uint32_t start = next().start;
  brackets_++;
  ItemList<TypeExpr*> items;
  bool is_tuple = at(TokenKind::RightParen);
  while (!at(TokenKind::RightParen) && !at(TokenKind::End)) {
    items.push(parse_type());
    if (!at(TokenKind::Comma) && !at(TokenKind::RightParen)) error_unexpected("`,` or `)` in the tuple type");
    recover_element();
    if (!accept(TokenKind::Comma)) break;
    is_tuple = true;
  }
  expect(TokenKind::RightParen, "to close the tuple type");
  brackets_--;
  if (at(TokenKind::Arrow) && !failing_) {
    Diagnostic& d = error(Code::ExpectedType, {file_, start, tok().end}, "a function type is written `func<A, B> -> R`");
    d.help = "write `func<…> ->`";
  }
  if (!is_tuple && items.size() == 1) return items[0];
  TypeExpr* type = make_type(TypeKind::Tuple, start);
  type->args = items.finish(arena_);
  return type;
}

std::span<TypeExpr*> Parser::parse_type_args() {
  mark(TokenRole::TypeBracket);
  next();
  ItemList<TypeExpr*> args;
  while (!at(TokenKind::Greater) && !at(TokenKind::Shr) && !failing_) {
    args.push(parse_type());
    if (!accept(TokenKind::Comma)) break;
  }
  if (!accept_greater()) error_unexpected("`,` or `>` after a type argument");
  return args.finish(arena_);
}

// Takes one `>`, splitting `>>`, `>=` and `>>=`.
bool Parser::accept_greater() {
  Token& token = tokens_[pos_];
  switch (token.kind) {
    case TokenKind::Greater: case TokenKind::Shr: case TokenKind::GreaterEq: case TokenKind::ShrEq: mark(TokenRole::TypeBracket); break;
    default: return false;
  }
  switch (token.kind) {
    case TokenKind::Greater: next(); return true;
    case TokenKind::Shr: token.kind = TokenKind::Greater; break;
    case TokenKind::GreaterEq: token.kind = TokenKind::Eq; break;
    case TokenKind::ShrEq: token.kind = TokenKind::GreaterEq; break;
    default: return false;
  }
  token.start++;
  token.space_before = false;
  prev_end_ = token.start;
  return true;
}

// ---- Lookahead: the same grammar over token positions, building nothing.

TokenKind Parser::kind_at(Place place) const {
  if (place.pos >= tokens_.size()) return TokenKind::End;
  return place.half ? TokenKind::Greater : tokens_[place.pos].kind;
}

Parser::Place Parser::scan_type_list(Place from, TokenKind closer, uint32_t depth) {
  auto at_closer = [&](Place place) { return kind_at(place) == closer || (closer == TokenKind::Greater && kind_at(place) == TokenKind::Shr); };
  while (!at_closer(from)) {
    from = scan_type(from, depth);
    if (from.pos == 0) return {};
    if (from.half || kind_at(from) != TokenKind::Comma) break;
    from.pos++;
  }
  if (!at_closer(from)) return {};
  if (kind_at(from) == TokenKind::Shr) return {from.pos, true};
  return {from.pos + 1, false};
}

// `pos` is at `<`. Remembers its answers: `a < b < c < …` is asked about at every step.
Parser::Place Parser::scan_type_args(uint32_t pos, uint32_t depth) {
  auto known = type_args_ends_.find(pos);
  if (known != type_args_ends_.end()) return known->second;
  Place end = depth > 100 ? Place{} : scan_type_list({pos + 1, false}, TokenKind::Greater, depth + 1);
  type_args_ends_.emplace(pos, end);
  return end;
}

Parser::Place Parser::scan_type(Place from, uint32_t depth) {
  if (from.half || depth > 100) return {};
  uint32_t pos = from.pos;
  auto at_kind = [&](TokenKind k) { return kind_at({pos, false}) == k; };
  while (at_kind(TokenKind::Dyn) || at_kind(TokenKind::Frozen) || at_kind(TokenKind::Async)) pos++;
  Place end;
  if (at_kind(TokenKind::Ident)) {
    bool is_func = tokens_[pos].name == name_func_;
    pos++;
    while (at_kind(TokenKind::Dot) && kind_at({pos + 1, false}) == TokenKind::Ident) pos += 2;
    end = {pos, false};
    if (at_kind(TokenKind::Less)) end = scan_type_args(pos, depth);
    if (end.pos == 0) return {};
    if (is_func && !end.half && kind_at(end) == TokenKind::Arrow) end = scan_type({end.pos + 1, false}, depth + 1);
  } else if (at_kind(TokenKind::LeftParen)) {
    end = scan_type_list({pos + 1, false}, TokenKind::RightParen, depth + 1);
  } else if (at_kind(TokenKind::Null)) {
    end = {pos + 1, false};
  }
  if (end.pos != 0 && !end.half && kind_at(end) == TokenKind::Question) end.pos++;
  return end;
}

// At a `<` after a name: type arguments have no space before them, are types, and end in a `>` after which
// a comparison could not go on: `f<int>(x)`, `Stack<str>`, but `a < b`, `a<b>c`, `f(a<b, c>d)`.
bool Parser::at_type_args() {
  if (tok().space_before) return false;
  Place end = scan_type_args(pos_, 0);
  if (end.pos == 0 || end.half) return false;
  switch (kind_at(end)) {
    case TokenKind::LeftParen: case TokenKind::RightParen: case TokenKind::RightBracket: case TokenKind::RightBrace: case TokenKind::Comma:
    case TokenKind::Dot: case TokenKind::QuestionDot: case TokenKind::Newline: case TokenKind::Semicolon: case TokenKind::Colon:
    case TokenKind::FStringClose: case TokenKind::FStringColon: case TokenKind::FStringConversion: case TokenKind::Dedent: case TokenKind::End: return true;
    default: return false;
  }
}

}  // namespace meteor::ast
