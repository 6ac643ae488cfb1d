// The beginning and the end of a program.
#ifndef METEOR_RUNTIME_START_H
#define METEOR_RUNTIME_START_H

#include <signal.h>
#include <stdint.h>

namespace meteor::start {

struct Arguments {
  int64_t count;
  char** texts;
};

extern Arguments arguments;
extern volatile sig_atomic_t interrupts;   // the signal that asks the program to stop; 0: none
extern bool runs_on;                       // something that was told to stop does not, and the program ends without it

// Gives the main thread STACK_BYTES of stack and reports overflows of it. `argv` is needed to start over in the rare
// case that the stack can't grow where it is.
constexpr uint64_t STACK_BYTES = 120ull << 20;
void guard_stack(char** argv);

// The same for a thread that was started with a stack of that size.
void guard_thread_stack(uint64_t bytes);
void unguard_thread_stack();

// What is kept free below the deepest call of a recursion: for the functions that it calls, for clean-up, and for the C library.
constexpr uint64_t STACK_RESERVE_BYTES = 1ull << 20;

}  // namespace meteor::start

#endif
