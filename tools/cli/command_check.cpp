// meteor check FILE…
#include "tools/cli/commands.h"

namespace meteor::cli {

int check_command(const CommandLine& line) {
  constexpr const char* USAGE = "meteor check [--json] [--time] [--dump=STAGE[:FUNCTION]] FILE…";
  if (line.files.empty()) return misuse("which file should be checked?", USAGE);
  if (!check_dump_option(line)) return 2;
  int code = 0;
  for (const std::string& file : line.files) {
    source::DiskFileSystem files;
    pipeline::Compilation compilation(pipeline::find_installation(), files, compile_options(line, object::OptLevel::O2));
    base::Result<bool> result = compilation.run_until(file, pipeline::Stage::Check);
    print_findings(compilation, line);
    if (!result) fail(result.failure().text());
    if (!result || !result.value()) code = 2;
  }
  return code;
}

}  // namespace meteor::cli
