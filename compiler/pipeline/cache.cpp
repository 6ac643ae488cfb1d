#include "compiler/pipeline/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include <llvm-c/blake3.h>

namespace meteor::pipeline {

namespace {

constexpr const char* FORMAT = "meteor-request 2";
constexpr int64_t NS_PER_SECOND = 1'000'000'000;
// A file changed this shortly before it was read may change again without a new time stamp.
constexpr int64_t RACY_NS = 2 * NS_PER_SECOND;
// The time stamp of a program says when it was last used; more precise than this is not needed.
constexpr int64_t TOUCH_NS = 600 * NS_PER_SECOND;
constexpr uint64_t DEFAULT_LIMIT_MB = 512;

int64_t ns_of(const timespec& time) { return int64_t(time.tv_sec) * NS_PER_SECOND + time.tv_nsec; }

int64_t now_ns() {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return ns_of(now);
}

bool read_file(const std::string& path, std::string& text) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat info;
  bool ok = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (ok) {
    text.resize(static_cast<size_t>(info.st_size));
    size_t done = 0;
    while (done < text.size()) {
      ssize_t got = ::read(fd, text.data() + done, text.size() - done);
      if (got <= 0) break;
      done += static_cast<size_t>(got);
    }
    ok = done == text.size();
  }
  ::close(fd);
  return ok;
}

bool write_file(const std::string& path, const std::string& text) {
  std::string aside = path + ".tmp" + std::to_string(::getpid());
  int fd = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  size_t done = 0;
  while (done < text.size()) {
    ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote <= 0) break;
    done += static_cast<size_t>(wrote);
  }
  ::close(fd);
  if (done == text.size() && ::rename(aside.c_str(), path.c_str()) == 0) return true;
  ::unlink(aside.c_str());
  return false;
}

// Splits off what stands before the next space; numbers come out as -1 when they are none.
std::string_view take_word(std::string_view& line) {
  size_t end = line.find(' ');
  std::string_view word = line.substr(0, end);
  line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
  return word;
}

int64_t take_number(std::string_view& line) {
  std::string_view word = take_word(line);
  int64_t value = -1;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? value : -1;
}

bool make_directories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return !error && ::access(path.c_str(), W_OK) == 0;
}

}  // namespace

uint64_t cache_limit_bytes() {
  uint64_t megabytes = DEFAULT_LIMIT_MB;
  if (const char* text = std::getenv("METEOR_CACHE_LIMIT_MB")) {
    char* end = nullptr;
    uint64_t given = std::strtoull(text, &end, 10);
    if (end != text && *end == 0) megabytes = given;
  }
  return megabytes << 20;
}

Stamp stamp_of(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return {};
  return {info.st_size, ns_of(info.st_mtim)};
}

Stamp stamp_before_reading(const std::string& path) {
  Stamp stamp = stamp_of(path);
  if (stamp.time_ns + RACY_NS >= now_ns()) stamp.time_ns = UNSETTLED;
  return stamp;
}

std::string content_hash(std::string_view text) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, text.data(), text.size());
  uint8_t bytes[LLVM_BLAKE3_OUT_LEN];
  llvm_blake3_hasher_finalize(&hasher, bytes, sizeof bytes);
  std::string hex;
  for (uint8_t byte : bytes) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

std::optional<std::string> ProgramCache::find_directory() {
  auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (std::string given = variable("METEOR_CACHE_DIR"); !given.empty()) return given;
  if (std::string given = variable("XDG_CACHE_HOME"); !given.empty()) return given + "/meteor";
  if (std::string home = variable("HOME"); !home.empty()) return home + "/.cache/meteor";
  return std::nullopt;
}

std::string ProgramCache::unit_store(const std::string& options, const std::string& compiler) const {
  if (!make_directories(directory_ + "/programs")) return "";
  Stamp stamp = stamp_of(compiler);
  return directory_ + "/programs/" +
         content_hash(options + '\0' + compiler + ' ' + std::to_string(stamp.size) + ' ' +
                      std::to_string(stamp.time_ns)) +
         ".units";
}

std::string ProgramCache::request_path(const RunRequest& request) const {
  std::string key = request.main_file;
  key += '\0';
  key += request.flags;
  key += '\0';
  key += request.compiler;
  return directory_ + "/requests/" + content_hash(key);
}

