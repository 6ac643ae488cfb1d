// Unsigned numbers → digits, without sign or padding.
#ifndef METEOR_RUNTIME_NUMBERS_DIGITS_H
#define METEOR_RUNTIME_NUMBERS_DIGITS_H

#include <stdint.h>

namespace meteor::numbers {

constexpr int DIGITS_MAX = 64;  // in base 2

int64_t write_digits(char* to, uint64_t value);  // decimal; how many
int64_t write_digits(char* to, uint64_t value, int64_t base, bool upper);

inline uint64_t magnitude(int64_t value) { return value < 0 ? 0 - uint64_t(value) : uint64_t(value); }

}  // namespace meteor::numbers

#endif
