// Sleeping in epoll.
#include "runtime/async/reactor.h"

#include <errno.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "runtime/abi/abi.h"

namespace meteor::async {

void open_reactor(Reactor& reactor, int wake_fd) {
  if (reactor.epoll_fd != 0) return;
  reactor.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (reactor.epoll_fd < 0) met_panic("no descriptor is left for the event loop");
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLET;   // a ring is heard once; nobody has to read it
  if (epoll_ctl(reactor.epoll_fd, EPOLL_CTL_ADD, wake_fd, &event) < 0) met_panic("the event loop's wake-up is broken");
}

void close_reactor(Reactor& reactor) {
  if (reactor.epoll_fd != 0) close(reactor.epoll_fd);
  reactor.epoll_fd = 0;
}

// Kernels before 5.11 count in milliseconds; rounded up, so that nobody is woken early over and over.
static int wait_for_events(int epoll_fd, epoll_event* events, int most, int64_t ns) {
  timespec wait = {ns / 1'000'000'000, ns % 1'000'000'000};
  int count = epoll_pwait2(epoll_fd, events, most, ns == FOR_EVER ? nullptr : &wait, nullptr);
  if (count >= 0 || errno != ENOSYS) return count;
  int64_t ms = ns / 1'000'000 + (ns % 1'000'000 != 0);
  return epoll_wait(epoll_fd, events, most, ns == FOR_EVER ? -1 : int(ms < INT32_MAX ? ms : INT32_MAX));
}

void poll_kernel(Reactor& reactor, int64_t ns) {
  constexpr int MOST_EVENTS = 64;
  epoll_event events[MOST_EVENTS];
  wait_for_events(reactor.epoll_fd, events, MOST_EVENTS, ns);
}

}  // namespace meteor::async
