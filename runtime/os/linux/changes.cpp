// By inotify.
#include "runtime/os/changes.h"

#include <errno.h>
#include <sys/inotify.h>

namespace meteor::os {

int64_t open_changes() {
  int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  return fd < 0 ? -int64_t(errno) : fd;
}

int64_t hear_changes(int fd, const char* path) {
  uint32_t wanted = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_MODIFY |
                    IN_CLOSE_WRITE | IN_ATTRIB;
  int watch = inotify_add_watch(fd, path, wanted);
  return watch < 0 ? -int64_t(errno) : watch;
}

}  // namespace meteor::os
