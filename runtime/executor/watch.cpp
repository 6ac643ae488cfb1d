// How the watch looks at the loops, and when it sleeps itself.
#include "runtime/executor/watch.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/executor/slice.h"
#include "runtime/executor/urgent.h"
#include "runtime/loop/isolate.h"
#include "runtime/loop/watched.h"
#include "runtime/os/os.h"
#include "runtime/os/simulated/simulation.h"

namespace meteor::async {

namespace {

constexpr long LOOK_NS = 1'000'000;
constexpr uint32_t LONGEST_PAUSE = 2;      // in looks: the system's part of a wake-up is dear, so loops that are quick by themselves are looked at less often
constexpr uint32_t QUICK_LOOKS = 2;        // outside, in each LOOK_NS, by a loop that is quick
constexpr uint32_t SLICE_LOOKS = 2;
constexpr uint32_t SIMULATED_SLICE_LOOKS = 200;   // so that the machine's speed decides nothing, and nothing hangs
constexpr uint32_t TRACE_LOOKS = 50;
constexpr uint32_t QUIET_LOOKS = 20;   // then the watch itself goes to sleep

__thread Watched mine __attribute__((tls_model("initial-exec")));
int64_t warn_ns = 100'000'000;
pthread_mutex_t sleep_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t sleep_over = PTHREAD_COND_INITIALIZER;
bool asleep;
uint32_t looks_to_traces;   // a task dump was asked for: who has not got to it by then says where it is; 0: none was

bool is_any_busy() {
  bool busy = false;
  for_each_watched([&](Watched& watched) { busy |= __atomic_load_n(&watched.busy, __ATOMIC_SEQ_CST); });
  return busy;
}

void wait_until_busy() {
  pthread_mutex_lock(&sleep_lock);
  while (!is_any_busy()) {
    __atomic_store_n(&asleep, true, __ATOMIC_SEQ_CST);
    if (is_any_busy()) break;
    pthread_cond_wait(&sleep_over, &sleep_lock);
  }
  __atomic_store_n(&asleep, false, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&sleep_lock);
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
    pthread_kill(watched.thread, SIGURG);
  }
  return Seen::Busy;
}

void* watch(void*) {
  met_leave_descriptors();
  uint32_t quiet = 0, pause = 1;
  for (;;) {
    timespec time = {0, long(pause) * LOOK_NS};
    nanosleep(&time, nullptr);
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
  backtrace(warm, 2);   // loads what it needs now, not in a signal handler
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, watch, nullptr) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void watch_this_thread() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (mine.in_list) return;
  pthread_once(&once, start_watch);
  mine.in_list = true;
  mine.thread = pthread_self();
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
  pthread_mutex_lock(&sleep_lock);
  pthread_cond_signal(&sleep_over);
  pthread_mutex_unlock(&sleep_lock);
}

}  // namespace meteor::async
