#include "compiler/pipeline/unit_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "compiler/pipeline/cache.h"

namespace meteor::pipeline {

namespace {

constexpr char MARK[16] = "meteor units 1\n";
constexpr size_t HASH_SIZE = 64;  // content_hash

struct Header {
  char mark[sizeof MARK];
  uint64_t end;
};

struct EntryHeader {
  char key[HASH_SIZE];
  char hash[HASH_SIZE];
  uint64_t size;
};

bool is_valid(const Header& header, uint64_t file_size) {
  return std::memcmp(header.mark, MARK, sizeof MARK) == 0 && header.end >= sizeof header && header.end <= file_size;
}

bool write_at(int fd, std::string_view data, uint64_t at) {
  while (!data.empty()) {
    ssize_t wrote = ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(at));
    if (wrote <= 0) return false;
    at += static_cast<uint64_t>(wrote);
    data.remove_prefix(static_cast<size_t>(wrote));
  }
  return true;
}

template <typename Record>
std::string_view bytes_of(const Record& record) {
  return {reinterpret_cast<const char*>(&record), sizeof record};
}

std::string text_of(const UnitStore::Entries& entries) {
  std::string text;
  for (const auto& [key, content] : entries) {
    EntryHeader header;
    std::memcpy(header.key, key.data(), HASH_SIZE);
    std::memcpy(header.hash, content_hash(content).data(), HASH_SIZE);
    header.size = content.size();
    text += bytes_of(header);
    text += content;
  }
  return text;
}

Header make_header(uint64_t end) {
  Header header;
  std::memcpy(header.mark, MARK, sizeof MARK);
  header.end = end;
  return header;
}

// The end moves when everything before it is there.
bool append(int fd, uint64_t end, const std::string& text) {
  return write_at(fd, text, end) && write_at(fd, bytes_of(make_header(end + text.size())), 0);
}

void replace(const std::string& path, const std::string& text) {
  std::string aside = path + ".tmp" + std::to_string(::getpid());
  int fd = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return;
  bool ok = append(fd, sizeof(Header), text);
  ::close(fd);
  if (!ok || ::rename(aside.c_str(), path.c_str()) != 0) ::unlink(aside.c_str());
}

}  // namespace

UnitStore::UnitStore(std::string path) : path_(std::move(path)) {
  int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat info;
  Header header;
  bool ok = ::fstat(fd, &info) == 0 && ::pread(fd, &header, sizeof header, 0) == sizeof header &&
            is_valid(header, static_cast<uint64_t>(info.st_size));
  void* mapped = ok ? ::mmap(nullptr, header.end, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  ::close(fd);
  if (mapped == MAP_FAILED) return;
  data_ = static_cast<const char*>(mapped);
  size_ = header.end;
  for (size_t at = sizeof header; size_ - at >= sizeof(EntryHeader);) {
    EntryHeader entry;
    std::memcpy(&entry, data_ + at, sizeof entry);
    if (entry.size > size_ - at - sizeof entry) break;
    std::string_view key(data_ + at, HASH_SIZE);
    entries_[key] = std::string_view(data_ + at + offsetof(EntryHeader, hash),
                                     sizeof entry - HASH_SIZE + entry.size);  // the last one counts
    at += sizeof entry + entry.size;
  }
}

UnitStore::~UnitStore() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

std::optional<std::string_view> UnitStore::find(std::string_view key) const {
  auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  std::string_view content = found->second.substr(sizeof(EntryHeader) - HASH_SIZE);
  if (!found->second.starts_with(content_hash(content))) return std::nullopt;
  return content;
}

void UnitStore::add(const Entries& made, const Entries& used, uint64_t limit) const {
  ::utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);  // when it was last used
  if (made.empty()) return;
  int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return;
  struct stat info;
  if (::flock(fd, LOCK_EX) == 0 && ::fstat(fd, &info) == 0) {
    Header header = make_header(sizeof header);
    bool is_new = info.st_size == 0;
    bool ok = is_new || (::pread(fd, &header, sizeof header, 0) == sizeof header &&
                         is_valid(header, static_cast<uint64_t>(info.st_size)));
    std::string text = text_of(made);
    if (ok && header.end + text.size() <= limit)
      append(fd, header.end, text);
    else
      replace(path_, text_of(used) + text);
  }
  ::close(fd);
}

}  // namespace meteor::pipeline
