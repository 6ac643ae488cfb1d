// Work on files by calls of the system, which may wait for a disk.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fs/file_work.h"
#include "runtime/os/files.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::text;
using os::FileInfo;

namespace {

constexpr uint32_t NEW_FILE = 0666;

bool add(Work& work, const void* from, size_t size) {
  uint8_t* room = static_cast<uint8_t*>(realloc(work.result, size_t(work.result_size) + size));
  if (room == nullptr) return false;
  memcpy(room + work.result_size, from, size);
  work.result = room;
  work.result_size += int64_t(size);
  return true;
}

void give(Work& work, char* text) {
  work.result = reinterpret_cast<uint8_t*>(text);
  work.result_size = int64_t(strlen(text));
}

int64_t read_all(int fd, Work& work) {
  for (;;) {
    int64_t status = make_room(fd, work);
    if (status < 0) return status;
    int64_t got = os::read_file(fd, work.result + work.result_size, work.room - work.result_size, os::NO_PLACE);
    if (got == 0) return 0;
    if (got < 0 && got != -EINTR) return got;
    if (got > 0) work.result_size += got;
  }
}

int64_t write_all(int fd, View left, int64_t place = os::NO_PLACE) {
  while (left.size > 0) {
    int64_t written = os::write_file(fd, left.data, left.size, place);
    if (written == -EINTR) continue;
    if (written < 0) return written;
    left.data += written;
    left.size -= written;
    if (place != os::NO_PLACE) place += written;
  }
  return 0;
}

int64_t closed(int64_t fd, int64_t status) {
  int64_t ended = os::close_file(int(fd));
  return status == 0 ? ended : status;
}

int64_t read_file(Work& work) {
  int64_t fd = os::open_file(work.path, flags_to_open(work), 0);
  return fd < 0 ? fd : closed(fd, read_all(int(fd), work));
}

// Beside the file, then in its place: readers see the old or the new, and a crash leaves one of them.
int64_t write_atomic(Work& work) {
  char* temporary = nullptr;
  if (asprintf(&temporary, "%s.XXXXXX", work.path) < 0) return -ENOMEM;
  int64_t fd = os::make_temporary_file(temporary);
  int64_t status = fd < 0 ? fd : 0;
  if (fd >= 0) {
    FileInfo old;
    os::set_permissions(int(fd), os::look_at_path(work.path, true, old) == 0 ? old.permissions() : 0644);
    status = write_all(int(fd), view(work.data));
    if (status == 0) status = os::sync_file(int(fd));
    status = closed(fd, status);
    if (status == 0) status = os::rename_path(temporary, work.path);
    if (status < 0) os::remove_path(temporary);
  }
  free(temporary);
  return status;
}

int64_t write_file(Work& work) {
  if (work.number[0] == WRITE_ATOMIC) return write_atomic(work);
  int64_t fd = os::open_file(work.path, flags_to_open(work), NEW_FILE);
  return fd < 0 ? fd : closed(fd, write_all(int(fd), view(work.data)));
}

int64_t stat_path(Work& work) {
  FileInfo info;
  int64_t status = os::look_at_path(work.path, work.number[0] != 0, info);
  if (status < 0) return status;
  work.number[STAT_SIZE] = info.size;
  work.number[STAT_MODE] = info.mode;
  work.number[STAT_MODIFIED] = info.modified_ns;
  work.number[STAT_CHANGED] = info.changed_ns;
  work.number[STAT_INODE] = info.inode;
  work.number[STAT_LINKS] = info.links;
  work.number[STAT_USER] = info.user;
  work.number[STAT_GROUP] = info.group;
  return 0;
}

// Each entry: a letter for its kind, its name, a zero.
int64_t list_folder(Work& work) {
  auto visit = [](void* with, char kind, const char* name) {
    Work& own = *static_cast<Work*>(with);
    return add(own, &kind, 1) && add(own, name, strlen(name) + 1);
  };
  return os::list_folder(work.path, visit, &work);
}

int64_t make_folder(Work& work) {
  int64_t status = os::make_folder(work.path);
  if (status == 0 || !work.number[0]) return status;
  FileInfo info;
  if (status == -EEXIST && os::look_at_path(work.path, true, info) == 0 && info.is_folder) return 0;
  if (status != -ENOENT) return status;
  for (char* at = work.path + 1; *at != 0; ++at) {
    if (*at != '/') continue;
    *at = 0;
    status = os::make_folder(work.path);
    *at = '/';
    if (status < 0 && status != -EEXIST) return status;
  }
  status = os::make_folder(work.path);
  return status == -EEXIST ? 0 : status;
}

int64_t remove_path(Work& work) {
  int64_t status = os::remove_path(work.path);
  bool is_full = status == -ENOTEMPTY || status == -EEXIST;
  return is_full && work.number[0] ? os::remove_tree(work.path) : status;
}

// Bytes moved, 0 at the end, -errno.
int64_t move_some(int from, int to) {
  char chunk[32 * 1024];
  int64_t got = os::read_file(from, chunk, sizeof chunk, os::NO_PLACE);
  if (got <= 0) return got;
  int64_t status = write_all(to, {reinterpret_cast<const uint8_t*>(chunk), got});
  return status < 0 ? status : got;
}

int64_t move_all(int from, int to, bool by_hand) {
  for (;;) {
    int64_t moved = by_hand ? 0 : os::move_range(from, to);
    if (moved == -EOPNOTSUPP) by_hand = true;
    if (by_hand) moved = move_some(from, to);
    if (moved == 0) return 0;
    if (moved < 0 && moved != -EINTR) return moved;
  }
}

int64_t copy_file(Work& work) {
  int64_t from = os::open_file(work.path, os::flags_to_open(os::OpenTo::Read), 0);
  if (from < 0) return from;
  FileInfo info, there;
  int64_t status = os::look_at_file(int(from), info);
  if (status == 0 && info.is_folder) status = -EISDIR;
  bool is_same = status == 0 && os::look_at_path(work.other, true, there) == 0 && there.device == info.device &&
                 there.inode == info.inode;
  if (is_same) status = -EINVAL;  // would empty it
  int64_t to =
      status == 0 ? os::open_file(work.other, os::flags_to_open(os::OpenTo::Write), info.permissions()) : status;
  if (to >= 0)
    status =
        closed(to, move_all(int(from), int(to), info.size == 0));  // 0: made while it is read, as those in /proc are
  else
    status = to;
  os::close_file(int(from));
  return status;
}

int64_t make_temporary(Work& work) {
  const char* base = getenv("TMPDIR");
  char* path = nullptr;
  if (asprintf(&path, "%s/%sXXXXXX", base != nullptr && *base != 0 ? base : "/tmp", work.path) < 0) return -ENOMEM;
  int64_t status = work.number[0] ? os::make_temporary_file(path) : os::make_temporary_folder(path);
  if (work.number[0] && status >= 0) {
    os::close_file(int(status));
    status = 0;
  }
  give(work, path);
  return status;
}

int64_t open_file(Work& work) {
  int64_t fd = os::open_file(work.path, flags_to_open(work), NEW_FILE);
  FileInfo info;
  if (fd >= 0 && os::look_at_file(int(fd), info) == 0 && info.is_folder) return closed(fd, -EISDIR);
  return fd;
}

int64_t read_at(Work& work) {
  work.result = static_cast<uint8_t*>(malloc(size_t(work.number[1])));
  if (work.result == nullptr) return -ENOMEM;
  for (;;) {
    int64_t got = os::read_file(int(work.number[0]), work.result, work.number[1], work.number[2]);
    if (got == -EINTR) continue;
    if (got >= 0) work.result_size = got;
    return got;
  }
}

int64_t real_path(Work& work) {
  char* path = nullptr;
  int64_t status = os::real_path(work.path, &path);
  if (path != nullptr) give(work, path);
  return status;
}

}  // namespace

