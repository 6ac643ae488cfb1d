// The watch over busy tasks: one thread that looks at every isolate's loop each millisecond, and less often while all of them change from task to
// task quickly. A task that has run for a whole slice is told to give up its turn at its next checkpoint; one that holds the loop for long is
// reported with a stack trace, once.
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/executor/executor.h"
#include "runtime/executor/watch.h"
#include "runtime/inspect/snapshot.h"
#include "runtime/inspect/symbol_names.h"
#include "runtime/os/os.h"
#include "runtime/os/simulated/simulation.h"

extern "C" {
__thread volatile uint8_t met_slice_over __attribute__((tls_model("initial-exec")));
}

namespace meteor::async {

uint32_t watch_tick;

namespace {

constexpr long LOOK_NS = 1'000'000;
constexpr uint32_t LONGEST_PAUSE = 2;      // in looks: the system's part of a wake-up is dear, so loops that are quick by themselves are looked at less often
constexpr uint32_t QUICK_LOOKS = 2;        // outside, in each LOOK_NS, by a loop that is quick
constexpr uint32_t SLICE_LOOKS = 2;
constexpr uint32_t SIMULATED_SLICE_LOOKS = 200;   // so that the machine's speed decides nothing, and nothing hangs
constexpr uint32_t TRACE_LOOKS = 50;
constexpr uint32_t QUIET_LOOKS = 20;   // then the watch itself goes to sleep

struct Watched {
  Watched* next;
  bool in_list;
  pthread_t thread;
  Isolate* isolate;
  volatile uint8_t* over;
  const uint64_t* turn;   // which it is; written by the isolate, read by the watch; so is busy
  bool busy;
  const uint64_t* outside;   // how often it has looked there; as `turn`
  uint64_t seen;          // the watch's own
  uint64_t seen_outside;
  uint32_t looks;
  bool warned;
};

__thread Watched mine __attribute__((tls_model("initial-exec")));
Watched* first_watched;   // under list_lock
pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
int64_t warn_ns = 100'000'000;
pthread_mutex_t sleep_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t sleep_over = PTHREAD_COND_INITIALIZER;
bool asleep;
uint32_t looks_to_traces;   // a task dump was asked for: who has not got to it by then says where it is; 0: none was

void on_urgent(int, siginfo_t* info, void*) {
  int saved = errno;
  if (info->si_code == SI_TIMER) look_at_grace();
  else write_stack("warning: a task holds the event loop for too long; it is here:\n");
  errno = saved;
}

bool is_any_busy() {
  bool busy = false;
  pthread_mutex_lock(&list_lock);
  for (Watched* at = first_watched; at != nullptr; at = at->next) busy |= __atomic_load_n(&at->busy, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&list_lock);
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
    pthread_mutex_lock(&list_lock);
    for (Watched* at = first_watched; at != nullptr; at = at->next) {
      Seen seen = look_at(*at, wants_trace, pause);
      if (seen > most) most = seen;
    }
    pthread_mutex_unlock(&list_lock);
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

void hear_urgent() {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_urgent;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(SIGURG, &action, nullptr);
}

// What is inlined has no name on the stack; the task's function is known all the same.
static void write_task_name() {
  const Task* task = isolate.running;
  if (task == nullptr) return;
  const met_frame_info* info = info_of(task->frame.resume);
  char line[512];
  int size = snprintf(line, sizeof line, "  in the task %s, %s:%u\n", info->function, info->file, info->lines[0]);
  if (write(STDERR_FILENO, line, size < int(sizeof line) ? size_t(size) : sizeof line - 1) < 0) return;
}

void write_stack(const char* title) {
  void* frames[64];
  int count = backtrace(frames, 64);
  if (write(STDERR_FILENO, title, strlen(title)) <= 0) return;
  write_function_names(STDERR_FILENO, frames, count);
  write_task_name();
}

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
  pthread_mutex_lock(&list_lock);
  mine.next = first_watched;
  first_watched = &mine;
  pthread_mutex_unlock(&list_lock);
}

void unwatch_this_thread() {
  if (!mine.in_list) return;
  mine.in_list = false;
  pthread_mutex_lock(&list_lock);
  Watched** at = &first_watched;
  while (*at != &mine) at = &(*at)->next;
  *at = mine.next;
  pthread_mutex_unlock(&list_lock);
}

void for_each_watched(void (*visit)(Isolate*)) {
  pthread_mutex_lock(&list_lock);
  for (Watched* at = first_watched; at != nullptr; at = at->next) visit(at->isolate);
  pthread_mutex_unlock(&list_lock);
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
