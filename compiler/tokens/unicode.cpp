// UTF-8 decoding and the identifier tables.
#include "compiler/tokens/unicode.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace meteor::tokens {

namespace {

struct Range {
  uint32_t first, last;
};

#include "compiler/tokens/unicode_ranges.inc"

template <size_t N>
bool contains(const Range (&ranges)[N], uint32_t scalar) {
  const Range* after = std::upper_bound(std::begin(ranges), std::end(ranges), scalar, [](uint32_t c, const Range& r) { return c < r.first; });
  return after != std::begin(ranges) && scalar <= std::prev(after)->last;
}

bool is_ascii_letter(uint32_t c) { return (c | 0x20) - 'a' < 26 || c == '_'; }

}  // namespace

bool is_ident_start(uint32_t scalar) { return scalar < 0x80 ? is_ascii_letter(scalar) : contains(IDENT_START, scalar); }

bool is_ident_continue(uint32_t scalar) {
  return scalar < 0x80 ? is_ascii_letter(scalar) || scalar - '0' < 10 : contains(IDENT_CONTINUE, scalar);
}

Scalar decode_utf8(const char* at, const char* end) {
  auto byte = [&](int i) { return uint32_t(uint8_t(at[i])); };
  auto tail = [&](int i) { return at + i < end && (byte(i) & 0xC0) == 0x80; };
  if (at >= end) return {};
  uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first >= 0xC2 && first <= 0xDF && tail(1)) return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (first >= 0xE0 && first <= 0xEF && tail(1) && tail(2)) {
    uint32_t scalar = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    return scalar < 0x800 || (scalar >= 0xD800 && scalar <= 0xDFFF) ? Scalar{} : Scalar{scalar, 3};
  }
  if (first >= 0xF0 && first <= 0xF4 && tail(1) && tail(2) && tail(3)) {
    uint32_t scalar = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    return scalar < 0x10000 || scalar > 0x10FFFF ? Scalar{} : Scalar{scalar, 4};
  }
  return {};
}

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += char(c);
  } else if (c < 0x800) {
    out += {char(0xC0 | c >> 6), char(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out += {char(0xE0 | c >> 12), char(0x80 | (c >> 6 & 0x3F)), char(0x80 | (c & 0x3F))};
  } else {
    out += {char(0xF0 | c >> 18), char(0x80 | (c >> 12 & 0x3F)), char(0x80 | (c >> 6 & 0x3F)), char(0x80 | (c & 0x3F))};
  }
}

size_t find_invalid_utf8(std::string_view text, size_t from) {
  const char* end = text.data() + text.size();
  for (size_t at = from; at < text.size();) {
    uint64_t word;
    if (at + 8 <= text.size()) {
      std::memcpy(&word, text.data() + at, 8);
      if ((word & 0x8080808080808080ull) == 0) {
        at += 8;
        continue;
      }
    }
    Scalar scalar = decode_utf8(text.data() + at, end);
    if (scalar.length == 0) return at;
    at += scalar.length;
  }
  return text.size();
}

}  // namespace meteor::tokens
