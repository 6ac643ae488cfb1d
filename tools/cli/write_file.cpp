#include "tools/cli/write_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace meteor::cli {

base::Result<base::Done> write_file(const std::string& path, std::string_view text) {
  std::error_code ignored;
  std::string target = std::filesystem::weakly_canonical(path, ignored).string();   // a link stays a link
  if (target.empty()) target = path;
  struct stat info {};
  bool existed = ::stat(target.c_str(), &info) == 0;
  std::string temporary = target + ".XXXXXX";
  auto give_up = [&](int fd) -> base::Result<base::Done> {
    std::string reason = std::strerror(errno);
    if (fd >= 0) ::close(fd);
    ::unlink(temporary.c_str());
    return base::Failure{path, reason};
  };
  int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return base::Failure{path, std::strerror(errno)};
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return give_up(fd);
    text.remove_prefix(size_t(n));
  }
  if (::fchmod(fd, existed ? info.st_mode & 07777 : 0644) != 0 || ::close(fd) != 0) return give_up(-1);
  if (::rename(temporary.c_str(), target.c_str()) != 0) return give_up(-1);
  return base::Done{};
}

}  // namespace meteor::cli
