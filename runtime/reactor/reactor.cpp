// Slots, sources and listeners, on epoll or io_uring.
#include "runtime/reactor/reactor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "runtime/os/simulated/faults.h"
#include "runtime/os/socket_calls.h"
#include "runtime/task/wake.h"

namespace meteor::async {

namespace {

uint64_t event_key(const Reactor& reactor, uint32_t slot) { return uint64_t(slot) << 32 | reactor.slots[slot].sequence; }

// Kernels before 5.11 count in milliseconds; rounded up, so that nobody is woken early over and over.
int wait_for_events(int epoll_fd, epoll_event* events, int most, int64_t ns) {
  timespec wait = {ns / 1'000'000'000, ns % 1'000'000'000};
  int count = epoll_pwait2(epoll_fd, events, most, ns == FOR_EVER ? nullptr : &wait, nullptr);
  if (count >= 0 || errno != ENOSYS) return count;
  int64_t ms = ns / 1'000'000 + (ns % 1'000'000 != 0);
  return epoll_wait(epoll_fd, events, most, ns == FOR_EVER ? -1 : int(ms < INT32_MAX ? ms : INT32_MAX));
}

void wake_first(WaitList& line) {
  if (line.first != nullptr) wake(line.first->task);
}

void deliver_postponed(Reactor& reactor) {
  int count = reactor.postponed_count;
  Postponed now[MOST_POSTPONED];
  memcpy(now, reactor.postponed, size_t(count) * sizeof(Postponed));
  reactor.postponed_count = 0;
  for (int i = 0; i < count; ++i) {
    Slot& slot = reactor.slots[now[i].slot];
    if (slot.sequence == now[i].sequence) deliver(slot, now[i].ready);
  }
}

}  // namespace

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

uint32_t ready_of(uint32_t events) {
  uint32_t ready = 0;
  if (events & (EPOLLIN | EPOLLPRI)) ready |= READY_READ;
  if (events & EPOLLOUT) ready |= READY_WRITE;
  if (events & EPOLLRDHUP) ready |= READY_READ | READ_ENDED;
  if (events & (EPOLLHUP | EPOLLERR)) ready |= READY_READ | READY_WRITE | READ_ENDED | FAILED;
  return ready;
}

void deliver(Slot& slot, uint32_t ready) {
  if (slot.kind == SLOT_LISTENER) {
    slot.listener->heard(slot.listener, ready);
    return;
  }
  Source& source = *slot.source;
  source.ready |= ready;
  bool both = source.flags & SOURCE_BOTH;
  if (both || (ready & READY_READ)) wake_first(source.readers);
  if (both || (ready & READY_WRITE)) wake_first(source.writers);
}

// Faults are drawn in front of the calls that epoll needs, so they come with it.
static bool is_uring_wanted() {
  const char* wanted = getenv("METEOR_REACTOR");
  if (wanted == nullptr || *wanted == 0) return !os::faults.is_on;
  return strcmp(wanted, "io_uring") == 0;
}

void choose_interface(Reactor& reactor) {
  if (reactor.has_chosen) [[likely]] return;
  reactor.has_chosen = true;
  if (!is_uring_wanted() || !open_uring(reactor)) return;
  close(reactor.epoll_fd);
  reactor.epoll_fd = 0;
}

void open_reactor(Reactor& reactor, int wake_fd) {
  if (reactor.epoll_fd != 0 || reactor.uring != nullptr) return;
  reactor.wake_fd = wake_fd;
  reactor.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (reactor.epoll_fd < 0) met_panic("no descriptor is left for the event loop");
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLET;   // a ring is heard once; nobody has to read it
  if (epoll_ctl(reactor.epoll_fd, EPOLL_CTL_ADD, wake_fd, &event) < 0) met_panic("the event loop's wake-up is broken");
}

void empty_reactor(Reactor& reactor) {
  if (reactor.at_end != nullptr || reactor.uring != nullptr || reactor.slots != nullptr || reactor.postponed != nullptr) close_reactor(reactor);
}

void close_reactor(Reactor& reactor) {
  if (reactor.at_end != nullptr) reactor.at_end();
  if (reactor.uring != nullptr) close_uring(reactor);
  if (reactor.epoll_fd != 0) close(reactor.epoll_fd);
  free(reactor.slots);
  free(reactor.postponed);
  reactor = {};
}

void poll_kernel(Reactor& reactor, int64_t ns) {
  if (reactor.uring != nullptr) return poll_uring(reactor, ns);
  constexpr int MOST_EVENTS = 256;
  epoll_event events[MOST_EVENTS];
  if (reactor.postponed_count > 0) {
    deliver_postponed(reactor);
    ns = 0;
  }
  int count = wait_for_events(reactor.epoll_fd, events, MOST_EVENTS, ns);
  for (int i = 0; i < count; ++i) {
    uint32_t index = uint32_t(events[i].data.u64 >> 32);
    if (index == 0) continue;   // the wake-up
    Slot& slot = reactor.slots[index];
    if (slot.sequence == uint32_t(events[i].data.u64)) deliver(slot, ready_of(events[i].events));
  }
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
  if (source.fd >= 0) close(release_source(source));
}

int release_source(Source& source) {
  int fd = source.fd;
  Reactor& reactor = this_reactor();
  if (source.slot != 0 && source.slot < reactor.slot_count) {
    if (reactor.uring != nullptr) forget_by_uring(reactor, source);
    free_slot(reactor, source.slot);   // closing takes it out of epoll's set; until then its events are nobody's
  }
  source.fd = -1;
  source.slot = 0;
  source.flags |= SOURCE_CLOSED;
  for (Waiter* waiter = source.readers.first; waiter != nullptr; waiter = waiter->next) wake(waiter->task);
  for (Waiter* waiter = source.writers.first; waiter != nullptr; waiter = waiter->next) wake(waiter->task);
  return fd;
}

int64_t watch_source(Source& source, uint32_t which) {
  Reactor& reactor = this_reactor();
  choose_interface(reactor);
  if (reactor.uring != nullptr) return watch_by_uring(reactor, source, which);
  if (source.slot != 0) return 0;
  if (!need_slot(reactor, source)) return -ENOMEM;
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = event_key(reactor, source.slot);
  if (epoll_ctl(reactor.epoll_fd, EPOLL_CTL_ADD, source.fd, &event) == 0) return 0;
  int error = errno;
  free_slot(reactor, source.slot);
  source.slot = 0;
  return -error;
}

// With epoll alone: what io_uring has received stays with it.
bool postpone_event(Source& source, uint32_t ready) {
  Reactor& reactor = this_reactor();
  if (reactor.uring != nullptr) return false;
  if (source.slot == 0) return true;   // epoll will tell at once
  if (reactor.postponed == nullptr) reactor.postponed = static_cast<Postponed*>(malloc(MOST_POSTPONED * sizeof(Postponed)));
  if (reactor.postponed == nullptr || reactor.postponed_count == MOST_POSTPONED) return false;
  reactor.postponed[reactor.postponed_count++] = {source.slot, reactor.slots[source.slot].sequence, ready};
  return true;
}

int64_t receive_from(Source& source, uint8_t* to, int64_t most) {
  Reactor& reactor = this_reactor();
  if (reactor.uring != nullptr && source.slot != 0 && (source.flags & SOURCE_STREAM)) return receive_by_uring(reactor, source, to, most);
  ssize_t got = source.flags & SOURCE_FILE ? read(source.fd, to, size_t(most)) : os::receive_now(source.fd, to, most, 0);
  return got < 0 ? -int64_t(errno) : got;
}

bool sends_by_itself(const Source& source) {
  if (!(source.flags & SOURCE_STREAM) || os::faults.is_on) return false;
  Reactor& reactor = this_reactor();
  choose_interface(reactor);
  return reactor.uring != nullptr;
}

int64_t send_from(Source& source, met_str bytes, int64_t at) { return send_by_uring(this_reactor(), source, bytes, at); }

int64_t stop_sending(Source& source) {
  Reactor& reactor = this_reactor();
  return reactor.uring != nullptr && source.slot != 0 ? stop_sending_by_uring(reactor, source) : 0;
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
  uint32_t wanted = line == &source.readers ? READY_READ : READY_WRITE;
  if ((source.ready & wanted) || source.fd < 0) wake_first(*line);
}

// ---- Listeners ----

int64_t start_listening(Listener& listener, int fd, bool reading, bool writing) {
  Reactor& reactor = this_reactor();
  choose_interface(reactor);
  bool is_new = listener.slot == 0;
  if (is_new) {
    listener.slot = take_slot(reactor, SLOT_LISTENER);
    if (listener.slot == 0) return -ENOMEM;
    reactor.slots[listener.slot].listener = &listener;
    listener.fd = fd;
  }
  if (reactor.uring != nullptr) {
    listen_by_uring(reactor, listener, reading, writing);
    return 0;
  }
  epoll_event event = {};
  event.events = (reading ? uint32_t(EPOLLIN) : 0) | (writing ? uint32_t(EPOLLOUT) : 0);
  event.data.u64 = event_key(reactor, listener.slot);
  if (epoll_ctl(reactor.epoll_fd, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event) == 0) return 0;
  int error = errno;
  if (is_new) {
    free_slot(reactor, listener.slot);
    listener.slot = 0;
  }
  return -error;
}

void stop_listening(Listener& listener) {
  if (listener.slot == 0) return;
  Reactor& reactor = this_reactor();
  if (reactor.uring != nullptr) stop_by_uring(reactor, listener);
  else epoll_ctl(reactor.epoll_fd, EPOLL_CTL_DEL, listener.fd, nullptr);
  free_slot(reactor, listener.slot);
  listener.slot = 0;
}

}  // namespace meteor::async
