// meteor check FILE…, with --fix, which applies the edits that diagnostics carry, or --crossings, which lists what leaves an isolate.
#include <algorithm>
#include <cstdio>
#include <map>

#include "tools/cli/commands.h"
#include "tools/cli/start_program.h"
#include "tools/cli/write_file.h"

namespace meteor::cli {

namespace {

constexpr const char* USAGE = "meteor check [--fix] [--crossings] [--json] [--time] [--dump=STAGE[:FUNCTION]] FILE…";
constexpr int MAX_ROUNDS = 20;   // a fix may uncover the next mistake

using Texts = std::map<std::string, std::string>;   // by path

struct Change {
  source::Span span;
  std::string text;
};

bool overlaps(const Change& a, const diagnostics::Edit& b) {
  return a.span.file == b.span.file && a.span.start <= b.span.end && b.span.start <= a.span.end;
}

// The texts of the files after all edits that do not get in each other's way; those of one diagnostic go together.
Texts apply_edits(const pipeline::Compilation& compilation, const std::string& std_dir, size_t& applied) {
  std::vector<Change> changes;
  const source::Sources& sources = compilation.sources();
  for (const diagnostics::Diagnostic& d : compilation.sink().all()) {
    bool is_free = !d.edits.empty();
    for (const diagnostics::Edit& edit : d.edits) {
      is_free &= !sources.path(edit.span.file).starts_with(std_dir);
      for (const Change& change : changes) is_free &= !overlaps(change, edit);
    }
    if (!is_free) continue;
    for (const diagnostics::Edit& edit : d.edits) changes.push_back({edit.span, edit.text});
    applied++;
  }
  std::ranges::sort(changes, std::greater{}, [](const Change& change) { return change.span.start; });
  Texts texts;
  for (const Change& change : changes) {
    std::string path(sources.path(change.span.file));
    auto [at, is_new] = texts.emplace(path, "");
    if (is_new) at->second = sources.text(change.span.file);
    at->second.replace(change.span.start, change.span.end - change.span.start, change.text);
  }
  return texts;
}

// Applies edits as long as each round leaves fewer errors than the one before, then writes the files.
base::Result<base::Done> fix(const std::string& file, const CommandLine& line) {
  source::DiskFileSystem disk;
  source::OverlayFileSystem files(&disk);
  pipeline::Installation installation = pipeline::find_installation();
  Texts fixed, tried;
  size_t total = 0, tried_count = 0, least = SIZE_MAX;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    pipeline::Compilation compilation(installation, files, compile_options(line, object::OptLevel::O2));
    base::Result<bool> result = compilation.run_until(file, pipeline::Stage::Check);
    if (!result) return result.failure();
    size_t left = compilation.sink().all().size();
    if (left >= least) break;
    least = left;
    for (auto& [path, text] : tried) fixed[path] = text;
    total += std::exchange(tried_count, 0);
    tried = apply_edits(compilation, installation.std_dir, tried_count);
    if (tried.empty()) break;
    for (const auto& [path, text] : tried) files.set(absolute_path(path), text);
  }
  for (const auto& [path, text] : fixed) {
    base::Result<base::Done> written = write_file(path, text);
    if (!written) return written;
  }
  if (total > 0 && !line.json) std::fprintf(stderr, "fixed %zu %s in %zu %s\n", total, total == 1 ? "mistake" : "mistakes", fixed.size(), fixed.size() == 1 ? "file" : "files");
  return base::Done{};
}

}  // namespace

int check_command(const CommandLine& line) {
  if (line.files.empty()) return misuse("which file should be checked?", USAGE);
  if (!check_dump_option(line)) return 2;
  int code = 0;
  for (const std::string& file : line.files) {
    if (line.fix) {
      base::Result<base::Done> done = fix(file, line);
      if (!done) {
        code = fail(done.failure().text());
        continue;
      }
    }
    source::DiskFileSystem files;
    pipeline::Compilation compilation(pipeline::find_installation(), files, compile_options(line, object::OptLevel::O2));
    base::Result<bool> result = compilation.run_until(file, line.crossings ? pipeline::Stage::Passes : pipeline::Stage::Check);
    print_findings(compilation, line);
    if (line.crossings && result && result.value()) list_crossings(compilation, line);
    if (!result) fail(result.failure().text());
    if (!result || !result.value()) code = 2;
  }
  return code;
}

}  // namespace meteor::cli
