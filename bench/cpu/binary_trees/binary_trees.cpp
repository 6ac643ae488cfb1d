#include <cstdint>
#include <cstdio>
#include <cstdlib>

struct Node {
  Node *left, *right;
  ~Node() { delete left; delete right; }
};

static Node* make(int64_t depth) {
  if (depth == 0) return new Node{nullptr, nullptr};
  return new Node{make(depth - 1), make(depth - 1)};
}

static int64_t check(const Node* node) {
  if (!node->left || !node->right) return 1;
  return 1 + check(node->left) + check(node->right);
}

static int64_t make_and_check(int64_t depth) {
  Node* tree = make(depth);
  int64_t result = check(tree);
  delete tree;
  return result;
}

int main(int argc, char** argv) {
  int64_t depth = argc > 1 ? std::atoi(argv[1]) : 16;
  std::printf("stretch %lld\n", (long long)make_and_check(depth + 1));
  Node* long_lived = make(depth);
  for (int64_t d = 4; d <= depth; d += 4) {
    int64_t rounds = 1ll << (depth - d + 4), total = 0;
    for (int64_t i = 0; i < rounds; ++i) total += make_and_check(d);
    std::printf("%lld trees of depth %lld check %lld\n", (long long)rounds, (long long)d, (long long)total);
  }
  std::printf("long lived %lld\n", (long long)check(long_lived));
  delete long_lived;
}
