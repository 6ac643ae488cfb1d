// Sending by the ring: a task gives its bytes, waits in the line of writers, and is woken when they are sent. The requests of all tasks of a turn
// go to the kernel with one call, the one that the loop makes anyhow to see what has come.
//
// Invariant: Slot::sending is the first writer's, from when it asked until it has taken the result or given up. A Sending lives until the kernel has
// completed it, and after that while its slot has it.
#include <errno.h>

#include "runtime/reactor/reactor.h"
#include "runtime/os/ring.h"
#include "runtime/text/view.h"

namespace meteor::async {

struct Sending {
  os::Operation operation;
  met_str bytes;
  int64_t size;       // how many were asked for
  uint32_t slot;      // 0: nobody wants to know any more
  int32_t result;     // once it is done
  bool is_done;
};

namespace {

constexpr int64_t MOST_BYTES = 1 << 30;   // of one request

void free_sending(Sending* sending) { met_raw_free(sending, sizeof(Sending)); }

void sent(os::Operation& operation, int32_t result) {
  Sending& sending = reinterpret_cast<Sending&>(operation);
  Reactor& reactor = this_reactor();
  --reactor.outside;
  met_str_release(sending.bytes);
  if (sending.slot == 0) return free_sending(&sending);
  sending.result = result;
  sending.is_done = true;
  deliver(reactor.slots[sending.slot], READY_WRITE);
}

void begin(Reactor& reactor, const Source& source, met_str bytes, int64_t at) {
  Sending* sending = static_cast<Sending*>(met_raw_alloc(sizeof(Sending)));
  int64_t left = text::size_of(bytes) - at;
  *sending = {{sent}, text::kept(bytes), left < MOST_BYTES ? left : MOST_BYTES, source.slot, 0, false};
  reactor.ring->send(sending->operation, source.fd, text::data_of(sending->bytes) + at, uint32_t(sending->size));
  reactor.slots[source.slot].sending = sending;
  ++reactor.outside;
}

// What the kernel has answered and the loop has not seen yet; false: it has not.
bool is_answered(const os::Ring& ring, Sending& sending) {
  return sending.is_done || ring.find(os::Ring::key_of(sending.operation), sending.result);
}

}  // namespace

int64_t send_by_ring(Reactor& reactor, Source& source, met_str bytes, int64_t at) {
  if (!need_slot(reactor, source)) return -ENOMEM;
  Slot& slot = reactor.slots[source.slot];
  if (slot.sending == nullptr) {
    begin(reactor, source, bytes, at);
    return -EINPROGRESS;
  }
  if (!slot.sending->is_done) return -EINPROGRESS;
  int32_t result = slot.sending->result;
  let_go_of_sending(slot);
  if (result == -EINTR || result == -EAGAIN) {
    begin(reactor, source, bytes, at);
    return -EINPROGRESS;
  }
  return result;
}

bool let_go_of_sending(Slot& slot) {
  Sending* sending = slot.sending;
  if (sending == nullptr) return false;
  slot.sending = nullptr;
  sending->slot = 0;
  if (!sending->is_done) return true;
  free_sending(sending);
  return false;
}

// The kernel answers a cancellation before it returns; where it should not, nobody can say how much has gone.
int64_t stop_sending_by_ring(Reactor& reactor, Source& source) {
  Slot& slot = reactor.slots[source.slot];
  Sending* sending = slot.sending;
  if (sending == nullptr) return 0;
  if (!sending->is_done) {
    reactor.ring->cancel(os::Ring::key_of(sending->operation));
    reactor.ring->enter(0, 0);
  }
  int64_t gone = !is_answered(*reactor.ring, *sending) ? -1 : sending->result > 0 ? sending->result : 0;
  let_go_of_sending(slot);
  return gone;
}

}  // namespace meteor::async
