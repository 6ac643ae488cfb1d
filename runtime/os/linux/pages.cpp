#include "runtime/os/pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meteor::os {

void* map_pages(size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void unmap_pages(void* pages, size_t bytes) { munmap(pages, bytes); }

Mapped map_own_executable() {
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  struct stat about;
  void* data =
      fstat(fd, &about) == 0 ? mmap(nullptr, size_t(about.st_size), PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (data == MAP_FAILED) return {};
  return {static_cast<const char*>(data), size_t(about.st_size)};
}

}  // namespace meteor::os
