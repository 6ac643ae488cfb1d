// Interned identifiers: equal text, equal pointer. A Name can be read without
// its table, which must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/arena.h"

namespace meteor::base {

class Name {
 public:
  constexpr Name() = default;
  bool empty() const { return text_ == nullptr; }
  explicit operator bool() const { return !empty(); }
  std::string_view text() const { return text_ ? *text_ : std::string_view(); }
  std::string str() const { return std::string(text()); }
  friend bool operator==(Name a, Name b) { return a.text_ == b.text_; }
  size_t hash() const { return std::hash<const void*>()(text_); }

 private:
  friend class NameTable;
  explicit constexpr Name(const std::string_view* text) : text_(text) {}
  const std::string_view* text_ = nullptr;
};

// Open addressing over a power of two; a lookup of a known name allocates nothing.
class NameTable {
 public:
  NameTable();
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  // The empty text gives the empty Name, which equals a default-made one.
  Name intern(std::string_view text);

 private:
  struct Slot {
    uint64_t hash = 0;
    const std::string_view* text = nullptr;
  };
  void grow();

  Arena texts_;
  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace meteor::base

template <>
struct std::hash<meteor::base::Name> {
  size_t operator()(meteor::base::Name name) const { return name.hash(); }
};
