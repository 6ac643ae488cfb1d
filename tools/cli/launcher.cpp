// bin/meteor. Starts the cached program of an unchanged `meteor run` at once, or copies that of an unchanged `meteor build`; everything
// else is the compiler's work, which is a program of its own so that this one need not load LLVM.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compiler/pipeline/cache.h"
#include "compiler/pipeline/installation.h"
#include "tools/cli/command_line.h"
#include "tools/cli/copy_program.h"
#include "tools/cli/start_program.h"

using namespace meteor;

namespace {

// Returns only when there is nothing in the cache, or it can't be used.
void use_cache(const cli::CommandLine& line) {
  if (!line.error.empty() || line.files.size() != 1 || line.time || line.json || !line.dump.empty()) return;
  std::optional<std::string> directory = pipeline::ProgramCache::find_directory();
  if (!directory) return;
  pipeline::RunRequest request{cli::absolute_path(line.files[0]), line.code_flags(), pipeline::find_installation().compiler};
  std::optional<std::string> program = pipeline::ProgramCache(*directory).find(request);
  if (!program) return;
  if (line.command == "run") cli::start_program(*program, line);
  else if (cli::copy_program(*program, cli::output_of(line))) std::_Exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && (std::strcmp(argv[1], "run") == 0 || std::strcmp(argv[1], "build") == 0)) use_cache(cli::parse_command_line(argc, argv));
  pipeline::Installation installation = pipeline::find_installation();
  ::execv(installation.compiler.c_str(), argv);
  std::fprintf(stderr, "meteor: the compiler can't be started: %s: %s\n", installation.compiler.c_str(), std::strerror(errno));
  return 2;
}
