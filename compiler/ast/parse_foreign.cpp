// Statements that begin as in another language. The word is reported and its
// token takes the meaning of the Meteor one, so that the rest is read as usual.
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
    case 'l': case 'v': case 'a': case 'm': case 'f': case 'e': case 't': case 'i': case 'p': case 'u': case 'd': case 'r': break;
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
    case ForeignKind::Literal: case ForeignKind::Name: return;
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

}  // namespace meteor::ast
