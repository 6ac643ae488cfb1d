// A main thread that does not get round to
// it in the time that clean-up may take is ended: code that never gives way keeps no program alive.
#include "runtime/executor/interrupts.h"

#include "runtime/executor/urgent.h"
#include "runtime/executor/watch.h"
#include "runtime/os/os.h"
#include "runtime/os/process.h"
#include "runtime/os/signals.h"

namespace meteor::async {

namespace {

constexpr int64_t LOOK_NS = 100'000'000;
constexpr uint32_t MOST_LOOKS = 50;  // as long as clean-up may take where nothing else is said

volatile int dump_wanted;
Isolate* main_isolate;
bool has_grace;  // an alarm, which runs from the first interrupt on
uint64_t seen_looks;  // of the main isolate's loop
uint32_t looks_in_vain;

[[noreturn]] void end_at_once(int signal) {
  met_write_last_output();
  met_write_pending_files();
  os::end_at_once(128 + signal);
}

void on_interrupt(int signal) {
  if (os::interrupts > 0) end_at_once(signal);
  os::interrupts = signal;
  if (main_isolate != nullptr) ring(main_isolate->inbox);
  if (has_grace) os::start_alarm(LOOK_NS);
}

void on_quit(int value) {
  bool by_ps = value == ASKED_BY_PS;
  dump_wanted = int(by_ps ? DumpTo::Asker : DumpTo::Stderr);
  if (!by_ps) trace_busy_threads();
  if (main_isolate != nullptr) ring(main_isolate->inbox);
}

}  // namespace

void hear_signals() {
  main_isolate = &isolate;
  hear_urgent();
  has_grace = os::make_alarm();   // of the main thread alone, whatever it does
  os::hear_stop(on_interrupt);
  os::hear_quit(on_quit);
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

void interrupt_main() { os::interrupts = os::interrupt_signal(); }

bool is_interrupted() { return is_main() && os::interrupts > 0; }   // only the main thread reads and writes it

bool root_is_to_stop() { return is_interrupted() && isolate.root != nullptr && !(isolate.root->flags & TASK_CANCELLED); }

}  // namespace meteor::async
