// source → source: the one style of docs/reference/formatting.md.
// Invariant: the result has the same tree and the same comments, and formatting it again changes nothing.
#pragma once

#include <string>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/source/sources.h"

namespace meteor::format {

constexpr uint32_t LINE_WIDTH = 100;
constexpr uint32_t INDENT_WIDTH = 4;

enum class Outcome : uint8_t {
  Formatted,
  HasErrors,        // does not parse; what is wrong is in the sink
  WouldChange,      // a mistake of ours: the result would mean something else
};

struct Formatted {
  Outcome outcome = Outcome::Formatted;
  std::string text;   // as it was unless formatted
};

Formatted format(source::FileId file, source::Sources& sources, diagnostics::Sink& sink);

}  // namespace meteor::format
