// bytes: slices, hexadecimal, and the ways from and to str.
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

constexpr uint32_t REPLACEMENT = 0xfffd;
constexpr char HEX[] = "0123456789abcdef";

int hex_digit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  uint8_t lower = byte | 32;
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// How many bytes from a bad place on are given up at once: the longest beginning of a well-formed sequence, at least
// one.
int64_t bad_sequence(const uint8_t* at, int64_t left) {
  uint8_t first = at[0];
  if (first < 0xc2 || first > 0xf4) return 1;
  uint8_t lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  uint8_t highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  int64_t whole = scalar_bytes(first), i = 1;
  if (i < left && at[1] >= lowest && at[1] <= highest) {
    i++;
    while (i < whole && i < left && is_continuation(at[i])) i++;
  }
  return i;
}

met_str decode_lossy(View v, bool replace) {
  met_builder builder = {};
  met_builder_reserve(&builder, v.size);
  while (v.size > 0) {
    int64_t bad = find_bad_utf8(v.data, v.size);
    int64_t good = bad < 0 ? v.size : bad;
    met_builder_append_raw(&builder, v.data, good);
    if (bad < 0) break;
    if (replace) met_builder_append_scalar(&builder, REPLACEMENT);
    int64_t skipped = good + bad_sequence(v.data + good, v.size - good);
    v = {v.data + skipped, v.size - skipped};
  }
  return met_builder_take(&builder);
}

}  // namespace

