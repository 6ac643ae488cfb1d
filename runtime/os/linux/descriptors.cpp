#include "runtime/os/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meteor::os {

int open_to_read(const char* path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

void close_descriptor(int fd) { close(fd); }

int64_t read_descriptor(int fd, void* to, int64_t most) {
  ssize_t got = read(fd, to, size_t(most));
  return got < 0 ? -int64_t(errno) : got;
}

int64_t copy_descriptor(int fd) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return copy < 0 ? -int64_t(errno) : copy;
}

bool is_folder(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace meteor::os
