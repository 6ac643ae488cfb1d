// The works of bench/async on C++20 coroutines, written for these works alone and as near to the limit as can be: one thread, an intrusive ready queue, frames from
// free lists, no checks, no cancellation where the work has none.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <utility>
#include <vector>

namespace {

struct Pool {
  static constexpr size_t STEP = 16, CLASSES = 65;
  void* free[CLASSES] = {};
  char* at = nullptr;
  char* end = nullptr;
  void* take(size_t bytes) {
    size_t k = (bytes + STEP - 1) / STEP;
    if (k >= CLASSES) return std::malloc(bytes);
    if (void* block = free[k]) {
      free[k] = *static_cast<void**>(block);
      return block;
    }
    if (size_t(end - at) < k * STEP) {
      at = static_cast<char*>(std::malloc(1 << 20));
      end = at + (1 << 20);
    }
    return std::exchange(at, at + k * STEP);
  }
  void give(void* block, size_t bytes) {
    size_t k = (bytes + STEP - 1) / STEP;
    if (k >= CLASSES) return std::free(block);
    *static_cast<void**>(block) = free[k];
    free[k] = block;
  }
} pool;

struct Node {
  std::coroutine_handle<> handle;
  Node* next = nullptr;
};

struct Queue {
  Node* first = nullptr;
  Node** last = &first;
  void push(Node* node) {
    node->next = nullptr;
    *last = node;
    last = &node->next;
  }
  Node* pop() {
    Node* node = first;
    first = node->next;
    if (first == nullptr) last = &first;
    return node;
  }
} ready;

int64_t open_tasks = 0;

// A task that nobody holds: it frees itself.
struct Task {
  struct promise_type {
    Node node;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept {
      --open_tasks;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
    static void* operator new(size_t bytes) { return pool.take(bytes); }
    static void operator delete(void* block, size_t bytes) { pool.give(block, bytes); }
  };
  std::coroutine_handle<promise_type> handle;
};

void spawn(Task task) {
  ++open_tasks;
  Node& node = task.handle.promise().node;
  node.handle = task.handle;
  ready.push(&node);
}

// What is awaited: runs at once, hands over to whoever awaits it when it ends.
template <typename T>
struct Call {
  struct promise_type {
    std::coroutine_handle<> parent;
    T value;
    bool failed = false;
    Call get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept { return self.promise().parent; }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(T v) { value = v; }
    void unhandled_exception() { std::abort(); }
    static void* operator new(size_t bytes) { return pool.take(bytes); }
    static void operator delete(void* block, size_t bytes) { pool.give(block, bytes); }
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) {
    handle.promise().parent = parent;
    return handle;
  }
  T await_resume() {
    T value = handle.promise().value;
    handle.destroy();
    return value;
  }
};

struct Yield : Node {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    handle = h;
    ready.push(this);
  }
  void await_resume() {}
};

void run_ready() {
  while (ready.first != nullptr) ready.pop()->handle.resume();
}

double began;
double cpu() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}
void start_clock() { began = cpu(); }
double per(int64_t steps) { return (cpu() - began) / double(steps); }

volatile int64_t sink;

Task plus_one(int64_t i) {
  sink = i + 1;
  co_return;
}
double spawn_and_join(int64_t n) {
  start_clock();
  for (int64_t i = 0; i < n; ++i) spawn(plus_one(i));
  run_ready();
  return per(n);
}

Task turns(int64_t n) {
  for (int64_t i = 0; i < n; ++i) co_await Yield{};
}
double yields(int64_t n) {
  start_clock();
  for (int i = 0; i < 1000; ++i) spawn(turns(n / 1000));
  run_ready();
  return per(n);
}

Call<int64_t> add(int64_t x) { co_return x + 1; }
Task adds(int64_t n) {
  int64_t x = 0;
  for (int64_t i = 0; i < n; ++i) x = co_await add(x);
  sink = x;
}
double at_once(int64_t n) {
  start_clock();
  spawn(adds(n));
  run_ready();
  return per(n);
}

