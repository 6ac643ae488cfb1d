// Changes of files and folders: a descriptor that std/fs.met reads events from.
#include <errno.h>

#include "runtime/os/changes.h"
#include "runtime/text/c_path.h"

extern "C" {

int64_t met_watch_open(void) { return meteor::os::open_changes(); }

int64_t met_watch_add(int64_t fd, met_str path) {
  meteor::text::CPath c_path(path);
  return c_path.valid ? meteor::os::hear_changes(int(fd), c_path.c) : -EINVAL;
}

}  // extern "C"
