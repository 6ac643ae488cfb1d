// The limit for messages: a ring between two threads, with one writer and one reader that never sleep; and threads started by hand.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

double per(Clock::time_point began, long steps) { return double(std::chrono::nanoseconds(Clock::now() - began).count()) / double(steps); }

template <size_t ROOM> struct Ring {
  alignas(64) std::atomic<size_t> head{0};
  alignas(64) std::atomic<size_t> tail{0};
  alignas(64) long slots[ROOM];

  void push(long value) {
    size_t at = tail.load(std::memory_order_relaxed);
    while (at - head.load(std::memory_order_acquire) == ROOM) std::this_thread::yield();
    slots[at % ROOM] = value;
    tail.store(at + 1, std::memory_order_release);
  }
  long pop() {
    size_t at = head.load(std::memory_order_relaxed);
    while (tail.load(std::memory_order_acquire) == at) std::this_thread::yield();
    long value = slots[at % ROOM];
    head.store(at + 1, std::memory_order_release);
    return value;
  }
};

double messages(long n) {
  static Ring<1024> ring;
  auto began = Clock::now();
  std::thread producer([n] {
    for (long i = 0; i < n; i++) ring.push(i);
  });
  long sum = 0;
  for (long i = 0; i < n; i++) sum += ring.pop();
  producer.join();
  if (sum != n * (n - 1) / 2) std::abort();
  return per(began, n);
}

double ping_pong(long n) {
  static Ring<1> there, back;
  std::thread echo([n] {
    for (long i = 0; i < n; i++) back.push(there.pop() + 1);
  });
  auto began = Clock::now();
  long x = 0;
  for (long i = 0; i < n; i++) {
    there.push(x);
    x = back.pop();
  }
  double took = per(began, n);
  echo.join();
  return took;
}

double start(long n) {
  auto began = Clock::now();
  for (long i = 0; i < n; i++) std::thread([] {}).join();
  return per(began, n);
}

}  // namespace

int main(int, char** args) {
  long n = std::atol(args[2]);
  double (*work)(long) = !std::strcmp(args[1], "messages") ? messages : !std::strcmp(args[1], "ping_pong") ? ping_pong : !std::strcmp(args[1], "start") ? start : nullptr;
  if (work == nullptr) return 3;
  std::printf("%f\n", work(n));
}
