// The keyed hash under dict and set: folded 64×64→128-bit multiplications with secret words, so that nobody outside can
// choose colliding keys.
#ifndef METEOR_RUNTIME_NUMBERS_HASH_H
#define METEOR_RUNTIME_NUMBERS_HASH_H

#include <stdint.h>
#include <string.h>

namespace meteor::numbers {

struct HashKey {
  uint64_t a, b, c;
};

extern HashKey hash_key;           // set once by met_runtime_start
void set_hash_key(uint64_t seed);  // the same seed gives the same hashes

inline uint64_t fold(uint64_t x, uint64_t y) {
  unsigned __int128 product = static_cast<unsigned __int128>(x) * y;
  return uint64_t(product) ^ uint64_t(product >> 64);
}

inline uint64_t hash_word(uint64_t word) { return fold(word ^ hash_key.a, hash_key.b); }

inline uint64_t hash_words(uint64_t first, uint64_t second) {
  return fold(fold(first ^ hash_key.a, second ^ hash_key.c), hash_key.b);
}

inline uint64_t load64(const uint8_t* from) {
  uint64_t word;
  memcpy(&word, from, 8);
  return word;
}

inline uint64_t load32(const uint8_t* from) {
  uint32_t word;
  memcpy(&word, from, 4);
  return word;
}

inline uint64_t hash_bytes(const uint8_t* data, uint64_t size) {
  uint64_t first = 0, second = 0, state = hash_key.c ^ size;
  if (size <= 16) {
    if (size >= 8) {
      first = load64(data);
      second = load64(data + size - 8);
    } else if (size >= 4) {
      first = load32(data);
      second = load32(data + size - 4);
    } else if (size > 0) {
      first = data[0] | uint64_t(data[size / 2]) << 8 | uint64_t(data[size - 1]) << 16;
    }
  } else {
    const uint8_t* last = data + size - 16;
    for (const uint8_t* at = data; at < last; at += 16) state = fold(load64(at) ^ hash_key.a, load64(at + 8) ^ state);
    first = load64(last);
    second = load64(last + 8);
  }
  return fold(fold(first ^ hash_key.a, second ^ state), hash_key.b);
}

}  // namespace meteor::numbers

#endif
