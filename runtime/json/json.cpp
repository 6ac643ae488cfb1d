// The inner loops of JSON: sixteen bytes at a time where the machine has it.
#include "runtime/json/json.h"

#include "runtime/numbers/digits.h"
#include "runtime/numbers/numbers.h"
#include "runtime/numbers/shortest.h"
#include "runtime/text/view.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

using namespace meteor::text;

namespace {

constexpr int64_t FIRST_ROOM = 256;

void reserve(met_builder* out, int64_t more) {
  if (out->capacity - out->size < more) [[unlikely]]
    met_builder_reserve(out, out->capacity == 0 ? FIRST_ROOM : more);
}

// A byte of text that needs a look: quote, backslash, control character (the zero at the end is one).
bool is_special(uint8_t byte) { return byte < 0x20 || byte == '"' || byte == '\\'; }

// The first special byte at or after `at`; `high` collects bytes above ASCII before it.
const uint8_t* find_special(const uint8_t* at, bool& high) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'), last_control = _mm_set1_epi8(0x1f);
  for (;;) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash)),
                                 _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes));
    int special = _mm_movemask_epi8(found);
    int above = _mm_movemask_epi8(bytes);
    if (special != 0) {
      int n = __builtin_ctz(unsigned(special));
      high |= (above & ((1 << n) - 1)) != 0;
      return at + n;
    }
    high |= above != 0;
    at += 16;
  }
#else
  while (!is_special(*at)) high |= *at++ >= 0x80;
  return at;
#endif
}

int hex_digit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  uint8_t lower = byte | 32;
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Four digits at `at`, which moves past them or stays at the first that is none; -1.
int32_t take_hex(const uint8_t*& at) {
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*at);
    if (digit < 0) return -1;
    value = value * 16 + digit;
    at++;
  }
  return value;
}

// What follows a backslash; the status, and `at` behind it or at what is wrong.
int64_t take_escape(const uint8_t*& at, uint32_t& scalar) {
  const uint8_t* start = at;
  switch (*at++) {
    case '"': scalar = '"'; return JSON_INT;
    case '\\': scalar = '\\'; return JSON_INT;
    case '/': scalar = '/'; return JSON_INT;
    case 'b': scalar = '\b'; return JSON_INT;
    case 'f': scalar = '\f'; return JSON_INT;
    case 'n': scalar = '\n'; return JSON_INT;
    case 'r': scalar = '\r'; return JSON_INT;
    case 't': scalar = '\t'; return JSON_INT;
    case 'u': break;
    default: at = start; return JSON_BAD_ESCAPE;
  }
  int32_t first = take_hex(at);
  if (first < 0) return JSON_BAD_HEX;
  scalar = uint32_t(first);
  if (first < 0xd800 || first > 0xdfff) return JSON_INT;
  const uint8_t* second_at = at;
  if (first >= 0xdc00 || at[0] != '\\' || at[1] != 'u') {
    at = start;
    return JSON_SURROGATE;
  }
  second_at += 2;
  int32_t second = take_hex(second_at);
  if (second < 0) {
    at = second_at;
    return JSON_BAD_HEX;
  }
  if (second < 0xdc00 || second > 0xdfff) {
    at = start;
    return JSON_SURROGATE;
  }
  at = second_at;
  scalar = 0x10000 + ((uint32_t(first) - 0xd800) << 10) + (uint32_t(second) - 0xdc00);
  return JSON_INT;
}

int64_t stopped_by(const met_json_reader* reader, const uint8_t* at) {
  return at >= reader->data + reader->size ? JSON_UNTERMINATED : JSON_CONTROL;
}

// Text with escapes: `first` is the first backslash.
met_str read_escaped(met_json_reader* reader, const uint8_t* from, const uint8_t* first) {
  met_builder builder = {};
  const uint8_t* at = first;
  bool high = false;
  for (;;) {
    met_builder_append_raw(&builder, from, at - from);
    if (*at != '\\') break;
    at++;
    uint32_t scalar = 0;
    reader->status = take_escape(at, scalar);
    if (reader->status != JSON_INT) break;
    met_builder_append_scalar(&builder, scalar);
    from = at;
    at = find_special(at, high);
  }
  met_str text = EMPTY;
  if (reader->status == JSON_INT) {
    if (*at == '"')
      text = met_builder_text(&builder);
    else
      reader->status = stopped_by(reader, at);
  }
  reader->at = at - reader->data + (reader->status == JSON_INT);
  met_builder_free(&builder);
  return text;
}

