// Work on files in threads of its own, so that the loop never waits for a disk: std/fs.met starts a piece of work, waits for
// it, and takes its result. The threads are shared by all isolates and start with the first work.
//
// Invariant: a piece of work is freed in the isolate's thread, by whoever comes last: the message that it is done, or the task.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/async/isolate.h"
#include "runtime/net/stream.h"
#include "runtime/os/linux/c_path.h"
#include "runtime/os/simulated/faults.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

namespace {

constexpr int NUMBERS = 8;
constexpr int MOST_THREADS = 16;

struct Work {
  Message message;         // when it is done
  Work* next;
  Isolate* home;
  WaitList line;
  int64_t kind;
  char* path;
  char* other;
  met_str data;            // what is written; counted
  int64_t number[NUMBERS]; // arguments, then results
  uint8_t* result;         // malloc
  int64_t result_size;
  int64_t status;
  bool is_done, is_abandoned;
  bool closes;             // abandoned, and its descriptor, number[0], is closed behind it
};

enum : int64_t { READ_FILE, WRITE_FILE, STAT, LIST, MAKE_FOLDER, REMOVE, RENAME, COPY, TEMP, OPEN, READ_AT, WRITE_AT, CLOSE, SYNC, TRUNCATE, REAL_PATH };
enum : int64_t { WRITE_NEW, WRITE_APPEND, WRITE_ATOMIC };

// ---- What is done ----

int64_t failed() { return -int64_t(errno); }

constexpr int64_t NO_PLACE = -1;   // wherever the descriptor is: a pipe has no places, and who has it alone needs none

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
  struct stat info;
  if (fstat(fd, &info) < 0) return failed();
  if (S_ISDIR(info.st_mode)) return -EISDIR;
  size_t room = info.st_size > 0 ? size_t(info.st_size) + 1 : 65536;   // one more, to see the end
  work.result = static_cast<uint8_t*>(malloc(room));
  for (;;) {
    if (work.result == nullptr) return -ENOMEM;
    if (size_t(work.result_size) == room) {
      room *= 2;
      uint8_t* more = static_cast<uint8_t*>(realloc(work.result, room));
      if (more == nullptr) return -ENOMEM;
      work.result = more;
    }
    ssize_t got = read_some(fd, work.result + work.result_size, room - size_t(work.result_size));
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
  int fd = open(work.path, O_RDONLY | O_CLOEXEC);
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
  int fd = open(work.path, O_WRONLY | O_CREAT | O_CLOEXEC | (work.number[0] == WRITE_APPEND ? O_APPEND : O_TRUNC), 0666);
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
  static constexpr int FLAGS[] = {O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_APPEND, O_WRONLY | O_CREAT | O_EXCL, O_RDWR, O_RDWR | O_CREAT | O_TRUNC,
                                  O_RDWR | O_CREAT | O_APPEND};
  int fd = open(work.path, FLAGS[work.number[0]] | O_CLOEXEC, 0666);
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

// ---- The threads ----

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
Work* first;
Work* last;
int threads, idle;

void free_work(Work* work) {
  free(work->path);
  free(work->other);
  free(work->result);
  met_str_release(work->data);
  free(work);
}

// Nobody hears of what was made, so nobody could give it back.
void undo(Work& work) {
  if (work.closes) close(int(work.number[0]));
  if (work.status < 0) return;
  if (work.kind == OPEN) close(int(work.status));
  if (work.kind == TEMP) ::remove(reinterpret_cast<const char*>(work.result));
}

void done(Message* message) {
  Work* work = reinterpret_cast<Work*>(message);
  --isolate.outside;
  work->is_done = true;
  if (work->is_abandoned) {
    undo(*work);
    free_work(work);
    return;
  }
  for (Waiter* waiter = work->line.first; waiter != nullptr; waiter = waiter->next) wake(waiter->task);
}

void* serve(void*) {
  pthread_mutex_lock(&lock);
  for (;;) {
    while (first == nullptr) {
      ++idle;
      pthread_cond_wait(&has_work, &lock);
      --idle;
    }
    Work* work = first;
    first = work->next;
    pthread_mutex_unlock(&lock);
    work->status = run_work(*work);
    post(work->home->inbox, work->message);
    pthread_mutex_lock(&lock);
  }
}

void start_thread() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);   // signals are for the program's own threads
  pthread_t thread;
  if (pthread_create(&thread, &attributes, serve, nullptr) == 0) ++threads;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
}

// False: there is no thread and none can be made.
bool hand_over(Work* work) {
  pthread_mutex_lock(&lock);
  work->next = nullptr;
  if (idle == 0 && threads < MOST_THREADS) start_thread();
  bool is_taken = threads > 0;
  if (is_taken) {
    (first == nullptr ? first : last->next) = work;
    last = work;
    pthread_cond_signal(&has_work);
  }
  pthread_mutex_unlock(&lock);
  return is_taken;
}

char* copy_path(const met_str& path) {
  os::CPath c_path(path);
  return c_path.valid ? strdup(c_path.c) : nullptr;
}

}  // namespace

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;

extern "C" {

Work* met_work_start(int64_t kind, met_str path, met_str other, int64_t x, int64_t y, int64_t place, met_str data) {
  Work* work = static_cast<Work*>(calloc(1, sizeof(Work)));
  if (work == nullptr) met_out_of_memory(sizeof(Work));
  work->kind = kind;
  work->path = copy_path(path);
  work->other = copy_path(other);
  work->number[0] = x;
  work->number[1] = y;
  work->number[2] = place;
  work->data = meteor::text::kept(data);
  work->home = &isolate;
  work->message.run = done;
  if (work->path == nullptr || work->other == nullptr) {
    work->status = -EINVAL;
    work->is_done = true;
  } else if (!hand_over(work)) {
    work->status = run_work(*work);
    work->is_done = true;
  } else {
    ++isolate.outside;
  }
  return work;
}

void met_work_wait(Work* work, Waiter* waiter) {
  waiter->task = isolate.strand;
  append(work->line, *waiter);
}

int64_t met_work_status(const Work* work) { return work->is_done ? work->status : int64_t(WAIT); }
int64_t met_work_number(const Work* work, int64_t i) { return work->number[i]; }
met_str met_work_bytes(const Work* work) { return met_bytes_make(work->result, work->result_size); }
int64_t met_work_size(const Work* work) { return work->result_size; }
void met_work_copy(const Work* work, uint8_t* to) { memcpy(to, work->result, size_t(work->result_size)); }

// What was under way on a file that is closed: the descriptor may not become another file's before that has ended.
void met_work_close(Work* work) {
  while (work->line.first != nullptr) {
    Waiter* waiter = work->line.first;
    remove(*waiter);
    wake(waiter->task);
  }
  if (work->is_done) {
    close(int(work->number[0]));
    free_work(work);
  } else {
    work->is_abandoned = work->closes = true;
  }
}

void met_work_end(Work* work, Waiter* waiter) {
  remove(*waiter);
  if (work->is_done) free_work(work);
  else work->is_abandoned = true;
}

}  // extern "C"
