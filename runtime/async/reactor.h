// The kernel's part of an isolate's loop: where it sleeps, and what the kernel has to say about descriptors.
//
// A source is a descriptor that tasks wait for, with a line of readers and a line of writers. It is told to the kernel once,
// when somebody first has to wait, and edge-triggered: what the kernel said is kept in `ready` until a call finds nothing
// left. An event carries a slot and its sequence number, so that one that was under way when its descriptor was closed
// reaches nobody else.
//
// Invariant: whoever waits is in exactly one line and counted in Reactor::waiting until it leaves the line.
#ifndef METEOR_RUNTIME_ASYNC_REACTOR_H
#define METEOR_RUNTIME_ASYNC_REACTOR_H

#include "runtime/async/task.h"

namespace meteor::async {

constexpr int64_t FOR_EVER = INT64_MAX;

// std/net.met declares the same fields in the same order.
struct Source {
  int32_t fd;        // -1: closed
  uint32_t slot;     // of the reactor; 0: the kernel has not been told
  uint32_t ready;
  uint32_t flags;
  WaitList readers;
  WaitList writers;
};
enum : uint32_t { READY_READ = 1, READY_WRITE = 2, READ_ENDED = 4, FAILED = 8 };   // the last two stay
enum : uint32_t { SOURCE_CLOSED = 1, SOURCE_ABANDONED = 2, SOURCE_FILE = 4, SOURCE_BOTH = 8 };
// ABANDONED: a write was cancelled half-way and closed it. FILE: read and written as a file, not as a socket. BOTH: a read may wait
// until it can write and the other way round, as with TLS, so any event wakes both lines.

// Who hears of events instead of lines of tasks: for libraries with descriptors of their own. Level-triggered.
struct Listener {
  void (*heard)(Listener* listener, uint32_t ready);
  int32_t fd;
  uint32_t slot;
};

struct Slot {
  union {
    Source* source;
    Listener* listener;
    uint64_t next_free;
  };
  uint32_t sequence;    // of whoever has it now; grows with each
  uint8_t kind;
};

struct Reactor {
  int epoll_fd;         // 0 until the loop has run
  int64_t waiting;      // who waits for the kernel: while there are any, the loop has something to sleep for
  Slot* slots;          // slots[0] is nobody's
  uint32_t slot_count;
  uint32_t free_slot;   // 0: none
  void (*at_end)();     // what other parts of the runtime keep for this isolate
};

void open_reactor(Reactor& reactor, int wake_fd);   // rings of `wake_fd` end its sleep
void close_reactor(Reactor& reactor);
void poll_kernel(Reactor& reactor, int64_t ns);      // wakes the tasks whose events have come; sleeps at most `ns`, 0: not at all

// Of the isolate that runs.
void open_source(Source& source, int fd, uint32_t flags);
void move_source(Source& from, Source& to);          // nobody waits for it; `from` is closed then
void close_source(Source& source);                   // whoever waits is woken, and sees that it is closed
int64_t watch_source(Source& source);                // tells the kernel, once; 0 or -errno
void wait_for_source(Source& source, WaitList& line, Waiter& waiter);
void leave_source(Source& source, Waiter& waiter);   // wakes the next one when there is something for it

int64_t start_listening(Listener& listener, int fd, bool reading, bool writing);   // or changes what for; 0 or -errno
void stop_listening(Listener& listener);

}  // namespace meteor::async

#endif
