#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

struct Node {
  int64_t value;
  std::shared_ptr<Node> next;
};

struct Chain {
  std::shared_ptr<Node> head;
  int64_t size = 0;

  ~Chain() {
    while (head) head = std::exchange(head->next, nullptr);
  }
  void push(int64_t value) {
    head = std::make_shared<Node>(Node{value, std::move(head)});
    ++size;
  }
  int64_t total() const {
    int64_t sum = 0;
    for (const Node* node = head.get(); node; node = node->next.get()) sum += node->value;
    return sum;
  }
  void reverse() {
    std::shared_ptr<Node> before, node = std::move(head);
    while (node) {
      std::shared_ptr<Node> after = std::move(node->next);
      node->next = std::move(before);
      before = std::move(node);
      node = std::move(after);
    }
    head = std::move(before);
  }
  void remove_multiples(int64_t of) {
    for (Node* node = head.get(); node; node = node->next.get())
      while (node->next && node->next->value % of == 0) {
        node->next = std::shared_ptr<Node>(std::move(node->next->next));
        --size;
      }
  }
};

int main(int argc, char** argv) {
  int64_t n = argc > 1 ? std::atoi(argv[1]) : 200000, sum = 0;
  Chain chain;
  for (int64_t i = 0; i < n; ++i) chain.push(i * 7 % 1000 + 1);
  for (int round = 0; round < 60; ++round) {
    sum += chain.total();
    chain.reverse();
  }
  chain.remove_multiples(3);
  std::printf("%lld %lld %lld\n", (long long)sum, (long long)chain.size, (long long)chain.total());
}
