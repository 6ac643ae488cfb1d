// Files and folders by the texts that name them, synchronously, for scripts.
#include "runtime/os/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/system/system.h"
#include "runtime/text/c_path.h"
#include "runtime/text/view.h"

using namespace meteor::text;
namespace os = meteor::os;

namespace {

int64_t look_at(const met_str& path, os::FileInfo& info) {
  CPath c_path(path);
  return c_path.valid ? os::look_at_path(c_path.c, true, info) : -EINVAL;
}

}  // namespace

extern "C" {

int64_t met_file_open(met_str path, int64_t mode) {
  CPath c_path(path);
  if (!c_path.valid || mode < 0 || mode > int64_t(os::OpenTo::ReadAndAppend)) return -EINVAL;
  for (;;) {
    int64_t fd = os::open_file(c_path.c, os::flags_to_open(os::OpenTo(mode)), 0666);
    if (fd != -EINTR) return fd;
  }
}

bool met_path_exists(met_str path) {
  os::FileInfo info;
  return look_at(path, info) == 0;
}

bool met_path_is_file(met_str path) {
  os::FileInfo info;
  return look_at(path, info) == 0 && info.is_file;
}

bool met_path_is_dir(met_str path) {
  os::FileInfo info;
  return look_at(path, info) == 0 && info.is_folder;
}

int64_t met_path_size(met_str path) {
  os::FileInfo info;
  int64_t status = look_at(path, info);
  return status == 0 ? info.size : status;
}

int64_t met_path_remove(met_str path) {
  CPath c_path(path);
  return c_path.valid ? os::remove_file(c_path.c) : -EINVAL;
}

int64_t met_path_rename(met_str from, met_str to) {
  CPath c_from(from), c_to(to);
  return c_from.valid && c_to.valid ? os::rename_path(c_from.c, c_to.c) : -EINVAL;
}

int64_t met_dir_make(met_str path) {
  CPath c_path(path);
  return c_path.valid ? os::make_folder(c_path.c) : -EINVAL;
}

int64_t met_dir_remove(met_str path) {
  CPath c_path(path);
  return c_path.valid ? os::remove_folder(c_path.c) : -EINVAL;
}

void* met_dir_open(met_str path, int64_t* status) {
  CPath c_path(path);
  if (c_path.valid) return os::open_folder(c_path.c, status);
  *status = -EINVAL;
  return nullptr;
}

bool met_dir_next(void* dir, met_str* name) {
  const char* next = os::next_name(static_cast<os::Folder*>(dir));
  if (next == nullptr) return false;
  store(name, met_str_from_c(next));
  return true;
}

void met_dir_close(void* dir) { os::close_folder(static_cast<os::Folder*>(dir)); }

met_str met_getcwd(int64_t* status) {
  char* path;
  *status = os::current_folder(&path);
  if (*status != 0) return EMPTY;
  met_str text = met_str_from_c(path);
  free(path);
  return text;
}

int64_t met_chdir(met_str path) {
  CPath c_path(path);
  return c_path.valid ? os::enter_folder(c_path.c) : -EINVAL;
}

met_str met_errno_text(int64_t error) {
  char room[128];
  return met_str_from_c(strerror_r(int(error), room, sizeof room));
}

}  // extern "C"