Call<int> deep(int depth, int64_t n) {
  if (depth <= 1)
    for (int64_t i = 0; i < n; ++i) co_await Yield{};
  else co_await deep(depth - 1, n);
  co_return 0;
}
Task goes_deep(int depth, int64_t n) { co_await deep(depth, n); }
double wake_at(int depth, int64_t n) {
  start_clock();
  spawn(goes_deep(depth, n));
  run_ready();
  return per(n);
}

// One place, as the work uses it.
struct Channel {
  int64_t value = 0;
  bool is_full = false;
  Node* receiver = nullptr;
  Node* sender = nullptr;
  struct Send : Node {
    Channel& c;
    int64_t v;
    Send(Channel& channel, int64_t value) : c(channel), v(value) {}
    bool await_ready() { return !c.is_full; }
    void await_suspend(std::coroutine_handle<> h) { handle = h, c.sender = this; }
    void await_resume() {
      c.value = v;
      c.is_full = true;
      if (c.receiver) ready.push(std::exchange(c.receiver, nullptr));
    }
  };
  struct Recv : Node {
    Channel& c;
    explicit Recv(Channel& channel) : c(channel) {}
    bool await_ready() { return c.is_full; }
    void await_suspend(std::coroutine_handle<> h) { handle = h, c.receiver = this; }
    int64_t await_resume() {
      c.is_full = false;
      if (c.sender) ready.push(std::exchange(c.sender, nullptr));
      return c.value;
    }
  };
};
Task echo(Channel& a, Channel& b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t v = co_await Channel::Recv(a);
    co_await Channel::Send(b, v);
  }
}
Task asks(Channel& a, Channel& b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    co_await Channel::Send(a, i);
    sink = co_await Channel::Recv(b);
  }
}
double ping_pong(int64_t n) {
  Channel a, b;
  start_clock();
  spawn(echo(a, b, n));
  spawn(asks(a, b, n));
  run_ready();
  return per(n * 2);
}