constexpr double EXACT_POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int64_t EXACT_POWER_MAX = 22;

bool is_digit(uint8_t byte) { return uint8_t(byte - '0') < 10; }

// Any number that is written correctly, from its first byte to its last.
double slow_float(const uint8_t* from, const uint8_t* to) {
  met_str text = make(from, to - from);
  bool ok = true;
  double value = met_float_parse(text, &ok);
  met_str_release(text);
  return value;
}

void append_escaped(met_builder* out, uint8_t byte) {
  static const char HEX[] = "0123456789abcdef";
  uint8_t escaped[6] = {'\\', byte, '0', '0', uint8_t(HEX[byte >> 4]), uint8_t(HEX[byte & 15])};
  int64_t size = 2;
  switch (byte) {
    case '"':
    case '\\': break;
    case '\b': escaped[1] = 'b'; break;
    case '\f': escaped[1] = 'f'; break;
    case '\n': escaped[1] = 'n'; break;
    case '\r': escaped[1] = 'r'; break;
    case '\t': escaped[1] = 't'; break;
    default: escaped[1] = 'u'; size = 6;
  }
  met_builder_append_raw(out, escaped, size);
}

}  // namespace

extern "C" {

met_str met_json_read_text(met_json_reader* reader) {
  const uint8_t* from = reader->data + reader->at;
  bool high = false;
  const uint8_t* at = find_special(from, high);
  reader->status = JSON_INT;
  if (*at == '"') [[likely]] {
    reader->at = at + 1 - reader->data;
    return make_known(from, at - from, !high);
  }
  if (*at == '\\') return read_escaped(reader, from, at);
  reader->at = at - reader->data;
  reader->status = stopped_by(reader, at);
  return EMPTY;
}

void met_json_skip_text(met_json_reader* reader) {
  const uint8_t* at = reader->data + reader->at;
  bool high = false;
  reader->status = JSON_INT;
  for (;;) {
    at = find_special(at, high);
    if (*at != '\\') break;
    at++;
    uint32_t scalar = 0;
    reader->status = take_escape(at, scalar);
    if (reader->status != JSON_INT) break;
  }
  if (reader->status == JSON_INT && *at != '"') reader->status = stopped_by(reader, at);
  reader->at = at - reader->data + (reader->status == JSON_INT);
}

// What follows an `e`, added to `exponent`. False: no digits.
static inline bool take_exponent(const uint8_t*& at, int64_t& exponent) {
  constexpr int64_t LARGE = 100000;  // of any number that is so written the value is 0 or infinite
  bool below = *at == '-';
  at += below || *at == '+';
  if (!is_digit(*at)) return false;
  int64_t written = 0;
  for (; is_digit(*at); at++)
    if (written < LARGE) written = written * 10 + (*at - '0');
  exponent += below ? -written : written;
  return true;
}

int64_t met_json_read_number(met_json_reader* reader) {
  const uint8_t* from = reader->data + reader->at;
  const uint8_t* at = from;
  bool negative = *at == '-';
  at += negative;
  auto wrong = [&]() -> int64_t {
    reader->at = at - reader->data;
    reader->status = JSON_BAD_NUMBER;
    return 0;
  };
  if (!is_digit(*at)) return wrong();
  uint64_t digits = 0;
  const uint8_t* first_digit = at;
  if (*at == '0') {
    at++;
    if (is_digit(*at)) return wrong();
  } else {
    while (is_digit(*at)) digits = digits * 10 + uint64_t(*at++ - '0');
  }
  int64_t count = at - first_digit;  // up to 19 digits fit without a look
  if (*at != '.' && (*at | 32) != 'e') {
    reader->at = at - reader->data;
    bool fits = count <= 19 || (count == 20 && *first_digit == '1' && digits >= 10000000000000000000ull);
    if (fits && digits <= uint64_t(INT64_MAX) + negative) [[likely]] {
      reader->status = JSON_INT;
      return int64_t(negative ? 0 - digits : digits);
    }
    reader->status = JSON_LARGE;
    reader->number = slow_float(from, at);
    return fits && !negative ? int64_t(digits) : 0;
  }
  int64_t exponent = 0;
  if (*at == '.') {
    at++;
    const uint8_t* fraction = at;
    if (!is_digit(*at)) return wrong();
    while (is_digit(*at)) digits = digits * 10 + uint64_t(*at++ - '0');
    exponent -= at - fraction;
    count += at - fraction;
  }
  if ((*at | 32) == 'e') {
    at++;
    if (!take_exponent(at, exponent)) return wrong();
  }
  reader->at = at - reader->data;
  reader->status = JSON_FLOAT;
  // Both factors are exact doubles here, so one rounding gives the right answer.
  if (count <= 19 && digits <= 1ull << 53 && exponent >= -EXACT_POWER_MAX && exponent <= EXACT_POWER_MAX) {
    double value = exponent < 0 ? double(digits) / EXACT_POWERS[-exponent] : double(digits) * EXACT_POWERS[exponent];
    reader->number = negative ? -value : value;
  } else {
    reader->number = slow_float(from, at);
  }
  return 0;
}

void met_json_write_text(met_json_writer* writer, met_str text) {
  met_builder* out = &writer->out;
#if defined(__SSE2__)
  if (is_small(text)) {  // all of it in one register
    int64_t size = size_of(text);
    reserve(out, MET_STR_SMALL_MAX + 3);
    __m128i bytes;
    memcpy(&bytes, &text, sizeof bytes);
    int special = _mm_movemask_epi8(_mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
        _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes)));
    if ((special & ((1 << size) - 1)) == 0) {
      uint8_t* to = out->data + out->size;
      *to = '"';
      memcpy(to + 1, &bytes, sizeof bytes);
      to[size + 1] = '"';
      out->size += size + 2;
      return;
    }
  }
