#include "runtime/executor/sleeping.h"

#include "runtime/executor/deadlock.h"
#include "runtime/executor/interrupts.h"
#include "runtime/executor/simulate.h"
#include "runtime/executor/watch.h"
#include "runtime/inspect/timeline.h"
#include "runtime/loop/isolate.h"
#include "runtime/os/os.h"
#include "runtime/os/simulated/simulation.h"
#include "runtime/os/streams.h"
#include "runtime/trace/trace.h"

namespace meteor::async {

// True: a message has come before sleep would have.
static bool wait_briefly() {
  if (isolate.luck.has_waited) {
    isolate.luck.has_waited = false;
    return false;
  }
  if (isolate.others == 0 || !another_works()) return false;
  isolates::BriefWait wait(isolate.luck);
  while (!has_messages(isolate.inbox))
    if (!wait.goes_on()) return false;
  wait.was_worth_it();
  return true;
}

// In the kernel, for at most so long; notes how long it was.
static void sleep_in_kernel(int64_t ns) {
  bool for_others = isolate.others > 0 && atomic::can_wait_briefly();
  int64_t began = for_others ? atomic::nanoseconds() : 0;
  poll_kernel(this_reactor(), ns);
  if (for_others && has_messages(isolate.inbox)) isolate.luck.has_slept(atomic::nanoseconds() - began);
}

bool sleep_for_others(int64_t ns) {
  if (wait_briefly()) return true;
  watch_this_thread();  // so that a deadlock report finds it
  bool for_others = this_reactor().outside == 0 && ns == FOR_EVER;
  if (!begin_sleep(isolate.inbox, for_others ? SLEEP_OTHERS : SLEEP_EVENTS)) return true;
  if (for_others && all_wait()) report_deadlock();
  sleep_in_kernel(ns);
  end_sleep(isolate.inbox);
  return !take_deadlock();
}

void open_loop() {
  open_parts();
  if (find_main() != nullptr || isolate.is_worker) return;
  begin_tracing();
  hear_signals();
}

// With nothing to do the thread sleeps in the kernel. False: nothing will ever wake it.
bool wait_for_something() {
  int64_t next = isolate.timers.next_ns();
  bool has_none = next == FOR_EVER && this_reactor().outside == 0 && isolate.others == 0 && this_reactor().waiting == 0;
  if (has_none && !isolate.is_worker) return false;   // whoever started a worker may cancel it
  if (next != FOR_EVER && os::simulation.has_clock) return let_time_pass();
  if (wait_briefly()) return true;
  bool for_others = next == FOR_EVER && this_reactor().outside == 0 && this_reactor().waiting == 0;
  if (!begin_sleep(isolate.inbox, for_others ? SLEEP_OTHERS : SLEEP_EVENTS)) return true;
  if (for_others && all_wait()) report_deadlock();
  int64_t left = next == FOR_EVER ? FOR_EVER : next - now_ns();
  set_busy(false);
  os::flush_before_sleep();   // whoever reads the output sees it before a long wait
  trace(TraceKind::Sleep);
  sleep_in_kernel(left > 0 ? left : 0);
  trace(TraceKind::Awake);
  set_busy(true);
  end_sleep(isolate.inbox);
  return !take_deadlock();
}

}  // namespace meteor::async
