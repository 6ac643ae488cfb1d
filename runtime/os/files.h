// Files and folders by calls that may wait for a disk. What gives a count, a descriptor or 0 gives -errno where it
// fails.
#ifndef METEOR_RUNTIME_OS_FILES_H
#define METEOR_RUNTIME_OS_FILES_H

#include <stdint.h>

namespace meteor::os {

// The last three can be read too.
enum class OpenTo : int64_t { Read, Write, Append, Create, Update, Rewrite, ReadAndAppend };
int flags_to_open(OpenTo what);  // for open_file, and for the ring's

enum class SeekFrom : int64_t { Start, Here, End };

constexpr int64_t NO_PLACE = -1;  // wherever the descriptor is: a pipe has no places, and who has it alone needs none

int64_t open_file(const char* path, int flags, uint32_t permissions);
int64_t close_file(int fd);
int64_t read_file(int fd, void* to, int64_t most, int64_t place);
int64_t write_file(int fd, const void* from, int64_t bytes, int64_t place);
int64_t sync_file(int fd);
int64_t truncate_file(int fd, int64_t size);
int64_t move_range(int from,
                   int to);  // bytes that the system has copied, 0 at the end; -EOPNOTSUPP: it does not copy these

// What FileInfo::mode says of the kind of a file.
enum : int64_t { KIND_OF_FILE = 0xf000, KIND_PLAIN = 0x8000, KIND_FOLDER = 0x4000, KIND_LINK = 0xa000 };

struct FileInfo {
  int64_t size, mode, modified_ns, changed_ns, inode, links, user, group, device;
  bool is_folder, is_file;
  uint32_t permissions() const { return uint32_t(mode & 07777); }
};
int64_t look_at_file(int fd, FileInfo& info);
int64_t look_at_path(const char* path, bool follows_links, FileInfo& info);
void set_permissions(int fd, uint32_t permissions);  // where that is possible

int64_t rename_path(const char* from, const char* to);
int64_t remove_path(const char* path);  // a file or an empty folder
int64_t remove_file(const char* path);
int64_t remove_folder(const char* path);  // an empty one
int64_t remove_tree(const char* path);
int64_t make_folder(const char* path);
int64_t real_path(const char* path, char** found);  // malloc
int64_t make_temporary_file(char* pattern);         // a descriptor; the last six letters become others
int64_t make_temporary_folder(char* pattern);

// Each entry but itself and its parent: 'd', 'l' or 'f' for its kind, and its name. False ends it with -ENOMEM.
using Visit = bool (*)(void* with, char kind, const char* name);
int64_t list_folder(const char* path, Visit visit, void* with);

// The same, one name at a time.
struct Folder;
Folder* open_folder(const char* path, int64_t* status);  // null: *status is -errno
const char* next_name(Folder* folder);                   // until the next call; null at the end
void close_folder(Folder* folder);

int64_t current_folder(char** found);  // malloc
int64_t enter_folder(const char* path);

}  // namespace meteor::os

#endif
