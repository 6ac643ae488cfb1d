// meteor build FILE -o OUT: the program from the cache, or a new one, which the cache keeps.
#include <filesystem>

#include "tools/cli/commands.h"
#include "tools/cli/copy_program.h"
#include "tools/cli/start_program.h"

namespace meteor::cli {

namespace {

constexpr const char* USAGE = "meteor build [-o OUT] [--debug] [--static] [-O0|-O1|-O2|-O3] [--time] FILE";

}  // namespace

int build_command(const CommandLine& line) {
  if (line.files.empty()) return misuse("which file should be built?", USAGE);
  if (line.files.size() > 1) return misuse("a program has one main file, the others are imported; given were " + line.files[0] + " and " + line.files[1], USAGE);
  if (!check_dump_option(line)) return 2;
  source::DiskFileSystem files;
  // Never taken apart: the process ends first.
  auto& compilation = *new pipeline::Compilation(pipeline::find_installation(), files, compile_options(line, object::OptLevel::O2));
  base::Result<bool> result = compilation.run_until(line.files[0], pipeline::Stage::Codegen);
  if (!result || !result.value() || !line.dump.empty()) {
    print_findings(compilation, line);
    if (!result) fail(result.failure().text());
    return result && result.value() ? 0 : 2;
  }
  std::string output = output_of(line);
  std::error_code error;
  if (std::filesystem::is_directory(output, error)) return fail(output + ": is a directory; name another file with -o");

  std::optional<std::string> directory = pipeline::ProgramCache::find_directory();
  pipeline::ProgramCache cache(directory.value_or(""));
  pipeline::RunRequest request{absolute_path(line.files[0]), line.code_flags(), pipeline::find_installation().compiler};
  pipeline::Inputs inputs = compilation.inputs();
  std::string program = directory ? cache.path_for(request, inputs) : "";
  base::Result<base::Done> linked = compilation.link(program.empty() ? output : program);
  print_findings(compilation, line);
  if (!linked) return fail(linked.failure().text());
  if (program.empty()) return 0;
  if (compilation.sink().all().empty()) cache.store(request, inputs);   // warnings are to be seen each time
  base::Result<base::Done> copied = copy_program(program, output);
  return copied ? 0 : fail(copied.failure().text());
}

}  // namespace meteor::cli
