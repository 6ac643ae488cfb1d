// The kernel's part of an isolate's loop: where it sleeps, and what the kernel has to say about descriptors.
//
// A source is a descriptor that tasks wait for, with a line of readers and a line of writers. It is told to the kernel once,
// when somebody first has to wait, and edge-triggered: what the kernel said is kept in `ready` until a call finds nothing
// left. An event carries a slot and its sequence number, so that one that was under way when its descriptor was closed
// reaches nobody else.
//
// There are two of the kernel's interfaces behind it: a ring (ring_reactor.cpp; io_uring) where the kernel allows it, else a set that is polled
// (poll_reactor.cpp; epoll). METEOR_REACTOR overrides. The loop begins with the set, to sleep on, and changes to the ring with the first descriptor
// that somebody waits for: most isolates have none. With the ring the bytes of a stream come by themselves, into buffers of the ring that stand in line at the source's slot until they are taken.
//
// Invariant: whoever waits is in exactly one line and counted in Reactor::waiting until it leaves the line.
#ifndef METEOR_RUNTIME_REACTOR_REACTOR_H
#define METEOR_RUNTIME_REACTOR_REACTOR_H

#include "runtime/abi/abi.h"
#include "runtime/os/poll.h"
#include "runtime/os/ring.h"
#include "runtime/task/line.h"
#include "runtime/task/wake.h"

