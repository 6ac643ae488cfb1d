// The files of one compilation: their text, names and line tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/source/span.h"

namespace meteor::source {

struct LineColumn {
  uint32_t line = 1;     // from 1
  uint32_t column = 1;   // from 1, in Unicode scalars
};

// Lines end in "\n", "\r\n" or "\r".
class Sources {
 public:
  // Takes the text as it is; a byte order mark is skipped by the lexer and counts as no column.
  FileId add(std::string path, std::string text);

  std::string_view path(FileId file) const;
  std::string_view text(FileId file) const;
  std::string_view text(Span span) const;
  LineColumn position(FileId file, uint32_t offset) const;
  LineColumn start_of(Span span) const { return position(span.file, span.start); }
  LineColumn end_of(Span span) const { return position(span.file, span.end); }
  // The text of line `line` (from 1) without its line end.
  std::string_view line_text(FileId file, uint32_t line) const;
  // The offset of the first byte of line `line` (from 1).
  uint32_t line_start(FileId file, uint32_t line) const;
  uint32_t line_count(FileId file) const;
  size_t file_count() const { return files_.size(); }

 private:
  struct File {
    std::string path;
    std::string text;
    std::vector<uint32_t> line_starts;
    // Unicode scalars before every COUNT_STEP-th byte; empty when all is ASCII.
    std::vector<uint32_t> scalar_counts;
  };
  const File& get_file(FileId file) const;
  static uint32_t scalars_before(const File& file, uint32_t offset);

  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace meteor::source
