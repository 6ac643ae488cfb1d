// SplitMix64: spreads one word over many, for seeds.
#ifndef METEOR_RUNTIME_NUMBERS_RANDOM_H
#define METEOR_RUNTIME_NUMBERS_RANDOM_H

#include <stdint.h>

namespace meteor::numbers {

struct RandomState {
  int64_t a, b, c, d;   // never all 0
};

inline uint64_t split_mix(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace meteor::numbers

#endif
