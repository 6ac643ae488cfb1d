// meteor help, version, explain, and what is not there.
#include <cstdio>

#include "compiler/base/build_config.h"
#include "compiler/typed/did_you_mean.h"
#include "tools/cli/commands.h"

namespace meteor::cli {

namespace {

constexpr const char* HELP = R"(meteor COMMAND [OPTIONS] FILE

  run FILE [ARGS…]    run a program; a second run of an unchanged one starts at once
  build FILE          make an executable (-o OUT, --debug, --static, -O0 … -O3)
  check FILE…         look for mistakes (--fix applies what the messages offer, --json for tools)
  test FILE…          run the functions marked @test, of files or of every _test.met in folders (--only=TEXT: those with it in their name)
  fmt [FILE…]         put files, or all in a folder, into the one style (--check: only say which; --stdin)
  trace FILE [ARGS…]  run a program and record what its tasks did: a page with a timeline, and a file for Perfetto (-o NAME)
  ps PID              what the tasks of a running program wait for, as a tree of scopes
  explain NAME        tell more about an error, by the name in its brackets
  version             the version
  help                this text

Options of run, build and check:
  --time              how long each stage took
  --dump=STAGE[:FUNCTION]   show what a stage made: tokens, ast, typed, mir, llvm, asm
  --leaks             run: name what is still alive at the end, and the cycle that holds it

Exit codes: 0 fine, 1 the program failed, 2 it did not compile or was called wrongly.
)";

bool is_error_name(const std::string& name) {
  for (char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-') return false;
  return !name.empty();
}

}  // namespace

int help_command(const CommandLine&) {
  std::fputs(HELP, stdout);
  return 0;
}

int version_command() {
  std::printf("meteor %s\n", base::METEOR_VERSION);
  return 0;
}

int explain_command(const CommandLine& line) {
  if (line.files.size() != 1) return misuse("which error should be explained?", "meteor explain NAME");
  std::string name = line.files[0];
  if (size_t bracket = name.find('['); name.ends_with("]") && bracket != std::string::npos) name = name.substr(bracket + 1, name.size() - bracket - 2);
  source::DiskFileSystem files;
  std::string folder = pipeline::find_installation().error_pages;
  if (is_error_name(name)) {
    base::Result<std::string> page = files.read(folder + "/" + name + ".md");
    if (page) {
      std::fputs(page.value().c_str(), stdout);
      return 0;
    }
  }
  static const std::vector<std::string> NAMES = {
#define DIAGNOSTIC(ident, text, severity) text,
#include "compiler/diagnostics/diagnostics.def"
#undef DIAGNOSTIC
  };
  std::string near = typed::did_you_mean(name, NAMES);
  if (!near.empty()) return fail("there is no explanation of '" + name + "'; did you mean 'meteor explain " + near + "'?");
  return fail("there is no explanation of '" + name + "'; names stand in brackets after 'error', as in error[type-mismatch]");
}

int unknown_command(const CommandLine& line) {
  if (line.command.empty()) {
    std::fputs(HELP, stderr);
    return 2;
  }
  if (is_planned_command(line.command)) return fail("'meteor " + line.command + "' is not there yet");
  if (line.command.ends_with(".met")) return fail("to run a program: meteor run " + line.command);
  std::string near = near_command(line.command);
  return fail("there is no command '" + line.command + "'" + (near.empty() ? "; 'meteor help' lists them" : "; did you mean 'meteor " + near + "'?"));
}

}  // namespace meteor::cli
