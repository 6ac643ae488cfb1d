// Python's format specification, taken apart: [[fill]align][sign][z][#][0][width][grouping][.precision][type]
#ifndef METEOR_RUNTIME_NUMBERS_FORMAT_SPEC_H
#define METEOR_RUNTIME_NUMBERS_FORMAT_SPEC_H

#include <stdint.h>

#include "runtime/abi/abi.h"

namespace meteor::numbers {

struct FormatSpec {
  uint32_t fill = ' ';
  char align = 0;  // < > = ^
  bool align_given = false;
  char sign = 0;  // + - space
  bool no_negative_zero = false;
  bool alternate = false;
  int64_t width = -1;
  char grouping = 0;  // , _
  int64_t precision = -1;
  uint32_t type = 0;  // a letter; 0 when left out
};

// False: *problem is the message (owned). `kind` is the type's name for messages.
bool parse_format_spec(const met_str& text, const char* kind, char default_align, FormatSpec* spec, met_str* problem);

met_str unknown_format_code(uint32_t type, const char* kind);

}  // namespace meteor::numbers

#endif
