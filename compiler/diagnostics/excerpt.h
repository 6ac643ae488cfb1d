// A source line as a terminal shows it: tabs widened, control characters made
// visible, long lines cut, with a table from byte offsets to columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meteor::diagnostics {

// The length of the valid UTF-8 sequence of several bytes at `at`, or 0.
size_t utf8_length(std::string_view text, size_t at);

// The terminal columns that the character at `text[at]` takes; `at` moves past it.
uint32_t next_width(std::string_view text, size_t& at);

struct Excerpt {
  std::string text;             // what to print
  uint32_t offset = 0;          // bytes of the line cut off at its left
  uint32_t left_columns = 0;    // columns that the mark of a cut takes at the left
  std::string_view shown;       // the part of the line that is shown

  // The column, from 0, at which byte `at` of the whole line is printed.
  uint32_t column_of(uint32_t at) const;
};

// Shows at most `max_width` columns of `line`, bytes `focus_start` to `focus_end` among them as far as they fit.
Excerpt make_excerpt(std::string_view line, uint32_t focus_start, uint32_t focus_end, uint32_t max_width);

}  // namespace meteor::diagnostics
