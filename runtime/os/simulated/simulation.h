// What a program may see instead of the machine, so that a run can be repeated exactly: a clock that moves only when everybody waits, an order of
// ready tasks drawn from a seed, and a cancellation at a chosen await.
//
//   METEOR_CLOCK=virtual   sleeps cost nothing: when nothing can run, the clock goes on to the next timer
//   METEOR_TURN_NS=n       each turn takes n ns of the virtual clock, so that deadlines pass while tasks are ready
//   METEOR_SEED=n          each round of ready tasks is run in an order drawn from n
//   METEOR_YIELD=always    every loop that may give up its turn does so each time round
//   METEOR_CANCEL_AT=k     the main task is cancelled when the main isolate suspends for the k-th time; `never` tells how often it does
//
// Read once at the start; `meteor test` changes the first two between tests, while no timer runs.
#ifndef METEOR_RUNTIME_OS_SIMULATED_SIMULATION_H
#define METEOR_RUNTIME_OS_SIMULATED_SIMULATION_H

#include <stdint.h>

namespace meteor::os {

struct Simulation {
  bool is_on;            // any of the below
  bool has_clock;
  bool has_seed;
  bool yields_always;
  uint64_t seed;
  uint64_t draws;        // numbers drawn from the seed so far
  int64_t cancel_at;     // 0: suspensions are not counted
  int64_t now_ns;        // of the virtual clock; atomic
  int64_t turn_ns;       // what a turn takes of the virtual clock
  int64_t ahead_ns;      // what virtual times have left the clock ahead of the machine's
};

extern Simulation simulation;

constexpr int64_t CANCEL_NEVER = INT64_MAX;

// How long, by the machine's clock, the virtual clock stands still while other threads or the kernel may still have something for the program.
constexpr int64_t PATIENCE_NS = 20'000'000;

void read_simulation();               // from the environment
void begin_clock(int64_t now_ns);     // virtual from now on
void end_clock();
void begin_seed(uint64_t seed);
void end_seed();
void end_simulation();                // what the environment did not ask for
void advance_clock(int64_t to_ns);    // never back
uint64_t draw(uint64_t below);        // from the seed

}  // namespace meteor::os

#endif
