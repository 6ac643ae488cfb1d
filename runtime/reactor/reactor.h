// The kernel's part of an isolate's loop: where it sleeps, and what the kernel has to say about descriptors.
//
// A source is a descriptor that tasks wait for, with a line of readers and a line of writers. It is told to the kernel once,
// when somebody first has to wait, and edge-triggered: what the kernel said is kept in `ready` until a call finds nothing
// left. An event carries a slot and its sequence number, so that one that was under way when its descriptor was closed
// reaches nobody else.
//
// There are two of the kernel's interfaces behind it: io_uring (uring_reactor.cpp) where the kernel allows it, else epoll. METEOR_REACTOR
// overrides. The loop begins with epoll, to sleep on, and changes to io_uring with the first descriptor that somebody waits for: most isolates have none.
// With io_uring the bytes of a stream come by themselves, into buffers of the ring that stand in line at the source's slot until they are taken.
//
// Invariant: whoever waits is in exactly one line and counted in Reactor::waiting until it leaves the line.
#ifndef METEOR_RUNTIME_REACTOR_REACTOR_H
#define METEOR_RUNTIME_REACTOR_REACTOR_H

#include "runtime/abi/abi.h"
#include "runtime/task/line.h"

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
  uint8_t armed;        // the rest is io_uring's: requests under way
  uint16_t wanted;      // what a listener listens for
  uint16_t first;       // received buffers, oldest first
  uint16_t last;
  uint16_t buffers;     // how many
  uint16_t error;       // of the system, for the next who receives
  uint32_t taken;       // of the oldest buffer
  Sending* sending;     // what the first of the writers has given the ring, or null
};
enum : uint8_t { SLOT_FREE, SLOT_SOURCE, SLOT_LISTENER };

class Uring;

// An event that is given again: somebody was told that there is nothing, though there is (runtime/os/simulated/faults.h).
struct Postponed {
  uint32_t slot, sequence, ready;
};
constexpr int MOST_POSTPONED = 64;

struct Reactor {
  int epoll_fd;         // 0 until the loop has run, or with io_uring
  int wake_fd;          // rings of it end the sleep
  bool has_chosen;      // between the kernel's interfaces
  Uring* uring;         // null: epoll
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
void choose_interface(Reactor& reactor);             // before the kernel is told of a descriptor
void empty_reactor(Reactor& reactor);                // the isolate has ended; another one of its thread may use it
void close_reactor(Reactor& reactor);
void poll_kernel(Reactor& reactor, int64_t ns);      // wakes the tasks whose events have come; sleeps at most `ns`, 0: not at all

Reactor& this_reactor();                             // of the isolate that runs, as are all below; runtime/loop
void open_source(Source& source, int fd, uint32_t flags);
void move_source(Source& from, Source& to);          // nobody waits for it; `from` is closed then
void close_source(Source& source);                   // whoever waits is woken, and sees that it is closed
int release_source(Source& source);                  // the same, but the descriptor stays open and is the caller's
int64_t watch_source(Source& source, uint32_t which = READY_READ | READY_WRITE);   // before waiting for that: tells the kernel; 0 or -errno
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
void deliver(Slot& slot, uint32_t ready);             // says it to whoever has the slot
uint32_t ready_of(uint32_t events);                   // of poll

bool open_uring(Reactor& reactor);                    // false: the kernel refuses
void close_uring(Reactor& reactor);
void poll_uring(Reactor& reactor, int64_t ns);
int64_t watch_by_uring(Reactor& reactor, Source& source, uint32_t which);
void forget_by_uring(Reactor& reactor, Source& source);   // before its descriptor is closed
int64_t receive_by_uring(Reactor& reactor, Source& source, uint8_t* to, int64_t most);
int64_t send_by_uring(Reactor& reactor, Source& source, met_str bytes, int64_t at);
int64_t stop_sending_by_uring(Reactor& reactor, Source& source);
bool let_go_of_sending(Slot& slot);                       // true: it is under way and has to be cancelled
void listen_by_uring(Reactor& reactor, Listener& listener, bool reading, bool writing);
void stop_by_uring(Reactor& reactor, Listener& listener);

}  // namespace meteor::async

#endif
