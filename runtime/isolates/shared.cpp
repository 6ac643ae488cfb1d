// Sharing an object, and the lock of one that is shared: a word that is 0 free, 1 held, 2 held and wanted.
// Invariant: a lock is held for a few instructions of the library and never across a suspension.
#include "runtime/isolates/shared.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/async/isolate.h"

namespace meteor::isolates {

namespace {

constexpr int SPINS = 100;   // longer than the lock is ever held by a thread that runs

uint32_t* word_of(met_shared* object) { return reinterpret_cast<uint32_t*>(&object->lock); }

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

__attribute__((noinline)) void wait_for(uint32_t* word) {
  for (int i = 0; i < SPINS; i++) {
    uint32_t expected = 0;
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0 && __atomic_compare_exchange_n(word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    pause_briefly();
  }
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr, 0);
}

}  // namespace

void share(met_object* object) {
  if (is_shared(object)) return;
  if (object->type->kind & MET_TYPE_SHAREABLE) {
    met_shared* shared = reinterpret_cast<met_shared*>(object);
    async::issue_tickets(*reinterpret_cast<async::WaitList*>(&shared->lines[0]));
    async::issue_tickets(*reinterpret_cast<async::WaitList*>(&shared->lines[2]));
  }
  object->strong |= MET_IMMORTAL;
}

}  // namespace meteor::isolates

using namespace meteor::isolates;

extern "C" {

bool met_is_shared(const met_object* object) { return is_shared(object); }

void met_lock(met_shared* object) {
  uint32_t expected = 0;
  if (!__atomic_compare_exchange_n(word_of(object), &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) wait_for(word_of(object));
}

void met_unlock(met_shared* object) {
  if (__atomic_exchange_n(word_of(object), 0, __ATOMIC_RELEASE) == 2) syscall(SYS_futex, word_of(object), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // extern "C"
