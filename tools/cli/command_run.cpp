// meteor run FILE ARGS…: builds what the cache does not have, then becomes the program.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/cli/commands.h"
#include "tools/cli/start_program.h"

namespace meteor::cli {

namespace {

constexpr const char* USAGE = "meteor run [--leaks] [--debug] [-O0|-O1|-O2|-O3] [--time] [--dump=STAGE[:FUNCTION]] FILE [ARGUMENTS…]";

int start(const std::string& path, const CommandLine& line) {
  std::fflush(nullptr);
  start_program(path, line);
  return fail(path + ": can't be started: " + std::strerror(errno));
}

// Without a cache the program lives in a file that is gone before it starts.
int run_uncached(pipeline::Compilation& compilation, const CommandLine& line) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/meteor-run-XXXXXX";
  int reserved = ::mkstemp(path.data());
  if (reserved < 0) return fail(path + ": " + std::strerror(errno));
  ::close(reserved);
  base::Result<base::Done> linked = compilation.link(path);
  if (!linked) {
    ::unlink(path.c_str());
    return fail(linked.failure().text());
  }
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::unlink(path.c_str());
  std::fflush(nullptr);
  start_program(fd, line);
  return fail(line.files[0] + ": can't be started: " + std::strerror(errno));
}

}  // namespace

int run_command(const CommandLine& line) {
  if (line.files.empty()) return misuse("which program should run?", USAGE);
  if (!check_dump_option(line)) return 2;
  source::DiskFileSystem files;
  pipeline::Installation installation = pipeline::find_installation();
  pipeline::CompileOptions options = compile_options(line, object::OptLevel::O2);
  options.quick_glue = line.opt_level < 0;   // who runs a program waits for it; `build` and `-O2` take their time
  pipeline::Compilation compilation(installation, files, options);
  if (!line.dump.empty()) {
    base::Result<bool> result = compilation.run_until(line.files[0], pipeline::Stage::Codegen);
    print_findings(compilation, line);
    if (!result) return fail(result.failure().text());
    return result.value() ? 0 : 2;
  }

  base::Result<bool> parsed = compilation.parse(line.files[0]);
  if (!parsed) return fail(parsed.failure().text());
  std::optional<std::string> directory = pipeline::ProgramCache::find_directory();
  pipeline::ProgramCache cache(directory.value_or(""));
  pipeline::RunRequest request{absolute_path(line.files[0]), line.code_flags(), pipeline::find_installation().compiler};
  pipeline::Inputs inputs = compilation.inputs();
  if (parsed.value() && directory && !line.time) {
    if (std::optional<std::string> known = cache.find(request, inputs)) {
      cache.store(request, inputs);
      start_program(*known, line);   // comes back when someone removed it just now
    }
  }
  if (!compilation.check() || !parsed.value()) {
    print_findings(compilation, line);
    return 2;
  }
  compilation.lower();
  base::Result<base::Done> generated = compilation.generate();
  if (!generated) return fail(generated.failure().text());
  std::string program = directory ? cache.path_for(request, inputs) : "";
  if (program.empty()) {
    print_findings(compilation, line);
    return run_uncached(compilation, line);
  }
  base::Result<base::Done> linked = compilation.link(program);
  print_findings(compilation, line);
  if (!linked) return fail(linked.failure().text());
  if (compilation.sink().all().empty()) cache.store(request, inputs);   // warnings are to be seen each time
  return start(program, line);
}

}  // namespace meteor::cli
