// The kernel's part of an isolate's loop: where it sleeps, and what the kernel has to say about descriptors.
#ifndef METEOR_RUNTIME_ASYNC_REACTOR_H
#define METEOR_RUNTIME_ASYNC_REACTOR_H

#include <stdint.h>

namespace meteor::async {

constexpr int64_t FOR_EVER = INT64_MAX;

struct Reactor {
  int epoll_fd;      // 0 until the loop has run
  int64_t waiting;   // operations that wait for the kernel: while there are any, the loop has something to sleep for
};

void open_reactor(Reactor& reactor, int wake_fd);   // rings of `wake_fd` end its sleep
void close_reactor(Reactor& reactor);
void poll_kernel(Reactor& reactor, int64_t ns);      // wakes the tasks whose events have come; sleeps at most `ns`, 0: not at all

}  // namespace meteor::async

#endif
