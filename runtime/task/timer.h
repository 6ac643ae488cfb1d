// A point in time at which something happens. Lives in the frame or the structure that it is for; the wheel links it
// (runtime/queue/timers.h).
#ifndef METEOR_RUNTIME_TASK_TIMER_H
#define METEOR_RUNTIME_TASK_TIMER_H

#include <stdint.h>

namespace meteor::async {

struct Timer {
  Timer* next;  // in a ring; null: not running
  Timer* before;
  int64_t due;     // in nanoseconds of the isolate's clock
  uintptr_t what;  // whom it concerns, and in the lowest bits what happens then: one of the below
};
using TimerCall = void (*)(Timer*);
enum : uintptr_t {
  TIMER_WAKES = 0,
  TIMER_ENDS_SCOPE = 1,
  TIMER_ENDS_CLEANUP = 2,
  TIMER_CALLS = 3,
  TIMER_KINDS = 3
};  // a Task, a Scope, a Scope, a TimerCall
inline void set_timer(Timer& timer, const void* whom, uintptr_t kind) {
  timer.what = reinterpret_cast<uintptr_t>(whom) | kind;
}

inline int64_t later(int64_t now, int64_t ns) { return ns > INT64_MAX - now ? INT64_MAX : now + ns; }

}  // namespace meteor::async

#endif
