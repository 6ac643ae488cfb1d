// Built programs kept for `meteor run`, and translated units of the library. Three kinds of files:
//   programs/<hash>        an executable, named by the hash of everything that went into it
//   programs/<hash>.units  object code of the library (unit_store.h), by the options and the compiler
//   requests/<hash>        for one way to call `meteor run`: which files were read, and which program came of them
// A request whose files are as they were gives its program without reading a line of Meteor.
// Invariant: a file appears whole (written aside, then renamed); what is damaged or gone only costs time. No LLVM in here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meteor::pipeline {

std::string content_hash(std::string_view text);   // 64 hexadecimal digits

// What decides about a program besides the sources.
struct RunRequest {
  std::string main_file;      // absolute
  std::string flags;          // options that change the code
  std::string compiler = {};  // which installation asks: another one has another library and runtime
};

// What is known of a file without reading it.
struct Stamp {
  int64_t size = -1;          // -1: there is no such file
  int64_t time_ns = 0;        // when it was last changed
};

Stamp stamp_of(const std::string& path);
// The stamp to take before a file is read: its time is UNSETTLED where the file may change once more without a new time.
Stamp stamp_before_reading(const std::string& path);
constexpr int64_t UNSETTLED = -1;

// A file as it was when it was read; what becomes of it later does not belong to this program.
// Invariant: `time_ns` was taken before the text, so a change in between shows as another time, and then the hash decides.
struct SourceFile {
  std::string path;           // absolute
  std::string hash;           // of its text
  Stamp stamp;
};

struct ToolFile {
  std::string path;
  Stamp stamp;
};

struct Inputs {
  std::vector<SourceFile> sources;      // that were read
  std::vector<std::string> absent;      // that would have been read, had they been there
  std::vector<ToolFile> tools;          // compiler and runtime: known by size and time, not read
};

uint64_t cache_limit_bytes();  // METEOR_CACHE_LIMIT_MB

class ProgramCache {
 public:
  // METEOR_CACHE_DIR, else XDG_CACHE_HOME/meteor, else ~/.cache/meteor; nothing where there is no place for it.
  static std::optional<std::string> find_directory();

  explicit ProgramCache(std::string directory) : directory_(std::move(directory)) {}

  // The program of an unchanged request.
  std::optional<std::string> find(const RunRequest& request) const;
  // The program that these inputs give, whoever asked for it first.
  std::optional<std::string> find(const RunRequest& request, const Inputs& inputs) const;
  // Where a new program goes: link it there, then `store`. Empty when the directory can't be used.
  std::string path_for(const RunRequest& request, const Inputs& inputs) const;
  // Remembers which program the request gave, and removes old programs beyond the limit.
  void store(const RunRequest& request, const Inputs& inputs) const;

  // Where the library's units are that `compiler` made with these options (unit_store.h). Empty when the directory
  // can't be used.
  std::string unit_store(const std::string& options, const std::string& compiler) const;

 private:
  std::string request_path(const RunRequest& request) const;
  std::string program_name(const RunRequest& request, const Inputs& inputs) const;
  void evict(const std::string& keep) const;

  std::string directory_;
};

}  // namespace meteor::pipeline
