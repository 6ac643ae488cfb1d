// Collects the elements of a list before they go to the arena: the first few on
// the stack, so that most lists allocate nothing.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "compiler/base/arena.h"

namespace meteor::ast {

template <typename T, size_t N = 6>
class ItemList {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  void push(const T& item) {
    if (count_ < N) {
      new (storage_ + sizeof(T) * count_) T(item);
    } else {
      if (count_ == N) more_.assign(first(), first() + N);
      more_.push_back(item);
    }
    count_++;
  }

  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T* data() { return count_ <= N ? first() : more_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + count_; }
  T& operator[](size_t i) { return data()[i]; }
  T& back() { return data()[count_ - 1]; }
  std::span<T> finish(base::Arena& arena) { return arena.copy(data(), count_); }

 private:
  T* first() { return reinterpret_cast<T*>(storage_); }

  alignas(T) std::byte storage_[sizeof(T) * N];
  size_t count_ = 0;
  std::vector<T> more_;
};

}  // namespace meteor::ast
