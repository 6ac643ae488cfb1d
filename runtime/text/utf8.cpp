// Counting and checking UTF-8.
#include "runtime/text/view.h"

namespace meteor::text {

int64_t count_scalars(const uint8_t* data, int64_t size) {
  int64_t count = 0, i = 0;
  for (; i + 8 <= size; i += 8) count += scalar_starts(load_word(data + i));
  for (; i < size; i++) count += !is_continuation(data[i]);
  return count;
}

int64_t skip_scalars(const uint8_t* data, int64_t size, int64_t scalars) {
  int64_t i = 0;
  while (i + 8 <= size) {
    int64_t starts = scalar_starts(load_word(data + i));
    if (starts > scalars) break;
    scalars -= starts;
    i += 8;
  }
  for (; i < size; i++) {
    if (is_continuation(data[i])) continue;
    if (scalars == 0) break;
    scalars--;
  }
  return i;
}

int64_t find_bad_utf8(const uint8_t* data, int64_t size) {
  int64_t i = 0;
  while (i < size) {
    if (i + 8 <= size && (load_word(data + i) & HIGH_BITS) == 0) {
      i += 8;
      continue;
    }
    uint8_t first = data[i];
    if (first < 0x80) {
      i++;
      continue;
    }
    // The second byte's range rules out overlong forms, surrogates and what lies beyond U+10FFFF.
    int64_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint8_t lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (first < 0xc2 || first > 0xf4 || i + more >= size) return i;
    if (data[i + 1] < lowest || data[i + 1] > highest) return i;
    for (int64_t k = 2; k <= more; k++)
      if (!is_continuation(data[i + k])) return i;
    i += more + 1;
  }
  return -1;
}

}  // namespace meteor::text

using namespace meteor::text;

extern "C" {

bool met_memory_is_utf8(uint8_t* data, int64_t size, int64_t* error_byte) {
  *error_byte = find_bad_utf8(data, size);
  return *error_byte < 0;
}

}  // extern "C"
