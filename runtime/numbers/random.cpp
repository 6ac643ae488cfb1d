// xoshiro256**: four words of state that std/random holds.
#include "runtime/numbers/random.h"

#include <math.h>

#include "runtime/numbers/numbers.h"
#include "runtime/os/os.h"

using namespace meteor::numbers;

namespace {

uint64_t rotate_left(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

uint64_t next(RandomState* words) {
  uint64_t* state = reinterpret_cast<uint64_t*>(words);
  uint64_t result = rotate_left(state[1] * 5, 7) * 9;
  uint64_t shifted = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = rotate_left(state[3], 45);
  return result;
}

}  // namespace

extern "C" {

void met_random_seed(RandomState* state, int64_t seed) {
  uint64_t mix = uint64_t(seed);
  state->a = int64_t(split_mix(mix));
  state->b = int64_t(split_mix(mix));
  state->c = int64_t(split_mix(mix));
  state->d = int64_t(split_mix(mix));
}

void met_random_seed_system(RandomState* state) {
  met_random_bytes(reinterpret_cast<uint8_t*>(state), sizeof *state);
  if ((state->a | state->b | state->c | state->d) == 0) state->a = 1;  // the one state it never leaves
}

int64_t met_random_next(RandomState* state) { return int64_t(next(state)); }

double met_random_float(RandomState* state) { return double(next(state) >> 11) * 0x1p-53; }

int64_t met_random_below(RandomState* state, int64_t limit) {
  // The high word of limit × random is fair once the low word is past the few values that occur once too often.
  uint64_t bound = uint64_t(limit);
  unsigned __int128 product = static_cast<unsigned __int128>(next(state)) * bound;
  if (uint64_t(product) < bound) {
    uint64_t unfair = (0 - bound) % bound;
    while (uint64_t(product) < unfair) product = static_cast<unsigned __int128>(next(state)) * bound;
  }
  return int64_t(product >> 64);
}

double met_random_gauss(RandomState* state) {
  double radius = sqrt(-2.0 * log(1.0 - met_random_float(state)));
  return radius * cos(2.0 * M_PI * met_random_float(state));
}

}  // extern "C"
