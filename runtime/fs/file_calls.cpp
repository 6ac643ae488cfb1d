// Work on files by calls of the system, which may wait for a disk.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fs/file_work.h"
#include "runtime/os/simulated/faults.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::text;

namespace {

int64_t failed() { return -int64_t(errno); }

ssize_t read_some(int fd, void* to, size_t room, int64_t place = NO_PLACE) {
  int64_t count = int64_t(room);
  errno = os::fault_of(os::Call::ReadFile, fd, count);
  if (errno != 0) return -1;
  return place == NO_PLACE ? read(fd, to, size_t(count)) : pread(fd, to, size_t(count), place);
}

ssize_t write_some(int fd, const void* from, size_t size, int64_t place = NO_PLACE) {
  int64_t count = int64_t(size);
  errno = os::fault_of(os::Call::WriteFile, fd, count);
  if (errno != 0) return -1;
  return place == NO_PLACE ? write(fd, from, size_t(count)) : pwrite(fd, from, size_t(count), place);
}

bool add(Work& work, const void* from, size_t size) {
  uint8_t* room = static_cast<uint8_t*>(realloc(work.result, size_t(work.result_size) + size));
  if (room == nullptr) return false;
  memcpy(room + work.result_size, from, size);
  work.result = room;
  work.result_size += int64_t(size);
  return true;
}

int64_t read_all(int fd, Work& work) {
  for (;;) {
    int64_t status = make_room(fd, work);
    if (status < 0) return status;
    ssize_t got = read_some(fd, work.result + work.result_size, size_t(work.room - work.result_size));
    if (got == 0) return 0;
    if (got < 0 && errno != EINTR) return failed();
    if (got > 0) work.result_size += got;
  }
}

int64_t write_all(int fd, const met_str& data, int64_t place = NO_PLACE) {
  View left = view(data);
  while (left.size > 0) {
    ssize_t written = write_some(fd, left.data, size_t(left.size), place);
    if (written < 0) {
      if (errno == EINTR) continue;
      return failed();
    }
    left.data += written;
    left.size -= written;
    if (place != NO_PLACE) place += written;
  }
  return 0;
}

int64_t closed(int fd, int64_t status) { return close(fd) < 0 && status == 0 ? failed() : status; }

int64_t read_file(Work& work) {
  int fd = open(work.path, flags_to_open(work));
  return fd < 0 ? failed() : closed(fd, read_all(fd, work));
}

// Beside the file, then in its place: readers see the old or the new, and a crash leaves one of them.
int64_t write_atomic(Work& work) {
  char* temporary = nullptr;
  if (asprintf(&temporary, "%s.XXXXXX", work.path) < 0) return -ENOMEM;
  int fd = mkostemp(temporary, O_CLOEXEC);
  int64_t status = fd < 0 ? failed() : 0;
  if (fd >= 0) {
    struct stat old;
    fchmod(fd, stat(work.path, &old) == 0 ? old.st_mode & 07777 : 0644);
    status = write_all(fd, work.data);
    if (status == 0 && fsync(fd) < 0) status = failed();
    status = closed(fd, status);
    if (status == 0 && rename(temporary, work.path) < 0) status = failed();
    if (status < 0) unlink(temporary);
  }
  free(temporary);
  return status;
}

int64_t write_file(Work& work) {
  if (work.number[0] == WRITE_ATOMIC) return write_atomic(work);
  int fd = open(work.path, flags_to_open(work), 0666);
  return fd < 0 ? failed() : closed(fd, write_all(fd, work.data));
}

int64_t stat_path(Work& work) {
  struct stat info;
  if ((work.number[0] ? stat(work.path, &info) : lstat(work.path, &info)) < 0) return failed();
  int64_t values[] = {info.st_size, int64_t(info.st_mode), int64_t(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec,
                      int64_t(info.st_ctim.tv_sec) * 1'000'000'000 + info.st_ctim.tv_nsec, int64_t(info.st_ino), int64_t(info.st_nlink), info.st_uid, info.st_gid};
  memcpy(work.number, values, sizeof values);
  return 0;
}

// Each entry: a letter for its kind, its name, a zero.
int64_t list_folder(Work& work) {
  DIR* folder = opendir(work.path);
  if (folder == nullptr) return failed();
  int64_t status = 0;
  while (dirent* entry = readdir(folder)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char kind = entry->d_type == DT_DIR ? 'd' : entry->d_type == DT_LNK ? 'l' : 'f';
    if (entry->d_type == DT_UNKNOWN) {
      struct stat info;
      if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) kind = S_ISDIR(info.st_mode) ? 'd' : S_ISLNK(info.st_mode) ? 'l' : 'f';
    }
    if (!add(work, &kind, 1) || !add(work, entry->d_name, strlen(entry->d_name) + 1)) status = -ENOMEM;
  }
  closedir(folder);
  return status;
}

int64_t make_folder(Work& work) {
  if (mkdir(work.path, 0777) == 0) return 0;
  if (!work.number[0]) return failed();
  struct stat info;
  if (errno == EEXIST && stat(work.path, &info) == 0 && S_ISDIR(info.st_mode)) return 0;
  if (errno != ENOENT) return failed();
  for (char* at = work.path + 1; *at != 0; ++at) {
    if (*at != '/') continue;
    *at = 0;
    int status = mkdir(work.path, 0777);
    int error = errno;
    *at = '/';
    if (status < 0 && error != EEXIST) return -error;
  }
  return mkdir(work.path, 0777) < 0 && errno != EEXIST ? failed() : 0;
}

int remove_one(const char* path, const struct stat*, int, struct FTW*) { return ::remove(path) < 0 ? errno : 0; }

int64_t remove_path(Work& work) {
  if (::remove(work.path) == 0) return 0;
  if (!work.number[0] || (errno != ENOTEMPTY && errno != EEXIST)) return failed();
  constexpr int DESCRIPTORS = 32;
  int status = nftw(work.path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
  return status < 0 ? failed() : -int64_t(status);
}

// Bytes moved, 0 at the end, -1 and errno.
ssize_t move_some(int from, int to) {
  char chunk[32 * 1024];
  ssize_t got = read_some(from, chunk, sizeof chunk);
  for (ssize_t at = 0; at < got;) {
    ssize_t written = write_some(to, chunk + at, size_t(got - at));
    if (written < 0 && errno != EINTR) return -1;
    if (written > 0) at += written;
  }
  return got;
}

int64_t copy_file(Work& work) {
  int from = open(work.path, O_RDONLY | O_CLOEXEC);
  if (from < 0) return failed();
  struct stat info;
  int64_t status = fstat(from, &info) < 0 ? failed() : S_ISDIR(info.st_mode) ? -int64_t(EISDIR) : 0;
  struct stat there;
  if (status == 0 && stat(work.other, &there) == 0 && there.st_dev == info.st_dev && there.st_ino == info.st_ino) status = -EINVAL;   // would empty it
  int to = status == 0 ? open(work.other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, info.st_mode & 07777) : -1;
  if (status == 0 && to < 0) status = failed();
  bool by_hand = info.st_size == 0;   // made while it is read, as those in /proc are
  while (status == 0) {
    ssize_t moved = by_hand ? 0 : copy_file_range(from, nullptr, to, nullptr, 1 << 30, 0);
    if (moved < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)) by_hand = true;
    if (by_hand) moved = move_some(from, to);
    if (moved == 0) break;
    if (moved < 0 && errno != EINTR) status = failed();
  }
  if (to >= 0) status = closed(to, status);
  close(from);
  return status;
}

int64_t make_temporary(Work& work) {
  const char* base = getenv("TMPDIR");
  char* path = nullptr;
  if (asprintf(&path, "%s/%sXXXXXX", base != nullptr && *base != 0 ? base : "/tmp", work.path) < 0) return -ENOMEM;
  int64_t status = 0;
  if (work.number[0]) {
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) status = failed();
    else close(fd);
  } else if (mkdtemp(path) == nullptr) {
    status = failed();
  }
  work.result = reinterpret_cast<uint8_t*>(path);
  work.result_size = int64_t(strlen(path));
  return status;
}

int64_t open_file(Work& work) {
  int fd = open(work.path, flags_to_open(work), 0666);
  struct stat info;
  if (fd < 0) return failed();
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) return closed(fd, -EISDIR);
  return fd;
}

