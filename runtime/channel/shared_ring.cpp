// The steps of a channel between isolates. Who finds it full or empty waits a moment for the other side before it stands in line.
// Each line that the other core had last takes some 30 ns to come: those that will be needed are asked for together, before the first is.
#include "runtime/channel/shared_ring.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/memory/memory.h"

namespace meteor::isolates {

namespace {

async::WaitList& line(Channel& channel, int which) { return *reinterpret_cast<async::WaitList*>(&channel.shared.lines[which]); }
async::WaitList& line_of_receivers(Channel& channel) { return line(channel, 0); }
async::WaitList& line_of_senders(Channel& channel) { return line(channel, 1); }

// Nobody, or one that will look again after this: a message that wakes it has not arrived.
bool needs_no_wake(const async::WaitList& line) {
  if (line.first == nullptr) return true;
  return async::mark_of(line.first->task) == async::MARK_TICKET && atomic::load(async::ticket_of(*line.first)->posted, __ATOMIC_RELAXED) != 0;
}

// The task that runs may wait a moment: nobody else would get the time.
bool may_wait_here() { return async::isolate.ready.first == nullptr && !async::has_messages(async::isolate.inbox) && async::another_works(); }

constexpr int PAUSES_WHEN_FULL = 8;   // between looks, which hold up the receiver

// Until half of it is empty, so that the next ones are sent without looking.
void wait_for_room(SharedRing& ring, uint64_t at, uint64_t limit) {
  if (!may_wait_here()) return;
  BriefWait wait(async::isolate.luck);
  uint64_t in_it;
  do in_it = at - atomic::load(ring.receivers.at, __ATOMIC_RELAXED);
  while (in_it > limit / 2 && !async::has_messages(async::isolate.inbox) && wait.goes_on(PAUSES_WHEN_FULL));
  if (in_it < limit) wait.was_worth_it();
  else async::isolate.luck.has_waited = true;
}

void wait_for_item(SharedRing& ring, uint64_t at) {
  if (!may_wait_here()) return;
  BriefWait wait(async::isolate.luck);
  do {
    if (atomic::load(ring.senders.at, __ATOMIC_RELAXED) != at) return wait.was_worth_it();
    if (atomic::load(ring.senders.is_closed, __ATOMIC_RELAXED) != 0 || async::has_messages(async::isolate.inbox)) return;
  } while (wait.goes_on());
  async::isolate.luck.has_waited = true;
}

bool has_room(SharedRing& ring) {
  Side& own = ring.senders;
  if (own.at - own.seen < own.limit) return true;
  own.seen = atomic::load(ring.receivers.at, __ATOMIC_ACQUIRE);
  return own.at - own.seen < own.limit;
}

// A receiver on the heels of a sender would fetch two lines for each item, and take them away from who writes them. So it lets some
// come first, where that has turned out well.
constexpr uint64_t FEW = 16;
constexpr int PAUSES_FOR_MORE = 16;

bool may_let_more_come(Side& own, uint64_t found) {
  return found < FEW && own.limit >= 4 * FEW && async::isolate.ready.first == nullptr && atomic::can_wait_briefly() && own.batches.promises();
}

// True: some have come.
bool let_more_come(SharedRing& ring, uint64_t at) {
  uint64_t before = atomic::load(ring.senders.at, __ATOMIC_RELAXED);
  if (before == at) return false;   // not even one
  for (int i = 0; i < PAUSES_FOR_MORE; i++) atomic::pause_briefly();
  return atomic::load(ring.senders.at, __ATOMIC_RELAXED) - before > FEW / 4;
}

bool has_item(SharedRing& ring) {
  Side& own = ring.receivers;
  own.seen = atomic::load(ring.senders.at, __ATOMIC_ACQUIRE);
  return own.at != own.seen;
}

constexpr uint64_t SLOTS_OF_A_LINE = 8;   // where there are no more than these, fetching the first line is worth it

}  // namespace

int64_t begin_send(SharedRing& ring) {
  Side& own = ring.senders;
  lock(own.lock);
  if (own.is_open != 0) {
    atomic::fetch_to_write(&own.at);
    if (own.mask < SLOTS_OF_A_LINE) atomic::fetch_to_write(own.slots);
    if (has_room(ring)) return int64_t(own.at & own.mask);
    uint64_t at = own.at, limit = own.limit;
    bool may_grow = ring.may_grow;
    unlock(own.lock);
    if (may_grow) return MUST_WAIT;
    wait_for_room(ring, at, limit);
    lock(own.lock);
    if (own.is_open != 0 && has_room(ring)) return int64_t(own.at & own.mask);
  }
  unlock(own.lock);
  return MUST_WAIT;
}

int64_t begin_receive(SharedRing& ring) {
  Side& own = ring.receivers;
  lock(own.lock);
  if (own.is_open != 0) {
    if (own.at != own.seen) return int64_t(own.at & own.mask);
    bool has = has_item(ring), lets_come = may_let_more_come(own, own.seen - own.at);
    if (has && !lets_come) return int64_t(own.at & own.mask);
    uint64_t at = own.at;
    const void* slots = own.slots;
    unlock(own.lock);
    if (!has) wait_for_item(ring, at);
    __builtin_prefetch(slots);
    bool is_good = lets_come && let_more_come(ring, at);
    atomic::fetch_to_write(&own.at);
    lock(own.lock);
    if (lets_come) is_good ? own.batches.is_good() : own.batches.is_bad();
    if (own.is_open != 0 && has_item(ring)) return int64_t(own.at & own.mask);
  }
  unlock(own.lock);
  return MUST_WAIT;
}

static void pass(Side& own) {
  atomic::store(own.at, own.at + 1, __ATOMIC_RELEASE);
  unlock(own.lock);
}

void end_send(SharedRing& ring) { pass(ring.senders); }
void end_receive(SharedRing& ring) { pass(ring.receivers); }

// What a side did alone, the channel's `_Ring` learns here.
static void tell_items(SharedRing& ring) {
  Ring& items = *ring.channel->items;
  items.head = int64_t(ring.receivers.at & ring.receivers.mask);
  items.count = int64_t(ring.senders.at - ring.receivers.at);
}

void enter_channel(SharedRing& ring) {
  lock(ring.senders.lock);
  lock(ring.receivers.lock);
  async::hold_rings();
  tell_items(ring);
}

void end_channel(SharedRing& ring) {
  tell_items(ring);
  free(&ring);
}

static void tell_ring(SharedRing& ring) {
  Channel& channel = *ring.channel;
  Ring& items = *channel.items;
  bool waits_for_receiver = !needs_no_wake(line_of_receivers(channel)), waits_for_sender = !needs_no_wake(line_of_senders(channel));
  uint64_t head = uint64_t(items.head), tail = head + uint64_t(items.count);
  ring.senders.is_open = !channel.is_closed && channel.capacity > 0 && line_of_senders(channel).first == nullptr && !waits_for_receiver;
  ring.receivers.is_open = channel.capacity > 0 && line_of_receivers(channel).first == nullptr && !waits_for_sender;
  ring.senders.limit = ring.receivers.limit = uint64_t(items.room < channel.capacity ? items.room : channel.capacity);
  ring.may_grow = items.room < channel.capacity;
  ring.senders.mask = ring.receivers.mask = uint64_t(items.room > 0 ? items.room - 1 : 0);
  ring.senders.slots = ring.receivers.slots = items.slots;
  ring.senders.seen = head;
  ring.receivers.seen = tail;
  atomic::store(ring.senders.at, tail, __ATOMIC_RELEASE);
  atomic::store(ring.receivers.at, head, __ATOMIC_RELEASE);
  atomic::store(ring.senders.is_closed, uint32_t(channel.is_closed), __ATOMIC_RELAXED);
}

void leave_channel(SharedRing& ring) {
  tell_ring(ring);
  unlock(ring.receivers.lock);
  unlock(ring.senders.lock);
  async::ring_held();
}

void share_channel(Channel& channel) {
  void* block = aligned_alloc(alignof(SharedRing), sizeof(SharedRing));
  if (block == nullptr) met_out_of_memory(int64_t(sizeof(SharedRing)));
  SharedRing* ring = channel.items->shared = static_cast<SharedRing*>(memset(block, 0, sizeof(SharedRing)));
  ring->channel = &channel;
  tell_ring(*ring);
}

}  // namespace meteor::isolates
