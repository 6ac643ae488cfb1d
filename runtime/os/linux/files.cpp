// Files by their descriptors, synchronously, for scripts.
#include <errno.h>
#include <unistd.h>

#include "runtime/os/files.h"
#include "runtime/os/os.h"

using meteor::os::SeekFrom;

namespace {

int64_t result_of(int64_t returned) { return returned < 0 ? -int64_t(errno) : returned; }

int64_t write_all(int64_t fd, const uint8_t* from, int64_t bytes) {
  int64_t left = bytes;
  while (left > 0) {
    ssize_t written = write(int(fd), from, size_t(left));
    if (written < 0) {
      if (errno == EINTR) continue;
      return -errno;
    }
    from += written;
    left -= written;
  }
  return bytes;
}

// Buffered output of open files, by descriptor: written when the program ends by met_exit, which unwinds nothing.
constexpr int64_t MAX_PENDING = 1024;
struct Pending {
  const uint8_t* from;
  int64_t bytes;
};
Pending pending[MAX_PENDING];

}  // namespace

extern "C" {

void met_write_pending_files(void) {
  for (int64_t fd = 0; fd < MAX_PENDING; fd++)
    if (int64_t bytes = __atomic_exchange_n(&pending[fd].bytes, 0, __ATOMIC_ACQUIRE); bytes > 0)
      write_all(fd, __atomic_load_n(&pending[fd].from, __ATOMIC_RELAXED), bytes);
}

int64_t met_file_close(int64_t fd) { return result_of(close(int(fd))); }

int64_t met_file_read(int64_t fd, uint8_t* to, int64_t bytes) {
  for (;;) {
    ssize_t got = read(int(fd), to, size_t(bytes));
    if (got >= 0 || errno != EINTR) return result_of(got);
  }
}

int64_t met_file_write(int64_t fd, const uint8_t* from, int64_t bytes) { return write_all(fd, from, bytes); }

void met_file_pending(int64_t fd, uint8_t* from, int64_t bytes) {
  if (fd < 0 || fd >= MAX_PENDING) return;
  __atomic_store_n(&pending[fd].from, from, __ATOMIC_RELAXED);
  __atomic_store_n(&pending[fd].bytes, bytes, __ATOMIC_RELEASE);
}

int64_t met_file_seek(int64_t fd, int64_t offset, int64_t whence) {
  SeekFrom from = SeekFrom(whence);
  return result_of(lseek(int(fd), offset,
                         from == SeekFrom::Start  ? SEEK_SET
                         : from == SeekFrom::Here ? SEEK_CUR
                                                  : SEEK_END));
}

int64_t met_file_truncate(int64_t fd, int64_t bytes) { return result_of(ftruncate(int(fd), bytes)); }

int64_t met_errno_kind(int64_t error) {
  switch (error) {
    case ENOENT: return MET_IO_NOT_FOUND;
    case EACCES:
    case EPERM: return MET_IO_PERMISSION;
    case EEXIST: return MET_IO_EXISTS;
    case EISDIR: return MET_IO_IS_DIR;
    case ENOTDIR: return MET_IO_NOT_DIR;
    case ECONNREFUSED: return MET_IO_REFUSED;
    case ECONNRESET: return MET_IO_RESET;
    case EPIPE: return MET_IO_BROKEN_PIPE;
    case EADDRINUSE: return MET_IO_ADDRESS_IN_USE;
    case ETIMEDOUT: return MET_IO_TIMED_OUT;
    case ENOTEMPTY: return MET_IO_NOT_EMPTY;
    default: return MET_IO_OTHER;
  }
}

}  // extern "C"
