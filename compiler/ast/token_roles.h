// What the parser took a token for, where its kind alone does not tell. The
// formatter spaces and breaks lines by it.
#pragma once

#include <vector>

#include "compiler/tokens/token.h"

namespace meteor::ast {

enum class TokenRole : uint8_t {
  None,
  TypeBracket,    // `<` and `>` around type arguments and parameters; also `>>`, `>=`, `>>=` that begin with such
  Prefix,         // a sign, `*` or `**` before its only operand
  Named,          // the `=` of `f(x=1)`, and of a default without a type
  Slice,          // the `:` of `a[1:2]`
  BlockColon,     // the `:` that ends a header
  MissingColon,   // the NEWLINE after a header that has none
  Word,           // a name that is a keyword here: `assert x`
  Walrus,         // the `:` and the `=` of `(n := f())`
};

struct TokenRoles {
  tokens::TokenList tokens;        // as the lexer made them
  std::vector<TokenRole> roles;    // by index of the token
};

}  // namespace meteor::ast
