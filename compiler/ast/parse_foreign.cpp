// Statements that begin as in another language. The word is reported and its
// token takes the meaning of the Meteor one, so that the rest is read as usual.
#include <algorithm>
#include <iterator>

#include "compiler/ast/foreign_words.h"
#include "compiler/ast/parser.h"

namespace meteor::ast {

// All of these words may be names: only what follows tells.
bool Parser::begins_foreign_statement() const {
  switch (peek_kind()) {
    case TokenKind::Ident: case TokenKind::Int: case TokenKind::Float: case TokenKind::Str: case TokenKind::FStringStart: case TokenKind::True:
    case TokenKind::False: case TokenKind::Null: case TokenKind::Not: case TokenKind::Await: return true;
    case TokenKind::Def: case TokenKind::Class: case TokenKind::Async: case TokenKind::Struct: case TokenKind::Enum: return true;
    case TokenKind::LeftParen: {
      uint32_t close = peek().literal;
      if (close + 2 >= tokens_.size()) return false;
      TokenKind after = tokens_[close + 1].kind;
      return tokens_[close + 2].kind == (after == TokenKind::Colon ? TokenKind::Newline : TokenKind::Indent);
    }
    default: return false;
  }
}

void Parser::translate_foreign_word() {
  switch (tok().name.text()[0]) {   // most names are decided by their first letter
    case 'l': case 'v': case 'a': case 'm': case 'f': case 'e': case 't': case 'i': case 'p': case 'u': case 'd': case 'r': case 'g': break;
    default: return;
  }
  if (!begins_foreign_statement()) return;
  std::string_view text = tok().name.text();
  if (text == "print" && peek_kind() != TokenKind::LeftParen) {
    uint32_t last = pos_;
    while (tokens_[last + 1].kind != TokenKind::Newline && tokens_[last + 1].kind != TokenKind::End) last++;
    Diagnostic& d = error(Code::PythonSpelling, here(), "`print` is a function");
    d.help = "write its arguments in parentheses";
    d.edits.push_back({{file_, tok().end, peek().start}, "("});
    d.edits.push_back({{file_, tokens_[last].end, tokens_[last].end}, ")"});
    return;
  }
  const ForeignWord* word = find_foreign_word(text);
  if (word == nullptr) return;
  Span place = here();
  switch (word->kind) {
    case ForeignKind::Literal: return;
    case ForeignKind::Declaration:
      if (peek_kind() != TokenKind::Ident) return;
    {
      bool is_mutable = peek().name.text() == "mut" && peek_kind(2) == TokenKind::Ident;   // `let mut x`
      uint32_t end = is_mutable ? peek(2).start : peek().start;
      report_spelling({file_, tok().start, end}, text, "", "", "a variable is declared by its first assignment: leave `" + std::string(text) + (is_mutable ? " mut" : "") + "` out");
      next();
      if (is_mutable) next();
      return;
    }
    case ForeignKind::Function:
      if (peek_kind() != TokenKind::Ident || (peek_kind(2) != TokenKind::LeftParen && peek_kind(2) != TokenKind::Less)) return;
      report_spelling(place, text, "def", "def");
      tokens_[pos_].kind = TokenKind::Def;
      return;
    case ForeignKind::Refused:
      error(Code::PythonSpelling, place, "`" + std::string(text) + "` is not Meteor").help = word->instead;
      return;
    case ForeignKind::Statement: break;
  }
  struct Meaning {
    std::string_view instead;
    TokenKind kind;
  };
  constexpr Meaning MEANINGS[] = {
      {"switch", TokenKind::Switch}, {"raise", TokenKind::Raise}, {"trait", TokenKind::Trait}, {"for", TokenKind::For}, {"if not", TokenKind::If},
      {"while not", TokenKind::While}, {"import", TokenKind::Import}, {"pub", TokenKind::Pub},
  };
  for (const Meaning& meaning : MEANINGS) {
    if (meaning.instead != word->instead) continue;
    report_spelling(place, text, word->instead, std::string(word->instead));
    tokens_[pos_].kind = meaning.kind;
    return;
  }
  if (word->instead == "del") {
    report_spelling(place, text, "del", "del");
    tokens_[pos_].name = names_.intern("del");
  }
}

// `except` after a try's block, `elsif` after an if's: the clause is read as what it means.
bool Parser::translate_clause(std::string_view word, TokenKind meant) {
  if (!at_word(word) || peek_kind() == TokenKind::Eq || peek_kind() == TokenKind::Dot) return false;
  report_spelling(here(), word, tokens::spelling_of(meant), std::string(tokens::spelling_of(meant)));
  tokens_[pos_].kind = meant;
  return true;
}

// `...xs` where JavaScript spreads a list.
void Parser::translate_spread(TokenKind meant) {
  if (!at(TokenKind::Ellipsis) || peek().space_before || (peek_kind() != TokenKind::Ident && peek_kind() != TokenKind::LeftBracket && peek_kind() != TokenKind::LeftParen)) return;
  std::string instead(tokens::spelling_of(meant));
  report_spelling(here(), "...", instead, instead);
  tokens_[pos_].kind = meant;
}

// `Colour::Red`. In an index two colons are a slice's.
bool Parser::at_path_colons() const {
  return !in_index_ && at(TokenKind::Colon) && !tok().space_before && peek_kind() == TokenKind::Colon && !peek().space_before && peek_kind(2) == TokenKind::Ident && !peek(2).space_before;
}

// `a..=b` has its end in it, `a..b` has not.
void Parser::report_closed_range(Span dots, const Expr& upper) {
  if (failing_) return;
  Diagnostic& d = sink_.report(Code::PythonSpelling, dots, "`..=` is not Meteor");
  d.help = "`..` leaves out its end: write `a..b + 1`";
  if (upper.kind != ExprKind::Int && upper.kind != ExprKind::Name) return;
  d.edits.push_back({dots, ".."});
  d.edits.push_back({{file_, upper.span.end, upper.span.end}, " + 1"});
}

// `<-` of Go's channels, and not the sign of a number.
bool Parser::at_channel_arrow() const { return at(TokenKind::Less) && peek_kind() == TokenKind::Minus && !peek().space_before; }

Expr* Parser::report_channel_send(Expr* channel) {
  std::string name(sources_.text(channel->span));
  error(Code::PythonSpelling, {file_, tok().start, peek().end}, "`<-` is not Meteor").help = "write `await " + name + ".send(…)`";
  return error_expr(channel->span);
}

// `f()?` of Rust, `f?.(x)` of JavaScript, or a choice with `:`.
void Parser::report_question() {
  bool is_attached = !tok().space_before;
  bool is_call = is_attached && peek_kind() == TokenKind::LeftParen && tokens_[std::min<size_t>(peek().literal + 1, tokens_.size() - 1)].kind != TokenKind::Colon;
  switch (peek_kind()) {
    case TokenKind::Newline: case TokenKind::End: case TokenKind::RightParen: case TokenKind::RightBracket: case TokenKind::RightBrace: case TokenKind::Comma: case TokenKind::Semicolon: {
      if (!is_attached) break;
      Diagnostic& d = error(Code::PythonSpelling, here(), "`?` after a value is not Meteor");
      d.help = "leave it out: an error goes up by itself until it is caught";
      d.edits.push_back({here(), ""});
      return;
    }
    default: break;
  }
  if (is_call) {
    error(Code::PythonSpelling, here(), "a function that may be null can't be called with `?`").help = "test it first: `if f is not null: f(…)`";
    return;
  }
  Diagnostic& d = error(Code::PythonSpelling, here(), "`a ? b : c` is not Meteor");
  d.help = "write `b if a else c`";
}

// `catch e:` names the error without its type. Only the usual names are taken for one: a class may have any name.
Name Parser::translate_caught_name(TypeExpr& type, Span& name_span) {
  if (type.kind != TypeKind::Named || type.path.size() != 1 || !type.args.empty()) return {};
  Name name = type.path[0];
  constexpr std::string_view USUAL[] = {"e", "ex", "err", "exc", "error", "exception"};
  if (std::ranges::find(USUAL, name.text()) == std::end(USUAL)) return {};
  std::string instead = "Error as " + name.str();
  report_spelling(type.span, "catch " + name.str(), "catch " + instead, instead);
  Name error = names_.intern("Error");
  type.path = arena_.copy(&error, 1);
  name_span = type.span;
  return name;
}

// `class A extends B implements T`: the bases stand in parentheses.
std::span<TypeExpr*> Parser::parse_foreign_bases() {
  uint32_t start = prev_end_;
  std::string word(tok().name.text());
  ItemList<TypeExpr*> bases;
  std::string shown;
  while ((at_word("implements") || at_word("extends")) && !failing_) {
    next();
    do {
      bases.push(parse_type());
      shown += (shown.empty() ? "" : ", ") + std::string(sources_.text(bases.back()->span));
    } while (!failing_ && accept(TokenKind::Comma));
  }
  report_spelling(span_from(start), word, "(" + shown + ")", "(" + shown + ")", "bases and traits stand in parentheses: write `(" + shown + ")`");
  return bases.finish(arena_);
}

// `loop:` and `do:` with a block below; null where the word is a name.
Stmt* Parser::parse_foreign_loop() {
  bool is_loop = at_word("loop");
  if ((!is_loop && !at_word("do")) || peek_kind() != TokenKind::Colon || peek_kind(2) != TokenKind::Newline || peek_kind(3) != TokenKind::Indent) return nullptr;
  uint32_t start = tok().start;
  if (is_loop) report_spelling(here(), "loop", "while true", "while true");
  else report_spelling(here(), "do", "", std::nullopt, "write `while true:`, and `if not condition: break` at the end of its block");
  next();
  BoolExpr* always = make<BoolExpr>(start);
  always->value = true;
  Block body = parse_block(is_loop ? "loop" : "do");
  if (!is_loop && at(TokenKind::While)) skip_to_line_end();   // the condition of `do … while`
  WhileStmt* stmt = make<WhileStmt>(start);
  stmt->condition = always, stmt->body = body;
  return stmt;
}

}  // namespace meteor::ast
