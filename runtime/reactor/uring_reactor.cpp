// Sources on io_uring. What a stream receives comes by itself: one request, made when somebody first waits, gives a completion for
// each piece, in a buffer of the ring. Where much comes at once, and for everything else, it is told as readiness, by polls.
//
// Invariant: a request's bit in Slot::armed is set from when it is made until its last completion. While ARMED_RECEIVE is set nobody
// else receives from that descriptor, so the bytes stay in order.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/reactor/reactor.h"
#include "runtime/reactor/uring.h"

namespace meteor::async {

namespace {

enum : uint8_t { ARMED_READ = 1, ARMED_WRITE = 2, ARMED_RECEIVE = 4, STOPS_RECEIVING = 8, HAS_ENDED = 16, IN_BULK = 32 };
enum class Request : uint64_t { Ignored, WakeUp, Read, Write, Receive, Listen };

constexpr uint16_t MOST_BUFFERS = 32;   // of one source: whoever does not read them gets no more
constexpr uint16_t BULK_BUFFERS = 4;    // that are full and wait at the same time: from there on large calls are cheaper than small buffers

uint64_t key_of(Request request, uint32_t slot, uint32_t sequence) { return uint64_t(request) << 60 | uint64_t(slot) << 32 | sequence; }
uint64_t key_of(const Reactor& reactor, Request request, uint32_t slot) { return key_of(request, slot, reactor.slots[slot].sequence); }

void request_poll(Reactor& reactor, int fd, uint32_t events, bool again, uint64_t key) {
  io_uring_sqe& request = reactor.uring->next_request();
  request.opcode = IORING_OP_POLL_ADD;
  request.fd = fd;
  request.poll32_events = events;
  request.len = again ? IORING_POLL_ADD_MULTI : 0;
  request.user_data = key;
}

void request_receive(Reactor& reactor, const Source& source) {
  io_uring_sqe& request = reactor.uring->next_request();
  request.opcode = IORING_OP_RECV;
  request.fd = source.fd;
  request.ioprio = IORING_RECV_MULTISHOT;
  request.flags = IOSQE_BUFFER_SELECT;
  request.user_data = key_of(reactor, Request::Receive, source.slot);
}

void watch_wake_up(Reactor& reactor, int wake_fd) { request_poll(reactor, wake_fd, POLLIN, true, key_of(Request::WakeUp, 0, uint32_t(wake_fd))); }

void add_buffer(Uring& uring, Slot& slot, uint16_t id, uint32_t size) {
  uring.filled[id] = {size, Uring::NO_BUFFER};
  if (slot.buffers == 0) slot.first = id;
  else uring.filled[slot.last].next = id;
  slot.last = id;
  ++slot.buffers;
}

void drop_first(Uring& uring, Slot& slot) {
  uint16_t id = slot.first;
  slot.first = uring.filled[id].next;
  slot.taken = 0;
  --slot.buffers;
  uring.give_back(id);
}

void receive_completed(Reactor& reactor, uint32_t index, const io_uring_cqe& completion) {
  Slot& slot = reactor.slots[index];
  uint32_t ready = READY_READ;
  if (!(completion.flags & IORING_CQE_F_MORE)) slot.armed &= uint8_t(~(ARMED_RECEIVE | STOPS_RECEIVING));
  if (completion.res > 0) {
    add_buffer(*reactor.uring, slot, uint16_t(completion.flags >> IORING_CQE_BUFFER_SHIFT), uint32_t(completion.res));
    bool is_full = completion.res == int32_t(Uring::BUFFER_BYTES);
    if (is_full && slot.buffers >= BULK_BUFFERS) slot.armed |= IN_BULK;
    bool is_enough = slot.buffers >= MOST_BUFFERS || (slot.armed & IN_BULK);
    if (is_enough && (slot.armed & ARMED_RECEIVE) && !(slot.armed & STOPS_RECEIVING)) {
      slot.armed |= STOPS_RECEIVING;
      reactor.uring->cancel(key_of(reactor, Request::Receive, index));
    }
  } else if (completion.res == 0) {
    slot.armed |= HAS_ENDED;
    ready |= READ_ENDED;
  } else if (completion.res == -ENOBUFS) {
    reactor.uring->is_short_of_buffers = true;
  } else if (completion.res != -ECANCELED && completion.res != -EAGAIN && completion.res != -EINTR) {
    slot.error = uint16_t(-completion.res);
    ready |= READ_ENDED | FAILED | READY_WRITE;
  }
  deliver(slot, ready);
}

void complete(Reactor& reactor, const io_uring_cqe& completion) {
  if (Operation* operation = Uring::operation_of(completion.user_data)) return operation->completed(*operation, completion.res);
  Request request = Request(completion.user_data >> 60);
  uint32_t index = uint32_t(completion.user_data >> 32) & 0x0fff'ffff;
  bool has_buffer = completion.flags & IORING_CQE_F_BUFFER;
  if (request == Request::WakeUp) {
    if (!(completion.flags & IORING_CQE_F_MORE)) watch_wake_up(reactor, int(uint32_t(completion.user_data)));
    return;
  }
  bool is_current = request != Request::Ignored && index < reactor.slot_count && reactor.slots[index].sequence == uint32_t(completion.user_data);
  if (!is_current) {
    if (has_buffer) reactor.uring->give_back(uint16_t(completion.flags >> IORING_CQE_BUFFER_SHIFT));
    return;
  }
  Slot& slot = reactor.slots[index];
  uint32_t events = completion.res >= 0 ? uint32_t(completion.res) : uint32_t(POLLERR);
  bool again = completion.flags & IORING_CQE_F_MORE;
  switch (request) {
    case Request::Receive: return receive_completed(reactor, index, completion);
    case Request::Read:
      if (!again) slot.armed &= uint8_t(~ARMED_READ);
      return deliver(slot, ready_of(events));
    case Request::Write:
      slot.armed &= uint8_t(~ARMED_WRITE);
      return deliver(slot, ready_of(events) | READY_WRITE);
    default: break;
  }
  Listener* listener = slot.listener;
  uint32_t sequence = slot.sequence;
  deliver(slot, ready_of(events));
  Slot& after = reactor.slots[index];   // the listener may have stopped, or the slots have moved
  if (after.sequence == sequence && after.kind == SLOT_LISTENER) request_poll(reactor, listener->fd, after.wanted, false, completion.user_data);
}

}  // namespace

bool open_uring(Reactor& reactor) {
  Uring* uring = static_cast<Uring*>(calloc(1, sizeof(Uring)));   // the leak check looks before the loop is closed
  if (uring == nullptr) return false;
  if (!uring->open()) {
    free(uring);
    return false;
  }
  reactor.uring = uring;
  watch_wake_up(reactor, reactor.wake_fd);
  return true;
}

void close_uring(Reactor& reactor) {
  reactor.uring->close();
  free(reactor.uring);
  reactor.uring = nullptr;
}

void poll_uring(Reactor& reactor, int64_t ns) {
  reactor.uring->enter(1, ns);
  io_uring_cqe completion;
  while (reactor.uring->take(completion)) complete(reactor, completion);
  if (reactor.uring->is_short_of_buffers) reactor.uring->add_buffers();
}

int64_t watch_by_uring(Reactor& reactor, Source& source, uint32_t which) {
  if (!need_slot(reactor, source)) return -ENOMEM;
  Slot& slot = reactor.slots[source.slot];
  if ((which & READY_WRITE) && !(slot.armed & ARMED_WRITE)) {
    slot.armed |= ARMED_WRITE;
    request_poll(reactor, source.fd, POLLOUT, false, key_of(reactor, Request::Write, source.slot));
  }
  if (!(which & READY_READ)) return 0;
  bool by_itself = (source.flags & SOURCE_STREAM) && !(slot.armed & IN_BULK);
  if (slot.armed & (ARMED_RECEIVE | ARMED_READ)) return 0;
  slot.armed |= by_itself ? ARMED_RECEIVE : ARMED_READ;
  if (by_itself) request_receive(reactor, source);
  else request_poll(reactor, source.fd, POLLIN | POLLPRI | POLLRDHUP, !(source.flags & SOURCE_STREAM), key_of(reactor, Request::Read, source.slot));
  return 0;
}

// A request holds its file: the peer would not see the end before it is cancelled.
void forget_by_uring(Reactor& reactor, Source& source) {
  Slot& slot = reactor.slots[source.slot];
  while (slot.buffers > 0) drop_first(*reactor.uring, slot);
  bool sends = let_go_of_sending(slot);
  if ((slot.armed & ~IN_BULK) == 0 && !sends) return;
  io_uring_sqe& request = reactor.uring->next_request();
  request.opcode = IORING_OP_ASYNC_CANCEL;
  request.fd = source.fd;
  request.cancel_flags = IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL;
  request.flags = IOSQE_CQE_SKIP_SUCCESS;
  reactor.uring->enter(0, 0);
}

int64_t receive_by_uring(Reactor& reactor, Source& source, uint8_t* to, int64_t most) {
  Slot& slot = reactor.slots[source.slot];
  Uring& uring = *reactor.uring;
  int64_t got = 0;
  while (slot.buffers > 0 && got < most) {
    int64_t left = uring.filled[slot.first].size - slot.taken;
    int64_t count = left < most - got ? left : most - got;
    memcpy(to + got, uring.buffer(slot.first) + slot.taken, size_t(count));
    got += count;
    slot.taken += uint32_t(count);
    if (count == left) drop_first(uring, slot);
  }
  if (got > 0) return got;
  if (slot.error != 0) return -int64_t(slot.error);
  if (slot.armed & HAS_ENDED) return 0;
  if (slot.armed & ARMED_RECEIVE) return -EAGAIN;
  ssize_t direct = recv(source.fd, to, size_t(most), MSG_DONTWAIT);
  if (direct > 0 && direct < int64_t(Uring::BUFFER_BYTES)) slot.armed &= uint8_t(~IN_BULK);
  return direct < 0 ? -int64_t(errno) : direct;
}

void listen_by_uring(Reactor& reactor, Listener& listener, bool reading, bool writing) {
  Slot& slot = reactor.slots[listener.slot];
  if (slot.wanted != 0) {   // it changes what for
    reactor.uring->cancel(key_of(reactor, Request::Listen, listener.slot));
    ++slot.sequence;
  }
  slot.wanted = uint16_t((reading ? POLLIN : 0) | (writing ? POLLOUT : 0));
  request_poll(reactor, listener.fd, slot.wanted, false, key_of(reactor, Request::Listen, listener.slot));
}

void stop_by_uring(Reactor& reactor, Listener& listener) {
  reactor.uring->cancel(key_of(reactor, Request::Listen, listener.slot));
  reactor.uring->enter(0, 0);
}

}  // namespace meteor::async