namespace meteor::async {

using os::FOR_EVER;

// std/net.met declares the same fields in the same order.
struct Source {
  int32_t fd;        // -1: closed
  uint32_t slot;     // of the reactor; 0: the kernel has not been told
  uint32_t ready;
  uint32_t flags;
  WaitList readers;
  WaitList writers;
  WaitList enders;   // they wait until the other side has ended, whatever it has sent before that
};
using os::FAILED, os::READ_ENDED, os::READY_READ, os::READY_WRITE;   // of Source::ready
enum : uint32_t { SOURCE_CLOSED = 1, SOURCE_ABANDONED = 2, SOURCE_FILE = 4, SOURCE_BOTH = 8, SOURCE_STREAM = 16 };
// ABANDONED: a write was cancelled half-way and closed it. FILE: read and written as a file, not as a socket. BOTH: a read may wait
// until it can write and the other way round, as with TLS, so any event wakes both lines. STREAM: a socket that bytes are received from.

// Who hears of events instead of lines of tasks: for libraries with descriptors of their own. Level-triggered.
struct Listener {
  void (*heard)(Listener* listener, uint32_t ready);
  int32_t fd;
  uint32_t slot;
};

struct Sending;

struct Slot {
  union {
    Source* source;
    Listener* listener;
    uint64_t next_free;
  };
  uint32_t sequence;    // of whoever has it now; grows with each
  uint8_t kind;
  uint8_t armed;        // the rest is the ring's: requests under way
  uint16_t wanted;      // what a listener listens for
  uint16_t first;       // received buffers, oldest first
  uint16_t last;
  uint16_t buffers;     // how many
  uint16_t error;       // of the system, for the next who receives
  uint32_t taken;       // of the oldest buffer
  Sending* sending;     // what the first of the writers has given the ring, or null
};
enum : uint8_t { SLOT_FREE, SLOT_SOURCE, SLOT_LISTENER };

struct Reactor;

// What an interface of the kernel does for the reactor.
struct Kernel {
  void (*close)(Reactor& reactor);
  void (*poll)(Reactor& reactor, int64_t ns);
  int64_t (*watch)(Reactor& reactor, Source& source, uint32_t which);
  void (*forget)(Reactor& reactor, Source& source);             // before its descriptor is closed; it has a slot
  void (*forget_copy)(Reactor& reactor, const Source& source);  // the same of a descriptor whose file stays open
  int64_t (*receive)(Reactor& reactor, Source& source, uint8_t* to, int64_t most);
  bool (*postpone)(Reactor& reactor, Source& source, uint32_t ready);
  int64_t (*send)(Reactor& reactor, Source& source, met_str bytes, int64_t at);   // null: whoever sends makes a call
  int64_t (*stop_sending)(Reactor& reactor, Source& source);
  int64_t (*listen)(Reactor& reactor, Listener& listener, bool is_new, bool reading, bool writing);
  void (*stop_listening)(Reactor& reactor, Listener& listener);
};
extern const Kernel BY_POLL, BY_RING;

// An event that is given again: somebody was told that there is nothing, though there is (runtime/os/simulated/faults.h).
struct Postponed {
  uint32_t slot, sequence, ready;
};
constexpr int MOST_POSTPONED = 64;

struct Reactor {
  const Kernel* kernel; // null until the loop has run
  int poll_fd;          // of BY_POLL
  os::Ring* ring;       // of BY_RING
  int wake_fd;          // rings of it end the sleep
  bool has_chosen;      // between the kernel's interfaces
  int64_t outside;      // operations under way elsewhere that will wake someone
  int64_t waiting;      // who waits for the kernel: while there are any, the loop has something to sleep for
  Slot* slots;          // slots[0] is nobody's
  uint32_t slot_count;  // that were ever used
  uint32_t slot_room;
  uint32_t free_slot;   // 0: none
  int postponed_count;
  Postponed* postponed; // null: no faults are simulated
  void (*at_end)();     // what other parts of the runtime keep for this isolate
};

void open_reactor(Reactor& reactor, int wake_fd);
os::Ring* find_ring(Reactor& reactor);               // for operations of others; null: it has none
void empty_reactor(Reactor& reactor);                // the isolate has ended; another one of its thread may use it
void close_reactor(Reactor& reactor);
inline void poll_kernel(Reactor& reactor, int64_t ns) { reactor.kernel->poll(reactor, ns); }   // wakes the tasks whose events have come; sleeps at most `ns`, 0: not at all

// Of the isolate that runs in this thread, as is all below. A variable of its own, so that the reactor needs to know nothing of isolates.
extern __thread Reactor thread_reactor __attribute__((tls_model("initial-exec")));
inline Reactor& this_reactor() { return thread_reactor; }

void open_source(Source& source, int fd, uint32_t flags);
void move_source(Source& from, Source& to);          // nobody waits for it; `from` is closed then
void close_copy(Source& source);                     // the same of a descriptor that is a copy of one which stays open
void close_source(Source& source);                   // whoever waits is woken, and sees that it is closed
int release_source(Source& source);                  // the same, but the descriptor stays open and is the caller's
int64_t watch_source(Source& source, uint32_t which = READY_READ | READY_WRITE);   // before waiting for that, READ_ENDED too: tells the kernel; 0 or -errno
int64_t receive_from(Source& source, uint8_t* to, int64_t most);                     // as recv does, -errno; -EAGAIN: watch it and wait
bool sends_by_itself(const Source& source);          // send_from may be used
int64_t send_from(Source& source, met_str bytes, int64_t at);   // bytes[at ..]; how many, -errno; -EINPROGRESS: wait in the line of writers and ask again
int64_t stop_sending(Source& source);  // of who asked last: how much of it has gone; -1: part of it, perhaps
bool postpone_event(Source& source, uint32_t ready); // its next event comes by itself, or is given later; false: neither
void wait_for_source(WaitList& line, Waiter& waiter, Task* task);   // one of a source's lines
void leave_source(Source& source, Waiter& waiter);   // wakes the next one when there is something for it

int64_t start_listening(Listener& listener, int fd, bool reading, bool writing);   // or changes what for; 0 or -errno
void stop_listening(Listener& listener);

// ---- What an interface of the kernel does ----

uint32_t take_slot(Reactor& reactor, uint8_t kind);   // 0: there is no memory for more
bool need_slot(Reactor& reactor, Source& source);     // that it has one; false: as above
void free_slot(Reactor& reactor, uint32_t slot);

inline void wake_first_of(WaitList& line) {
  if (line.first != nullptr) wake(line.first->task);
}

inline void wake_each_of(WaitList& line) {
  for (Waiter* waiter = line.first; waiter != nullptr; waiter = waiter->next) wake(waiter->task);
}

// Says it to whoever has the slot.
inline void deliver(Slot& slot, uint32_t ready) {
  if (slot.kind == SLOT_LISTENER) {
    slot.listener->heard(slot.listener, ready);
    return;
  }
  Source& source = *slot.source;
  source.ready |= ready;
  bool both = source.flags & SOURCE_BOTH;
  if (both || (ready & READY_READ)) wake_first_of(source.readers);
  if (both || (ready & READY_WRITE)) wake_first_of(source.writers);
  if (ready & (READ_ENDED | FAILED)) wake_each_of(source.enders);
}

inline uint64_t event_key(const Reactor& reactor, uint32_t slot) { return uint64_t(slot) << 32 | reactor.slots[slot].sequence; }

bool open_by_poll(Reactor& reactor);                  // false: no descriptor is left
bool open_by_ring(Reactor& reactor);                  // false: the kernel refuses
int64_t send_by_ring(Reactor& reactor, Source& source, met_str bytes, int64_t at);
int64_t stop_sending_by_ring(Reactor& reactor, Source& source);
bool let_go_of_sending(Slot& slot);                   // true: it is under way and has to be cancelled

}  // namespace meteor::async

#endif
