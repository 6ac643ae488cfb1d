// A machine for model checks: threads that run one atomic step at a time, in every order there is. Takes the place of
// runtime/threads/atomic.h in a test that compiles the runtime's own files on it.
//
// A run is a sequence of choices, each of who takes the next step. When it has ended the last choice that has an alternative is
// changed and everything runs again from the beginning, until none is left. Of orders that differ only in steps which do not concern
// each other (other addresses, or both only read) one is run: a thread that was let go first in an earlier run sleeps until somebody
// takes a step that concerns its own ("sleep sets"). Data that is not atomic must be guarded by what is.
// Where that is too much, a test leaves out the orders that switch away from a thread which could go on more than so many times.
#ifndef METEOR_RUNTIME_THREADS_INTERLEAVINGS_H
#define METEOR_RUNTIME_THREADS_INTERLEAVINGS_H

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace meteor::model {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define METEOR_SLOW_SWITCHES 1   // the sanitizer has to see them
#endif
#endif

struct Thread {
  ucontext_t context;
  jmp_buf jump;                      // where it goes on: faster than a context, which asks the kernel for the mask of signals
  bool has_begun = false;
  std::unique_ptr<char[]> stack;
  std::function<void()> body;
  std::function<bool()> can_go_on;   // empty: it can
  const void* at = nullptr;          // what its next step is about; null: it may concern everybody
  bool writes = true;
  bool is_over = false;
};

class Machine {
 public:
  static Machine& get() {
    static Machine machine;
    return machine;
  }

  // Runs what `set_up` starts in every order, until one fails. `at_end` looks at the result of each run.
  void explore(const std::function<void()>& set_up, const std::function<void()>& at_end, int most_switches = -1) {
    path_.clear();
    most_switches_ = most_switches;
    failure_.clear();
    runs_ = 0;
    do {
      ++runs_;
      at_ = 0;
      asleep_.clear();
      switches_ = 0;
      steps_ = 0;
      running_ = nullptr;
      threads_.clear();
      signals_.clear();
      sleepers_.clear();
      for (auto& [address, block] : blocks_) std::free(reinterpret_cast<void*>(address));
      blocks_.clear();
      is_repetition_ = false;
      set_up();
      run();
      if (is_repetition_) {
        --runs_;
        continue;
      }
      if (failure_.empty()) at_end();
      if (failure_.empty() && live_blocks() != 0) fail("memory is left");
    } while (failure_.empty() && next_path());
  }

  const std::string& failure() const { return failure_; }
  uint64_t runs() const { return runs_; }

  void start(std::function<void()> body) {
    threads_.push_back(std::make_unique<Thread>());
    Thread& thread = *threads_.back();
    thread.body = std::move(body);
    thread.stack = std::make_unique<char[]>(STACK_BYTES);
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = STACK_BYTES;
    thread.context.uc_link = &home_;
    makecontext(&thread.context, enter, 0);
  }

  // ---- for the threads ----

  void step(const void* at, bool writes = true) {
    pass({}, at, writes);
    ++steps_;
    auto block = blocks_.upper_bound(reinterpret_cast<uintptr_t>(at));
    if (block == blocks_.begin()) return;
    --block;
    if (block->second.is_freed && reinterpret_cast<uintptr_t>(at) < block->first + block->second.size) fail("memory is used that has been freed");
  }
  void wait_until(std::function<bool()> condition) { pass(std::move(condition)); }
  void give_way() {   // somebody else has to do something first
    uint64_t before = steps_;
    pass([this, before] { return steps_ != before; });
  }
  void sleep_on(const uint32_t& word) {
    auto ticket = std::make_shared<bool>(false);
    sleepers_[&word].push_back(ticket);
    pass([ticket] { return *ticket; });
  }
  bool wake_one(const uint32_t& word) {   // false: nobody slept there
    auto& line = sleepers_[&word];
    if (line.empty()) return false;
    *line.front() = true;
    line.erase(line.begin());
    return true;
  }
  void signal(int fd) { ++signals_[fd]; }
  void wait_for_signal(int fd) {
    pass([this, fd] { return signals_[fd] > 0; });
    signals_[fd] = 0;
  }
  size_t index() const {
    for (size_t i = 0; i < threads_.size(); i++)
      if (threads_[i].get() == running_) return i;
    return threads_.size();
  }
  void fail(const std::string& why) {
    if (failure_.empty()) failure_ = why;
    if (running_ != nullptr) go_home(*running_);   // for ever
  }

  void* allocate(size_t size) {
    void* block = std::calloc(1, size);
    blocks_[reinterpret_cast<uintptr_t>(block)] = {size, false};
    return block;
  }
  void release(void* address) {
    pass({});   // whoever uses it later or sooner, that is another order
    // The memory stays, so that its address is not given out again in this run
    Block& block = blocks_.at(reinterpret_cast<uintptr_t>(address));
    if (block.is_freed) fail("memory is freed twice");
    block.is_freed = true;
    std::memset(address, 0xdd, block.size);
  }
  size_t live_blocks() const {
    size_t live = 0;
    for (auto& [address, block] : blocks_) live += !block.is_freed;
    return live;
  }

 private:
  static constexpr size_t STACK_BYTES = 64 * 1024;
  struct Block { size_t size; bool is_freed; };
  struct Choice {
    std::vector<size_t> able;      // threads that may go on here and do not sleep
    std::vector<size_t> asleep;
    size_t taken = 0;
  };

  static void enter() {
    Machine& machine = get();
    machine.running_->body();
    machine.running_->is_over = true;
    machine.go_home(*machine.running_);
  }

#ifdef METEOR_SLOW_SWITCHES
  void go_home(Thread& thread) { swapcontext(&thread.context, &home_); }
  void go_on(Thread& thread) { swapcontext(&home_, &thread.context); }
#else
  void go_home(Thread& thread) {
    if (_setjmp(thread.jump) == 0) _longjmp(home_jump_, 1);
  }
  void go_on(Thread& thread) {
    if (_setjmp(home_jump_) != 0) return;
    if (thread.has_begun) _longjmp(thread.jump, 1);
    thread.has_begun = true;
    setcontext(&thread.context);
  }
#endif

  void pass(std::function<bool()> condition, const void* at = nullptr, bool writes = true) {
    Thread* own = running_;
    if (own == nullptr) return;
    own->can_go_on = std::move(condition);
    own->at = at;
    own->writes = writes;
    go_home(*own);
    own->can_go_on = {};
  }

  static bool concern_each_other(const Thread& a, const Thread& b) {
    return a.at == nullptr || b.at == nullptr || (a.at == b.at && (a.writes || b.writes));
  }

  void run() {
    for (;;) {
      std::vector<size_t> able;
      bool all_over = true, somebody_sleeps = false;
      for (size_t i = 0; i < threads_.size(); i++) {
        Thread& thread = *threads_[i];
        if (thread.is_over) continue;
        all_over = false;
        if (thread.can_go_on && !thread.can_go_on()) continue;
        if (std::find(asleep_.begin(), asleep_.end(), i) != asleep_.end()) somebody_sleeps = true;
        else able.push_back(i);
      }
      if (all_over) break;
      if (able.empty()) {
        if (somebody_sleeps) is_repetition_ = true;
        else fail("nobody can go on");
        break;
      }
      auto goes_on = std::find_if(able.begin(), able.end(), [&](size_t i) { return threads_[i].get() == running_; });
      bool could_go_on = goes_on != able.end();
      if (could_go_on) std::rotate(able.begin(), goes_on, goes_on + 1);
      if (could_go_on && most_switches_ >= 0 && switches_ == most_switches_) able.resize(1);
      if (at_ == path_.size()) path_.push_back({able, asleep_, 0});
      const Choice& choice = path_[at_++];
      size_t next = choice.able[choice.taken];
      if (could_go_on && choice.taken != 0) ++switches_;
      if (most_switches_ < 0) {
        asleep_ = choice.asleep;
        asleep_.insert(asleep_.end(), choice.able.begin(), choice.able.begin() + ptrdiff_t(choice.taken));
        std::erase_if(asleep_, [&](size_t other) { return concern_each_other(*threads_[other], *threads_[next]); });
      }
      running_ = threads_[next].get();
      go_on(*running_);
      if (!failure_.empty()) break;   // the threads stay where they are
    }
    running_ = nullptr;
  }

  bool next_path() {
    while (!path_.empty() && path_.back().taken + 1 == path_.back().able.size()) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Choice> path_;
  std::map<int, int> signals_;
  std::map<const uint32_t*, std::vector<std::shared_ptr<bool>>> sleepers_;
  std::map<uintptr_t, Block> blocks_;
  std::string failure_;
  ucontext_t home_;
#ifndef METEOR_SLOW_SWITCHES
  jmp_buf home_jump_;
#endif
  Thread* running_ = nullptr;
  size_t at_ = 0;
  uint64_t runs_ = 0, steps_ = 0;
  std::vector<size_t> asleep_;   // threads that an earlier run let go first here, and whom nothing has concerned since
  int switches_ = 0, most_switches_ = -1;
  bool is_repetition_ = false;   // the rest of this run has been seen
};

}  // namespace meteor::model

namespace meteor::atomic {

constexpr int SPINS = 0;

inline model::Machine& machine() { return model::Machine::get(); }

template <typename T> inline T load(const T& from, int) { machine().step(&from, false); return from; }
template <typename T> inline void store(T& to, T value, int) { machine().step(&to); to = value; }
template <typename T> inline T exchange(T& at, T value, int) { machine().step(&at); T before = at; at = value; return before; }
template <typename T> inline T add(T& at, T value, int) { machine().step(&at); T before = at; at = before + value; return before; }
template <typename T> inline T subtract(T& at, T value, int) { machine().step(&at); T before = at; at = before - value; return before; }
template <typename T> inline bool replace(T& at, T& expected, T value, int) {
  machine().step(&at);
  if (at == expected) { at = value; return true; }
  expected = at;
  return false;
}
inline void pause_briefly() {}
inline void fetch_to_write(const void*) {}
inline void let_others_run() { machine().give_way(); }
inline void wait_while(uint32_t& word, uint32_t value) {
  machine().step(&word);
  if (word == value) machine().sleep_on(word);
}
inline bool wait_while(uint32_t& word, uint32_t value, int64_t) {
  wait_while(word, value);
  return true;
}
inline void wake_one(uint32_t& word) {
  machine().step(nullptr);   // the word itself may be gone: the kernel only looks at its address
  machine().wake_one(word);
}
inline void wake_each(uint32_t& word) {
  machine().step(nullptr);
  while (machine().wake_one(word)) {
  }
}
inline bool can_wait_briefly() { return false; }   // it only reads what it would read later
inline int64_t nanoseconds() { return 0; }

}  // namespace meteor::atomic

#endif
