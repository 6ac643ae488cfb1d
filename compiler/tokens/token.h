// Tokens as the parser reads them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/source/span.h"

namespace meteor::tokens {

enum class TokenKind : uint8_t {
#define TOKEN(ident, text) ident,
#define KEYWORD(ident, text) ident,
#define SYMBOL(ident, text) ident,
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
#undef SYMBOL
};

// `=` for a symbol, "a name" for an identifier: without quotes.
std::string_view spelling_of(TokenKind kind);
bool is_keyword(TokenKind kind);
bool is_symbol(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::End;
  bool space_before = false;   // something other than a token stands right before it
  uint32_t start = 0;          // bytes; start == end for what the source leaves out (layout, brackets never closed)
  uint32_t end = 0;
  uint32_t literal = 0;        // index into TokenList::literals, for literals and the texts of f-strings; for an opening
                               // bracket the index of the token that closes it
  base::Name name;             // identifiers and keywords
};

struct Literal {
  std::string_view text;       // Str, Bytes, FStringText: the value, escapes done; FStringConversion: its letter
  uint64_t integer = 0;        // Int: the magnitude; Duration: nanoseconds
  double real = 0;             // Float
  bool too_big = false;        // Int: the magnitude does not fit
};

struct Comment {
  uint32_t start = 0;          // at its `#`
  uint32_t end = 0;            // before the line end
  bool own_line = false;       // nothing but spaces before it
};

// Invariant: ends in End; every INDENT has its DEDENT; brackets and the pieces of f-strings nest, whatever the
// source says. Blank lines and spaces are what lies between the tokens' bytes and the comments'.
struct TokenList {
  std::vector<Token> tokens;
  std::vector<Literal> literals;
  std::vector<Comment> comments;
};

}  // namespace meteor::tokens
