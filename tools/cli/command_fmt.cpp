// meteor fmt [FILE…]: puts sources into the one style.
#include <cstdio>

#include "compiler/diagnostics/render.h"
#include "compiler/format/format.h"
#include "compiler/pipeline/follow_ons.h"
#include "tools/cli/commands.h"
#include "tools/cli/write_file.h"

namespace meteor::cli {

namespace {

constexpr const char* USAGE = "meteor fmt [--check] [FILE or FOLDER…] or meteor fmt --stdin [--check]";

struct Counts {
  int changed = 0, failed = 0;
};

std::string read_stdin() {
  std::string text;
  char buffer[1 << 16];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, stdin)) text.append(buffer, n);
  return text;
}

// The text in the one style. False: `text` is as it was, and why has been said.
bool format_text(const std::string& name, std::string& text) {
  source::Sources sources;
  diagnostics::Sink sink;
  format::Formatted result = format::format(sources.add(name, text), sources, sink);
  switch (result.outcome) {
    case format::Outcome::Formatted: text = std::move(result.text); return true;
    case format::Outcome::HasErrors:
      sink.sort_from(0);
      pipeline::drop_follow_ons(sink, sink.mark(), {}, sources);
      print_diagnostics(sink, sources);
      break;
    case format::Outcome::WouldChange: break;
  }
  fail(name + ": left as it is: " + (sink.has_errors() ? "it has errors" : "formatting it would change its meaning, which is a mistake of meteor fmt"));
  return false;
}

void format_file(const std::string& path, const CommandLine& line, Counts& counts) {
  base::Result<std::string> read = source::DiskFileSystem().read(path);
  if (!read) {
    fail(read.failure().text());
    counts.failed++;
    return;
  }
  std::string text = read.value();
  if (!format_text(path, text)) {
    counts.failed++;
    return;
  }
  if (text == read.value()) return;
  counts.changed++;
  if (line.only_check) {
    std::printf("%s\n", path.c_str());
    return;
  }
  base::Result<base::Done> written = write_file(path, text);
  if (!written) {
    fail(written.failure().text());
    counts.failed++;
  }
}

void format_folder(const std::string& path, const CommandLine& line, Counts& counts) {
  source::DiskFileSystem files;
  base::Result<std::vector<std::string>> names = files.list(path);
  if (!names) {
    fail(names.failure().text());
    counts.failed++;
    return;
  }
  for (const std::string& name : names.value()) {
    if (name.starts_with(".")) continue;
    std::string inner = path == "." ? name : path + "/" + name;
    if (name.ends_with(".met") && files.is_file(inner)) format_file(inner, line, counts);
    else if (files.is_directory(inner)) format_folder(inner, line, counts);
  }
}

int format_stdin(const CommandLine& line) {
  if (!line.files.empty()) return misuse("with --stdin there is no file", USAGE);
  std::string source = read_stdin();
  std::string text = source;
  bool is_sound = format_text("<stdin>", text);
  if (!line.only_check) std::fwrite(text.data(), 1, text.size(), stdout);   // broken sources come back as they are
  if (!is_sound) return 2;
  return line.only_check && text != source ? 1 : 0;
}

}  // namespace

int fmt_command(const CommandLine& line) {
  if (line.from_stdin) return format_stdin(line);
  Counts counts;
  source::DiskFileSystem files;
  if (line.files.empty()) format_folder(".", line, counts);
  for (const std::string& path : line.files) {
    if (files.is_directory(path)) format_folder(path, line, counts);
    else format_file(path, line, counts);
  }
  if (counts.failed > 0) return 2;
  return line.only_check && counts.changed > 0 ? 1 : 0;
}

}  // namespace meteor::cli
