// How much room a text takes in a terminal.
#include <utf8proc.h>

#include "runtime/text/view.h"

using namespace meteor::text;

// Wide letters take two columns, marks above or below others none.
extern "C" int64_t met_str_columns(met_str s) {
  View v = view(s);
  int64_t columns = 0;
  for (const uint8_t* at = v.data; at < v.end();) {
    uint32_t scalar = next_scalar(at);
    columns += scalar < 0x80 ? scalar >= 0x20 && scalar != 0x7f : utf8proc_charwidth(int32_t(scalar));
  }
  return columns;
}
