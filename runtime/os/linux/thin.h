// What every program has and is no more than one call of the system: inline, so that it takes no room of its own.
// Included by the headers that declare it.
#ifndef METEOR_RUNTIME_OS_LINUX_THIN_H
#define METEOR_RUNTIME_OS_LINUX_THIN_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

namespace meteor::os {

__attribute__((always_inline)) inline int64_t write_descriptor(int fd, const void* from, int64_t bytes) {
  ssize_t written = write(fd, from, size_t(bytes));
  return written < 0 ? -int64_t(errno) : written;
}

[[noreturn]] __attribute__((always_inline)) inline void end_at_once(int exit_code) { _exit(exit_code); }

inline void wish_large_pages(void* memory, size_t bytes) { madvise(memory, bytes, MADV_HUGEPAGE); }

// A write into a broken pipe gives EPIPE, one beyond the limit of a file EFBIG, instead of a signal that ends the program.
inline void let_writes_fail() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

}  // namespace meteor::os

#endif
