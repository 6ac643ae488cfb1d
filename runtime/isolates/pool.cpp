// Threads that work off a queue: those of a `Pool`, and those behind `blocking`. A job that has not begun is anybody's.
// A thread is started when a job finds none idle, up to the pool's number, and goes when it has been idle for long.
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/isolates/work.h"
#include "runtime/memory/memory.h"

namespace meteor::isolates {

namespace {

constexpr int64_t IDLE_SECONDS = 10;
constexpr int64_t BLOCKING_THREADS = 256;
constexpr uint64_t STACK_BYTES = 64 * 1024 * 1024;

struct Pool {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Work* first;
  Work* last;
  int64_t threads, idle, most;
  int64_t holders;   // its owner and its threads
  bool is_closed;
};

int64_t live_threads;   // of all pools; atomic

Pool* make_pool(int64_t most) {
  Pool* pool = static_cast<Pool*>(calloc(1, sizeof(Pool)));
  if (pool == nullptr) met_out_of_memory(int64_t(sizeof(Pool)));
  pthread_mutex_init(&pool->lock, nullptr);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&pool->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  pool->most = most;
  pool->holders = 1;
  return pool;
}

// With the lock held; gives it up.
void let_go(Pool* pool) {
  bool is_last = --pool->holders == 0;
  pthread_mutex_unlock(&pool->lock);
  if (!is_last) return;
  pthread_cond_destroy(&pool->changed);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

// With the lock held: the next job, or null when the thread may go.
Work* next_job(Pool* pool) {
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += IDLE_SECONDS;
  while (pool->first == nullptr && !pool->is_closed) {
    ++pool->idle;
    int error = pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
    --pool->idle;
    if (error == ETIMEDOUT && pool->first == nullptr) return nullptr;
  }
  Work* job = pool->first;
  if (job != nullptr) pool->first = job->next;
  return job;
}

void* work_off(void* argument) {
  Pool* pool = static_cast<Pool*>(argument);
  enter_isolate();
  pthread_mutex_lock(&pool->lock);
  while (Work* job = next_job(pool)) {
    pthread_mutex_unlock(&pool->lock);
    run_work(*job);
    pthread_mutex_lock(&pool->lock);
  }
  --pool->threads;
  let_go(pool);
  leave_isolate();
  __atomic_fetch_sub(&live_threads, 1, __ATOMIC_RELEASE);
  return nullptr;
}

// With the lock held.
int start_thread(Pool* pool) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, work_off, pool);
  pthread_attr_destroy(&attributes);
  if (error == 0) {
    ++pool->threads;
    ++pool->holders;
    __atomic_fetch_add(&live_threads, 1, __ATOMIC_RELAXED);
  }
  return error;
}

Pool* blocking_pool;
pthread_once_t blocking_once = PTHREAD_ONCE_INIT;
void make_blocking_pool() { blocking_pool = make_pool(BLOCKING_THREADS); }

}  // namespace
}  // namespace meteor::isolates

using namespace meteor::isolates;

extern "C" {

void met_pool_close(void* where);

void* met_pool_new(int64_t threads) { return make_pool(threads); }

void* met_blocking_pool(void) {
  pthread_once(&blocking_once, make_blocking_pool);
  return blocking_pool;
}

// Gives 0, or an errno: then there is no thread to do it.
int64_t met_pool_submit(void* where, met_object* handle, met_object* entry, Work** made) {
  Pool* pool = static_cast<Pool*>(where);
  Work* work = make_work(handle, entry);
  *made = work;
  pthread_mutex_lock(&pool->lock);
  work->next = nullptr;
  if (pool->first == nullptr) pool->first = work;
  else pool->last->next = work;
  pool->last = work;
  if (pool->idle == 0 && pool->threads < pool->most) {
    int error = start_thread(pool);
    if (error != 0 && pool->threads == 0) {
      pool->first = nullptr;   // nobody could have put another one there
      pthread_mutex_unlock(&pool->lock);
      discard_work(*work);
      *made = nullptr;
      return error;
    }
  }
  pthread_cond_signal(&pool->changed);
  pthread_mutex_unlock(&pool->lock);
  return 0;
}

// The program has ended, and with it every job: the threads go too, so that the leak check sees only what is left behind.
void met_finish_workers(void) {
  if (blocking_pool != nullptr) met_pool_close(blocking_pool);
  timespec pause = {0, 1'000'000};
  while (__atomic_load_n(&live_threads, __ATOMIC_ACQUIRE) > 0) nanosleep(&pause, nullptr);
}

// No more jobs come; what is queued is still done.
void met_pool_close(void* where) {
  Pool* pool = static_cast<Pool*>(where);
  pthread_mutex_lock(&pool->lock);
  pool->is_closed = true;
  pthread_cond_broadcast(&pool->changed);
  let_go(pool);
}

}  // extern "C"
