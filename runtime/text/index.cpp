// Positions in text: by scalar for users (constant time when all ASCII), by byte for core's own loops.
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

met_str make_char(const uint8_t* at) { return *at < 0x80 ? make_ascii_char(*at) : make_small(at, scalar_bytes(*at)); }

int64_t skip_back(const uint8_t* data, int64_t byte, int64_t scalars) {
  for (; scalars > 0; scalars--)
    do byte--;
    while (is_continuation(data[byte]));
  return byte;
}

int64_t step_count(int64_t start, int64_t stop, int64_t step) {
  if (step > 0) return start < stop ? int64_t((uint64_t(stop) - uint64_t(start) - 1) / uint64_t(step)) + 1 : 0;
  return start > stop ? int64_t((uint64_t(start) - uint64_t(stop) - 1) / (0 - uint64_t(step))) + 1 : 0;
}

}  // namespace

namespace meteor::text {

// Counting begins where the last look-up ended, or at the start if that is nearer: loops over neighbouring indexes take
// constant time per step. Bytes before a crumb never change, and threads that share the text write equally true crumbs.
int64_t byte_of(const met_str& s, int64_t index) {
  if (is_ascii(s)) return index;
  View v = view(s);
  if (is_small(s) || v.size > UINT32_MAX || (object_of(s)->header.strong & MET_IMMORTAL)) return skip_scalars(v.data, v.size, index);
  uint64_t crumb = __atomic_load_n(&object_of(s)->crumb, __ATOMIC_RELAXED);
  int64_t known_index = int64_t(crumb >> 32), known_byte = int64_t(crumb & UINT32_MAX);
  int64_t byte = 0;
  if (known_byte > v.size || index < known_index / 2) byte = skip_scalars(v.data, v.size, index);
  else if (index < known_index) byte = skip_back(v.data, known_byte, known_index - index);
  else byte = known_byte + skip_scalars(v.data + known_byte, v.size - known_byte, index - known_index);
  __atomic_store_n(&object_of(s)->crumb, uint64_t(index) << 32 | uint64_t(byte), __ATOMIC_RELAXED);
  return byte;
}

}  // namespace meteor::text

extern "C" {

met_str met_str_char_at(met_str s, int64_t index) {
  View v = view(s);
  if (is_ascii(s)) return make_ascii_char(v.data[index]);
  return make_char(v.data + byte_of(s, index));
}

met_str met_str_slice(met_str s, int64_t lo, int64_t hi) {
  if (lo >= hi) return EMPTY;
  if (is_ascii(s)) return make_part(s, lo, hi);
  int64_t from = byte_of(s, lo);
  int64_t to = byte_of(s, hi);
  return make_part(s, from, to);
}

met_str met_str_slice_step(met_str s, int64_t start, int64_t stop, int64_t step) {
  if (step == 1) return met_str_slice(s, start, stop);
  int64_t count = step_count(start, stop, step);
  if (count == 0) return EMPTY;
  View v = view(s);
  if (is_ascii(s)) {
    Writer writer(count);
    for (int64_t i = 0; i < count; i++) writer.data[i] = v.data[start + i * step];
    return writer.finish(true);
  }
  met_builder builder = {};
  const uint8_t* at = v.data + byte_of(s, start);
  for (int64_t i = 0;;) {
    met_builder_append_raw(&builder, at, scalar_bytes(*at));
    if (++i == count) break;
    if (step > 0)
      at += skip_scalars(at, v.end() - at, step);
    else
      for (int64_t k = step; k < 0; k++) previous_scalar(at);
  }
  return met_builder_take(&builder);
}

met_str met_str_byte_slice(met_str s, int64_t from_byte, int64_t to_byte) { return make_part(s, from_byte, to_byte); }

met_str met_str_next_char(met_str s, int64_t* byte) {
  const uint8_t* at = data_of(s) + *byte;
  *byte += scalar_bytes(*at);
  return make_char(at);
}

int64_t met_str_byte_of_index(met_str s, int64_t index) { return byte_of(s, index); }

int64_t met_str_index_of_byte(met_str s, int64_t byte) { return is_ascii(s) ? byte : count_scalars(data_of(s), byte); }

met_str met_str_reversed(met_str s) {
  View v = view(s);
  Writer writer(v.size);
  uint8_t* to = writer.data + v.size;
  for (const uint8_t* at = v.data; at < v.end();) {
    int64_t bytes = scalar_bytes(*at);
    to -= bytes;
    memcpy(to, at, size_t(bytes));
    at += bytes;
  }
  return writer.finish(is_ascii(s));
}

}  // extern "C"
