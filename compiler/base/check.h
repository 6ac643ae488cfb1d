// CHECK guards the compiler's own invariants: a failure is our bug, never the user's.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace meteor::base {

[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "meteor: internal error: %s (%s:%d)\nThis is a bug in the compiler, not in your program.\n",
               condition, file, line);
  std::abort();
}

}  // namespace meteor::base

#define CHECK(condition) \
  ((condition) ? (void)0 : ::meteor::base::check_failed(#condition, __FILE__, __LINE__))
