// The disk and the overlay.
#include "compiler/source/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

namespace meteor::source {

namespace {

// Spans are 32-bit offsets, and nobody writes a program of this size.
constexpr size_t MAX_FILE_SIZE = size_t(64) << 20;

base::Failure failure_of(const std::string& path, int error) { return {path, std::strerror(error)}; }

base::Result<std::string> read_all(const std::string& path, int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return failure_of(path, errno);
  if (S_ISDIR(info.st_mode)) return base::Failure{path, "is a directory"};
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) return base::Failure{path, "is a device, not a file"};
  std::string text;
  // One byte more than the size, so that the read that finds the end needs no growth.
  text.resize(S_ISREG(info.st_mode) ? std::min<size_t>(size_t(info.st_size), MAX_FILE_SIZE) + 1 : size_t(64 * 1024));
  size_t length = 0;
  while (true) {
    if (length == text.size()) text.resize(text.size() * 2);
    ssize_t got = ::read(fd, text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure_of(path, errno);
    if (got == 0) break;
    length += size_t(got);
    if (length > MAX_FILE_SIZE) return base::Failure{path, "is larger than a source file may be (64 MiB)"};
  }
  text.resize(length);
  return text;
}

}  // namespace

std::string normalise_path(std::string_view path) { return std::filesystem::path(path).lexically_normal().string(); }

base::Result<std::string> DiskFileSystem::read(const std::string& path) const {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failure_of(path, errno);
  base::Result<std::string> result = read_all(path, fd);
  ::close(fd);
  return result;
}

bool DiskFileSystem::is_file(const std::string& path) const {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

bool DiskFileSystem::is_directory(const std::string& path) const {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

base::Result<std::vector<std::string>> DiskFileSystem::list(const std::string& directory) const {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) return base::Failure{directory, error.message()};
  std::sort(names.begin(), names.end());
  return names;
}

void OverlayFileSystem::set(std::string_view path, std::string text) { texts_[normalise_path(path)] = std::move(text); }
void OverlayFileSystem::remove(std::string_view path) { texts_.erase(normalise_path(path)); }

base::Result<std::string> OverlayFileSystem::read(const std::string& path) const {
  auto found = texts_.find(normalise_path(path));
  if (found != texts_.end()) return found->second;
  if (below_ != nullptr) return below_->read(path);
  return base::Failure{path, std::strerror(ENOENT)};
}

bool OverlayFileSystem::is_file(const std::string& path) const {
  return texts_.contains(normalise_path(path)) || (below_ != nullptr && below_->is_file(path));
}

bool OverlayFileSystem::is_directory(const std::string& path) const {
  std::string prefix = normalise_path(path + "/");
  auto found = texts_.lower_bound(prefix);
  if (found != texts_.end() && found->first.starts_with(prefix)) return true;
  return below_ != nullptr && below_->is_directory(path);
}

base::Result<std::vector<std::string>> OverlayFileSystem::list(const std::string& directory) const {
  std::set<std::string> names;
  std::string prefix = normalise_path(directory + "/");
  if (prefix == "./") prefix.clear();
  for (auto at = texts_.lower_bound(prefix); at != texts_.end() && at->first.starts_with(prefix); ++at) {
    names.insert(at->first.substr(prefix.size(), at->first.find('/', prefix.size()) - prefix.size()));
  }
  if (below_ != nullptr && (names.empty() || below_->is_directory(directory))) {
    base::Result<std::vector<std::string>> more = below_->list(directory);
    if (!more.ok()) return more.failure();
    names.insert(more.value().begin(), more.value().end());
  } else if (names.empty()) {
    return base::Failure{directory, std::strerror(ENOENT)};
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace meteor::source
