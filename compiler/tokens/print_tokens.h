// Tokens as text, for tests and `--dump=tokens`: a line per source line, layout as INDENT and DEDENT.
#pragma once

#include <string>

#include "compiler/source/sources.h"
#include "compiler/tokens/token.h"

namespace meteor::tokens {

std::string print(const TokenList& list, source::FileId file, const source::Sources& sources);

}  // namespace meteor::tokens
