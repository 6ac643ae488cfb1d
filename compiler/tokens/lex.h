// source → tokens: indentation becomes INDENT, DEDENT and NEWLINE; comments are kept aside.
#pragma once

#include "compiler/base/arena.h"
#include "compiler/base/name.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/source/sources.h"
#include "compiler/tokens/token.h"

namespace meteor::tokens {

// Never fails: what is not a token is reported and left out. Linear in the size of the file.
TokenList lex(source::FileId file, const source::Sources& sources, diagnostics::Sink& sink, base::NameTable& names, base::Arena& arena);

}  // namespace meteor::tokens
