// What goes to the terminal.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "compiler/diagnostics/render.h"
#include "tools/cli/commands.h"

namespace meteor::cli {

namespace {

bool wants_colours() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) && !(no_color && *no_color) && !(term && std::string_view(term) == "dumb");
}

void write(FILE* to, const std::string& text) { std::fwrite(text.data(), 1, text.size(), to); }

}  // namespace

int fail(const std::string& message) {
  write(stderr, (wants_colours() ? "\033[1;31merror\033[0m: " : "error: ") + message + "\n");
  return 2;
}

int misuse(const std::string& message, const char* usage) {
  fail(message);
  write(stderr, std::string("usage: ") + usage + "\n");
  return 2;
}

bool check_dump_option(const CommandLine& line) {
  if (line.dump.empty() || pipeline::parse_dump(line.dump)) return true;
  fail("there is nothing to dump by the name of '" + line.dump.substr(0, line.dump.find(':')) + "'; there is: " + pipeline::dump_names());
  return false;
}

pipeline::CompileOptions compile_options(const CommandLine& line, object::OptLevel otherwise) {
  pipeline::CompileOptions options;
  options.level = line.opt_level >= 0 ? static_cast<object::OptLevel>(line.opt_level) : line.debug ? object::OptLevel::O0 : otherwise;
  options.debug_info = line.debug;
  options.is_static = line.is_static;
  options.leak_check = line.leaks;
  options.check_facts = line.check_facts;
  options.naive_counting = line.naive_counting;
  options.report_counting = line.report_counting;
  options.list_crossings = line.crossings;
  options.is_test = line.command == "test";
  if (!line.dump.empty()) options.dump = pipeline::parse_dump(line.dump);
  return options;
}

void print_diagnostics(const diagnostics::Sink& sink, const source::Sources& sources) {
  if (sink.all().empty()) return;
  diagnostics::TextOptions options;
  options.colours = wants_colours();
  write(stderr, diagnostics::render_text(sink, sources, options));
}

void print_findings(const pipeline::Compilation& compilation, const CommandLine& line) {
  if (line.json) {
    write(stdout, diagnostics::render_json(compilation.sink(), compilation.sources()));
  } else {
    print_diagnostics(compilation.sink(), compilation.sources());
  }
  write(stdout, compilation.dumped());
  if (line.time) write(stderr, compilation.time_table());
  std::fflush(stdout);
}

}  // namespace meteor::cli