std::optional<std::string> ProgramCache::find(const RunRequest& request) const {
  std::string text;
  if (!read_file(request_path(request), text)) return std::nullopt;
  std::string_view rest = text;
  std::string program;
  int64_t program_size = -1;
  bool first = true;
  while (!rest.empty()) {
    size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view line = rest.substr(0, end);
    rest = rest.substr(end + 1);
    if (first) {
      if (line != FORMAT) return std::nullopt;
      first = false;
      continue;
    }
    std::string_view kind = take_word(line);
    if (kind == "program") {
      program_size = take_number(line);
      program = directory_ + "/programs/" + std::string(line);
    } else if (kind == "absent") {
      if (::access(std::string(line).c_str(), F_OK) == 0) return std::nullopt;
    } else {
      int64_t size = take_number(line), time_ns = take_number(line);
      std::string_view hash = take_word(line);
      std::string path(line);
      Stamp stamp = stamp_of(path);
      if (stamp.size != size) return std::nullopt;
      if (stamp.time_ns == time_ns && time_ns != UNSETTLED) continue;
      std::string content;
      if (kind == "tool" || !read_file(path, content) || content_hash(content) != hash) return std::nullopt;
    }
  }
  if (program_size <= 0) return std::nullopt;
  Stamp stamp = stamp_of(program);
  if (stamp.size != program_size) return std::nullopt;
  if (now_ns() - stamp.time_ns > TOUCH_NS) ::utimensat(AT_FDCWD, program.c_str(), nullptr, 0);
  return program;
}

std::string ProgramCache::program_name(const RunRequest& request, const Inputs& inputs) const {
  std::string key = request.flags;
  for (const SourceFile& source : inputs.sources) (key += '\0') += source.path + '\0' + source.hash;   // traces name the files
  for (const auto& [path, stamp] : inputs.tools) (key += '\0') += path + '\0' + std::to_string(stamp.size) + ' ' + std::to_string(stamp.time_ns);
  return content_hash(key);
}

std::optional<std::string> ProgramCache::find(const RunRequest& request, const Inputs& inputs) const {
  std::string path = directory_ + "/programs/" + program_name(request, inputs);
  if (stamp_of(path).size <= 0 || ::access(path.c_str(), X_OK) != 0) return std::nullopt;
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return path;
}

std::string ProgramCache::path_for(const RunRequest& request, const Inputs& inputs) const {
  if (!make_directories(directory_ + "/programs") || !make_directories(directory_ + "/requests")) return "";
  return directory_ + "/programs/" + program_name(request, inputs);
}

void ProgramCache::store(const RunRequest& request, const Inputs& inputs) const {
  std::string name = program_name(request, inputs);
  Stamp program = stamp_of(directory_ + "/programs/" + name);
  if (program.size <= 0 || !make_directories(directory_ + "/requests")) return;
  std::string text = std::string(FORMAT) + "\n";
  text += "program " + std::to_string(program.size) + " " + name + "\n";
  auto add = [&](const char* kind, const std::string& path, const std::string& hash, const Stamp& stamp) {
    text += std::string(kind) + " " + std::to_string(stamp.size) + " " + std::to_string(stamp.time_ns) + " " + hash + " " + path + "\n";
  };
  for (const ToolFile& tool : inputs.tools) add("tool", tool.path, "-", tool.stamp);
  for (const SourceFile& source : inputs.sources) add("source", source.path, source.hash, source.stamp);
  for (const std::string& path : inputs.absent) text += "absent " + path + "\n";
  write_file(request_path(request), text);
  evict(name);
}

// Programs go in the order of their last use until the rest is well below the limit; requests follow their programs.
void ProgramCache::evict(const std::string& keep) const {
  struct Entry {
    std::string name;
    Stamp stamp;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::string programs = directory_ + "/programs/";
  DIR* folder = ::opendir(programs.c_str());
  if (!folder) return;
  while (dirent* item = ::readdir(folder)) {
    if (item->d_name[0] == '.') continue;
    Stamp stamp = stamp_of(programs + item->d_name);
    if (stamp.size < 0) continue;
    total += static_cast<uint64_t>(stamp.size);
    if (keep != item->d_name) entries.push_back({item->d_name, stamp});
  }
  ::closedir(folder);
  uint64_t limit = cache_limit_bytes();
  if (total <= limit) return;
  std::ranges::sort(entries, {}, [](const Entry& entry) { return entry.stamp.time_ns; });
  for (const Entry& entry : entries) {
    if (total <= limit - limit / 5) break;
    if (::unlink((programs + entry.name).c_str()) == 0) total -= static_cast<uint64_t>(entry.stamp.size);
  }
  std::string requests = directory_ + "/requests/";
  folder = ::opendir(requests.c_str());
  if (!folder) return;
  while (dirent* item = ::readdir(folder)) {
    if (item->d_name[0] == '.') continue;
    std::string text;
    if (!read_file(requests + item->d_name, text)) continue;
    size_t line_end = text.find('\n', text.find('\n') + 1);
    std::string_view line = std::string_view(text).substr(0, line_end);
    std::string name(line.substr(line.rfind(' ') + 1));
    if (stamp_of(programs + name).size <= 0) ::unlink((requests + item->d_name).c_str());
  }
  ::closedir(folder);
}

}  // namespace meteor::pipeline
