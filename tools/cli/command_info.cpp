// meteor help, version, and what is not there.
#include <cstdio>

#include "compiler/base/build_config.h"
#include "tools/cli/commands.h"

namespace meteor::cli {

namespace {

constexpr const char* HELP = R"(meteor COMMAND [OPTIONS] FILE

  run FILE [ARGS…]    run a program; a second run of an unchanged one starts at once
  build FILE          make an executable (-o OUT, --debug, --static, -O0 … -O3)
  check FILE…         look for mistakes (--fix applies what the messages offer, --json for tools);
                      --crossings lists what leaves its isolate: proven to be held nowhere else, or checked as it goes
  test FILE…          run the functions marked @test, of files or of every _test.met in folders (--only=TEXT: those with it in their name)
  fmt [FILE…]         put files, or all in a folder, into the one style (--check: only say which; --stdin)
  trace FILE [ARGS…]  run a program and record what its tasks did: a page with a timeline, and a file for Perfetto (-o NAME)
  ps PID              what the tasks of a running program wait for, as a tree of scopes
  explain NAME        tell more about an error, by the name in its brackets
  explain FILE [FUNCTION]   show the state machines of async functions and generators: what each frame keeps, and why (--json, --svg, -o OUT)
  version             the version
  help                this text

Options of run, build and check:
  --time              how long each stage took
  --dump=STAGE[:FUNCTION]   show what a stage made: tokens, ast, typed, mir, llvm, asm
  --check-facts       assert at run time what the compiler believed and left no check for (also METEOR_CHECK_FACTS=1)
  --leaks             run: name what is still alive at the end, and the cycle that holds it

Exit codes: 0 fine, 1 the program failed, 2 it did not compile or was called wrongly.
)";

}  // namespace

int help_command(const CommandLine&) {
  std::fputs(HELP, stdout);
  return 0;
}

int version_command() {
  std::printf("meteor %s\n", base::METEOR_VERSION);
  return 0;
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
