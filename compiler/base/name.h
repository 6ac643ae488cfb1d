// Interned identifiers: equal text, equal pointer. A Name can be read without
// its table, which must outlive it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace meteor::base {

class Name {
 public:
  constexpr Name() = default;
  bool empty() const { return text_ == nullptr || text_->empty(); }
  explicit operator bool() const { return !empty(); }
  std::string_view text() const { return text_ ? std::string_view(*text_) : std::string_view(); }
  std::string str() const { return std::string(text()); }
  friend bool operator==(Name a, Name b) { return a.text_ == b.text_; }
  size_t hash() const { return std::hash<const void*>()(text_); }

 private:
  friend class NameTable;
  explicit constexpr Name(const std::string* text) : text_(text) {}
  const std::string* text_ = nullptr;
};

class NameTable {
 public:
  // The empty text gives the empty Name, which equals a default-made one.
  Name intern(std::string_view text) {
    if (text.empty()) return Name();
    return Name(&*texts_.emplace(text).first);
  }

 private:
  std::unordered_set<std::string> texts_;
};

}  // namespace meteor::base

template <>
struct std::hash<meteor::base::Name> {
  size_t operator()(meteor::base::Name name) const { return name.hash(); }
};
