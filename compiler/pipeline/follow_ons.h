// Diagnostics → those that stand on their own: one mistake is not reported twice.
#pragma once

#include <string_view>
#include <unordered_set>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/source/sources.h"

namespace meteor::pipeline {

// The first `syntax_count` diagnostics come from the lexer and the parser, the others from the checker, which saw only what could be read.
// Each of the two is in the order of the source. Leaves out what the parser says where it has lost its way, what the checker says of a part of a file that could not be read, or of one that uses a name from there (names in `library`
// are known anyway), and all but the first use of a name that does not exist.
void drop_follow_ons(diagnostics::Sink& sink, size_t syntax_count, const std::unordered_set<std::string_view>& library, const source::Sources& sources);

}  // namespace meteor::pipeline
