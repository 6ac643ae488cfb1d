// Text as a program would write it: in double quotes, with Python's escapes for what can't be seen.
#include "runtime/text/unicode.h"
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

constexpr char HEX[] = "0123456789abcdef";

void append_hex(met_builder* builder, char letter, uint32_t value, int digits) {
  met_builder_append_byte(builder, '\\');
  met_builder_append_byte(builder, letter);
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) met_builder_append_byte(builder, HEX[value >> shift & 15]);
}

// Writes the scalars that have an escape of their own; false for others.
bool append_escape(met_builder* builder, uint32_t scalar) {
  char letter = scalar == '\n'   ? 'n'
                : scalar == '\r' ? 'r'
                : scalar == '\t' ? 't'
                : scalar == '"'  ? '"'
                : scalar == '\\' ? '\\'
                                 : 0;
  if (letter == 0) return false;
  met_builder_append_byte(builder, '\\');
  met_builder_append_byte(builder, letter);
  return true;
}

bool is_plain_ascii(uint8_t byte) { return byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\'; }

}  // namespace

extern "C" {

met_str met_str_repr(met_str s) {
  View v = view(s);
  met_builder builder = {};
  met_builder_reserve(&builder, v.size + 2);
  met_builder_append_byte(&builder, '"');
  for (const uint8_t* at = v.data; at < v.end();) {
    const uint8_t* start = at;
    while (at < v.end() && is_plain_ascii(*at)) at++;
    met_builder_append_raw(&builder, start, at - start);
    if (at == v.end()) break;
    start = at;
    uint32_t scalar = next_scalar(at);
    if (append_escape(&builder, scalar)) continue;
    if (scalar >= 0x80 && is_printable(scalar))
      met_builder_append_raw(&builder, start, at - start);
    else if (scalar < 0x100)
      append_hex(&builder, 'x', scalar, 2);
    else if (scalar < 0x10000)
      append_hex(&builder, 'u', scalar, 4);
    else
      append_hex(&builder, 'U', scalar, 8);
  }
  met_builder_append_byte(&builder, '"');
  return met_builder_take(&builder);
}

met_str met_bytes_repr(met_str b) {
  View v = view(b);
  met_builder builder = {};
  met_builder_reserve(&builder, v.size + 3);
  met_builder_append_byte(&builder, 'b');
  met_builder_append_byte(&builder, '"');
  for (int64_t i = 0; i < v.size; i++) {
    uint8_t byte = v.data[i];
    if (is_plain_ascii(byte))
      met_builder_append_byte(&builder, byte);
    else if (!append_escape(&builder, byte))
      append_hex(&builder, 'x', byte, 2);
  }
  met_builder_append_byte(&builder, '"');
  return met_builder_take(&builder);
}

}  // extern "C"
