// What goes to the terminal.
#include <unistd.h>

#include <algorithm>
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

// A name of a million letters does not become clearer by being printed whole.
std::string with_short_lines(const std::string& text) {
  constexpr size_t LONGEST_LINE = 1000;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    size_t kept = std::min(end - at, LONGEST_LINE);
    if (kept < end - at)
      while (kept > 0 && (static_cast<unsigned char>(text[at + kept]) & 0xc0) == 0x80) --kept;
    out.append(text, at, kept);
    if (kept < end - at) out += "…";
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

// The first ones in full: who corrects them sees the others in the next run.
void write_diagnostics(const pipeline::Compilation& compilation) {
  constexpr size_t MOST_SHOWN = 50;
  diagnostics::TextOptions options;
  options.colours = wants_colours();
  const std::vector<diagnostics::Diagnostic>& all = compilation.sink().all();
  for (size_t i = 0; i < std::min(all.size(), MOST_SHOWN); ++i)
    write(stderr, with_short_lines(diagnostics::render_text(all[i], compilation.sources(), options)) + "\n");
  if (all.size() > MOST_SHOWN) write(stderr, "… and " + std::to_string(all.size() - MOST_SHOWN) + " more\n");
}

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
  if (!line.dump.empty()) options.dump = pipeline::parse_dump(line.dump);
  return options;
}

void print_findings(const pipeline::Compilation& compilation, const CommandLine& line) {
  if (line.json) {
    write(stdout, diagnostics::render_json(compilation.sink(), compilation.sources()));
  } else if (!compilation.sink().all().empty()) {
    write_diagnostics(compilation);
  }
  write(stdout, compilation.dumped());
  if (line.time) write(stderr, compilation.time_table());
  std::fflush(stdout);
}

}  // namespace meteor::cli
