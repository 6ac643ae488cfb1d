// How the watch looks at the loops, and when it sleeps itself.
#include "runtime/executor/watch.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/executor/slice.h"
#include "runtime/executor/urgent.h"
#include "runtime/loop/isolate.h"
#include "runtime/loop/watched.h"
#include "runtime/os/clock.h"
#include "runtime/os/os.h"
#include "runtime/os/signals.h"
#include "runtime/os/simulated/simulation.h"
#include "runtime/os/stack.h"
#include "runtime/os/threads.h"

namespace meteor::async {

namespace {

constexpr int64_t LOOK_NS = 1'000'000;
constexpr uint32_t LONGEST_PAUSE = 2;      // in looks: the system's part of a wake-up is dear, so loops that are quick by themselves are looked at less often
constexpr uint32_t QUICK_LOOKS = 2;        // outside, in each LOOK_NS, by a loop that is quick
constexpr uint32_t SLICE_LOOKS = 2;
constexpr uint32_t SIMULATED_SLICE_LOOKS = 200;   // so that the machine's speed decides nothing, and nothing hangs
constexpr uint32_t TRACE_LOOKS = 50;
constexpr uint32_t QUIET_LOOKS = 20;   // then the watch itself goes to sleep

__thread Watched mine __attribute__((tls_model("initial-exec")));
int64_t warn_ns = 100'000'000;
os::Mutex sleep_lock;
os::Condition sleep_over;
bool asleep;
uint32_t looks_to_traces;   // a task dump was asked for: who has not got to it by then says where it is; 0: none was

bool is_any_busy() {
  bool busy = false;
  for_each_watched([&](Watched& watched) { busy |= __atomic_load_n(&watched.busy, __ATOMIC_SEQ_CST); });
  return busy;
}

void wait_until_busy() {
  sleep_lock.lock();
  while (!is_any_busy()) {
    __atomic_store_n(&asleep, true, __ATOMIC_SEQ_CST);
    if (is_any_busy()) break;
    sleep_over.wait(sleep_lock);
  }
  __atomic_store_n(&asleep, false, __ATOMIC_SEQ_CST);
  sleep_lock.unlock();
}

enum class Seen { Asleep, Quick, Busy };

// `pause`: how many LOOK_NS the last look is ago.
Seen look_at(Watched& watched, bool wants_trace, uint32_t pause) {
  uint64_t turn = __atomic_load_n(watched.turn, __ATOMIC_RELAXED), outside = __atomic_load_n(watched.outside, __ATOMIC_RELAXED);
  bool is_quick = outside - watched.seen_outside >= pause * QUICK_LOOKS;
  watched.seen_outside = outside;
  if (!__atomic_load_n(&watched.busy, __ATOMIC_RELAXED)) {
    watched.looks = 0;
    return Seen::Asleep;
  }
  if (turn != watched.seen) {
    watched.seen = turn;
    watched.looks = 0;
    watched.warned = false;
    return is_quick ? Seen::Quick : Seen::Busy;
  }
  if (++watched.looks >= (os::simulation.is_on ? SIMULATED_SLICE_LOOKS : SLICE_LOOKS)) __atomic_store_n(watched.over, uint8_t(1), __ATOMIC_RELAXED);
  wants_trace &= watched.looks >= TRACE_LOOKS;
  if (wants_trace || (!watched.warned && warn_ns > 0 && int64_t(watched.looks) * LOOK_NS >= warn_ns)) {
    watched.warned = true;
    os::send_urgent(watched.thread);
  }
  return Seen::Busy;
}

void* watch(void*) {
  met_leave_descriptors();
  uint32_t quiet = 0, pause = 1;
  for (;;) {
    os::sleep_briefly(pause * LOOK_NS);
    __atomic_store_n(&watch_tick, watch_tick + 1, __ATOMIC_RELAXED);
    Seen most = Seen::Asleep;
    bool wants_trace = __atomic_load_n(&looks_to_traces, __ATOMIC_RELAXED) > 0 && __atomic_sub_fetch(&looks_to_traces, 1, __ATOMIC_RELAXED) == 0;
    for_each_watched([&](Watched& watched) {
      Seen seen = look_at(watched, wants_trace, pause);
      if (seen > most) most = seen;
    });
    quiet = most == Seen::Asleep ? quiet + pause : 0;
    pause = most == Seen::Busy ? 1 : pause * 2 < LONGEST_PAUSE ? pause * 2 : LONGEST_PAUSE;
    if (quiet >= QUIET_LOOKS) {
      wait_until_busy();
      quiet = 0;
      pause = 1;
    }
  }
  return nullptr;
}

// "100ms", "2s", or plain milliseconds; 0 turns the warning off.
int64_t parse_duration(const char* text) {
  char* end;
  double value = strtod(text, &end);
  double unit = strcmp(end, "s") == 0 ? 1e9 : strcmp(end, "us") == 0 ? 1e3 : 1e6;
  return int64_t(value * unit);
}

}  // namespace

static void start_watch() {
  if (const char* warn = getenv("METEOR_BLOCK_WARN")) warn_ns = parse_duration(warn);
  hear_urgent();
  void* warm[2];
  os::walk_stack(warm, 2);   // loads what it needs now, not in a signal handler
  os::start_thread(watch, nullptr, os::USUAL_STACK, os::Signals::None);
}

void watch_this_thread() {
  static os::Once once;
  if (mine.in_list) return;
  once.call(start_watch);
  mine.in_list = true;
  mine.thread = os::this_thread();
  mine.over = &met_slice_over;
  mine.isolate = &isolate;
  mine.turn = &isolate.turns;
  mine.outside = &isolate.looks;
  add_watched(mine);
}

void unwatch_this_thread() {
  if (!mine.in_list) return;
  mine.in_list = false;
  remove_watched(mine);
}

void trace_busy_threads() { __atomic_store_n(&looks_to_traces, TRACE_LOOKS + 1, __ATOMIC_RELAXED); }

void set_busy(bool busy) {
  __atomic_store_n(&mine.busy, busy, __ATOMIC_SEQ_CST);
  if (!busy || !__atomic_load_n(&asleep, __ATOMIC_SEQ_CST)) return;
  sleep_lock.lock();
  sleep_over.signal();
  sleep_lock.unlock();
}

}  // namespace meteor::async
