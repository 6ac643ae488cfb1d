// Slots, sources and listeners, and the choice between the interfaces of the kernel.
#include "runtime/reactor/reactor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/descriptors.h"
#include "runtime/os/simulated/faults.h"
#include "runtime/os/socket_calls.h"
#include "runtime/task/wake.h"

namespace meteor::async {

__thread Reactor thread_reactor __attribute__((tls_model("initial-exec")));

// Those that were never used are not touched: they take no memory.
static uint32_t new_slot(Reactor& reactor) {
  uint32_t slot = reactor.slot_count == 0 ? 1 : reactor.slot_count;
  if (slot >= reactor.slot_room) {
    uint32_t room = reactor.slot_room == 0 ? 64 : reactor.slot_room * 2;
    Slot* slots = static_cast<Slot*>(realloc(reactor.slots, room * sizeof(Slot)));
    if (slots == nullptr) return 0;
    reactor.slots = slots;
    reactor.slot_room = room;
  }
  reactor.slots[slot].sequence = 0;
  reactor.slot_count = slot + 1;
  return slot;
}

uint32_t take_slot(Reactor& reactor, uint8_t kind) {
  uint32_t slot = reactor.free_slot;
  if (slot != 0) reactor.free_slot = uint32_t(reactor.slots[slot].next_free);
  else if ((slot = new_slot(reactor)) == 0) return 0;
  uint32_t sequence = reactor.slots[slot].sequence + 1;
  reactor.slots[slot] = {};
  reactor.slots[slot].sequence = sequence;
  reactor.slots[slot].kind = kind;
  return slot;
}

bool need_slot(Reactor& reactor, Source& source) {
  if (source.slot != 0) return true;
  source.slot = take_slot(reactor, SLOT_SOURCE);
  if (source.slot == 0) return false;
  reactor.slots[source.slot].source = &source;
  return true;
}

void free_slot(Reactor& reactor, uint32_t slot) {
  ++reactor.slots[slot].sequence;   // events that are under way are nobody's
  reactor.slots[slot].kind = SLOT_FREE;
  reactor.slots[slot].next_free = reactor.free_slot;
  reactor.free_slot = slot;
}

// A word that means nothing is not taken for one that does.
static void check_wish() {
  const char* wanted = getenv("METEOR_REACTOR");
  if (wanted == nullptr || *wanted == 0 || strcmp(wanted, "epoll") == 0 || strcmp(wanted, "io_uring") == 0) return;
  char message[128];
  snprintf(message, sizeof message, "METEOR_REACTOR can be epoll or io_uring, not %.64s", wanted);
  met_panic(message);
}

// Faults are drawn in front of the calls that polling needs, so they come with it.
static bool is_ring_wanted() {
  const char* wanted = getenv("METEOR_REACTOR");
  if (wanted == nullptr || *wanted == 0) return !os::faults.is_on;
  return strcmp(wanted, "io_uring") == 0;
}

// Before the kernel is told of a descriptor.
static const Kernel& choose_kernel(Reactor& reactor) {
  if (reactor.has_chosen) [[likely]] return *reactor.kernel;
  if (reactor.kernel == nullptr) return BY_POLL;   // no loop has run: the kernel will say so
  reactor.has_chosen = true;
  if (!is_ring_wanted() || !open_by_ring(reactor)) return *reactor.kernel;
  BY_POLL.close(reactor);
  reactor.kernel = &BY_RING;
  return *reactor.kernel;
}

os::Ring* find_ring(Reactor& reactor) { return &choose_kernel(reactor) == &BY_RING ? reactor.ring : nullptr; }

void open_reactor(Reactor& reactor, int wake_fd) {
  if (reactor.kernel != nullptr) return;
  check_wish();
  reactor.wake_fd = wake_fd;
  reactor.kernel = &BY_POLL;
  if (!open_by_poll(reactor)) met_panic("no descriptor is left for the event loop");
}

void empty_reactor(Reactor& reactor) {
  if (reactor.at_end != nullptr || reactor.kernel == &BY_RING || reactor.slots != nullptr || reactor.postponed != nullptr) close_reactor(reactor);
}

void close_reactor(Reactor& reactor) {
  if (reactor.at_end != nullptr) reactor.at_end();
  if (reactor.kernel != nullptr) reactor.kernel->close(reactor);
  free(reactor.slots);
  free(reactor.postponed);
  reactor = {};
}

// ---- Sources ----

void open_source(Source& source, int fd, uint32_t flags) {
  source = {};
  source.fd = fd;
  source.flags = flags;
  source.ready = READY_READ | READY_WRITE;   // a call will tell
}

void move_source(Source& from, Source& to) {
  to = from;
  if (to.slot != 0) this_reactor().slots[to.slot].source = &to;
  from = {};
  from.fd = -1;
  from.flags = SOURCE_CLOSED;
}

void close_source(Source& source) {
  if (source.fd >= 0) os::close_descriptor(release_source(source));
}

int release_source(Source& source) {
  int fd = source.fd;
  Reactor& reactor = this_reactor();
  if (source.slot != 0 && source.slot < reactor.slot_count) {
    reactor.kernel->forget(reactor, source);
    free_slot(reactor, source.slot);   // closing takes it out of the kernel's set; until then its events are nobody's
  }
  source.fd = -1;
  source.slot = 0;
  source.flags |= SOURCE_CLOSED;
  wake_each_of(source.readers);
  wake_each_of(source.writers);
  wake_each_of(source.enders);
  return fd;
}

void close_copy(Source& source) {
  Reactor& reactor = this_reactor();
  if (source.fd >= 0 && reactor.kernel != nullptr) reactor.kernel->forget_copy(reactor, source);
  close_source(source);
}

int64_t watch_source(Source& source, uint32_t which) {
  Reactor& reactor = this_reactor();
  return choose_kernel(reactor).watch(reactor, source, which);
}

bool postpone_event(Source& source, uint32_t ready) {
  Reactor& reactor = this_reactor();
  return reactor.kernel->postpone(reactor, source, ready);
}

int64_t receive_from(Source& source, uint8_t* to, int64_t most) {
  Reactor& reactor = this_reactor();
  if ((source.flags & SOURCE_STREAM) && source.slot != 0) return reactor.kernel->receive(reactor, source, to, most);
  return source.flags & SOURCE_FILE ? os::read_descriptor(source.fd, to, most) : os::receive_now(source.fd, to, most);
}

bool sends_by_itself(const Source& source) {
  if (!(source.flags & SOURCE_STREAM) || os::faults.is_on) return false;
  return choose_kernel(this_reactor()).send != nullptr;
}

int64_t send_from(Source& source, met_str bytes, int64_t at) {
  Reactor& reactor = this_reactor();
  return reactor.kernel->send(reactor, source, bytes, at);
}

int64_t stop_sending(Source& source) {
  Reactor& reactor = this_reactor();
  return source.slot != 0 ? reactor.kernel->stop_sending(reactor, source) : 0;
}

void wait_for_source(WaitList& line, Waiter& waiter, Task* task) {
  waiter.task = task;
  append(line, waiter);
  ++this_reactor().waiting;
}

void leave_source(Source& source, Waiter& waiter) {
  WaitList* line = waiter.list;
  if (line == nullptr) return;
  remove(waiter);
  --this_reactor().waiting;
  if (line == &source.enders) return;
  uint32_t wanted = line == &source.readers ? READY_READ : READY_WRITE;
  if ((source.ready & wanted) || source.fd < 0) wake_first_of(*line);
}

// ---- Listeners ----

int64_t start_listening(Listener& listener, int fd, bool reading, bool writing) {
  Reactor& reactor = this_reactor();
  const Kernel& kernel = choose_kernel(reactor);
  bool is_new = listener.slot == 0;
  if (is_new) {
    listener.slot = take_slot(reactor, SLOT_LISTENER);
    if (listener.slot == 0) return -ENOMEM;
    reactor.slots[listener.slot].listener = &listener;
    listener.fd = fd;
  }
  int64_t status = kernel.listen(reactor, listener, is_new, reading, writing);
  if (status < 0 && is_new) {
    free_slot(reactor, listener.slot);
    listener.slot = 0;
  }
  return status;
}

void stop_listening(Listener& listener) {
  if (listener.slot == 0) return;
  Reactor& reactor = this_reactor();
  reactor.kernel->stop_listening(reactor, listener);
  free_slot(reactor, listener.slot);
  listener.slot = 0;
}

}  // namespace meteor::async
