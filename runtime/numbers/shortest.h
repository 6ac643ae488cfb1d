// The shortest decimal that reads back as the same binary number, and of those the closest: digits × 10^exponent.
#ifndef METEOR_RUNTIME_NUMBERS_SHORTEST_H
#define METEOR_RUNTIME_NUMBERS_SHORTEST_H

#include <stdint.h>

namespace meteor::numbers {

struct Decimal {
  uint64_t digits;  // no trailing zeros; 0 for zero
  int32_t exponent;
};

Decimal shortest_double(double value);  // finite; the sign is ignored
Decimal shortest_float(float value);

constexpr int FLOAT_TEXT_MAX = 32;
int64_t write_float(char* to, double value);  // as met_float_text; the bytes written, at most FLOAT_TEXT_MAX
int64_t write_float32(char* to, float value);

}  // namespace meteor::numbers

#endif