int flags_to_open(const Work& work) {
  if (work.kind == OPEN) return os::flags_to_open(os::OpenTo(work.number[0]));
  if (work.kind == READ_FILE) return os::flags_to_open(os::OpenTo::Read);
  return os::flags_to_open(work.number[0] == WRITE_APPEND ? os::OpenTo::Append : os::OpenTo::Write);
}

int64_t make_room(int fd, Work& work) {
  if (work.result_size < work.room) return 0;
  int64_t room = work.room * 2;
  if (room == 0) {
    FileInfo info;
    int64_t status = os::look_at_file(fd, info);
    if (status < 0) return status;
    if (info.is_folder) return -EISDIR;
    work.file_size = info.size;
    room = info.size > 0 ? info.size + 1 : 65536;  // one more, to see the end
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
    case RENAME: return os::rename_path(work.path, work.other);
    case COPY: return copy_file(work);
    case TEMP: return make_temporary(work);
    case OPEN: return open_file(work);
    case READ_AT: return read_at(work);
    case WRITE_AT: return write_all(int(work.number[0]), view(work.data), work.number[2]);
    case CLOSE: return os::close_file(int(work.number[0]));
    case SYNC: return os::sync_file(int(work.number[0]));
    case TRUNCATE: return os::truncate_file(int(work.number[0]), work.number[1]);
    case REAL_PATH: return real_path(work);
    default: return -EINVAL;
  }
}

}  // namespace meteor::net
