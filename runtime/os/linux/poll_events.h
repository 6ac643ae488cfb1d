// The events of a wait, as epoll gives them. Inline: the loop waits once for each message that comes alone.
#ifndef METEOR_RUNTIME_OS_LINUX_POLL_EVENTS_H
#define METEOR_RUNTIME_OS_LINUX_POLL_EVENTS_H

#include <errno.h>
#include <sys/epoll.h>
#include <time.h>

#include "runtime/os/linux/poll_bits.h"

namespace meteor::os {

class PollEvents {
 public:
  // Sleeps at most so long: how many there are, or -1. Kernels before 5.11 count in milliseconds; rounded up, so that
  // nobody is woken early over and over.
  int wait(int poll, int64_t ns) {
    timespec time = {ns / 1'000'000'000, ns % 1'000'000'000};
    int count = epoll_pwait2(poll, events_, MOST, ns == FOR_EVER ? nullptr : &time, nullptr);
    if (count >= 0 || errno != ENOSYS) [[likely]]
      return count;
    int64_t ms = ns / 1'000'000 + (ns % 1'000'000 != 0);
    return epoll_wait(poll, events_, MOST, ns == FOR_EVER ? -1 : int(ms < INT32_MAX ? ms : INT32_MAX));
  }

  uint64_t key(int i) const { return events_[i].data.u64; }  // of whoever is told
  uint32_t ready(int i) const { return ready_of(events_[i].events); }

 private:
  static constexpr int MOST = 256;
  epoll_event events_[MOST];
};

}  // namespace meteor::os

#endif
