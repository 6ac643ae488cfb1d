// Files and directories, synchronously, for scripts.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/os/linux/c_path.h"
#include "runtime/os/os.h"

using meteor::os::CPath;
using namespace meteor::text;

namespace {

constexpr int64_t READ_STEP = 64 * 1024;

int64_t result_of(int64_t returned) { return returned < 0 ? -int64_t(errno) : returned; }

bool stat_path(const met_str& path, struct stat* info, int64_t* status) {
  CPath c_path(path);
  *status = !c_path.valid ? -EINVAL : result_of(stat(c_path.c, info));
  return *status == 0;
}

bool has_type(const met_str& path, mode_t type) {
  struct stat info;
  int64_t status;
  return stat_path(path, &info, &status) && (info.st_mode & S_IFMT) == type;
}

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

int64_t met_file_open(met_str path, int64_t mode) {
  static constexpr int FLAGS[] = {
      O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_APPEND, O_WRONLY | O_CREAT | O_EXCL,
      O_RDWR,   O_RDWR | O_CREAT | O_TRUNC,   O_RDWR | O_CREAT | O_APPEND};
  CPath c_path(path);
  if (!c_path.valid || mode < 0 || mode > MET_OPEN_APPEND_READ) return -EINVAL;
  for (;;) {
    int fd = open(c_path.c, FLAGS[mode] | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EINTR) return result_of(fd);
  }
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

int64_t met_file_write_text(int64_t fd, met_str text) { return write_all(fd, data_of(text), size_of(text)); }

int64_t met_file_seek(int64_t fd, int64_t offset, int64_t whence) {
  return result_of(lseek(int(fd), offset, whence == 0 ? SEEK_SET : whence == 1 ? SEEK_CUR : SEEK_END));
}

int64_t met_file_truncate(int64_t fd, int64_t bytes) { return result_of(ftruncate(int(fd), bytes)); }

int64_t met_file_sync(int64_t fd) { return result_of(fsync(int(fd))); }

met_str met_file_read_rest(int64_t fd, int64_t* status) {
  met_builder bytes = {};
  struct stat info;
  if (fstat(int(fd), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
    met_builder_reserve(&bytes, info.st_size + 1);  // one more, to see the end
  for (;;) {
    if (bytes.size == bytes.capacity) met_builder_reserve(&bytes, READ_STEP);
    int64_t got = met_file_read(fd, bytes.data + bytes.size, bytes.capacity - bytes.size);
    if (got <= 0) {
      *status = got;
      break;
    }
    bytes.size += got;
  }
  if (*status == 0) return met_builder_take(&bytes);
  met_builder_free(&bytes);
  return EMPTY;
}

met_str met_file_read_all(met_str path, int64_t* status) {
  int64_t fd = met_file_open(path, MET_OPEN_READ);
  if (fd < 0) {
    *status = fd;
    return EMPTY;
  }
  met_str bytes = met_file_read_rest(fd, status);
  close(int(fd));
  return bytes;
}

bool met_path_exists(met_str path) {
  struct stat info;
  int64_t status;
  return stat_path(path, &info, &status);
}

bool met_path_is_file(met_str path) { return has_type(path, S_IFREG); }
bool met_path_is_dir(met_str path) { return has_type(path, S_IFDIR); }

int64_t met_path_size(met_str path) {
  struct stat info;
  int64_t status;
  return stat_path(path, &info, &status) ? int64_t(info.st_size) : status;
}

int64_t met_path_modified_ns(met_str path, int64_t* status) {
  struct stat info;
  return stat_path(path, &info, status) ? int64_t(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec : 0;
}

int64_t met_path_remove(met_str path) {
  CPath c_path(path);
  return !c_path.valid ? -EINVAL : result_of(unlink(c_path.c));
}

int64_t met_path_rename(met_str from, met_str to) {
  CPath c_from(from), c_to(to);
  return !c_from.valid || !c_to.valid ? -EINVAL : result_of(rename(c_from.c, c_to.c));
}

int64_t met_dir_make(met_str path) {
  CPath c_path(path);
  return !c_path.valid ? -EINVAL : result_of(mkdir(c_path.c, 0777));
}

int64_t met_dir_remove(met_str path) {
  CPath c_path(path);
  return !c_path.valid ? -EINVAL : result_of(rmdir(c_path.c));
}

void* met_dir_open(met_str path, int64_t* status) {
  CPath c_path(path);
  DIR* dir = c_path.valid ? opendir(c_path.c) : nullptr;
  *status = dir != nullptr ? 0 : c_path.valid ? -errno : -EINVAL;
  return dir;
}

bool met_dir_next(void* dir, met_str* name) {
  while (dirent* entry = readdir(static_cast<DIR*>(dir))) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    store(name, met_str_from_c(entry->d_name));
    return true;
  }
  return false;
}

void met_dir_close(void* dir) { closedir(static_cast<DIR*>(dir)); }

met_str met_getcwd(int64_t* status) {
  char* path = getcwd(nullptr, 0);
  *status = path == nullptr ? -errno : 0;
  if (path == nullptr) return EMPTY;
  met_str text = met_str_from_c(path);
  free(path);
  return text;
}

int64_t met_chdir(met_str path) {
  CPath c_path(path);
  return !c_path.valid ? -EINVAL : result_of(chdir(c_path.c));
}

met_str met_errno_text(int64_t error) {
  char room[128];
  return met_str_from_c(strerror_r(int(error), room, sizeof room));
}

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
