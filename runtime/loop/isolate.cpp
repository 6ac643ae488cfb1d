// The parts of an isolate's loop are opened when it first runs, emptied when the isolate ends, and closed with its
// thread.
#include "runtime/loop/isolate.h"

#include "runtime/os/os.h"
#include "runtime/trace/trace.h"

namespace meteor::async {

__thread Isolate isolate __attribute__((tls_model("initial-exec")));

Rings& this_rings() { return isolate.rings; }

int64_t now_ns() { return met_clock_monotonic_ns(); }

void open_parts() {
  static uint32_t numbers;
  if (isolate.number == 0) {
    isolate.number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
    trace_as(isolate.number);
  }
  open_inbox(isolate.inbox);
  open_reactor(this_reactor(), isolate.inbox.wake_fd);
}

void empty_parts() {
  empty_inbox(isolate.inbox);
  empty_reactor(this_reactor());
  isolate.number = 0;
  trace_as(0);
  isolate.is_cancelled = false;
  isolate.parks_to_cancel = 0;
  isolate.held = nullptr;
  isolate.longest_turn_ms = 0;
  isolate.longest_turn_of = nullptr;
}

void close_parts() {
  close_reactor(this_reactor());
  close_inbox(isolate.inbox);
}

}  // namespace meteor::async
