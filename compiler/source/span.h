// A range of bytes in a source file.
#pragma once

#include <cstdint>

#include "compiler/base/id.h"

namespace meteor::source {

using FileId = base::Id<struct FileTag>;

struct Span {
  FileId file;
  uint32_t start = 0;
  uint32_t end = 0;

  bool valid() const { return file.valid(); }
  // From the beginning of this span to the end of `last`.
  Span to(Span last) const { return valid() ? Span{file, start, last.valid() && last.end > start ? last.end : end} : last; }
};

}  // namespace meteor::source
