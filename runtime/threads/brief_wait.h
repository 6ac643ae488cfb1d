// A short wait for another thread that is at work just now, before this one asks the kernel to sleep: being woken by the kernel
// takes longer than most answers (docs/decisions/short_waits.md).
//
// Invariant: it takes no longer than sleeping and being woken would, and who waits in vain a few times in a row waits so no more.
#ifndef METEOR_RUNTIME_THREADS_BRIEF_WAIT_H
#define METEOR_RUNTIME_THREADS_BRIEF_WAIT_H

#include "runtime/threads/atomic.h"

namespace meteor::isolates {

// Of one thread: whether its short waits were worth it.
struct Luck {
  uint8_t misses;     // in a row
  uint8_t skipped;    // waits that were not tried since
  bool has_waited;    // in vain, for what it is about to sleep for

  bool promises() { return misses < MOST_MISSES || ++skipped % TRIES_ONE_OF == 0; }
  void is_good() { misses = 0; }
  void is_bad() { misses += misses < MOST_MISSES; }

  // After a sleep in the kernel that another isolate has ended. A short one is no reason to wait no more: the other one may have been
  // asleep itself, and both would go on waking each other through the kernel.
  void has_slept(int64_t ns) {
    if (ns < SHORT_SLEEP_NS) is_good();
  }

 private:
  static constexpr uint8_t MOST_MISSES = 4, TRIES_ONE_OF = 16;
  static constexpr int64_t SHORT_SLEEP_NS = 200'000;   // two of them being woken, one after the other
};

class BriefWait {
 public:
  explicit BriefWait(Luck& luck) : luck_(luck), goes_on_(atomic::can_wait_briefly() && luck.promises()) {}

  // Some pauses; false: the time is over, or it is not worth it.
  bool goes_on(int pauses = 1) {
    if (!goes_on_) return false;
    has_begun_ = true;
    for (int i = 0; i < pauses; i++) atomic::pause_briefly();
    pauses_ += pauses;
    if (pauses_ < PAUSES_PER_LOOK) return true;
    pauses_ = 0;
    int64_t now = atomic::nanoseconds();
    if (end_ == 0) end_ = now + LIMIT_NS;
    if (now < end_) return true;
    goes_on_ = false;
    luck_.is_bad();
    return false;
  }

  void was_worth_it() {
    if (has_begun_) luck_.is_good();
  }

 private:
  static constexpr int PAUSES_PER_LOOK = 64;
  static constexpr int64_t LIMIT_NS = 50'000;   // about what it costs to sleep and to be woken

  Luck& luck_;
  bool goes_on_, has_begun_ = false;
  int pauses_ = 0;
  int64_t end_ = 0;
};

}  // namespace meteor::isolates

#endif
