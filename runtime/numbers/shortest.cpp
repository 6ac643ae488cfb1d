// Binary → shortest decimal, after R. Giulietti's Schubfach: scale the number and the ends of its rounding interval by
// a power of ten so that at most two candidates of full length and two of one digit less remain; pick by comparing
// integers. Invariant: the scaled values are rounded to odd (their last bit is sticky), which keeps those comparisons
// exact.
#include "runtime/numbers/shortest.h"

#include <string.h>

#include "runtime/numbers/digits.h"
#include "runtime/numbers/numbers.h"
#include "runtime/text/view.h"

namespace meteor::numbers {
namespace {

struct Power {
  uint64_t high, low;
};

constexpr Power POWERS[] = {
#define POWER(high, low) {high, low},
#include "runtime/numbers/powers_of_ten.def"
#undef POWER
};
constexpr int32_t FIRST_POWER = -292;

int32_t floor_log10_pow2(int32_t e) { return (e * 1262611) >> 22; }
int32_t floor_log10_three_quarters_pow2(int32_t e) { return (e * 1262611 - 524031) >> 22; }
int32_t floor_log2_pow10(int32_t e) { return (e * 1741647) >> 19; }

uint64_t multiply_to_odd(Power g, uint64_t factor) {
  unsigned __int128 low = static_cast<unsigned __int128>(g.low) * factor;
  unsigned __int128 high = static_cast<unsigned __int128>(g.high) * factor + uint64_t(low >> 64);
  return uint64_t(high >> 64) | (uint64_t(high) > 1);
}

Decimal strip_zeros(uint64_t digits, int32_t exponent) {
  while (digits % 100 == 0) {
    digits /= 100;
    exponent += 2;
  }
  if (digits % 10 == 0) {
    digits /= 10;
    exponent++;
  }
  return {digits, exponent};
}

// c × 2^q, c > 0. `closer`: the number below is at half the distance of the one above.
Decimal shortest(uint64_t c, int32_t q, bool closer) {
  uint64_t excluded = c & 1;  // the ends of the interval read back as this number only when c is even
  uint64_t quarter_low = 4 * c - 2 + closer, quarter = 4 * c, quarter_high = 4 * c + 2;
  int32_t k = closer ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
  int32_t shift = q + floor_log2_pow10(-k) + 1;
  Power g = POWERS[-k - FIRST_POWER];
  uint64_t low = multiply_to_odd(g, quarter_low << shift) + excluded;
  uint64_t middle = multiply_to_odd(g, quarter << shift);
  uint64_t high = multiply_to_odd(g, quarter_high << shift) - excluded;

  uint64_t s = middle / 4;
  if (s >= 10) {
    uint64_t tens = s / 10;
    bool below_fits = low <= 40 * tens, above_fits = 40 * tens + 40 <= high;
    if (below_fits != above_fits) return strip_zeros(tens + above_fits, k + 1);
  }
  bool below_fits = low <= 4 * s, above_fits = 4 * s + 4 <= high;
  if (below_fits != above_fits) return strip_zeros(s + above_fits, k);
  uint64_t half = 4 * s + 2;
  bool up = middle > half || (middle == half && (s & 1));
  return strip_zeros(s + up, k);
}

// digits × 10^exponent as Python's repr writes it.
int64_t write_decimal(char* to, bool negative, Decimal decimal) {
  char* at = to;
  if (negative) *at++ = '-';
  char digits[20];
  int64_t count = write_digits(digits, decimal.digits);
  int64_t point = count + decimal.exponent;  // digits before the point
  if (point > 16 || point < -3) {
    *at++ = digits[0];
    if (count > 1) {
      *at++ = '.';
      memcpy(at, digits + 1, size_t(count - 1));
      at += count - 1;
    }
    int64_t exponent = point - 1;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    if (exponent < 0) exponent = -exponent;
    if (exponent < 10) *at++ = '0';
    return at + write_digits(at, uint64_t(exponent)) - to;
  }
  if (point <= 0) {
    *at++ = '0';
    *at++ = '.';
    for (; point < 0; point++) *at++ = '0';
    memcpy(at, digits, size_t(count));
    return at + count - to;
  }
  int64_t before = point < count ? point : count;
  memcpy(at, digits, size_t(before));
  at += before;
  for (int64_t i = count; i < point; i++) *at++ = '0';
  *at++ = '.';
  if (point >= count) {
    *at++ = '0';
  } else {
    memcpy(at, digits + point, size_t(count - point));
    at += count - point;
  }
  return at - to;
}

int64_t write_special(char* to, bool negative, bool infinite) {
  const char* text = !infinite ? "nan" : negative ? "-inf" : "inf";
  size_t size = strlen(text);
  memcpy(to, text, size);
  return int64_t(size);
}

}  // namespace

Decimal shortest_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  uint64_t fraction = bits & ((1ull << 52) - 1);
  int32_t exponent = int32_t(bits >> 52 & 0x7ff);
  if (exponent == 0) return fraction == 0 ? Decimal{0, 0} : shortest(fraction, -1074, false);
  uint64_t c = fraction | 1ull << 52;
  int32_t q = exponent - 1075;
  if (q <= 0 && q > -53 && (c & ((1ull << -q) - 1)) == 0) return strip_zeros(c >> -q, 0);  // a whole number below 2^53
  return shortest(c, q, fraction == 0 && exponent > 1);
}

Decimal shortest_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  uint32_t fraction = bits & ((1u << 23) - 1);
  int32_t exponent = int32_t(bits >> 23 & 0xff);
  if (exponent == 0) return fraction == 0 ? Decimal{0, 0} : shortest(fraction, -149, false);
  return shortest(fraction | 1u << 23, exponent - 150, fraction == 0 && exponent > 1);
}

int64_t write_float(char* to, double value) {
  bool negative = __builtin_signbit(value);
  if (!__builtin_isfinite(value)) return write_special(to, negative, __builtin_isinf(value));
  return write_decimal(to, negative, shortest_double(value));
}

int64_t write_float32(char* to, float value) {
  bool negative = __builtin_signbit(value);
  if (!__builtin_isfinite(value)) return write_special(to, negative, __builtin_isinf(value));
  return write_decimal(to, negative, shortest_float(value));
}

}  // namespace meteor::numbers

using namespace meteor::numbers;

extern "C" {

met_str met_float_text(double value) {
  char text[FLOAT_TEXT_MAX];
  int64_t size = write_float(text, value);
  return meteor::text::make_known(reinterpret_cast<uint8_t*>(text), size, true);
}

met_str met_float32_text(float value) {
  char text[FLOAT_TEXT_MAX];
  int64_t size = write_float32(text, value);
  return meteor::text::make_known(reinterpret_cast<uint8_t*>(text), size, true);
}

}  // extern "C"
