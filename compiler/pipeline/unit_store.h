// Object files of the library's units, kept from one program to the next: one file for all that one compiler made with
// one set of options.
//   header        a mark, and where the entries end
//   entries       each with its key, the hash of its content, its size, and the content
// Invariant: what lies before the end never changes. Compilers that append take turns (flock), and move the end last,
// so that one that was interrupted leaves nothing behind. Who reads needs no lock. A damaged entry is one that is not
// there. No LLVM in here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace meteor::pipeline {

class UnitStore {
 public:
  using Entries = std::vector<std::pair<std::string, std::string_view>>;  // key and content

  explicit UnitStore(std::string path);
  ~UnitStore();
  UnitStore(const UnitStore&) = delete;
  UnitStore& operator=(const UnitStore&) = delete;

  // What was there when the store was opened; valid as long as the store is. `key` as content_hash makes them.
  std::optional<std::string_view> find(std::string_view key) const;

  // Appends `made`. Where the file would be longer than `limit` bytes, a new one takes its place, with those and what
  // was found: `used`.
  void add(const Entries& made, const Entries& used, uint64_t limit) const;

 private:
  std::string path_;
  const char* data_ = nullptr;
  size_t size_ = 0;
  std::unordered_map<std::string_view, std::string_view> entries_;  // by key: the hash and what follows it
};

}  // namespace meteor::pipeline