extern "C" {

met_str met_str_from_c(const char* text) {
  View v = {reinterpret_cast<const uint8_t*>(text), int64_t(strlen(text))};
  return find_bad_utf8(v.data, v.size) < 0 ? make(v.data, v.size) : decode_lossy(v, true);
}

met_str met_str_from_scalar(int64_t scalar, bool* ok) {
  *ok = scalar >= 0 && scalar <= 0x10ffff && !(scalar >= 0xd800 && scalar < 0xe000);
  if (!*ok) return EMPTY;
  uint8_t bytes[4];
  return make_small(bytes, write_scalar(bytes, uint32_t(scalar)));
}

int64_t met_str_ord(met_str s) {
  View v = view(s);
  if (v.size == 0 || v.size != scalar_bytes(v.data[0])) return -1;
  const uint8_t* at = v.data;
  return next_scalar(at);
}

met_str met_bytes_make(const uint8_t* data, int64_t size) { return size == 0 ? EMPTY : make_known(data, size, false); }

met_str met_bytes_filled(int64_t size, int64_t byte) {
  Writer writer(size);
  memset(writer.data, int(byte), size_t(size));
  return writer.finish(byte < 0x80);
}

met_str met_bytes_slice(met_str b, int64_t lo, int64_t hi) { return lo >= hi ? EMPTY : make_part(b, lo, hi); }

met_str met_bytes_slice_step(met_str b, int64_t start, int64_t stop, int64_t step) {
  if (step == 1) return met_bytes_slice(b, start, stop);
  uint64_t count = 0;
  if (step > 0 && start < stop) count = uint64_t(stop - start - 1) / uint64_t(step) + 1;
  if (step < 0 && start > stop) count = uint64_t(start - stop - 1) / (0 - uint64_t(step)) + 1;
  View v = view(b);
  Writer writer{int64_t(count)};
  for (uint64_t i = 0; i < count; i++) writer.data[i] = v.data[start + int64_t(i) * step];
  return writer.finish(is_ascii(b));
}

int64_t met_bytes_find(met_str b, met_str needle, int64_t lo, int64_t hi) {
  if (lo > hi) return -1;
  int64_t found = find_bytes({data_of(b) + lo, hi - lo}, view(needle), 0);
  return found < 0 ? -1 : lo + found;
}

int64_t met_bytes_rfind(met_str b, met_str needle, int64_t lo, int64_t hi) {
  if (lo > hi) return -1;
  int64_t found = rfind_bytes({data_of(b) + lo, hi - lo}, view(needle));
  return found < 0 ? -1 : lo + found;
}

int64_t met_bytes_count(met_str b, met_str needle, int64_t lo, int64_t hi) {
  if (lo > hi) return 0;
  if (size_of(needle) == 0) return hi - lo + 1;
  return count_bytes({data_of(b) + lo, hi - lo}, view(needle));
}

int64_t met_bytes_find_byte(met_str b, int64_t byte, int64_t from) {
  View v = view(b);
  if (from >= v.size) return -1;
  const void* found = memchr(v.data + from, int(byte), size_t(v.size - from));
  return found == nullptr ? -1 : static_cast<const uint8_t*>(found) - v.data;
}

met_str met_bytes_hex(met_str b) {
  View v = view(b);
  Writer writer(v.size * 2);
  for (int64_t i = 0; i < v.size; i++) {
    writer.data[2 * i] = uint8_t(HEX[v.data[i] >> 4]);
    writer.data[2 * i + 1] = uint8_t(HEX[v.data[i] & 15]);
  }
  return writer.finish(true);
}

met_str met_bytes_from_hex(met_str text, int64_t* error_index) {
  View v = view(text);
  met_builder builder = {};
  for (int64_t i = 0; i < v.size;) {
    if (v.data[i] < 0x80 && is_space(v.data[i])) {
      i++;
      continue;
    }
    int high = hex_digit(v.data[i]);
    int low = high >= 0 && i + 1 < v.size ? hex_digit(v.data[i + 1]) : -1;
    if (low < 0) {
      *error_index = count_scalars(v.data, high < 0 ? i : i + 1);
      met_builder_free(&builder);
      return EMPTY;
    }
    met_builder_append_byte(&builder, high << 4 | low);
    i += 2;
  }
  *error_index = -1;
  return met_builder_take(&builder);
}

met_str met_bytes_decode(met_str b, int64_t* error_byte) {
  View v = view(b);
  *error_byte = is_ascii(b) ? -1 : find_bad_utf8(v.data, v.size);
  if (*error_byte >= 0) return EMPTY;
  met_str text = kept(b);
  if (!is_small(text) && all_ascii(v.data, v.size)) text.word1 |= MET_STR_ASCII;
  return text;
}

met_str met_bytes_decode_replace(met_str b) { return decode_lossy(view(b), true); }
met_str met_bytes_decode_ignore(met_str b) { return decode_lossy(view(b), false); }

met_str met_bytes_decode_latin1(met_str b) {
  View v = view(b);
  int64_t high = 0;
  for (int64_t i = 0; i < v.size; i++) high += v.data[i] >> 7;
  Writer writer(v.size + high);
  uint8_t* to = writer.data;
  for (int64_t i = 0; i < v.size; i++) to += write_scalar(to, v.data[i]);
  return writer.finish(high == 0);
}

met_str met_str_encode(met_str s) { return kept(s); }

met_str met_str_encode_latin1(met_str s, int64_t* error_index) {
  View v = view(s);
  *error_index = -1;
  if (is_ascii(s)) return kept(s);
  Writer writer(count_scalars(v.data, v.size));
  int64_t count = 0;
  for (const uint8_t* at = v.data; at < v.end(); count++) {
    uint32_t scalar = next_scalar(at);
    if (scalar > 0xff) {
      *error_index = count;
      met_str_release(writer.finish(false));
      return EMPTY;
    }
    writer.data[count] = uint8_t(scalar);
  }
  return writer.finish(false);
}

met_str met_bytes_strip(met_str b) {
  View v = view(b);
  int64_t from = 0, to = v.size;
  auto is_blank = [](uint8_t byte) { return byte == ' ' || (byte >= 9 && byte <= 13); };
  while (from < to && is_blank(v.data[from])) from++;
  while (from < to && is_blank(v.data[to - 1])) to--;
  return make_part(b, from, to);
}

// The limbs of a bigint: bytes, read and written by words.
uint32_t* met_limbs_memory(met_str limbs) { return reinterpret_cast<uint32_t*>(const_cast<uint8_t*>(data_of(limbs))); }
met_str met_limbs_make(const uint32_t* limbs, int64_t size) { return met_bytes_make(reinterpret_cast<const uint8_t*>(limbs), size); }

void met_memory_put(uint8_t* data, int64_t at, met_str source) {
  if (size_of(source) != 0) met_str_copy_to(source, data + at);
}

int64_t met_memory_find(const uint8_t* data, int64_t size, met_str needle) {
  return find_bytes({data, size}, view(needle), 0);
}

}  // extern "C"
