#include "compiler/mir/local_set.h"

#include <cstring>

namespace meteor::mir {

LocalSet::Node* LocalSet::make(uint32_t level) {
  Node* node = new Node;
  if (level == 0) node->leaf = Leaf{1, {}};
  else node->branch = Branch{1, {}};
  return node;
}

void LocalSet::release(Node* node, uint32_t level) {
  if (!node || --node->leaf.owners > 0) return;
  if (level > 0)
    for (Node* child : node->branch.children) release(child, level - 1);
  delete node;
}

// Makes the node one that may be written.
void LocalSet::make_own(Node*& node, uint32_t level) {
  if (!node) {
    node = make(level);
    return;
  }
  if (node->leaf.owners == 1) return;
  Node* copy = new Node(*node);
  copy->leaf.owners = 1;
  if (level > 0)
    for (Node* child : copy->branch.children) share(child);
  --node->leaf.owners;
  node = copy;
}

// What there was is the first child of what is put above it.
void LocalSet::grow(uint32_t levels) {
  for (; levels_ < levels; ++levels_) {
    if (!root_) continue;
    Node* above = make(levels_ + 1);
    above->branch.children[0] = root_;
    root_ = above;
  }
}

bool LocalSet::has(LocalId id) const {
  if (!reaches(id)) return false;
  const Node* node = root_;
  for (uint32_t level = levels_; level > 0 && node; --level) node = node->branch.children[child_of(id.index, level)];
  return node && (node->leaf.words[id.index % LEAF_BITS / 64] >> (id.index % 64) & 1);
}

void LocalSet::add(LocalId id) {
  if (has(id)) return;
  while (!reaches(id)) grow(levels_ + 1);
  Node** node = &root_;
  make_own(*node, levels_);
  for (uint32_t level = levels_; level > 0; --level) {
    node = &(*node)->branch.children[child_of(id.index, level)];
    make_own(*node, level - 1);
  }
  (*node)->leaf.words[id.index % LEAF_BITS / 64] |= 1ull << (id.index % 64);
}

void LocalSet::remove(LocalId id) {
  if (has(id)) remove(root_, levels_, id.index);
}

void LocalSet::remove(Node*& node, uint32_t level, uint32_t bit) {
  make_own(node, level);
  bool empty = true;
  if (level > 0) {
    remove(node->branch.children[child_of(bit, level)], level - 1, bit);
    for (const Node* child : node->branch.children) empty &= child == nullptr;
  } else {
    node->leaf.words[bit % LEAF_BITS / 64] &= ~(1ull << (bit % 64));
    for (uint64_t word : node->leaf.words) empty &= word == 0;
  }
  if (!empty) return;
  delete node;   // its children are gone already
  node = nullptr;
}

bool LocalSet::unite(const LocalSet& other) {
  if (!other.root_) return false;
  grow(other.levels_);
  Node** into = &root_;
  for (uint32_t level = levels_; level > other.levels_; --level) {
    make_own(*into, level);
    into = &(*into)->branch.children[0];
  }
  return unite(*into, other.root_, other.levels_);
}

bool LocalSet::unite(Node*& into, Node* from, uint32_t level) {
  if (into == from || !from) return false;
  if (!into) {
    into = share(from);
    return true;
  }
  auto become_from = [&] {   // so that the next union of the two is one step
    release(into, level);
    into = share(from);
  };
  if (level == 0) {
    uint64_t grew = 0, more = 0;
    for (uint32_t i = 0; i < WORDS; ++i) {
      grew |= from->leaf.words[i] & ~into->leaf.words[i];
      more |= into->leaf.words[i] & ~from->leaf.words[i];
    }
    if (!more) become_from();
    if (!grew || !more) return grew != 0;
    make_own(into, 0);
    for (uint32_t i = 0; i < WORDS; ++i) into->leaf.words[i] |= from->leaf.words[i];
    return true;
  }
  bool grew = false, same = true;
  for (uint32_t i = 0; i < FANOUT; ++i) {
    Node* child = from->branch.children[i];
    if (into->branch.children[i] == child) continue;
    if (child) {
      make_own(into, level);
      grew |= unite(into->branch.children[i], child, level - 1);
    }
    same &= into->branch.children[i] == child;
  }
  if (same) become_from();
  return grew;
}

bool LocalSet::equals(const LocalSet& lower) const {
  const Node* node = root_;
  for (uint32_t level = levels_; level > lower.levels_ && node; --level) {
    for (uint32_t i = 1; i < FANOUT; ++i)
      if (node->branch.children[i]) return false;
    node = node->branch.children[0];
  }
  return equal(node, lower.root_, lower.levels_);
}

bool LocalSet::equal(const Node* a, const Node* b, uint32_t level) {
  if (a == b) return true;
  if (!a || !b) return false;
  if (level == 0) return std::memcmp(a->leaf.words, b->leaf.words, sizeof a->leaf.words) == 0;
  for (uint32_t i = 0; i < FANOUT; ++i)
    if (!equal(a->branch.children[i], b->branch.children[i], level - 1)) return false;
  return true;
}

bool LocalSet::meet(const Node* a, const Node* b, uint32_t level) {
  if (!a || !b) return false;
  if (a == b) return true;  // no node is empty
  for (uint32_t i = 0; i < (level > 0 ? FANOUT : WORDS); ++i)
    if (level > 0 ? meet(a->branch.children[i], b->branch.children[i], level - 1)
                  : (a->leaf.words[i] & b->leaf.words[i]) != 0)
      return true;
  return false;
}

}  // namespace meteor::mir
