// The stack of messages and the agreement about sleep: the loop says that it sleeps before it looks for the last time, a
// poster looks for sleepers after it has posted, so one of the two sees the other.
#include "runtime/async/inbox.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/abi/abi.h"
#include "runtime/async/trace.h"

namespace meteor::async {

void open_inbox(Inbox& inbox) {
  if (inbox.wake_fd != 0) return;
  inbox.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (inbox.wake_fd < 0) met_panic("no descriptor is left for the event loop");
}

void close_inbox(Inbox& inbox) {
  if (inbox.wake_fd != 0) close(inbox.wake_fd);
  inbox.wake_fd = 0;
}

void ring(Inbox& inbox) {
  uint64_t one = 1;
  if (write(inbox.wake_fd, &one, sizeof one) < 0 && errno != EAGAIN) met_panic("the event loop's wake-up is broken");
}

namespace {

// Isolates at work in the upper half, those that sleep until another one wakes them in the lower one. The main isolate is
// there from the beginning.
constexpr uint64_t ONE_AT_WORK = uint64_t(1) << 32;
uint64_t census = ONE_AT_WORK;

void wake_up(uint32_t before) {
  if (before == SLEEP_OTHERS) __atomic_fetch_sub(&census, 1, __ATOMIC_SEQ_CST);
}

}  // namespace

void isolate_begins() { __atomic_fetch_add(&census, ONE_AT_WORK, __ATOMIC_SEQ_CST); }
void isolate_ends() { __atomic_fetch_sub(&census, ONE_AT_WORK, __ATOMIC_SEQ_CST); }
uint32_t isolates_at_work() { return uint32_t(__atomic_load_n(&census, __ATOMIC_RELAXED) >> 32); }
bool all_wait() {
  uint64_t now = __atomic_load_n(&census, __ATOMIC_SEQ_CST);
  return now >> 32 == uint32_t(now);
}

void post(Inbox& inbox, Message& message) {
  trace(TraceKind::Post, nullptr, &message);
  Message* newest = __atomic_load_n(&inbox.newest, __ATOMIC_RELAXED);
  do message.next = newest;
  while (!__atomic_compare_exchange_n(&inbox.newest, &newest, &message, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  if (__atomic_load_n(&inbox.sleeping, __ATOMIC_SEQ_CST) == SLEEP_NOT) return;
  uint32_t before = __atomic_exchange_n(&inbox.sleeping, SLEEP_NOT, __ATOMIC_SEQ_CST);
  if (before == SLEEP_NOT) return;
  wake_up(before);
  ring(inbox);
}

bool run_messages(Inbox& inbox) {
  if (!has_messages(inbox)) return false;
  Message* newest = __atomic_exchange_n(&inbox.newest, nullptr, __ATOMIC_ACQUIRE);
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
    trace(TraceKind::Arrive, nullptr, message);
    message->run(message);
  }
  return true;
}

bool begin_sleep(Inbox& inbox, uint32_t how) {
  if (how == SLEEP_OTHERS) __atomic_fetch_add(&census, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&inbox.sleeping, how, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&inbox.newest, __ATOMIC_SEQ_CST) == nullptr) return true;
  end_sleep(inbox);
  return false;
}

void end_sleep(Inbox& inbox) { wake_up(__atomic_exchange_n(&inbox.sleeping, SLEEP_NOT, __ATOMIC_SEQ_CST)); }

}  // namespace meteor::async
