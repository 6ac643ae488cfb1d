#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/os/files.h"
#include "runtime/os/simulated/faults.h"

namespace meteor::os {

namespace {

int64_t result_of(int64_t returned) { return returned < 0 ? -int64_t(errno) : returned; }

static_assert(KIND_OF_FILE == S_IFMT && KIND_PLAIN == S_IFREG && KIND_FOLDER == S_IFDIR && KIND_LINK == S_IFLNK);

int64_t in_ns(const timespec& time) { return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec; }

void fill(FileInfo& info, const struct stat& from) {
  info = {from.st_size,         int64_t(from.st_mode),  in_ns(from.st_mtim),  in_ns(from.st_ctim),
          int64_t(from.st_ino), int64_t(from.st_nlink), int64_t(from.st_uid), int64_t(from.st_gid),
          int64_t(from.st_dev), S_ISDIR(from.st_mode),  S_ISREG(from.st_mode)};
}

int remove_one(const char* path, const struct stat*, int, struct FTW*) { return remove(path) < 0 ? errno : 0; }

char kind_of(DIR* folder, const dirent* entry) {
  if (entry->d_type != DT_UNKNOWN) return entry->d_type == DT_DIR ? 'd' : entry->d_type == DT_LNK ? 'l' : 'f';
  struct stat info;
  if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0) return 'f';
  return S_ISDIR(info.st_mode) ? 'd' : S_ISLNK(info.st_mode) ? 'l' : 'f';
}

}  // namespace

int flags_to_open(OpenTo what) {
  static constexpr int FLAGS[] = {
      O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_APPEND, O_WRONLY | O_CREAT | O_EXCL,
      O_RDWR,   O_RDWR | O_CREAT | O_TRUNC,   O_RDWR | O_CREAT | O_APPEND};
  return FLAGS[int64_t(what)] | O_CLOEXEC;
}

int64_t open_file(const char* path, int flags, uint32_t permissions) {
  return result_of(open(path, flags, permissions));
}
int64_t close_file(int fd) { return result_of(close(fd)); }

int64_t read_file(int fd, void* to, int64_t most, int64_t place) {
  if (int fault = fault_of(Call::ReadFile, fd, most); fault != 0) return -fault;
  return result_of(place == NO_PLACE ? read(fd, to, size_t(most)) : pread(fd, to, size_t(most), place));
}

int64_t write_file(int fd, const void* from, int64_t bytes, int64_t place) {
  if (int fault = fault_of(Call::WriteFile, fd, bytes); fault != 0) return -fault;
  return result_of(place == NO_PLACE ? write(fd, from, size_t(bytes)) : pwrite(fd, from, size_t(bytes), place));
}

int64_t sync_file(int fd) { return result_of(fsync(fd)); }
int64_t truncate_file(int fd, int64_t size) { return result_of(ftruncate(fd, size)); }

int64_t move_range(int from, int to) {
  int64_t moved = result_of(copy_file_range(from, nullptr, to, nullptr, 1 << 30, 0));
  return moved == -EXDEV || moved == -EINVAL || moved == -ENOSYS ? -EOPNOTSUPP : moved;
}

int64_t look_at_file(int fd, FileInfo& info) {
  struct stat found;
  if (fstat(fd, &found) < 0) return -errno;
  fill(info, found);
  return 0;
}

int64_t look_at_path(const char* path, bool follows_links, FileInfo& info) {
  struct stat found;
  if ((follows_links ? stat(path, &found) : lstat(path, &found)) < 0) return -errno;
  fill(info, found);
  return 0;
}

void set_permissions(int fd, uint32_t permissions) { fchmod(fd, permissions); }

int64_t rename_path(const char* from, const char* to) { return result_of(rename(from, to)); }
int64_t remove_path(const char* path) { return result_of(remove(path)); }
int64_t remove_file(const char* path) { return result_of(unlink(path)); }
int64_t remove_folder(const char* path) { return result_of(rmdir(path)); }

int64_t remove_tree(const char* path) {
  constexpr int DESCRIPTORS = 32;
  int status = nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
  return status < 0 ? -int64_t(errno) : -int64_t(status);
}

int64_t make_folder(const char* path) { return result_of(mkdir(path, 0777)); }

int64_t real_path(const char* path, char** found) {
  *found = realpath(path, nullptr);
  return *found == nullptr ? -int64_t(errno) : 0;
}

int64_t make_temporary_file(char* pattern) { return result_of(mkostemp(pattern, O_CLOEXEC)); }
int64_t make_temporary_folder(char* pattern) { return mkdtemp(pattern) == nullptr ? -int64_t(errno) : 0; }

int64_t list_folder(const char* path, Visit visit, void* with) {
  DIR* folder = opendir(path);
  if (folder == nullptr) return -errno;
  int64_t status = 0;
  while (dirent* entry = status == 0 ? readdir(folder) : nullptr) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (!visit(with, kind_of(folder, entry), entry->d_name)) status = -ENOMEM;
  }
  closedir(folder);
  return status;
}

Folder* open_folder(const char* path, int64_t* status) {
  DIR* folder = opendir(path);
  *status = folder == nullptr ? -errno : 0;
  return reinterpret_cast<Folder*>(folder);
}

const char* next_name(Folder* folder) {
  while (dirent* entry = readdir(reinterpret_cast<DIR*>(folder))) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) return entry->d_name;
  }
  return nullptr;
}

void close_folder(Folder* folder) { closedir(reinterpret_cast<DIR*>(folder)); }

int64_t current_folder(char** found) {
  *found = getcwd(nullptr, 0);
  return *found == nullptr ? -int64_t(errno) : 0;
}

int64_t enter_folder(const char* path) { return result_of(chdir(path)); }

}  // namespace meteor::os
