// Changes of files and folders, by inotify: a descriptor that std/fs.met reads events from.
#include <errno.h>
#include <sys/inotify.h>

#include "runtime/os/linux/c_path.h"

extern "C" {

int64_t met_watch_open(void) {
  int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  return fd < 0 ? -int64_t(errno) : fd;
}

int64_t met_watch_add(int64_t fd, met_str path) {
  meteor::os::CPath c_path(path);
  if (!c_path.valid) return -EINVAL;
  uint32_t wanted = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB;
  int watch = inotify_add_watch(int(fd), c_path.c, wanted);
  return watch < 0 ? -int64_t(errno) : watch;
}

}  // extern "C"
