// Searching, on bytes: in UTF-8 a match of valid text begins and ends between scalars.
#include "runtime/text/view.h"

namespace meteor::text {

int64_t find_bytes(View text, View needle, int64_t from) {
  if (from > text.size) return -1;
  if (needle.size == 0) return from;
  if (needle.size > text.size - from) return -1;
  const uint8_t* start = text.data + from;
  const void* found = needle.size == 1 ? memchr(start, needle.data[0], size_t(text.size - from))
                                       : memmem(start, size_t(text.size - from), needle.data, size_t(needle.size));
  return found == nullptr ? -1 : static_cast<const uint8_t*>(found) - text.data;
}

int64_t rfind_bytes(View text, View needle) {
  if (needle.size > text.size) return -1;
  if (needle.size == 0) return text.size;
  int64_t starts = text.size - needle.size + 1;
  while (starts > 0) {
    const void* found = memrchr(text.data, needle.data[0], size_t(starts));
    if (found == nullptr) return -1;
    starts = static_cast<const uint8_t*>(found) - text.data;
    if (memcmp(found, needle.data, size_t(needle.size)) == 0) return starts;
  }
  return -1;
}

int64_t count_bytes(View text, View needle) {
  int64_t count = 0;
  for (int64_t at = find_bytes(text, needle, 0); at >= 0; at = find_bytes(text, needle, at + needle.size)) count++;
  return count;
}

bool is_space(uint32_t scalar) {
  if (scalar < 0x80) return scalar == ' ' || (scalar >= 9 && scalar <= 13) || (scalar >= 0x1c && scalar <= 0x1f);
  if (scalar < 0x1680) return scalar == 0x85 || scalar == 0xa0;
  return scalar == 0x1680 || (scalar >= 0x2000 && scalar <= 0x200a) || scalar == 0x2028 || scalar == 0x2029 ||
         scalar == 0x202f || scalar == 0x205f || scalar == 0x3000;
}

namespace {

bool is_line_end(uint32_t scalar) {
  return (scalar >= '\n' && scalar <= '\r') || (scalar >= 0x1c && scalar <= 0x1e) || scalar == 0x85 ||
         scalar == 0x2028 || scalar == 0x2029;
}

// The bytes of the scalars [lo, hi) of s.
struct Window {
  View part;
  int64_t start;
};

Window window(const met_str& s, int64_t lo, int64_t hi) {
  View v = view(s);
  if (is_ascii(s)) return {{v.data + lo, hi - lo}, lo};
  int64_t from = byte_of(s, lo);
  int64_t to = hi >= met_str_len(s) ? v.size : from + skip_scalars(v.data + from, v.size - from, hi - lo);
  return {{v.data + from, to - from}, from};
}

int64_t index_in(const met_str& s, const Window& window, int64_t lo, int64_t byte) {
  if (byte < 0) return -1;
  return lo + (is_ascii(s) ? byte : count_scalars(window.part.data, byte));
}

}  // namespace
}  // namespace meteor::text

using namespace meteor::text;

extern "C" {

int64_t met_str_find(met_str s, met_str needle, int64_t lo, int64_t hi) {
  if (lo > hi) return -1;
  Window where = window(s, lo, hi);
  return index_in(s, where, lo, find_bytes(where.part, view(needle), 0));
}

int64_t met_str_rfind(met_str s, met_str needle, int64_t lo, int64_t hi) {
  if (lo > hi) return -1;
  Window where = window(s, lo, hi);
  return index_in(s, where, lo, rfind_bytes(where.part, view(needle)));
}

int64_t met_str_count(met_str s, met_str needle, int64_t lo, int64_t hi) {
  if (lo > hi) return 0;
  if (size_of(needle) == 0) return hi - lo + 1;
  return count_bytes(window(s, lo, hi).part, view(needle));
}

bool met_str_contains(met_str s, met_str needle) { return find_bytes(view(s), view(needle), 0) >= 0; }

bool met_str_starts_with(met_str s, met_str prefix) {
  View v = view(s), p = view(prefix);
  return v.size >= p.size && memcmp(v.data, p.data, size_t(p.size)) == 0;
}

bool met_str_ends_with(met_str s, met_str suffix) {
  View v = view(s), p = view(suffix);
  return v.size >= p.size && memcmp(v.end() - p.size, p.data, size_t(p.size)) == 0;
}

int64_t met_str_find_from(met_str s, met_str needle, int64_t from_byte) {
  return find_bytes(view(s), view(needle), from_byte);
}

int64_t met_str_rfind_before(met_str s, met_str needle, int64_t before_byte) {
  return rfind_bytes({data_of(s), before_byte}, view(needle));
}

int64_t met_str_find_space(met_str s, int64_t from_byte) {
  View v = view(s);
  for (const uint8_t* at = v.data + from_byte; at < v.end();) {
    const uint8_t* start = at;
    if (is_space(next_scalar(at))) return start - v.data;
  }
  return v.size;
}

int64_t met_str_skip_space(met_str s, int64_t from_byte) {
  View v = view(s);
  for (const uint8_t* at = v.data + from_byte; at < v.end();) {
    const uint8_t* start = at;
    if (!is_space(next_scalar(at))) return start - v.data;
  }
  return v.size;
}

int64_t met_str_find_space_back(met_str s, int64_t before_byte) {
  View v = view(s);
  for (const uint8_t* at = v.data + before_byte; at > v.data;) {
    const uint8_t* end = at;
    if (is_space(previous_scalar(at))) return end - v.data;
  }
  return 0;
}

int64_t met_str_skip_space_back(met_str s, int64_t before_byte) {
  View v = view(s);
  for (const uint8_t* at = v.data + before_byte; at > v.data;) {
    const uint8_t* end = at;
    if (!is_space(previous_scalar(at))) return end - v.data;
  }
  return 0;
}

int64_t met_str_find_line_end(met_str s, int64_t from_byte, int64_t* next) {
  View v = view(s);
  for (const uint8_t* at = v.data + from_byte; at < v.end();) {
    const uint8_t* start = at;
    uint32_t scalar = next_scalar(at);
    if (!is_line_end(scalar)) continue;
    if (scalar == '\r' && at < v.end() && *at == '\n') at++;
    *next = at - v.data;
    return start - v.data;
  }
  *next = v.size;
  return v.size;
}

}  // extern "C"
