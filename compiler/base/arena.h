// Bump allocation for trees that live as long as one compilation.
// Invariant: nothing allocated here has its destructor run, so nodes hold only
// arena spans, names and plain values, never owning containers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace meteor::base {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <typename T, typename... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "arena nodes are never destroyed");
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  // A copy of `items` that lives as long as the arena.
  template <typename T>
  std::span<T> copy(const std::vector<T>& items) {
    return copy(items.data(), items.size());
  }

  template <typename T>
  std::span<T> copy(const T* items, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return {};
    T* data = static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
    std::memcpy(static_cast<void*>(data), items, sizeof(T) * count);
    return {data, count};
  }

  std::string_view copy_text(std::string_view text) {
    char* data = static_cast<char*>(allocate(text.size() + 1, 1));
    std::memcpy(data, text.data(), text.size());
    data[text.size()] = 0;
    return {data, text.size()};
  }

  void* allocate(size_t size, size_t align) {
    uintptr_t at = (next_ + align - 1) & ~(align - 1);
    if (next_ == 0 || at + size > end_) {
      size_t block = size + align > BLOCK_SIZE ? size + align : BLOCK_SIZE;
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
      next_ = reinterpret_cast<uintptr_t>(blocks_.back().get());
      end_ = next_ + block;
      at = (next_ + align - 1) & ~(align - 1);
    }
    next_ = at + size;
    return reinterpret_cast<void*>(at);
  }

 private:
  static constexpr size_t BLOCK_SIZE = 64 * 1024;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  uintptr_t next_ = 0;
  uintptr_t end_ = 0;
};

}  // namespace meteor::base
