// Positions in text: by scalar for users (constant time when all ASCII), by byte for core's own loops.
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

met_str make_char(const uint8_t* at) { return *at < 0x80 ? make_ascii_char(*at) : make_small(at, scalar_bytes(*at)); }

int64_t byte_of(const met_str& s, int64_t index) {
  if (is_ascii(s)) return index;
  View v = view(s);
  return skip_scalars(v.data, v.size, index);
}

int64_t step_count(int64_t start, int64_t stop, int64_t step) {
  if (step > 0) return start < stop ? int64_t((uint64_t(stop) - uint64_t(start) - 1) / uint64_t(step)) + 1 : 0;
  return start > stop ? int64_t((uint64_t(start) - uint64_t(stop) - 1) / (0 - uint64_t(step))) + 1 : 0;
}

}  // namespace

extern "C" {

met_str met_str_char_at(met_str s, int64_t index) {
  View v = view(s);
  if (is_ascii(s)) return make_ascii_char(v.data[index]);
  return make_char(v.data + skip_scalars(v.data, v.size, index));
}

int64_t met_str_scalar_at(met_str s, int64_t index) {
  const uint8_t* at = data_of(s) + byte_of(s, index);
  return next_scalar(at);
}

met_str met_str_slice(met_str s, int64_t lo, int64_t hi) {
  if (lo >= hi) return EMPTY;
  if (is_ascii(s)) return make_part(s, lo, hi);
  View v = view(s);
  int64_t from = skip_scalars(v.data, v.size, lo);
  int64_t to = from + skip_scalars(v.data + from, v.size - from, hi - lo);
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
  const uint8_t* at = v.data + skip_scalars(v.data, v.size, start);
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

int64_t met_str_next_scalar(met_str s, int64_t* byte) {
  const uint8_t* from = data_of(s) + *byte;
  const uint8_t* at = from;
  uint32_t scalar = next_scalar(at);
  *byte += at - from;
  return scalar;
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