int64_t read_at(Work& work) {
  work.result = static_cast<uint8_t*>(malloc(size_t(work.number[1])));
  if (work.result == nullptr) return -ENOMEM;
  for (;;) {
    ssize_t got = read_some(int(work.number[0]), work.result, size_t(work.number[1]), work.number[2]);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed();
    work.result_size = got;
    return got;
  }
}

int64_t real_path(Work& work) {
  char* path = realpath(work.path, nullptr);
  if (path == nullptr) return failed();
  work.result = reinterpret_cast<uint8_t*>(path);
  work.result_size = int64_t(strlen(path));
  return 0;
}

}  // namespace

int flags_to_open(const Work& work) {
  static constexpr int FLAGS[] = {O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_APPEND, O_WRONLY | O_CREAT | O_EXCL, O_RDWR, O_RDWR | O_CREAT | O_TRUNC,
                                  O_RDWR | O_CREAT | O_APPEND};
  constexpr int READ = 0, WRITE = 1, APPEND = 2;
  int64_t mode = work.kind == OPEN ? work.number[0] : work.kind == READ_FILE ? READ : work.number[0] == WRITE_APPEND ? APPEND : WRITE;
  return FLAGS[mode] | O_CLOEXEC;
}

int64_t make_room(int fd, Work& work) {
  if (work.result_size < work.room) return 0;
  int64_t room = work.room * 2;
  if (room == 0) {
    struct stat info;
    if (fstat(fd, &info) < 0) return failed();
    if (S_ISDIR(info.st_mode)) return -EISDIR;
    work.file_size = info.st_size;
    room = info.st_size > 0 ? info.st_size + 1 : 65536;   // one more, to see the end
  }
  uint8_t* larger = static_cast<uint8_t*>(realloc(work.result, size_t(room)));
  if (larger == nullptr) return -ENOMEM;
  work.result = larger;
  work.room = room;
  return 0;
}

int64_t run_work(Work& work) {
  switch (work.kind) {
    case READ_FILE: return read_file(work);
    case WRITE_FILE: return write_file(work);
    case STAT: return stat_path(work);
    case LIST: return list_folder(work);
    case MAKE_FOLDER: return make_folder(work);
    case REMOVE: return remove_path(work);
    case RENAME: return rename(work.path, work.other) < 0 ? failed() : 0;
    case COPY: return copy_file(work);
    case TEMP: return make_temporary(work);
    case OPEN: return open_file(work);
    case READ_AT: return read_at(work);
    case WRITE_AT: return write_all(int(work.number[0]), work.data, work.number[2]);
    case CLOSE: return closed(int(work.number[0]), 0);
    case SYNC: return fsync(int(work.number[0])) < 0 ? failed() : 0;
    case TRUNCATE: return ftruncate(int(work.number[0]), work.number[1]) < 0 ? failed() : 0;
    case REAL_PATH: return real_path(work);
    default: return -EINVAL;
  }
}

}  // namespace meteor::net
