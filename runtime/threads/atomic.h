// The steps by which threads agree, and how they wait for each other. Inboxes, tickets, wakers and locks take no others, so that a
// model check (runtime/threads/interleavings_test.cpp) can put itself in the place of the machine and try every order of them.
#ifndef METEOR_RUNTIME_THREADS_ATOMIC_H
#define METEOR_RUNTIME_THREADS_ATOMIC_H

#include <stdint.h>

#ifndef METEOR_MODEL

#include "runtime/os/clock.h"
#include "runtime/os/futex.h"
#include "runtime/os/threads.h"

namespace meteor::atomic {

constexpr int SPINS = 100;   // longer than a lock is ever held by a thread that runs

template <typename T> inline T load(const T& from, int order) { return __atomic_load_n(&from, order); }
template <typename T> inline void store(T& to, T value, int order) { __atomic_store_n(&to, value, order); }
template <typename T> inline T exchange(T& at, T value, int order) { return __atomic_exchange_n(&at, value, order); }
template <typename T> inline T add(T& at, T value, int order) { return __atomic_fetch_add(&at, value, order); }        // gives what was there
template <typename T> inline T subtract(T& at, T value, int order) { return __atomic_fetch_sub(&at, value, order); }
// False: it was something else, which `expected` is now; or, rarely, for no reason.
template <typename T> inline bool replace(T& at, T& expected, T value, int order) { return __atomic_compare_exchange_n(&at, &expected, value, true, order, __ATOMIC_RELAXED); }

inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
// The line of it is about to be written: asked for now, it comes while something else does.
inline void fetch_to_write([[maybe_unused]] const void* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#endif
}
inline void let_others_run() { os::let_others_run(); }
inline void wait_while(uint32_t& word, uint32_t value) { os::sleep_on(word, value); }   // or wakes early
inline bool wait_while(uint32_t& word, uint32_t value, int64_t ns) { return os::sleep_on(word, value, ns); }   // false: the time is over
inline void wake_one(uint32_t& word) { os::wake_sleepers(word, 1); }
inline void wake_each(uint32_t& word) { os::wake_sleepers(word, INT32_MAX); }

bool can_wait_briefly();   // there is another core, and time is real
inline int64_t nanoseconds() { return os::monotonic_ns(); }

}  // namespace meteor::atomic

#endif
#endif
