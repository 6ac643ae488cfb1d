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

class Sources {
 public:
  // Takes the text as it is; a byte order mark is skipped by the lexer.
  FileId add(std::string path, std::string text);

  std::string_view path(FileId file) const;
  std::string_view text(FileId file) const;
  std::string_view text(Span span) const;
  LineColumn position(FileId file, uint32_t offset) const;
  LineColumn start_of(Span span) const { return position(span.file, span.start); }
  // The text of line `line` (from 1) without its line end.
  std::string_view line_text(FileId file, uint32_t line) const;
  uint32_t line_count(FileId file) const;

 private:
  struct File {
    std::string path;
    std::string text;
    std::vector<uint32_t> line_starts;
  };
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace meteor::source