// A wheel of 65 µs steps over a little more than a second: what the work needs.
struct Sleep : Node {
  int64_t due;
  explicit Sleep(int64_t ns) : due(ns) {}
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h);
  void await_resume() {}
};
constexpr int SLOTS = 1 << 14;
Node* wheel[SLOTS];
int64_t wheel_start, wheel_tick, sleepers;
int64_t real_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}
int64_t loop_now;
void Sleep::await_suspend(std::coroutine_handle<> h) {
  handle = h;
  int64_t tick = ((loop_now + due - wheel_start) >> 16) + 1;
  Node*& slot = wheel[tick & (SLOTS - 1)];
  next = slot;
  slot = this;
  ++sleepers;
}
Task nap(int64_t ns) { co_await Sleep(ns); }
double timers(int64_t n) {
  std::mt19937_64 random(1);
  start_clock();
  wheel_start = loop_now = real_ns();
  for (int64_t i = 0; i < n; ++i) {
    if (i % 61 == 0) loop_now = real_ns();
    spawn(nap(int64_t(random() % 1'000'000'000)));
  }
  run_ready();
  while (sleepers > 0) {
    int64_t now = (real_ns() - wheel_start) >> 16;
    if (now == wheel_tick) {
      timespec wait = {0, 65'536};
      nanosleep(&wait, nullptr);
      continue;
    }
    for (; wheel_tick < now; ++wheel_tick) {
      Node* node = std::exchange(wheel[wheel_tick & (SLOTS - 1)], nullptr);
      while (node != nullptr) {
        Node* next = node->next;
        --sleepers;
        ready.push(node);
        node = next;
      }
    }
    run_ready();
  }
  return per(n);
}

int64_t resident() {
  long pages = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  if (file && std::fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file) std::fclose(file);
  return int64_t(pages) * 4096;
}
double memory(int64_t n) {
  int64_t before = resident();
  wheel_start = loop_now = real_ns();
  for (int64_t i = 0; i < n; ++i) spawn(nap(1'000'000'000));
  run_ready();
  return double(resident() - before) / double(n);
}

// Cancelling is resuming with a mark.
struct Suspended : Node {
  Suspended* after = nullptr;
  bool is_cancelled = false;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h);
  bool await_resume() { return is_cancelled; }
};
Suspended* suspended;
void Suspended::await_suspend(std::coroutine_handle<> h) {
  handle = h;
  after = suspended;
  suspended = this;
}
Task waits() {
  if (co_await Suspended{}) co_return;
  sink = 1;
}
double cancel(int64_t n) {
  for (int64_t i = 0; i < n; ++i) spawn(waits());
  run_ready();
  start_clock();
  for (Suspended* at = suspended; at != nullptr; at = at->after) {
    at->is_cancelled = true;
    ready.push(at);
  }
  run_ready();
  return per(n);
}

// Results, not exceptions.
struct Result {
  int64_t value;
  const char* error;
};
Call<Result> fail_1(int64_t x) {
  if (x >= 0) co_return Result{0, "no"};
  co_return Result{x, nullptr};
}
Call<Result> fail_2(int64_t x) { Result r = co_await fail_1(x); if (r.error) co_return r; co_return Result{r.value + 1, nullptr}; }
Call<Result> fail_3(int64_t x) { Result r = co_await fail_2(x); if (r.error) co_return r; co_return Result{r.value + 1, nullptr}; }
Call<Result> fail_4(int64_t x) { Result r = co_await fail_3(x); if (r.error) co_return r; co_return Result{r.value + 1, nullptr}; }
Call<Result> fail_5(int64_t x) { Result r = co_await fail_4(x); if (r.error) co_return r; co_return Result{r.value + 1, nullptr}; }
Task catches(int64_t n) {
  int64_t caught = 0;
  for (int64_t i = 0; i < n; ++i) {
    Result r = co_await fail_5(i);
    caught += r.error ? 1 : r.value;
  }
  sink = caught;
}
double errors(int64_t n) {
  start_clock();
  spawn(catches(n));
  run_ready();
  return per(n);
}

struct Semaphore {
  int64_t free;
  Queue line;
  struct Acquire : Node {
    Semaphore& s;
    explicit Acquire(Semaphore& semaphore) : s(semaphore) {}
    bool await_ready() { return s.free > 0 && s.line.first == nullptr ? (--s.free, true) : false; }
    void await_suspend(std::coroutine_handle<> h) { handle = h, s.line.push(this); }
    void await_resume() {}
  };
  void release() {
    if (line.first != nullptr) ready.push(line.pop());
    else ++free;
  }
};
Task holds(Semaphore& s, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    co_await Semaphore::Acquire(s);
    co_await Yield{};
    s.release();
  }
}
double semaphore(int64_t n) {
  Semaphore s{10, {}};
  start_clock();
  for (int i = 0; i < 1000; ++i) spawn(holds(s, n / 1000));
  run_ready();
  return per(n);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  int64_t n = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  double result = is("spawn")       ? spawn_and_join(n)
                  : is("yield")     ? yields(n)
                  : is("ready")     ? at_once(n)
                  : is("wake_1")    ? wake_at(1, n)
                  : is("wake_10")   ? wake_at(10, n)
                  : is("wake_100")  ? wake_at(100, n)
                  : is("channel")   ? ping_pong(n)
                  : is("timers")    ? timers(n)
                  : is("memory")    ? memory(n)
                  : is("cancel")    ? cancel(n)
                  : is("error")     ? errors(n)
                  : is("semaphore") ? semaphore(n)
                                    : -1;
  std::printf("%.2f\n", result);
  return result < 0 ? 2 : 0;
}
