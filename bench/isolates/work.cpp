// The limits: a ring between two threads, with one writer and one reader that never sleep; threads started by hand; what two cores give.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

double per(Clock::time_point began, long steps) { return double(std::chrono::nanoseconds(Clock::now() - began).count()) / double(steps); }

// Each side keeps what it last saw of the other, so that it looks there once per batch.
template <size_t ROOM> struct Ring {
  alignas(128) std::atomic<size_t> head{0};
  size_t seen_tail = 0;
  alignas(128) std::atomic<size_t> tail{0};
  size_t seen_head = 0;
  alignas(128) long slots[ROOM];

  void push(long value) {
    size_t at = tail.load(std::memory_order_relaxed);
    while (at - seen_head == ROOM && at - (seen_head = head.load(std::memory_order_acquire)) == ROOM) __builtin_ia32_pause();
    slots[at % ROOM] = value;
    tail.store(at + 1, std::memory_order_release);
  }
  long pop() {
    size_t at = head.load(std::memory_order_relaxed);
    while (seen_tail == at && (seen_tail = tail.load(std::memory_order_acquire)) == at) __builtin_ia32_pause();
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

long add_up(long first, long end) {
  long sum = 0;
  for (long i = first; i < end; i++) sum ^= i * 7 + (i >> 3);
  return sum;
}

long mandelbrot(long first, long end) {
  long steps = 0;
  for (long y = first; y < end; y += 2) {
    double ci = 2.0 * double(y) / 1600.0 - 1.0;
    for (long x = 0; x < 1600; x++) {
      double cr = 2.0 * double(x) / 1600.0 - 1.5, zr = 0, zi = 0;
      long i = 0;
      for (; i < 50 && zr * zr + zi * zi <= 4.0; i++) {
        double t = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = t;
      }
      steps += i;
    }
  }
  return steps;
}

// What two cores of this machine give, by the least of five turns of each.
double times_faster(bool of_sum, long n) {
  auto half = [=](long part) { return of_sum ? add_up(n / 2 * part, n / 2 * (part + 1)) : mandelbrot(part, 1600); };
  double alone = 1e18, both = 1e18;
  for (int turn = 0; turn < 5; turn++) {
    auto began = Clock::now();
    long a = 0, p = 0;
    std::thread([&] { a = half(0) ^ half(1); }).join();
    alone = std::min(alone, per(began, 1));
    began = Clock::now();
    std::thread other([&] { p = half(0); });
    long q = half(1);
    other.join();
    both = std::min(both, per(began, 1));
    if ((p ^ q) != a) std::abort();
  }
  return alone / both;
}

double parallel_sum(long n) { return times_faster(true, n); }
double parallel_mandelbrot(long n) { return times_faster(false, n); }

double start(long n) {
  auto began = Clock::now();
  for (long i = 0; i < n; i++) std::thread([] {}).join();
  return per(began, n);
}

}  // namespace

int main(int, char** args) {
  long n = std::atol(args[2]);
  const struct { const char* name; double (*work)(long); } works[] = {
      {"messages", messages}, {"ping_pong", ping_pong}, {"start", start}, {"parallel_sum", parallel_sum}, {"parallel_mandelbrot", parallel_mandelbrot}};
  double (*work)(long) = nullptr;
  for (const auto& one : works)
    if (!std::strcmp(args[1], one.name)) work = one.work;
  if (work == nullptr) return 3;
  std::printf("%f\n", work(n));
}
