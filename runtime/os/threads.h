// Threads, and how they wait for each other where that may take long; short and often is runtime/threads.
#ifndef METEOR_RUNTIME_OS_THREADS_H
#define METEOR_RUNTIME_OS_THREADS_H

#include <pthread.h>
#include <stdint.h>

// More than one isolate runs: shareable objects are counted atomically, and output is locked. Set before the first
// spawn, never unset.
extern "C" {
extern bool met_multi_isolate;
}

namespace meteor::os {

class Mutex {
 public:
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

  // Of one in memory that no constructor has seen.
  void open() { pthread_mutex_init(&mutex_, nullptr); }
  void close() { pthread_mutex_destroy(&mutex_); }

 private:
  friend class Condition;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

class Condition {
 public:
  void wait(Mutex& mutex) { pthread_cond_wait(&condition_, &mutex.mutex_); }  // which is held
  void signal() { pthread_cond_signal(&condition_); }

 private:
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
};

class Once {
 public:
  void call(void (*what)()) { pthread_once(&once_, what); }

 private:
  pthread_once_t once_ = PTHREAD_ONCE_INIT;
};

using Thread = pthread_t;
inline Thread this_thread() { return pthread_self(); }

// Nobody waits for its end. 0 or an errno.
enum class Signals : uint8_t { AsHere, None };
constexpr uint64_t USUAL_STACK = 0;
int start_thread(void* (*run)(void*), void* argument, uint64_t stack_bytes, Signals signals);

void let_others_run();

}  // namespace meteor::os

#endif
