// Sharing an object, and the locks of one that is shared (runtime/threads/lock.h, shared_ring.h).
#include "runtime/channel/shared.h"

#include <stdlib.h>

#include "runtime/channel/shared_ring.h"
#include "runtime/threads/lock.h"
#include "runtime/waker/tickets.h"
#include "runtime/waker/wakers.h"

namespace meteor::isolates {

void share(met_object* object) {
  if (is_shared(object)) return;
  if (object->type->kind & MET_TYPE_SHAREABLE) {
    met_shared* shared = reinterpret_cast<met_shared*>(object);
    if (async::is_waker(*shared)) {
      async::share_waker(*shared);
    } else {
      async::issue_tickets(*reinterpret_cast<async::WaitList*>(&shared->lines[0]));
      async::issue_tickets(*reinterpret_cast<async::WaitList*>(&shared->lines[1]));
      if (shared->lock & CHANNEL_MARK) share_channel(*reinterpret_cast<Channel*>(object));
    }
  }
  object->strong |= MET_IMMORTAL;
}

static uint32_t& word_of(met_object* object) { return *reinterpret_cast<uint32_t*>(&reinterpret_cast<met_shared*>(object)->lock); }

}  // namespace meteor::isolates

using namespace meteor::isolates;

extern "C" {

void met_lock(met_object* object) { lock(word_of(object)); }
void met_unlock(met_object* object) { unlock(word_of(object)); }

// The word of an Atomic (std/core/atomic.met).
int64_t met_atomic_load(const int64_t* word) { return meteor::atomic::load(*word, __ATOMIC_SEQ_CST); }
void met_atomic_store(int64_t* word, int64_t value) { meteor::atomic::store(*word, value, __ATOMIC_SEQ_CST); }
int64_t met_atomic_swap(int64_t* word, int64_t value) { return meteor::atomic::exchange(*word, value, __ATOMIC_SEQ_CST); }
int64_t met_atomic_add(int64_t* word, int64_t amount) { return meteor::atomic::add(*word, amount, __ATOMIC_SEQ_CST); }
bool met_atomic_compare_swap(int64_t* word, int64_t expected, int64_t value) {
  int64_t seen = expected;
  while (!meteor::atomic::replace(*word, seen, value, __ATOMIC_SEQ_CST))
    if (seen != expected) return false;
  return true;
}

int64_t met_channel_begin_send(SharedRing* ring) { return begin_send(*ring); }
int64_t met_channel_begin_receive(SharedRing* ring) { return begin_receive(*ring); }
void met_channel_end_send(SharedRing* ring) { end_send(*ring); }
void met_channel_end_receive(SharedRing* ring) { end_receive(*ring); }
void met_channel_enter(SharedRing* ring) { enter_channel(*ring); }
void met_channel_leave(SharedRing* ring) { leave_channel(*ring); }
void met_channel_end(SharedRing* ring) {
  if (ring != nullptr) end_channel(*ring);   // null: it was never shared
}

}  // extern "C"
