// Where source files come from: the disk, or texts held in memory on top of it,
// so that tests and editors compile what is not saved.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/result.h"

namespace meteor::source {

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual base::Result<std::string> read(const std::string& path) const = 0;
  virtual bool is_file(const std::string& path) const = 0;
  virtual bool is_directory(const std::string& path) const = 0;
  // The names in a directory, sorted, without "." and "..".
  virtual base::Result<std::vector<std::string>> list(const std::string& directory) const = 0;
};

class DiskFileSystem final : public FileSystem {
 public:
  base::Result<std::string> read(const std::string& path) const override;
  bool is_file(const std::string& path) const override;
  bool is_directory(const std::string& path) const override;
  base::Result<std::vector<std::string>> list(const std::string& directory) const override;
};

// Texts in memory hide the files of the same path in `below`, which may be null.
class OverlayFileSystem final : public FileSystem {
 public:
  explicit OverlayFileSystem(const FileSystem* below = nullptr) : below_(below) {}

  void set(std::string_view path, std::string text);
  void remove(std::string_view path);

  base::Result<std::string> read(const std::string& path) const override;
  bool is_file(const std::string& path) const override;
  bool is_directory(const std::string& path) const override;
  base::Result<std::vector<std::string>> list(const std::string& directory) const override;

 private:
  const FileSystem* below_;
  std::map<std::string, std::string> texts_;   // by normalised path
};

// "a/./b/../c" is "a/c": two spellings of a path name one file.
std::string normalise_path(std::string_view path);

}  // namespace meteor::source
