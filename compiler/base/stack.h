// How much of this thread's stack is left, for what recurses as deep as a program asks it to.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace meteor::base {

struct Stack {
  uintptr_t low = 0;
  size_t size = 0;
};

inline Stack own_stack() {
  thread_local Stack known = [] {
    Stack found;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return found;
    void* low = nullptr;
    if (pthread_attr_getstack(&attributes, &low, &found.size) == 0) found.low = reinterpret_cast<uintptr_t>(low);
    pthread_attr_destroy(&attributes);
    return found;
  }();
  return known;
}

// Less than a quarter is left: enough to finish what is under way, not to begin anything like it.
inline bool stack_runs_out() {
  Stack stack = own_stack();
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return stack.size > 0 && here - stack.low < stack.size / 4;
}

}  // namespace meteor::base
