// Diagnostics as people and as tools read them.
#pragma once

#include <string>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/source/sources.h"

namespace meteor::diagnostics {

struct TextOptions {
  bool colours = false;      // ANSI escapes
  uint32_t max_width = 120;  // columns of an excerpt; longer lines are cut around what they are shown for
  size_t max_shown = 50;     // of a whole report: who corrects these sees the others in the next run
};

// The message, where it is, the source lines with what is wrong underlined, and what to write instead. Ends in a newline.
std::string render_text(const Diagnostic& diagnostic, const source::Sources& sources, const TextOptions& options = {});

// All of them, a blank line after each.
std::string render_text(const Sink& sink, const source::Sources& sources, const TextOptions& options = {});

// One JSON object on one line, with a newline: name, severity, message, file, line, column, end_line, end_column,
// label, expected, found, labels[], notes[], help, edits[]. Columns count Unicode scalars from 1.
std::string render_json(const Diagnostic& diagnostic, const source::Sources& sources);
std::string render_json(const Sink& sink, const source::Sources& sources);

std::string json_string(std::string_view text);   // in quotes

}  // namespace meteor::diagnostics
