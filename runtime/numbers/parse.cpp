// Text → numbers, by Python's rules for int() and float().
#include <stdlib.h>
#include <string.h>

#include "runtime/numbers/numbers.h"
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

struct Cursor {
  const uint8_t* at;
  const uint8_t* end;
  bool done() const { return at == end; }
  uint8_t peek() const { return at < end ? *at : 0; }
  uint8_t lower() const { return peek() | 32; }
};

Cursor without_space(const met_str& text) {
  Cursor cursor = {data_of(text), data_of(text) + size_of(text)};
  while (!cursor.done()) {
    const uint8_t* at = cursor.at;
    if (!is_space(next_scalar(at))) break;
    cursor.at = at;
  }
  while (!cursor.done()) {
    const uint8_t* at = cursor.end;
    if (!is_space(previous_scalar(at))) break;
    cursor.end = at;
  }
  return cursor;
}

int64_t digit_value(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  uint8_t lower = byte | 32;
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

// After `0x` and its kin the base is known; true when there was such a prefix.
bool take_prefix(Cursor& cursor, int64_t& base) {
  if (cursor.end - cursor.at < 2 || cursor.at[0] != '0') return false;
  uint8_t letter = cursor.at[1] | 32;
  int64_t named = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  if (named == 0 || (base != 0 && base != named)) return false;
  base = named;
  cursor.at += 2;
  return true;
}

// The number without its sign. Underscores stand between digits, or between a prefix and the first digit.
uint64_t parse_magnitude(Cursor cursor, int64_t base, int64_t* status) {
  bool after_digit = take_prefix(cursor, base);
  bool any_base = base == 0;
  if (any_base) base = 10;
  bool zero_first = any_base && cursor.peek() == '0';
  uint64_t value = 0;
  bool range = false, any = false;
  for (; !cursor.done(); cursor.at++) {
    if (*cursor.at == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    int64_t digit = digit_value(*cursor.at);
    if (digit >= base) {
      any = false;
      break;
    }
    range = __builtin_mul_overflow(value, uint64_t(base), &value) ||
            __builtin_add_overflow(value, uint64_t(digit), &value) || range;
    after_digit = any = true;
  }
  if (!any || !after_digit || (zero_first && value != 0)) {
    *status = MET_PARSE_INVALID;
    return 0;
  }
  *status = range ? MET_PARSE_RANGE : MET_PARSE_OK;
  return value;
}

bool take_sign(Cursor& cursor) {
  bool negative = cursor.peek() == '-';
  if (negative || cursor.peek() == '+') cursor.at++;
  return negative;
}

// Consumes a word without regard to case.
bool take_word(Cursor& cursor, const char* word) {
  size_t size = strlen(word);
  if (size_t(cursor.end - cursor.at) != size) return false;
  for (size_t i = 0; i < size; i++)
    if ((cursor.at[i] | 32) != word[i]) return false;
  return true;
}

constexpr double EXACT_POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int64_t EXACT_POWER_MAX = 22;

// Reads a float literal as digits × 10^exponent, exact while digit_count <= 19, and writes it without underscores for
// strtod.
class FloatScanner {
 public:
  FloatScanner(Cursor cursor, char* clean) : cursor_(cursor), to_(clean) {}

  bool scan() {
    bool whole = take_digits(false);
    bool fraction = false;
    if (cursor_.peek() == '.') {
      take();
      fraction = take_digits(true);
    }
    if (!whole && !fraction) return false;
    if (!cursor_.done() && cursor_.lower() == 'e') {
      take();
      bool negative = cursor_.peek() == '-';
      if (negative || cursor_.peek() == '+') take();
      int64_t written = 0;
      if (!take_exponent(written)) return false;
      exponent += negative ? -written : written;
    }
    *to_ = 0;
    return cursor_.done();
  }

  uint64_t digits = 0;
  int64_t digit_count = 0;
  int64_t exponent = 0;

 private:
  void take() { *to_++ = char(*cursor_.at++); }

  bool skip_underscore(bool after_digit) {
    if (!after_digit || cursor_.end - cursor_.at < 2 || digit_value(cursor_.at[1]) > 9) return false;
    cursor_.at++;
    return true;
  }

  bool take_digits(bool after_point) {
    bool any = false;
    while (!cursor_.done()) {
      if (*cursor_.at == '_' && skip_underscore(any)) continue;
      int64_t digit = digit_value(*cursor_.at);
      if (digit > 9) break;
      if (digit_count < 19) {
        digits = digits * 10 + uint64_t(digit);
        digit_count += digits != 0;
        exponent -= after_point;
      } else {
        digit_count++;  // too long for the exact way
      }
      take();
      any = true;
    }
    return any;
  }

  bool take_exponent(int64_t& value) {
    bool any = false;
    while (!cursor_.done()) {
      if (*cursor_.at == '_' && skip_underscore(any)) continue;
      int64_t digit = digit_value(*cursor_.at);
      if (digit > 9) break;
      if (value < 100000) value = value * 10 + digit;
      take();
      any = true;
    }
    return any;
  }

  Cursor cursor_;
  char* to_;
};

}  // namespace

extern "C" {

int64_t met_int_parse(met_str text, int64_t base, int64_t* status) {
  Cursor cursor = without_space(text);
  bool negative = take_sign(cursor);
  uint64_t value = parse_magnitude(cursor, base, status);
  if (*status != MET_PARSE_OK) return 0;
  if (value > uint64_t(INT64_MAX) + negative) {
    *status = MET_PARSE_RANGE;
    return 0;
  }
  return int64_t(negative ? 0 - value : value);
}

double met_float_parse(met_str text, bool* ok) {
  Cursor cursor = without_space(text);
  bool negative = take_sign(cursor);
  *ok = true;
  if (take_word(cursor, "inf") || take_word(cursor, "infinity")) return negative ? -__builtin_inf() : __builtin_inf();
  if (take_word(cursor, "nan")) return __builtin_copysign(__builtin_nan(""), negative ? -1.0 : 1.0);

  char short_text[128];
  int64_t room = cursor.end - cursor.at + 1;
  char* clean = room <= int64_t(sizeof short_text) ? short_text : static_cast<char*>(met_raw_alloc(room));
  FloatScanner scanner(cursor, clean);
  double value = 0;
  *ok = scanner.scan();
  if (*ok) {
    // Both factors are exact doubles here, so one rounding gives the right answer.
    bool exact = scanner.digit_count <= 19 && scanner.digits <= 1ull << 53 && scanner.exponent >= -EXACT_POWER_MAX &&
                 scanner.exponent <= EXACT_POWER_MAX;
    if (exact)
      value = scanner.exponent < 0 ? double(scanner.digits) / EXACT_POWERS[-scanner.exponent]
                                   : double(scanner.digits) * EXACT_POWERS[scanner.exponent];
    else
      value = strtod(clean, nullptr);
  }
  if (clean != short_text) met_raw_free(clean, room);
  return negative ? -value : value;
}

}  // extern "C"
