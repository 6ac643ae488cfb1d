#include "runtime/os/simulated/simulation.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/os/simulated/faults.h"

namespace meteor::os {

Simulation simulation;

namespace {

constexpr int64_t FIRST_NS = 1'000'000'000'000;   // the same in each run

bool says(const char* name, const char* wanted) {
  const char* value = getenv(name);
  return value != nullptr && strcmp(value, wanted) == 0;
}

void note_changes() { simulation.is_on = simulation.has_clock || simulation.has_seed || simulation.yields_always || simulation.cancel_at > 0; }

}  // namespace

void read_simulation() {
  if (says("METEOR_CLOCK", "virtual")) begin_clock(FIRST_NS);
  if (const char* turn = getenv("METEOR_TURN_NS")) simulation.turn_ns = strtoll(turn, nullptr, 10);
  if (const char* seed = getenv("METEOR_SEED")) begin_seed(strtoull(seed, nullptr, 10));
  if (const char* at = getenv("METEOR_CANCEL_AT")) simulation.cancel_at = says("METEOR_CANCEL_AT", "never") ? CANCEL_NEVER : strtoll(at, nullptr, 10);
  simulation.yields_always = says("METEOR_YIELD", "always");
  read_faults();
  note_changes();
}

void begin_clock(int64_t now_ns) {
  simulation.now_ns = now_ns;
  simulation.has_clock = true;
  note_changes();
}

void end_clock() {
  if (!simulation.has_clock) return;
  simulation.has_clock = false;
  simulation.ahead_ns = 0;
  int64_t ahead_ns = simulation.now_ns - met_clock_monotonic_ns();
  simulation.ahead_ns = ahead_ns > 0 ? ahead_ns : 0;
  note_changes();
}

void begin_seed(uint64_t seed) {
  simulation.seed = seed;
  simulation.draws = 0;
  simulation.has_seed = true;
  note_changes();
}

void end_seed() {
  simulation.has_seed = false;
  note_changes();
}

void advance_clock(int64_t to_ns) {
  int64_t now = __atomic_load_n(&simulation.now_ns, __ATOMIC_RELAXED);
  while (now < to_ns && !__atomic_compare_exchange_n(&simulation.now_ns, &now, to_ns, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

// splitmix64 of the number of the draw: isolates may draw at once.
uint64_t draw(uint64_t below) {
  uint64_t x = simulation.seed + 0x9e3779b97f4a7c15ull * __atomic_add_fetch(&simulation.draws, 1, __ATOMIC_RELAXED);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return (x ^ (x >> 31)) % below;
}

void end_simulation() {
  if (!says("METEOR_CLOCK", "virtual")) end_clock();
  if (getenv("METEOR_SEED") == nullptr) end_seed();
}

}  // namespace meteor::os
