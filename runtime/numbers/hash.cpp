// Hashes of numbers and texts, and the key of this process.
#include "runtime/numbers/hash.h"

#include "runtime/numbers/numbers.h"
#include "runtime/numbers/random.h"
#include "runtime/text/view.h"

namespace meteor::numbers {

HashKey hash_key = {0x9e6c63d0a4b1f3a7, 0xd1b54a32d192ed03, 0x8cb92ba72f3d8dd7};

void set_hash_key(uint64_t seed) {
  hash_key.a = split_mix(seed);
  hash_key.b = split_mix(seed) | 1;
  hash_key.c = split_mix(seed);
}

}  // namespace meteor::numbers

using namespace meteor::numbers;

extern "C" {

uint64_t met_hash_key(int64_t n) { return n == 0 ? hash_key.a : n == 1 ? hash_key.b : hash_key.c; }

int64_t met_hash_float(double value) {
  value += 0.0;  // -0.0 becomes 0.0
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return int64_t(hash_word(bits));
}

int64_t met_str_hash(met_str s) {
  if (meteor::text::is_small(s)) return int64_t(hash_words(s.word0, s.word1));
  meteor::text::View v = meteor::text::view(s);
  if (v.size == 0) return int64_t(hash_words(meteor::text::EMPTY.word0, meteor::text::EMPTY.word1));
  return int64_t(hash_bytes(v.data, uint64_t(v.size)));
}

}  // extern "C"
