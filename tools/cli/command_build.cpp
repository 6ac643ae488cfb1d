// meteor build FILE -o OUT
#include <sys/stat.h>

#include <filesystem>

#include "tools/cli/commands.h"

namespace meteor::cli {

namespace {

constexpr const char* USAGE = "meteor build [-o OUT] [--debug] [--static] [-O0|-O1|-O2|-O3] [--time] FILE";

// dir/name.met makes ./name
std::string output_of(const CommandLine& line) {
  if (!line.output.empty()) return line.output;
  std::filesystem::path file(line.files[0]);
  return file.has_extension() ? file.stem().string() : file.filename().string() + ".out";
}

}  // namespace

int build_command(const CommandLine& line) {
  if (line.files.empty()) return misuse("which file should be built?", USAGE);
  if (line.files.size() > 1) return misuse("a program has one main file, the others are imported; given were " + line.files[0] + " and " + line.files[1], USAGE);
  if (!check_dump_option(line)) return 2;
  source::DiskFileSystem files;
  pipeline::Compilation compilation(pipeline::find_installation(), files, compile_options(line, object::OptLevel::O2));
  base::Result<bool> result = compilation.run_until(line.files[0], pipeline::Stage::Codegen);
  if (!result || !result.value() || !line.dump.empty()) {
    print_findings(compilation, line);
    if (!result) fail(result.failure().text());
    return result && result.value() ? 0 : 2;
  }
  std::string output = output_of(line);
  std::error_code error;
  if (std::filesystem::is_directory(output, error)) return fail(output + ": is a directory; name another file with -o");
  base::Result<base::Done> linked = compilation.link(output);
  print_findings(compilation, line);
  return linked ? 0 : fail(linked.failure().text());
}

}  // namespace meteor::cli
