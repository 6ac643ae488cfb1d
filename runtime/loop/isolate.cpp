// The parts of an isolate's loop are opened when it first runs, emptied when the isolate ends, and closed with its
// thread.
#include "runtime/loop/isolate.h"

#include "runtime/os/os.h"

namespace meteor::async {

__thread Isolate isolate __attribute__((tls_model("initial-exec")));

Rings& this_rings() { return isolate.rings; }

int64_t now_ns() { return met_clock_monotonic_ns(); }

void open_parts() {
  isolate.life.begin();
  open_inbox(isolate.inbox);
  open_reactor(this_reactor(), isolate.inbox.wake_fd);
}

void empty_parts() {
  empty_inbox(isolate.inbox);
  empty_reactor(this_reactor());
  isolate.life.end();
}

void close_parts() {
  close_reactor(this_reactor());
  close_inbox(isolate.inbox);
}

}  // namespace meteor::async
