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

Texts texts_after(const source::Sources& sources, std::vector<Change> changes) {
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

// What the parser finds wrong with the file and what it imports, when these texts stand for the files'.
std::vector<diagnostics::Diagnostic> parse_errors(const std::string& file, const CommandLine& line, const source::FileSystem& below, const Texts& texts) {
  source::OverlayFileSystem files(&below);
  for (const auto& [path, text] : texts) files.set(absolute_path(path), text);
  pipeline::Compilation compilation(pipeline::find_installation(), files, compile_options(line, object::OptLevel::O2));
  base::Result<bool> result = compilation.run_until(file, pipeline::Stage::Parse);
  (void)result;   // a file that can't be read has been found when it was checked
  return compilation.sink().all();
}

// The texts of the files after all edits that do not get in each other's way; those of one diagnostic go together. An edit after which the
// parser finds as much to complain about as before, or more, is none.
Texts apply_edits(const pipeline::Compilation& compilation, const std::string& file, const CommandLine& line, const source::FileSystem& files, const std::string& std_dir, size_t& applied) {
  std::vector<Change> changes;
  const source::Sources& sources = compilation.sources();
  std::vector<diagnostics::Diagnostic> unparsed = parse_errors(file, line, files, {});
  for (const diagnostics::Diagnostic& d : compilation.sink().all()) {
    bool is_free = !d.edits.empty();
    for (const diagnostics::Edit& edit : d.edits) {
      is_free &= !sources.path(edit.span.file).starts_with(std_dir);
      for (const Change& change : changes) is_free &= !overlaps(change, edit);
    }
    if (!is_free) continue;
    std::vector<Change> own;
    for (const diagnostics::Edit& edit : d.edits) own.push_back({edit.span, edit.text});
    bool is_parsers = std::ranges::any_of(unparsed, [&](const diagnostics::Diagnostic& other) { return other.code == d.code && other.span.start == d.span.start && other.span.end == d.span.end; });
    if (parse_errors(file, line, files, texts_after(sources, own)).size() + is_parsers > unparsed.size()) continue;
    changes.insert(changes.end(), own.begin(), own.end());
    applied++;
  }
  return texts_after(sources, std::move(changes));
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
    tried = apply_edits(compilation, file, line, files, installation.std_dir, tried_count);
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
