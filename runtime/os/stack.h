// The stacks of the program's threads: how large they may get, and what is said when one is used up.
#ifndef METEOR_RUNTIME_OS_STACK_H
#define METEOR_RUNTIME_OS_STACK_H

#include <stdint.h>

namespace meteor::os {

// Gives the main thread STACK_BYTES of stack and reports overflows of it. `argv` is needed to start over in the rare
// case that the stack can't grow where it is.
constexpr uint64_t STACK_BYTES = 120ull << 20;
void guard_stack(char** argv);

// The same for a thread that was started with a stack of that size.
void guard_thread_stack(uint64_t bytes);
void unguard_thread_stack();

// What is kept free below the deepest call of a recursion: for the functions that it calls, for clean-up, and for the C
// library.
constexpr uint64_t STACK_RESERVE_BYTES = 1ull << 20;

// The return addresses of this thread's calls, innermost first: how many. Safe in a signal handler, except for the
// first call of all.
int walk_stack(void** addresses, int most);

}  // namespace meteor::os

#endif
