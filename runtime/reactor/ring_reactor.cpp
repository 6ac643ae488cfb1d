// Sources on the ring. What a stream receives comes by itself: one request, made when somebody first waits, gives a completion for
// each piece, in a buffer of the ring. Where much comes at once, and for everything else, it is told as readiness, by polls.
//
// Invariant: a request's bit in Slot::armed is set from when it is made until its last completion. While ARMED_RECEIVE is set nobody
// else receives from that descriptor, so the bytes stay in order.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/socket_calls.h"
#include "runtime/reactor/reactor.h"

namespace meteor::async {

using os::Operation, os::Ring;

namespace {

enum : uint8_t { ARMED_READ = 1, ARMED_WRITE = 2, ARMED_RECEIVE = 4, STOPS_RECEIVING = 8, HAS_ENDED = 16, IN_BULK = 32, ARMED_END = 64 };
enum class Request : uint64_t { Ignored, WakeUp, Read, Write, Receive, Listen, End };

constexpr uint16_t MOST_BUFFERS = 32;   // of one source: whoever does not read them gets no more
constexpr uint16_t BULK_BUFFERS = 4;    // that are full and wait at the same time: from there on large calls are cheaper than small buffers

uint64_t key_of(Request request, uint32_t slot, uint32_t sequence) { return uint64_t(request) << 60 | uint64_t(slot) << 32 | sequence; }
uint64_t key_of(const Reactor& reactor, Request request, uint32_t slot) { return key_of(request, slot, reactor.slots[slot].sequence); }

void watch_wake_up(Reactor& reactor, int wake_fd) { reactor.ring->poll(wake_fd, READY_READ, true, key_of(Request::WakeUp, 0, uint32_t(wake_fd))); }

void add_buffer(Ring& ring, Slot& slot, uint16_t id, uint32_t size) {
  ring.filled[id] = {size, Ring::NO_BUFFER};
  if (slot.buffers == 0) slot.first = id;
  else ring.filled[slot.last].next = id;
  slot.last = id;
  ++slot.buffers;
}

void drop_first(Ring& ring, Slot& slot) {
  uint16_t id = slot.first;
  slot.first = ring.filled[id].next;
  slot.taken = 0;
  --slot.buffers;
  ring.give_back(id);
}

void receive_completed(Reactor& reactor, uint32_t index, const Ring::Completion& completion) {
  Slot& slot = reactor.slots[index];
  uint32_t ready = READY_READ;
  if (completion.is_last) slot.armed &= uint8_t(~(ARMED_RECEIVE | STOPS_RECEIVING));
  if (completion.result > 0) {
    add_buffer(*reactor.ring, slot, completion.buffer, uint32_t(completion.result));
    bool is_full = completion.result == int32_t(Ring::BUFFER_BYTES);
    if (is_full && slot.buffers >= BULK_BUFFERS) slot.armed |= IN_BULK;
    bool is_enough = slot.buffers >= MOST_BUFFERS || (slot.armed & IN_BULK);
    if (is_enough && (slot.armed & ARMED_RECEIVE) && !(slot.armed & STOPS_RECEIVING)) {
      slot.armed |= STOPS_RECEIVING;
      reactor.ring->cancel(key_of(reactor, Request::Receive, index));
    }
  } else if (completion.result == 0) {
    slot.armed |= HAS_ENDED;
    ready |= READ_ENDED;
  } else if (completion.result == -ENOBUFS) {
    reactor.ring->is_short_of_buffers = true;
  } else if (completion.result != -ECANCELED && completion.result != -EAGAIN && completion.result != -EINTR) {
    slot.error = uint16_t(-completion.result);
    ready |= READ_ENDED | FAILED | READY_WRITE;
  }
  deliver(slot, ready);
}

void complete(Reactor& reactor, const Ring::Completion& completion) {
  if (Operation* operation = Ring::operation_of(completion.key)) return operation->completed(*operation, completion.result);
  Request request = Request(completion.key >> 60);
  uint32_t index = uint32_t(completion.key >> 32) & 0x0fff'ffff;
  bool has_buffer = completion.buffer != Ring::NO_BUFFER;
  if (request == Request::WakeUp) {
    if (completion.is_last) watch_wake_up(reactor, int(uint32_t(completion.key)));
    return;
  }
  bool is_current = request != Request::Ignored && index < reactor.slot_count && reactor.slots[index].sequence == uint32_t(completion.key);
  if (!is_current) {
    if (has_buffer) reactor.ring->give_back(completion.buffer);
    return;
  }
  Slot& slot = reactor.slots[index];
  switch (request) {
    case Request::Receive: return receive_completed(reactor, index, completion);
    case Request::Read:
      if (completion.is_last) slot.armed &= uint8_t(~ARMED_READ);
      return deliver(slot, completion.ready());
    case Request::Write:
      slot.armed &= uint8_t(~ARMED_WRITE);
      return deliver(slot, completion.ready() | READY_WRITE);
    case Request::End:
      slot.armed &= uint8_t(~ARMED_END);
      return deliver(slot, completion.ready());
    default: break;
  }
  Listener* listener = slot.listener;
  uint32_t sequence = slot.sequence;
  deliver(slot, completion.ready());
  Slot& after = reactor.slots[index];   // the listener may have stopped, or the slots have moved
  if (after.sequence == sequence && after.kind == SLOT_LISTENER) reactor.ring->poll(listener->fd, after.wanted, false, completion.key);
}

void close(Reactor& reactor) {
  reactor.ring->close();
  free(reactor.ring);
  reactor.ring = nullptr;
}

void poll(Reactor& reactor, int64_t ns) {
  reactor.ring->enter(1, ns);
  Ring::Completion completion;
  while (reactor.ring->take(completion)) complete(reactor, completion);
  if (reactor.ring->is_short_of_buffers) reactor.ring->add_buffers();
}

int64_t watch(Reactor& reactor, Source& source, uint32_t which) {
  if (!need_slot(reactor, source)) return -ENOMEM;
  Slot& slot = reactor.slots[source.slot];
  if ((which & READY_WRITE) && !(slot.armed & ARMED_WRITE)) {
    slot.armed |= ARMED_WRITE;
    reactor.ring->poll(source.fd, READY_WRITE, false, key_of(reactor, Request::Write, source.slot));
  }
  if ((which & READ_ENDED) && !(slot.armed & ARMED_END)) {
    slot.armed |= ARMED_END;
    reactor.ring->poll(source.fd, READ_ENDED, false, key_of(reactor, Request::End, source.slot));
  }
  if (!(which & READY_READ)) return 0;
  bool by_itself = (source.flags & SOURCE_STREAM) && !(slot.armed & IN_BULK);
  if (slot.armed & (ARMED_RECEIVE | ARMED_READ)) return 0;
  slot.armed |= by_itself ? ARMED_RECEIVE : ARMED_READ;
  if (by_itself) reactor.ring->receive(source.fd, key_of(reactor, Request::Receive, source.slot));
  else reactor.ring->poll(source.fd, READY_READ | READ_ENDED, !(source.flags & SOURCE_STREAM), key_of(reactor, Request::Read, source.slot));
  return 0;
}

// A request holds its file: the peer would not see the end before it is cancelled.
void forget(Reactor& reactor, Source& source) {
  Slot& slot = reactor.slots[source.slot];
  while (slot.buffers > 0) drop_first(*reactor.ring, slot);
  bool sends = let_go_of_sending(slot);
  if ((slot.armed & ~IN_BULK) == 0 && !sends) return;
  reactor.ring->cancel_all(source.fd);
  reactor.ring->enter(0, 0);
}

void forget_copy(Reactor&, const Source&) {}   // its requests are cancelled when it is closed

int64_t receive(Reactor& reactor, Source& source, uint8_t* to, int64_t most) {
  Slot& slot = reactor.slots[source.slot];
  Ring& ring = *reactor.ring;
  int64_t got = 0;
  while (slot.buffers > 0 && got < most) {
    int64_t left = ring.filled[slot.first].size - slot.taken;
    int64_t count = left < most - got ? left : most - got;
    memcpy(to + got, ring.buffer(slot.first) + slot.taken, size_t(count));
    got += count;
    slot.taken += uint32_t(count);
    if (count == left) drop_first(ring, slot);
  }
  if (got > 0) return got;
  if (slot.error != 0) return -int64_t(slot.error);
  if (slot.armed & HAS_ENDED) return 0;
  if (slot.armed & ARMED_RECEIVE) return -EAGAIN;
  int64_t direct = os::receive_without_waiting(source.fd, to, most);
  if (direct > 0 && direct < int64_t(Ring::BUFFER_BYTES)) slot.armed &= uint8_t(~IN_BULK);
  return direct;
}

bool postpone(Reactor&, Source&, uint32_t) { return false; }   // what the ring has received stays with it

int64_t listen(Reactor& reactor, Listener& listener, bool, bool reading, bool writing) {
  Slot& slot = reactor.slots[listener.slot];
  if (slot.wanted != 0) {   // it changes what for
    reactor.ring->cancel(key_of(reactor, Request::Listen, listener.slot));
    ++slot.sequence;
  }
  slot.wanted = uint16_t((reading ? READY_READ : 0) | (writing ? READY_WRITE : 0));
  reactor.ring->poll(listener.fd, slot.wanted, false, key_of(reactor, Request::Listen, listener.slot));
  return 0;
}

void stop_listening(Reactor& reactor, Listener& listener) {
  reactor.ring->cancel(key_of(reactor, Request::Listen, listener.slot));
  reactor.ring->enter(0, 0);
}

}  // namespace

bool open_by_ring(Reactor& reactor) {
  Ring* ring = static_cast<Ring*>(calloc(1, sizeof(Ring)));   // the leak check looks before the loop is closed
  if (ring == nullptr) return false;
  if (!ring->open()) {
    free(ring);
    return false;
  }
  reactor.ring = ring;
  watch_wake_up(reactor, reactor.wake_fd);
  return true;
}

const Kernel BY_RING = {
    .close = close,
    .poll = poll,
    .watch = watch,
    .forget = forget,
    .forget_copy = forget_copy,
    .receive = receive,
    .postpone = postpone,
    .send = send_by_ring,
    .stop_sending = stop_sending_by_ring,
    .listen = listen,
    .stop_listening = stop_listening,
};

}  // namespace meteor::async