#endif
  View v = view(text);
  if (out->capacity - out->size < v.size + 2) met_builder_reserve(out, v.size + 2);
  out->data[out->size++] = '"';
  const uint8_t* at = v.data;
  const uint8_t* end = v.end();
  while (at < end) {
    const uint8_t* from = at;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'), last_control = _mm_set1_epi8(0x1f);
    int special = 0;
    while (end - at >= 16) {
      __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      special = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash)),
                                               _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes)));
      if (special != 0) break;
      at += 16;
    }
    if (special != 0)
      at += __builtin_ctz(unsigned(special));
    else
#endif
      while (at < end && !is_special(*at)) at++;
    met_builder_append_raw(out, from, at - from);
    if (at == end) break;
    append_escaped(out, *at++);
  }
  met_builder_append_byte(out, '"');
}

void met_json_write_raw(met_json_writer* writer, met_str text) {
  met_builder* out = &writer->out;
  if (!is_small(text)) return met_builder_append(out, text);
  reserve(out, int64_t(sizeof text));
  memcpy(out->data + out->size, &text, sizeof text);
  out->size += size_of(text);
}

void met_json_write_uint(met_json_writer* writer, uint64_t value) {
  met_builder* out = &writer->out;
  if (out->capacity - out->size < 24) met_builder_reserve(out, 24);
  out->size += meteor::numbers::write_digits(reinterpret_cast<char*>(out->data + out->size), value);
}

void met_json_write_int(met_json_writer* writer, int64_t value) {
  if (value < 0) met_builder_append_byte(&writer->out, '-');
  met_json_write_uint(writer, meteor::numbers::magnitude(value));
}

void met_json_write_float(met_json_writer* writer, double value) {
  met_builder* out = &writer->out;
  if (out->capacity - out->size < meteor::numbers::FLOAT_TEXT_MAX)
    met_builder_reserve(out, meteor::numbers::FLOAT_TEXT_MAX);
  out->size += meteor::numbers::write_float(reinterpret_cast<char*>(out->data + out->size), value);
}

met_str met_json_taken(met_json_writer* writer) { return met_builder_take(&writer->out); }
void met_json_free(met_json_writer* writer) { met_builder_free(&writer->out); }

}  // extern "C"
