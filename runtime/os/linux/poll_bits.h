// What the bits of poll and epoll, which are the same, say.
#ifndef METEOR_RUNTIME_OS_LINUX_POLL_BITS_H
#define METEOR_RUNTIME_OS_LINUX_POLL_BITS_H

#include <sys/epoll.h>

#include "runtime/os/poll.h"

namespace meteor::os {

inline uint32_t ready_of(uint32_t events) {
  uint32_t ready = 0;
  if (events & (EPOLLIN | EPOLLPRI)) ready |= READY_READ;
  if (events & EPOLLOUT) ready |= READY_WRITE;
  if (events & EPOLLRDHUP) ready |= READY_READ | READ_ENDED;
  if (events & (EPOLLHUP | EPOLLERR)) ready |= READY_READ | READY_WRITE | READ_ENDED | FAILED;
  return ready;
}

}  // namespace meteor::os

#endif
