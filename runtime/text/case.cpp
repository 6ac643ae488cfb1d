// Letter case of whole texts.
#include <stdlib.h>
#include <utf8proc.h>

#include "runtime/text/unicode.h"
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

constexpr uint32_t CAPITAL_SIGMA = 0x3a3, SMALL_SIGMA = 0x3c3, FINAL_SIGMA = 0x3c2;

bool is_ascii_upper(uint8_t byte) { return uint8_t(byte - 'A') < 26; }
bool is_ascii_lower(uint8_t byte) { return uint8_t(byte - 'a') < 26; }
uint8_t ascii_upper(uint8_t byte) { return is_ascii_lower(byte) ? uint8_t(byte - 32) : byte; }
uint8_t ascii_lower(uint8_t byte) { return is_ascii_upper(byte) ? uint8_t(byte + 32) : byte; }

template <class Map>
met_str map_bytes(const met_str& s, Map map) {
  View v = view(s);
  Writer writer(v.size);
  for (int64_t i = 0; i < v.size; i++) writer.data[i] = map(v.data[i]);
  return writer.finish(is_ascii(s));
}

void append_all(met_builder* builder, const uint32_t* scalars, int count) {
  for (int i = 0; i < count; i++) met_builder_append_scalar(builder, scalars[i]);
}

template <class Map>
met_str map_scalars(const met_str& s, Map map) {
  View v = view(s);
  met_builder builder = {};
  met_builder_reserve(&builder, v.size + v.size / 8);
  for (const uint8_t* at = v.data; at < v.end();) {
    const uint8_t* start = at;
    uint32_t scalar = next_scalar(at);
    uint32_t to[CASE_MAPPING_MAX];
    append_all(&builder, to, map(scalar, start, to));
  }
  return met_builder_take(&builder);
}

// A sigma ends a word: a cased letter comes before it, none after it, case-ignorable ones not counted.
bool is_final_sigma(const View& v, const uint8_t* sigma) {
  bool after_letter = false;
  for (const uint8_t* at = sigma; at > v.data;) {
    uint32_t scalar = previous_scalar(at);
    if (is_case_ignorable(scalar)) continue;
    after_letter = is_cased(scalar);
    break;
  }
  if (!after_letter) return false;
  const uint8_t* at = sigma;
  next_scalar(at);
  while (at < v.end()) {
    uint32_t scalar = next_scalar(at);
    if (is_case_ignorable(scalar)) continue;
    return !is_cased(scalar);
  }
  return true;
}

int lower_at(const View& v, uint32_t scalar, const uint8_t* at, uint32_t* to) {
  if (scalar != CAPITAL_SIGMA) return lower_of(scalar, to);
  to[0] = is_final_sigma(v, at) ? FINAL_SIGMA : SMALL_SIGMA;
  return 1;
}

}  // namespace

extern "C" {

met_str met_bytes_upper(met_str b) { return map_bytes(b, ascii_upper); }
met_str met_bytes_lower(met_str b) { return map_bytes(b, ascii_lower); }

met_str met_str_upper(met_str s) {
  if (is_ascii(s)) return map_bytes(s, ascii_upper);
  return map_scalars(s, [](uint32_t scalar, const uint8_t*, uint32_t* to) { return upper_of(scalar, to); });
}

met_str met_str_lower(met_str s) {
  if (is_ascii(s)) return map_bytes(s, ascii_lower);
  View v = view(s);
  return map_scalars(s, [&v](uint32_t scalar, const uint8_t* at, uint32_t* to) { return lower_at(v, scalar, at, to); });
}

met_str met_str_casefold(met_str s) {
  if (is_ascii(s)) return map_bytes(s, ascii_lower);
  return map_scalars(s, [](uint32_t scalar, const uint8_t*, uint32_t* to) { return casefold_of(scalar, to); });
}

met_str met_str_swapcase(met_str s) {
  if (is_ascii(s))
    return map_bytes(s, [](uint8_t byte) { return is_ascii_upper(byte) ? ascii_lower(byte) : ascii_upper(byte); });
  View v = view(s);
  return map_scalars(s, [&v](uint32_t scalar, const uint8_t* at, uint32_t* to) {
    if (is_upper(scalar)) return lower_at(v, scalar, at, to);
    if (is_lower(scalar)) return upper_of(scalar, to);
    to[0] = scalar;
    return 1;
  });
}

met_str met_str_capitalize(met_str s) {
  View v = view(s);
  if (is_ascii(s)) {
    bool first = true;
    return map_bytes(s, [&first](uint8_t byte) {
      uint8_t mapped = first ? ascii_upper(byte) : ascii_lower(byte);
      first = false;
      return mapped;
    });
  }
  return map_scalars(s, [&v](uint32_t scalar, const uint8_t* at, uint32_t* to) {
    return at == v.data ? title_of(scalar, to) : lower_at(v, scalar, at, to);
  });
}

met_str met_str_title(met_str s) {
  View v = view(s);
  bool in_word = false;
  if (is_ascii(s)) {
    return map_bytes(s, [&in_word](uint8_t byte) {
      uint8_t mapped = in_word ? ascii_lower(byte) : ascii_upper(byte);
      in_word = is_ascii_upper(byte) || is_ascii_lower(byte);
      return mapped;
    });
  }
  return map_scalars(s, [&](uint32_t scalar, const uint8_t* at, uint32_t* to) {
    int count = in_word ? lower_at(v, scalar, at, to) : title_of(scalar, to);
    in_word = is_cased(scalar);
    return count;
  });
}

}  // extern "C"
