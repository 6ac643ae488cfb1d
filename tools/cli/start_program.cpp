#include "tools/cli/start_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace meteor::cli {

namespace {

// argv[0] is the source file: that is what the user started.
std::vector<char*> arguments_of(const CommandLine& line) {
  std::vector<char*> args = {const_cast<char*>(line.files[0].c_str())};
  for (const std::string& arg : line.program_args) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  return args;
}

void prepare(const CommandLine& line) {
  if (line.leaks) ::setenv("METEOR_LEAKS", "1", 1);
}

}  // namespace

void start_program(const std::string& path, const CommandLine& line) {
  prepare(line);
  ::execv(path.c_str(), arguments_of(line).data());
}

void start_program(int fd, const CommandLine& line) {
  prepare(line);
  ::fexecve(fd, arguments_of(line).data(), environ);
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  std::filesystem::path full = std::filesystem::absolute(path, error);
  return error ? path : full.lexically_normal().string();
}

}  // namespace meteor::cli
