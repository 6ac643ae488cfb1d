#include "runtime/os/bell.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace meteor::os {

int open_bell() {
  int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

bool ring_bell(int fd) {
  uint64_t one = 1;
  return write(fd, &one, sizeof one) >= 0 || errno == EAGAIN;
}

}  // namespace meteor::os
