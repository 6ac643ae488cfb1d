// Typed 32-bit indexes into stores: an id of one store can't be used in another.
#pragma once

#include <cstdint>
#include <functional>

namespace meteor::base {

template <typename Tag>
struct Id {
  uint32_t index = UINT32_MAX;
  constexpr Id() = default;
  constexpr explicit Id(uint32_t i) : index(i) {}
  constexpr bool valid() const { return index != UINT32_MAX; }
  friend constexpr bool operator==(Id a, Id b) { return a.index == b.index; }
  friend constexpr bool operator<(Id a, Id b) { return a.index < b.index; }
};

}  // namespace meteor::base

template <typename Tag>
struct std::hash<meteor::base::Id<Tag>> {
  size_t operator()(meteor::base::Id<Tag> id) const { return id.index * 0x9e3779b97f4a7c15ull; }
};
