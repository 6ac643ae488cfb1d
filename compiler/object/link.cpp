#include "compiler/object/link.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>

#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/base/build_config.h"

LLD_HAS_DRIVER(elf)

namespace meteor::object {

namespace {

constexpr const char* LIBRARY_DIRS[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/lib/x86_64-linux-gnu", "/lib64", "/usr/lib"};
constexpr const char* GCC_VERSIONS[] = {"14", "13", "12", "11", "10"};

bool exists(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

std::string find_in_library_dirs(const char* name) {
  for (const char* dir : LIBRARY_DIRS) {
    std::string path = std::string(dir) + "/" + name;
    if (exists(path)) return path;
  }
  return "";
}

std::string find_in_gcc_dirs(const char* name) {
  for (const char* version : GCC_VERSIONS) {
    std::string path = std::string("/usr/lib/gcc/x86_64-linux-gnu/") + version + "/" + name;
    if (exists(path)) return path;
  }
  return "";
}

// The object as a file that lives in memory; lld reads paths only.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view data) : fd_(::memfd_create("program.o", MFD_CLOEXEC)) {
    while (fd_ >= 0 && !data.empty()) {
      ssize_t written = ::write(fd_, data.data(), data.size());
      if (written <= 0) break;
      data.remove_prefix(static_cast<size_t>(written));
    }
    ok_ = fd_ >= 0 && data.empty();
  }
  ~MemoryFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  bool ok() const { return ok_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
  bool ok_ = false;
};

struct CLibrary {
  std::string start, prologue, epilogue;   // crt1.o, crti.o, crtn.o
  std::vector<std::string> libraries;
};

base::Result<CLibrary> find_c_library(bool is_static, bool is_sanitized) {
  CLibrary c;
  c.start = find_in_library_dirs("crt1.o");
  c.prologue = find_in_library_dirs("crti.o");
  c.epilogue = find_in_library_dirs("crtn.o");
  if (c.start.empty() || c.prologue.empty() || c.epilogue.empty())
    return base::Failure{"crt1.o", "the files that start a C program are missing; install them with: apt-get install libc6-dev"};
  auto add = [&](const std::string& path) {
    if (!path.empty()) c.libraries.push_back(path);
  };
  if (is_static) {
    std::string libc = find_in_library_dirs("libc.a");
    if (libc.empty()) return base::Failure{"libc.a", "the static C library is missing; install it with: apt-get install libc6-dev"};
    c.libraries = {"--start-group", libc};
    add(find_in_library_dirs("libm.a"));
    add(find_in_library_dirs("libpthread.a"));
    add(find_in_gcc_dirs("libgcc.a"));
    add(find_in_gcc_dirs("libgcc_eh.a"));
    c.libraries.push_back("--end-group");
    return c;
  }
  // The libraries themselves rather than the linker scripts that name them.
  std::string libc = find_in_library_dirs("libc.so.6");
  if (libc.empty()) return base::Failure{"libc.so.6", "the C library is missing"};
  c.libraries = {libc};
  add(find_in_library_dirs("libc_nonshared.a"));
  add(find_in_library_dirs("libm.so.6"));
  add(find_in_gcc_dirs("libgcc.a"));
  if (is_sanitized)
    for (const char* name : {"libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2", "libgcc_s.so.1"}) add(find_in_library_dirs(name));
  return c;
}

std::vector<std::string> sanitizer_archives() {
  std::vector<std::string> archives;
  std::string_view list = base::SANITIZER_ARCHIVES;
  while (!list.empty()) {
    size_t end = list.find(';');
    archives.emplace_back(list.substr(0, end));
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return archives;
}

base::Result<std::vector<std::string>> make_arguments(const LinkInput& input, const std::vector<std::string>& objects,
                                                      const std::string& library, const std::string& output) {
  bool is_sanitized = base::SANITIZER[0] != 0;
  if (is_sanitized && input.is_static) return base::Failure{input.output, "a sanitizer can't be linked statically"};
  base::Result<CLibrary> c = find_c_library(input.is_static, is_sanitized);
  if (!c) return c.failure();
  std::vector<std::string> args = {"ld.lld", "-m", "elf_x86_64", "-o", output, "--gc-sections", "--build-id=none", "--hash-style=gnu", "-z", "relro",
                                   "-z", "noexecstack", "--threads=1", "-O1", "--no-pie", "--icf=none", "--eh-frame-hdr"};
  if (input.is_static) args.push_back("-static");
  else args.insert(args.end(), {"-dynamic-linker", "/lib64/ld-linux-x86-64.so.2", "--as-needed"});
  args.push_back(c.value().start);
  args.push_back(c.value().prologue);
  if (is_sanitized) {
    args.push_back("--export-dynamic");
    args.push_back("--whole-archive");
    for (std::string& archive : sanitizer_archives()) args.push_back(std::move(archive));
    args.push_back("--no-whole-archive");
  }
  args.insert(args.end(), objects.begin(), objects.end());
  if (!library.empty()) args.insert(args.end(), {"--whole-archive", library, "--no-whole-archive"});
  args.push_back(input.runtime_archive);
  for (const char* dir : LIBRARY_DIRS) args.push_back(std::string("-L") + dir);
  for (const std::string& library : input.libraries) args.push_back("-l" + library);
  for (std::string& library : c.value().libraries) args.push_back(std::move(library));
  args.push_back(c.value().epilogue);
  return args;
}

std::string first_line(const std::string& text) {
  size_t start = text.rfind("error: ", text.find('\n'));
  std::string line = text.substr(start == std::string::npos ? 0 : start + 7);
  return line.substr(0, line.find('\n'));
}

}  // namespace

base::Result<base::Done> link(const LinkInput& input) {
  if (!exists(input.runtime_archive)) return base::Failure{input.runtime_archive, "the runtime library is not there; is Meteor installed whole?"};
  std::deque<MemoryFile> objects;
  std::vector<std::string> paths;
  auto add = [&](std::string_view code) { return objects.emplace_back(code).ok() ? objects.back().path() : ""; };
  for (std::string_view code : input.objects) paths.push_back(add(code));
  std::string library = input.library.empty() ? "" : add(input.library);
  if (!std::ranges::all_of(objects, &MemoryFile::ok))
    return base::Failure{input.output, std::string("no memory for the program's code: ") + std::strerror(errno)};
  std::string unfinished = input.output + ".tmp" + std::to_string(::getpid());
  int fd = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0777);
  if (fd < 0) return base::Failure{input.output, std::strerror(errno)};
  ::close(fd);
  base::Result<std::vector<std::string>> arguments = make_arguments(input, paths, library, unfinished);
  if (!arguments) {
    ::unlink(unfinished.c_str());
    return arguments.failure();
  }
  std::vector<const char*> args;
  for (const std::string& arg : arguments.value()) args.push_back(arg.c_str());
  std::string messages;
  llvm::raw_string_ostream out(messages);
  lld::Result result = lld::lldMain(args, out, out, {{lld::Gnu, &lld::elf::link}});
  out.flush();
  if (result.retCode != 0) {
    ::unlink(unfinished.c_str());
    return base::Failure{input.output, "can't be linked: " + first_line(messages)};
  }
  if (::rename(unfinished.c_str(), input.output.c_str()) != 0) {
    std::string reason = std::strerror(errno);
    ::unlink(unfinished.c_str());
    return base::Failure{input.output, reason};
  }
  return base::Done{};
}

}  // namespace meteor::object
