// A lock in one word: 0 free, 1 held, 2 held and wanted.
// Invariant: it is held for a few instructions and never across a suspension.
#ifndef METEOR_RUNTIME_THREADS_LOCK_H
#define METEOR_RUNTIME_THREADS_LOCK_H

#include "runtime/threads/atomic.h"

namespace meteor::isolates {

__attribute__((noinline)) inline void wait_for_lock(uint32_t& word) {
  for (int i = 0; i < atomic::SPINS; i++) {
    uint32_t free = 0;
    if (atomic::load(word, __ATOMIC_RELAXED) == 0 && atomic::replace(word, free, 1u, __ATOMIC_ACQUIRE)) return;
    atomic::pause_briefly();
  }
  while (atomic::exchange(word, 2u, __ATOMIC_ACQUIRE) != 0) atomic::wait_while(word, 2);
}

inline void lock(uint32_t& word) {
  uint32_t free = 0;
  if (!atomic::replace(word, free, 1u, __ATOMIC_ACQUIRE)) wait_for_lock(word);
}

inline void unlock(uint32_t& word) {
  if (atomic::exchange(word, 0u, __ATOMIC_RELEASE) == 2) atomic::wake_one(word);
}

}  // namespace meteor::isolates

#endif
