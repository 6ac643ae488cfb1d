// bin/meteor. Starts the cached program of an unchanged `meteor run` at once; everything else is the compiler's work, which is
// a program of its own so that this one need not load LLVM.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compiler/pipeline/cache.h"
#include "compiler/pipeline/installation.h"
#include "tools/cli/command_line.h"
#include "tools/cli/start_program.h"

using namespace meteor;

namespace {

// Returns only when there is nothing in the cache, or it can't be started.
void start_cached(const cli::CommandLine& line) {
  if (!line.error.empty() || line.files.size() != 1 || line.time || !line.dump.empty()) return;
  std::optional<std::string> directory = pipeline::ProgramCache::find_directory();
  if (!directory) return;
  pipeline::RunRequest request{cli::absolute_path(line.files[0]), line.code_flags()};
  std::optional<std::string> program = pipeline::ProgramCache(*directory).find(request);
  if (program) cli::start_program(*program, line);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "run") == 0) start_cached(cli::parse_command_line(argc, argv));
  pipeline::Installation installation = pipeline::find_installation();
  ::execv(installation.compiler.c_str(), argv);
  std::fprintf(stderr, "meteor: the compiler can't be started: %s: %s\n", installation.compiler.c_str(), std::strerror(errno));
  return 2;
}
