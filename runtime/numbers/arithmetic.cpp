// Arithmetic with Python's results where the machine's differ.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/numbers/numbers.h"

namespace {

// |x| < 2^1024 has 309 digits before the point; digits after it beyond 330 never change a rounding that keeps them all.
constexpr int64_t ROUND_DIGITS_MAX = 330;
constexpr int64_t INTEGER_DIGITS_MAX = 309;

double round_after_point(double x, int64_t digits) {
  char text[INTEGER_DIGITS_MAX + ROUND_DIGITS_MAX + 8];
  snprintf(text, sizeof text, "%.*f", int(digits), x);
  return strtod(text, nullptr);
}

// The digits of trunc(|x|), rounded half to even so that the last `dropped` become zero.
double round_before_point(double x, int64_t dropped) {
  double whole = trunc(fabs(x));
  bool fraction = whole != fabs(x);
  char text[INTEGER_DIGITS_MAX + 8];
  text[0] = '0';  // room for a carry
  int64_t size = 1 + snprintf(text + 1, sizeof text - 1, "%.0f", whole);
  int64_t keep = size - dropped;
  if (keep < 1) return copysign(0.0, x);
  bool tail = fraction;
  for (int64_t i = keep + 1; i < size; i++) tail = tail || text[i] != '0';
  bool up = text[keep] > '5' || (text[keep] == '5' && (tail || (text[keep - 1] - '0') % 2 == 1));
  for (int64_t i = keep; i < size; i++) text[i] = '0';
  for (int64_t i = keep - 1; up && i >= 0; i--) {
    up = text[i] == '9';
    text[i] = up ? '0' : char(text[i] + 1);
  }
  return copysign(strtod(text, nullptr), x);
}

}  // namespace

extern "C" {

int64_t met_int_pow(int64_t base, int64_t exponent, bool* overflow) {
  int64_t result = 1;
  *overflow = false;
  while (exponent > 0) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) {
      *overflow = true;
      return 0;
    }
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
      *overflow = true;  // base was not -1, 0 or 1, and a bit that uses it follows
      return 0;
    }
  }
  return result;
}

// From the exact remainder: the quotient alone may round up to the next integer.
double met_float_floor_div(double a, double b) {
  double mod = fmod(a, b);
  double quotient = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) quotient -= 1;
  if (quotient == 0) return copysign(0.0, a / b);
  double below = floor(quotient);
  return quotient - below > 0.5 ? below + 1 : below;
}

double met_float_mod(double a, double b) {
  double mod = fmod(a, b);
  if (mod == 0) return copysign(0.0, b);
  return (b < 0) != (mod < 0) ? mod + b : mod;
}

uint32_t met_float32_bits(float value) { return __builtin_bit_cast(uint32_t, value); }

float met_float32_from_bits(uint32_t bits) { return __builtin_bit_cast(float, bits); }

double met_float_pow(double a, double b) { return pow(a, b); }

double met_round_half_even(double x) { return rint(x); }

double met_round_digits(double x, int64_t digits) {
  if (!isfinite(x) || digits > ROUND_DIGITS_MAX) return x;
  if (digits >= 0) return round_after_point(x, digits);
  return digits < -INTEGER_DIGITS_MAX ? copysign(0.0, x) : round_before_point(x, -digits);
}

int64_t met_int_round_digits(int64_t x, int64_t digits, bool* overflow) {
  *overflow = false;
  if (digits >= 0) return x;
  if (digits < -19) return 0;
  __int128 unit = 1;
  for (int64_t i = digits; i < 0; i++) unit *= 10;
  __int128 quotient = x / unit, rest = x % unit;
  if (rest < 0) rest = -rest;
  bool up = rest * 2 > unit || (rest * 2 == unit && quotient % 2 != 0);
  __int128 rounded = (quotient + (up ? (x < 0 ? -1 : 1) : 0)) * unit;
  *overflow = rounded > INT64_MAX || rounded < INT64_MIN;
  return *overflow ? 0 : int64_t(rounded);
}

int64_t met_int_gcd(int64_t a, int64_t b, bool* overflow) {
  uint64_t x = a < 0 ? 0 - uint64_t(a) : uint64_t(a), y = b < 0 ? 0 - uint64_t(b) : uint64_t(b);
  while (y != 0) {
    uint64_t rest = x % y;
    x = y;
    y = rest;
  }
  *overflow = x > uint64_t(INT64_MAX);
  return *overflow ? 0 : int64_t(x);
}

int64_t met_int_sqrt(int64_t x) {
  if (x <= 0) return 0;
  int64_t root = int64_t(sqrt(double(x)));
  while (root > 3037000499 || root * root > x) root--;  // the largest whose square fits
  while (root < 3037000499 && (root + 1) * (root + 1) <= x) root++;
  return root;
}

int64_t met_int_pow_mod(int64_t base, int64_t exponent, int64_t modulus) {
  unsigned __int128 result = 1 % uint64_t(modulus);
  int64_t rest = base % modulus;
  unsigned __int128 square = uint64_t(rest < 0 ? rest + modulus : rest);
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = result * square % uint64_t(modulus);
    square = square * square % uint64_t(modulus);
  }
  return int64_t(result);
}

}  // extern "C"
