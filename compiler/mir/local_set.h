// A set of locals, as a tree of bit vectors whose nodes are shared between copies: copying is one step, changing one bit
// of a shared set copies one path, and joining sets skips what they share. The dataflows keep one set per block, so a
// function of 100,000 blocks would not fit into memory with plain bit vectors.
// A set has no size: it grows with what is added, so a pass may make new locals while it holds sets of the old ones.
// Invariant: a node that more than one set (or parent) refers to is never written; a node without bits is not there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "compiler/mir/mir.h"

namespace meteor::mir {

class LocalSet {
 public:
  LocalSet() = default;
  LocalSet(const LocalSet& other) : root_(share(other.root_)), levels_(other.levels_) {}
  LocalSet(LocalSet&& other) noexcept : root_(std::exchange(other.root_, nullptr)), levels_(std::exchange(other.levels_, 0)) {}
  LocalSet& operator=(LocalSet other) noexcept {
    std::swap(root_, other.root_);
    std::swap(levels_, other.levels_);
    return *this;
  }
  ~LocalSet() { release(root_, levels_); }

  bool has(LocalId id) const;
  void add(LocalId id);
  void remove(LocalId id);
  // Whether this set grew.
  bool unite(const LocalSet& other);
  template <typename F>
  void for_each(F&& visit) const {
    for_each(root_, levels_, 0, visit);
  }
  // visit(LocalId) for what is in both.
  template <typename F>
  void for_each_common(const LocalSet& other, F&& visit) const {
    const Node* a = at_level(other.levels_);
    const Node* b = other.at_level(levels_);
    for_each_common(a, b, std::min(levels_, other.levels_), 0, visit);
  }
  // Whether anything is in both.
  bool meets(const LocalSet& other) const {
    return meet(at_level(other.levels_), other.at_level(levels_), std::min(levels_, other.levels_));
  }
  friend bool operator==(const LocalSet& a, const LocalSet& b) { return a.levels_ < b.levels_ ? b.equals(a) : a.equals(b); }

 private:
  static constexpr uint32_t WORDS = 8, FANOUT = 8;   // of a leaf; of the nodes above
  static constexpr uint32_t LEAF_BITS = WORDS * 64;
  union Node;
  struct Leaf { uint32_t owners; uint64_t words[WORDS]; };
  struct Branch { uint32_t owners; Node* children[FANOUT]; };
  union Node { Leaf leaf; Branch branch; };

  static constexpr uint64_t bits_at(uint32_t level) { return static_cast<uint64_t>(LEAF_BITS) << (3 * level); }
  static uint32_t child_of(uint32_t bit, uint32_t level) { return bit / static_cast<uint32_t>(bits_at(level - 1)) % FANOUT; }
  static Node* share(Node* node) {
    if (node) ++node->leaf.owners;
    return node;
  }
  bool reaches(LocalId id) const { return id.index < bits_at(levels_); }
  // The root of a set with so many levels, as far as this one has members there.
  const Node* at_level(uint32_t level) const {
    const Node* node = root_;
    for (uint32_t at = levels_; at > level && node; --at) node = node->branch.children[0];
    return node;
  }
  void grow(uint32_t levels);
  bool equals(const LocalSet& lower) const;   // which has no more levels
  static Node* make(uint32_t level);
  static void release(Node* node, uint32_t level);
  static void make_own(Node*& node, uint32_t level);
  static void remove(Node*& node, uint32_t level, uint32_t bit);
  static bool unite(Node*& into, Node* from, uint32_t level);
  static bool equal(const Node* a, const Node* b, uint32_t level);
  static bool meet(const Node* a, const Node* b, uint32_t level);
  template <typename F>
  static void for_each(const Node* node, uint32_t level, uint32_t first, F& visit) {
    if (!node) return;
    if (level > 0) {
      for (uint32_t i = 0; i < FANOUT; ++i) for_each(node->branch.children[i], level - 1, first + i * static_cast<uint32_t>(bits_at(level - 1)), visit);
      return;
    }
    for (uint32_t i = 0; i < WORDS; ++i)
      for (uint64_t word = node->leaf.words[i]; word; word &= word - 1) visit(LocalId(first + i * 64 + static_cast<uint32_t>(__builtin_ctzll(word))));
  }

  template <typename F>
  static void for_each_common(const Node* a, const Node* b, uint32_t level, uint32_t first, F& visit) {
    if (!a || !b) return;
    if (level > 0) {
      for (uint32_t i = 0; i < FANOUT; ++i)
        for_each_common(a->branch.children[i], b->branch.children[i], level - 1,
                        first + i * static_cast<uint32_t>(bits_at(level - 1)), visit);
      return;
    }
    for (uint32_t i = 0; i < WORDS; ++i)
      for (uint64_t word = a->leaf.words[i] & b->leaf.words[i]; word; word &= word - 1)
        visit(LocalId(first + i * 64 + static_cast<uint32_t>(__builtin_ctzll(word))));
  }

  Node* root_ = nullptr;   // a missing node is empty
  uint32_t levels_ = 0;    // of branches above the leaves
};

}  // namespace meteor::mir
