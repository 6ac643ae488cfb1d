// Sources in a set that the kernel tells readiness of. Each is told to the kernel once, edge-triggered, for both
// directions.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/descriptors.h"
#include "runtime/os/poll_events.h"
#include "runtime/os/socket_calls.h"
#include "runtime/reactor/reactor.h"

namespace meteor::async {

namespace {

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

void close(Reactor& reactor) {
  os::close_descriptor(reactor.poll_fd);
  reactor.poll_fd = 0;
}

void poll(Reactor& reactor, int64_t ns) {
  os::PollEvents events;
  if (reactor.postponed_count > 0) {
    deliver_postponed(reactor);
    ns = 0;
  }
  int count = events.wait(reactor.poll_fd, ns);
  for (int i = 0; i < count; ++i) {
    uint64_t key = events.key(i);
    uint32_t index = uint32_t(key >> 32);
    if (index == 0) continue;  // the wake-up
    Slot& slot = reactor.slots[index];
    if (slot.sequence == uint32_t(key)) deliver(slot, events.ready(i));
  }
}

int64_t watch(Reactor& reactor, Source& source, uint32_t) {
  if (source.slot != 0) return 0;
  if (!need_slot(reactor, source)) return -ENOMEM;
  int64_t status = os::add_to_poll(reactor.poll_fd, source.fd, READY_READ | READY_WRITE | READ_ENDED,
                                   event_key(reactor, source.slot), os::Tells::Edges);
  if (status == 0) return 0;
  free_slot(reactor, source.slot);
  source.slot = 0;
  return status;
}

void forget(Reactor&, Source&) {}  // closing takes it out of the set

void forget_copy(Reactor& reactor, const Source& source) { os::remove_from_poll(reactor.poll_fd, source.fd); }

int64_t receive(Reactor&, Source& source, uint8_t* to, int64_t most) { return os::receive_now(source.fd, to, most); }

bool postpone(Reactor& reactor, Source& source, uint32_t ready) {
  if (source.slot == 0) return true;  // the kernel will tell at once
  if (reactor.postponed == nullptr)
    reactor.postponed = static_cast<Postponed*>(malloc(MOST_POSTPONED * sizeof(Postponed)));
  if (reactor.postponed == nullptr || reactor.postponed_count == MOST_POSTPONED) return false;
  reactor.postponed[reactor.postponed_count++] = {source.slot, reactor.slots[source.slot].sequence, ready};
  return true;
}

int64_t stop_sending(Reactor&, Source&) { return 0; }

int64_t listen(Reactor& reactor, Listener& listener, bool is_new, bool reading, bool writing) {
  uint32_t wanted = (reading ? READY_READ : 0) | (writing ? READY_WRITE : 0);
  auto* tell = is_new ? os::add_to_poll : os::change_in_poll;
  return tell(reactor.poll_fd, listener.fd, wanted, event_key(reactor, listener.slot), os::Tells::Levels);
}

void stop_listening(Reactor& reactor, Listener& listener) { os::remove_from_poll(reactor.poll_fd, listener.fd); }

}  // namespace

bool open_by_poll(Reactor& reactor) {
  reactor.poll_fd = os::open_poll();
  if (reactor.poll_fd < 0) return false;
  // A ring of it is heard once; nobody has to read it.
  if (os::add_to_poll(reactor.poll_fd, reactor.wake_fd, READY_READ, 0, os::Tells::Edges) < 0)
    met_panic("the event loop's wake-up is broken");
  return true;
}

const Kernel BY_POLL = {
    .close = close,
    .poll = poll,
    .watch = watch,
    .forget = forget,
    .forget_copy = forget_copy,
    .receive = receive,
    .postpone = postpone,
    .send = nullptr,
    .stop_sending = stop_sending,
    .listen = listen,
    .stop_listening = stop_listening,
};

}  // namespace meteor::async
