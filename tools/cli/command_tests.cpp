// meteor test FILE|FOLDER…: compiles each file with calls of its `@test` functions behind it, and runs it.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "compiler/ast/parse.h"
#include "tools/cli/commands.h"
#include "tools/cli/start_program.h"

namespace meteor::cli {

namespace {

constexpr const char* USAGE = "meteor test [--only=TEXT] [-O0|-O1|-O2|-O3] FILE|FOLDER…";

struct Test {
  std::string name;
  bool is_async = false;
  bool has_virtual_clock = false;
  int64_t seed = -1;   // none
  uint64_t runs = 1;
};

// `clock="virtual"`, `seed=n`, or `seeds=n`: once with each seed below n. False: none of these.
bool apply_option(const ast::Arg& arg, Test& test) {
  constexpr uint64_t MOST_SEEDS = 1'000'000;
  std::string_view name = arg.name.text();
  if (const auto* text = arg.value->as<ast::StrExpr>()) {
    test.has_virtual_clock = text->value == "virtual";
    return name == "clock" && (text->value == "virtual" || text->value == "real");
  }
  const auto* number = arg.value->as<ast::IntExpr>();
  if (!number || number->too_big || number->value >= INT64_MAX) return false;
  if (name == "seed") {
    test.seed = static_cast<int64_t>(number->value);
    return true;
  }
  if (name != "seeds" || number->value == 0 || number->value > MOST_SEEDS) return false;
  test.seed = 0;
  test.runs = number->value;
  return true;
}

// The top-level functions marked `@test`, in order. What does not parse is reported when it is compiled. `mistake`: the test whose options are wrong.
std::vector<Test> find_tests(const std::string& path, const std::string& text, std::string& mistake) {
  source::Sources sources;
  base::Arena arena;
  base::NameTable names;
  diagnostics::Sink sink;
  ast::Module* tree = ast::parse(sources.add(path, text), sources, arena, names, sink);
  std::vector<Test> tests;
  for (ast::Stmt* stmt : tree->body) {
    auto* function = stmt->as<ast::FunctionDecl>();
    if (!function) continue;
    for (const ast::Decorator& decorator : function->decorators) {
      if (decorator.path.size() != 1 || decorator.path[0].text() != "test") continue;
      Test test{function->name.str(), function->is_async};
      for (const ast::Arg& arg : decorator.args)
        if (!apply_option(arg, test)) mistake = test.name;
      tests.push_back(test);
    }
  }
  return tests;
}

// The program ends in `finish`, so `main` is never reached.
std::string with_calls(std::string text, const std::vector<Test>& tests) {
  text += "\nimport test as _meteor_test\n_meteor_runner = _meteor_test.Runner()\n";
  for (const Test& test : tests) {
    text += "if _meteor_runner.starts(\"" + test.name + "\", " + (test.has_virtual_clock ? "true" : "false") + ", " + std::to_string(test.seed) + ", " + std::to_string(test.runs) + "):\n";
    text += "    while _meteor_runner.again():\n        try: " + std::string(test.is_async ? "await " : "") + test.name + "()\n";
    text += "        catch Error as _meteor_error: _meteor_runner.failed(_meteor_error)\n";
  }
  return text + "_meteor_runner.finish()\n";
}

std::vector<std::string> files_of(const std::string& given) {
  std::error_code error;
  if (!std::filesystem::is_directory(given, error)) return {given};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(given, error))
    if (entry.path().string().ends_with("_test.met")) files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

// The child's exit code; 128 + the signal that ended it.
int run_and_wait(const std::string& program) {
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    ::execl(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  if (child < 0) return fail("can't start a process: " + std::string(std::strerror(errno)));
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int test_file(const std::string& file, const CommandLine& line) {
  source::DiskFileSystem disk;
  std::string path = absolute_path(file);
  base::Result<std::string> text = disk.read(path);
  if (!text) return fail(file + ": " + text.failure().reason);
  std::string mistake;
  std::vector<Test> tests = find_tests(file, text.value(), mistake);
  if (!mistake.empty()) return fail(file + ": the options of @test before `" + mistake + "` can be clock=\"virtual\", seed=N, and seeds=N (once with each seed below N)");
  if (tests.empty()) {
    std::printf("%s: no function is marked @test\n", file.c_str());
    return 0;
  }
  std::printf("%s\n", file.c_str());
  source::OverlayFileSystem files(&disk);
  files.set(path, with_calls(text.value(), tests));
  pipeline::Installation installation = pipeline::find_installation();
  pipeline::CompileOptions options = compile_options(line, object::OptLevel::O1);
  options.quick_glue = line.opt_level < 0;
  pipeline::Compilation compilation(installation, files, options);
  base::Result<bool> ready = compilation.run_until(file, pipeline::Stage::Codegen);
  print_findings(compilation, line);
  if (!ready) return fail(ready.failure().text());
  if (!ready.value()) return 2;
  const char* folder = std::getenv("TMPDIR");
  std::string program = std::string(folder && *folder ? folder : "/tmp") + "/meteor-test-XXXXXX";
  int reserved = ::mkstemp(program.data());
  if (reserved < 0) return fail(program + ": " + std::strerror(errno));
  ::close(reserved);
  base::Result<base::Done> linked = compilation.link(program);
  int code = linked ? run_and_wait(program) : fail(linked.failure().text());
  ::unlink(program.c_str());
  if (code >= 128) std::printf("        ended by signal %d\n", code - 128);
  return linked ? (code == 0 ? 0 : 1) : 2;
}

}  // namespace

int test_command(const CommandLine& line) {
  if (line.files.empty()) return misuse("which files should be tested?", USAGE);
  if (!line.only.empty()) ::setenv("METEOR_TEST_ONLY", line.only.c_str(), 1);
  int worst = 0;
  for (const std::string& given : line.files)
    for (const std::string& file : files_of(given)) worst = std::max(worst, test_file(file, line));
  return worst;
}

}  // namespace meteor::cli
