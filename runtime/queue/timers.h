// A hierarchical timing wheel: starting and stopping a timer take constant time, however many there are.
// Level n has 64 slots of 64^n ticks each. A timer lies on the level of the highest digit in which its due tick differs from
// now; when time reaches its slot there, it moves down, until it fires from level 0.
#ifndef METEOR_RUNTIME_QUEUE_TIMERS_H
#define METEOR_RUNTIME_QUEUE_TIMERS_H

#include "runtime/task/timer.h"

namespace meteor::async {

constexpr int64_t TICK_NS = 1 << 16;
constexpr int WHEEL_BITS = 6, WHEEL_SLOTS = 1 << WHEEL_BITS, WHEEL_LEVELS = 8;

void time_is_up(Timer& timer);   // does what it is for; runtime/waker

class Wheel {
 public:
  void start(Timer& timer, int64_t due_ns);
  void stop(Timer& timer);
  // Fires what is due, earlier before later.
  void advance(int64_t now_ns);
  // For a virtual clock: calls `at` with the time of the earliest, then fires all of that time. With none it does nothing.
  void fire_earliest(void (*at)(int64_t due_ns));
  // When something has to be done next; INT64_MAX: never. May be early, never late.
  int64_t next_ns() const;
  bool empty() const { return count_ == 0; }
  int64_t count() const { return count_; }

 private:
  struct Place { int level, slot; uint64_t tick; };
  bool next_place(Place& place) const;
  void insert(Timer& timer);
  void fire(Timer& ring);
  void take(const Place& place, Timer& into);
  void insert_all(Timer& ring);

  Timer rings_[WHEEL_LEVELS][WHEEL_SLOTS];   // heads; zero until first used
  uint64_t occupied_[WHEEL_LEVELS];          // a bit may outlive the last timer of its slot
  uint64_t tick_;
  int64_t count_;
};

}  // namespace meteor::async

#endif
