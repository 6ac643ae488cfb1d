// The spelling of each kind of token.
#include "compiler/tokens/token.h"

namespace meteor::tokens {

namespace {

constexpr std::string_view SPELLINGS[] = {
#define TOKEN(ident, text) text,
#define KEYWORD(ident, text) text,
#define SYMBOL(ident, text) text,
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
#undef SYMBOL
};

}  // namespace

std::string_view spelling_of(TokenKind kind) { return SPELLINGS[size_t(kind)]; }
bool is_keyword(TokenKind kind) { return kind >= TokenKind::And && kind <= TokenKind::Yield; }
bool is_symbol(TokenKind kind) { return kind >= TokenKind::LeftParen; }

}  // namespace meteor::tokens
