// The stack of messages and the agreement about sleep: the loop says that it sleeps before it looks for the last time, a
// poster looks for sleepers after it has posted, so one of the two sees the other.
#include "runtime/queue/inbox.h"

#include "runtime/abi/abi.h"
#include "runtime/os/bell.h"
#include "runtime/os/descriptors.h"
#include "runtime/trace/trace.h"

namespace meteor::async {

void open_inbox(Inbox& inbox) {
  if (inbox.wake_fd != 0) return;
  inbox.wake_fd = os::open_bell();
  if (inbox.wake_fd < 0) met_panic("no descriptor is left for the event loop");
}

void empty_inbox(Inbox& inbox) {
  while (atomic::load(inbox.posters, __ATOMIC_ACQUIRE) != 0) atomic::let_others_run();   // who posted the last message may still look for sleepers
}

void close_inbox(Inbox& inbox) {
  empty_inbox(inbox);
  if (inbox.wake_fd != 0) os::close_descriptor(inbox.wake_fd);
  inbox.wake_fd = 0;
}

void ring(Inbox& inbox) {
  if (!os::ring_bell(inbox.wake_fd)) met_panic("the event loop's wake-up is broken");
}

namespace {

// Isolates at work in the upper half, those that sleep until another one wakes them in the lower one, which may be too low by those
// that are being woken and has room for that. The main isolate is there from the beginning.
constexpr uint64_t ONE_AT_WORK = uint64_t(1) << 32, NOBODY_SLEEPS = uint64_t(1) << 30;
uint64_t census = ONE_AT_WORK + NOBODY_SLEEPS;

}  // namespace

void isolate_begins() { atomic::add(census, ONE_AT_WORK, __ATOMIC_SEQ_CST); }
void isolate_ends() { atomic::subtract(census, ONE_AT_WORK, __ATOMIC_SEQ_CST); }
uint32_t isolates_at_work() { return uint32_t(atomic::load(census, __ATOMIC_RELAXED) >> 32); }
bool another_works() {
  uint64_t now = atomic::load(census, __ATOMIC_RELAXED);
  return now >> 32 > uint32_t(now) - NOBODY_SLEEPS + 1;
}
bool all_wait() {
  uint64_t now = atomic::load(census, __ATOMIC_SEQ_CST);
  return now >> 32 == uint32_t(now) - NOBODY_SLEEPS;
}

void post(Inbox& inbox, Message& message) {
  trace(TraceKind::Post, &message);
  atomic::add(inbox.posters, 1u, __ATOMIC_RELAXED);
  Message* newest = atomic::load(inbox.newest, __ATOMIC_RELAXED);
  do message.next = newest;
  while (!atomic::replace(inbox.newest, newest, &message, __ATOMIC_SEQ_CST));
  uint32_t how = atomic::load(inbox.sleeping, __ATOMIC_SEQ_CST);
  while (how != SLEEP_NOT) {
    // Counted as awake before anybody can see it awake: else it could sleep again and find all of them asleep, itself twice.
    uint32_t before = how;
    if (before == SLEEP_OTHERS) atomic::subtract(census, uint64_t(1), __ATOMIC_SEQ_CST);
    if (atomic::replace(inbox.sleeping, how, uint32_t(SLEEP_NOT), __ATOMIC_SEQ_CST)) {
      Rings& rings = this_rings();
      if (rings.are_held && rings.later == nullptr) {
        rings.later = &inbox;   // which stays open: this is still one who posts
        return;
      }
      ring(inbox);
      break;
    }
    if (before == SLEEP_OTHERS) atomic::add(census, uint64_t(1), __ATOMIC_SEQ_CST);
  }
  atomic::subtract(inbox.posters, 1u, __ATOMIC_RELEASE);
}

void hold_rings() { this_rings().are_held = true; }

void ring_held() {
  Rings& rings = this_rings();
  rings.are_held = false;
  Inbox* inbox = rings.later;
  if (inbox == nullptr) return;
  rings.later = nullptr;
  ring(*inbox);
  atomic::subtract(inbox->posters, 1u, __ATOMIC_RELEASE);
}

bool run_messages(Inbox& inbox) {
  if (!has_messages(inbox)) return false;
  Message* newest = atomic::exchange(inbox.newest, static_cast<Message*>(nullptr), __ATOMIC_ACQUIRE);
  Message* oldest = nullptr;
  while (newest != nullptr) {
    Message* next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest != nullptr) {
    Message* message = oldest;
    oldest = message->next;   // it may be gone after it has run
    trace(TraceKind::Arrive, message);
    message->run(message);
  }
  return true;
}

// It counts as asleep only when nothing has come: another one that looks in between would see everybody asleep.
bool begin_sleep(Inbox& inbox, uint32_t how) {
  atomic::store(inbox.sleeping, how, __ATOMIC_SEQ_CST);
  bool has_come = atomic::load(inbox.newest, __ATOMIC_SEQ_CST) != nullptr;
  bool is_woken = has_come && atomic::exchange(inbox.sleeping, uint32_t(SLEEP_NOT), __ATOMIC_SEQ_CST) == SLEEP_NOT;   // by a poster, who has counted it
  if (how == SLEEP_OTHERS && (!has_come || is_woken)) atomic::add(census, uint64_t(1), __ATOMIC_SEQ_CST);
  return !has_come;
}

// As a poster does it: counted as awake first.
void end_sleep(Inbox& inbox) {
  bool is_counted = atomic::load(inbox.sleeping, __ATOMIC_RELAXED) == SLEEP_OTHERS;
  if (is_counted) atomic::subtract(census, uint64_t(1), __ATOMIC_SEQ_CST);
  bool was_woken = atomic::exchange(inbox.sleeping, uint32_t(SLEEP_NOT), __ATOMIC_SEQ_CST) == SLEEP_NOT;
  if (is_counted && was_woken) atomic::add(census, uint64_t(1), __ATOMIC_SEQ_CST);   // by one who has counted it too
}

}  // namespace meteor::async
