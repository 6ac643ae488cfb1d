// What a channel between isolates has besides (std/core/channel.met): a lock for those who send and one for those who receive, so
// that with one of each neither waits for the other. What is in the channel lies in the slots of its `_Ring`, from number
// `receivers.at` on up to `senders.at`.
//
// Invariant: a sender that holds its side's lock may fill the next slot, a receiver that holds its own may empty the oldest one.
// Everything else (lines, slots, limits, whether it is closed) changes only with both locks held, the senders' taken first, and so may
// be read with either. With both held the channel's `_Ring` says where its items are, and leaving tells the ring.
// A side goes alone only where `is_open`: nobody stands in a line whom it would have to wake or would overtake.
#ifndef METEOR_RUNTIME_CHANNEL_SHARED_RING_H
#define METEOR_RUNTIME_CHANNEL_SHARED_RING_H

#include "runtime/loop/isolate.h"
#include "runtime/threads/brief_wait.h"
#include "runtime/threads/lock.h"
#include "runtime/waker/tickets.h"

namespace meteor::isolates {

constexpr uint64_t CHANNEL_MARK = uint64_t(1) << 32;   // in met_shared::lock of a Channel, beside the lock's word

constexpr size_t CACHE_LINES = 128;   // two: processors fetch them in pairs

struct alignas(CACHE_LINES) Side {
  uint32_t lock;
  uint32_t is_open;
  uint64_t seen;        // of the other side's
  uint64_t limit;       // how many may be in it
  uint64_t mask;
  const void* slots;    // where they begin: to be fetched before they are used
  Luck batches;         // receivers: whether more come when it lets them
  // What the other side looks at is not where this one's lock is: else each look would take the line away from who holds it.
  alignas(CACHE_LINES) uint64_t at;   // how many have gone through; atomic
  uint32_t is_closed;                 // the channel; atomic
};

struct Channel;

struct SharedRing {
  Side senders, receivers;
  Channel* channel;
  bool may_grow;        // it has fewer slots than it may have; under both locks
};

// As std/core/channel.met declares them.
struct Ring {
  met_object header;
  void* slots;
  int64_t room;
  int64_t head;
  int64_t count;
  SharedRing* shared;   // null: the channel is this isolate's alone
};
struct Channel {
  met_shared shared;
  Ring* items;
  int64_t capacity;
  bool is_closed;
};

constexpr int64_t MUST_WAIT = -1;

// A slot, with the side's lock held until the end of it; or MUST_WAIT, with no lock held.
int64_t begin_send(SharedRing& ring);
int64_t begin_receive(SharedRing& ring);
void end_send(SharedRing& ring);
void end_receive(SharedRing& ring);

void enter_channel(SharedRing& ring);
void leave_channel(SharedRing& ring);
void end_channel(SharedRing& ring);     // by the last who has it: what is still in it is in its `_Ring` then
void share_channel(Channel& channel);   // by the isolate that had it to itself

}  // namespace meteor::isolates

#endif
