#include "tools/cli/copy_program.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tools/cli/command_line.h"

namespace meteor::cli {

std::string output_of(const CommandLine& line) {
  if (!line.output.empty()) return line.output;
  std::filesystem::path file(line.files[0]);
  return file.has_extension() ? file.stem().string() : file.filename().string() + ".out";
}

base::Result<base::Done> copy_program(const std::string& from, const std::string& to) {
  int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (source < 0) return base::Failure{from, std::strerror(errno)};
  std::string unfinished = to + ".tmp" + std::to_string(::getpid());
  int target = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
  bool ok = target >= 0;
  struct stat info {};
  if (ok) ok = ::fstat(source, &info) == 0;
  for (off_t left = info.st_size; ok && left > 0;) {
    ssize_t copied = ::sendfile(target, source, nullptr, static_cast<size_t>(left));
    ok = copied > 0;
    left -= copied;
  }
  int reason = errno;
  ::close(source);
  if (target >= 0 && ::close(target) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  if (ok && ::rename(unfinished.c_str(), to.c_str()) != 0) {
    ok = false;
    reason = errno;
  }
  if (ok) return base::Done{};
  if (target >= 0) ::unlink(unfinished.c_str());
  return base::Failure{to, std::strerror(reason)};
}

}  // namespace meteor::cli
