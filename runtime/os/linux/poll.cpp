// By epoll.
#include "runtime/os/poll.h"

#include <errno.h>
#include <sys/epoll.h>

namespace meteor::os {

namespace {

int64_t control(int poll, int operation, int fd, uint32_t wanted, uint64_t key, Tells tells) {
  epoll_event event = {};
  event.events = (wanted & READY_READ ? uint32_t(EPOLLIN) : 0) | (wanted & READY_WRITE ? uint32_t(EPOLLOUT) : 0) |
                 (wanted & READ_ENDED ? uint32_t(EPOLLRDHUP) : 0) | (tells == Tells::Edges ? uint32_t(EPOLLET) : 0);
  event.data.u64 = key;
  return epoll_ctl(poll, operation, fd, &event) == 0 ? 0 : -int64_t(errno);
}

}  // namespace

int open_poll() {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int64_t add_to_poll(int poll, int fd, uint32_t wanted, uint64_t key, Tells tells) {
  return control(poll, EPOLL_CTL_ADD, fd, wanted, key, tells);
}
int64_t change_in_poll(int poll, int fd, uint32_t wanted, uint64_t key, Tells tells) {
  return control(poll, EPOLL_CTL_MOD, fd, wanted, key, tells);
}
void remove_from_poll(int poll, int fd) { epoll_ctl(poll, EPOLL_CTL_DEL, fd, nullptr); }

}  // namespace meteor::os
