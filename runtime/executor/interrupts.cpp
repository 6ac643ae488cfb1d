// A main thread that does not get round to
// it in the time that clean-up may take is ended: code that never gives way keeps no program alive.
#include "runtime/executor/interrupts.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/executor/urgent.h"
#include "runtime/executor/watch.h"
#include "runtime/os/os.h"
#include "runtime/os/process.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace meteor::async {

namespace {

constexpr long LOOK_NS = 100'000'000;
constexpr uint32_t MOST_LOOKS = 50;  // as long as clean-up may take where nothing else is said

volatile sig_atomic_t dump_wanted;
Isolate* main_isolate;
timer_t grace;  // runs from the first interrupt on
bool has_grace;
uint64_t seen_looks;  // of the main isolate's loop
uint32_t looks_in_vain;

[[noreturn]] void end_at_once(int signal) {
  met_write_last_output();
  met_write_pending_files();
  _exit(128 + signal);
}

void on_interrupt(int signal) {
  int saved = errno;
  if (os::interrupts > 0) end_at_once(signal);
  os::interrupts = signal;
  if (main_isolate != nullptr) ring(main_isolate->inbox);
  itimerspec time = {{0, LOOK_NS}, {0, LOOK_NS}};
  if (has_grace) timer_settime(grace, 0, &time, nullptr);
  errno = saved;
}

void on_quit(int, siginfo_t* info, void*) {
  int saved = errno;
  bool by_ps = info->si_code == SI_QUEUE && info->si_value.sival_int == ASKED_BY_PS;
  dump_wanted = int(by_ps ? DumpTo::Asker : DumpTo::Stderr);
  if (!by_ps) trace_busy_threads();
  if (main_isolate != nullptr) ring(main_isolate->inbox);
  errno = saved;
}

// Of the main thread alone, whatever it does.
void make_grace() {
  sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGURG;
  event.sigev_notify_thread_id = pid_t(syscall(SYS_gettid));
  has_grace = timer_create(CLOCK_MONOTONIC, &event, &grace) == 0;
}

}  // namespace

void hear_signals() {
  main_isolate = &isolate;
  hear_urgent();
  make_grace();
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_sigaction = on_quit;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(SIGQUIT, &action, nullptr);
}

bool is_main() { return main_isolate == &isolate; }
Isolate* find_main() { return main_isolate; }

// In the main thread's signal handler. A loop that sleeps has looked, and what it waits for has its own bounds.
void look_at_grace() {
  uint64_t looks = main_isolate->looks;
  if (looks != seen_looks || __atomic_load_n(&main_isolate->inbox.sleeping, __ATOMIC_RELAXED) != SLEEP_NOT) {
    seen_looks = looks;
    looks_in_vain = 0;
    return;
  }
  if (++looks_in_vain < MOST_LOOKS) return;
  write_stack("warning: the program was asked to stop and does not: it is ended here:\n");
  end_at_once(os::interrupts);
}

DumpTo take_dump_request() {
  if (dump_wanted == 0 || !is_main()) return DumpTo::Nobody;
  DumpTo to = DumpTo(dump_wanted);
  dump_wanted = 0;
  return to;
}

void interrupt_main() { os::interrupts = SIGINT; }

bool is_interrupted() { return os::interrupts > 0 && is_main(); }

bool root_is_to_stop() { return is_interrupted() && isolate.root != nullptr && !(isolate.root->flags & TASK_CANCELLED); }

}  // namespace meteor::async
