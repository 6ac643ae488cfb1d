// Threads that work off a queue: those of a `Pool`, those behind `blocking`, and those in which isolates of their own run. A job that
// has not begun is anybody's. A thread is started when there are more jobs than threads that wait for one, up to the pool's number,
// and goes when it has been idle for long.
#include <errno.h>
#include <stdlib.h>

#include "runtime/executor/deadlock.h"
#include "runtime/isolate/work.h"
#include "runtime/memory/memory.h"

namespace meteor::isolates {

struct Pool {
  JobQueue queue;
  int64_t threads, most;   // under the queue's lock
  int64_t holders;         // its owner and its threads; under the queue's lock
  int64_t open;            // jobs that have not ended; under the queue's lock
  bool has_isolates;       // each job is one, and waits for nobody
  Pool* next;              // of all pools; under the list's lock
};

namespace {

constexpr int64_t IDLE_NS = 10'000'000'000;
constexpr int64_t DISMISSAL_LOOK_NS = 10'000'000;
constexpr int64_t BLOCKING_THREADS = 256;

uint32_t live_threads;      // of all pools; atomic
uint32_t resting_threads;   // those of them that do no job; atomic

Pool* all_pools;
uint32_t all_pools_lock;

Pool* make_pool(int64_t most) {
  Pool* pool = static_cast<Pool*>(calloc(1, sizeof(Pool)));
  if (pool == nullptr) met_out_of_memory(int64_t(sizeof(Pool)));
  pool->most = most;
  pool->holders = 1;
  lock(all_pools_lock);
  pool->next = all_pools;
  all_pools = pool;
  unlock(all_pools_lock);
  return pool;
}

void free_pool(Pool* pool) {
  lock(all_pools_lock);
  Pool** at = &all_pools;
  while (*at != pool) at = &(*at)->next;
  *at = pool->next;
  unlock(all_pools_lock);
  free(pool);
}

// With the lock held; gives it up.
void let_go(Pool* pool) {
  bool is_last = --pool->holders == 0;
  unlock(pool->queue.lock);
  if (is_last) free_pool(pool);
}

Work& work_of(Job* job) { return *reinterpret_cast<Work*>(reinterpret_cast<char*>(job) - offsetof(Work, job)); }

// The census has a job from the moment it is submitted, unless it waits for the end of others: then it gets the place of one that
// ends. So a job behind jobs that wait for ever is not somebody at work.
void begin_job(Pool* pool) {
  lock(pool->queue.lock);
  bool has_place = pool->open++ < pool->most;
  unlock(pool->queue.lock);
  if (has_place) async::isolate_begins();
}

void end_job(Pool* pool) {
  lock(pool->queue.lock);
  bool is_followed = pool->open-- > pool->most;
  unlock(pool->queue.lock);
  if (!is_followed) async::isolate_ends();
}

void* work_off(void* argument) {
  Pool* pool = static_cast<Pool*>(argument);
  bool has_isolates = pool->has_isolates;
  enter_thread();
  if (!has_isolates) enter_isolate();
  while (Job* job = next_job(pool->queue, async::isolate.luck, IDLE_NS)) {
    if (has_isolates) enter_isolate();
    atomic::subtract(resting_threads, 1u, __ATOMIC_RELAXED);
    run_work(work_of(job));
    atomic::add(resting_threads, 1u, __ATOMIC_RELAXED);   // before anybody hears of its end
    tell_home(work_of(job));
    end_job(pool);
    async::look_for_deadlock();   // whoever heard of the end and slept again before this one was gone has found somebody at work
  }
  --pool->threads;
  let_go(pool);
  if (!has_isolates) leave_isolate();
  leave_thread();
  atomic::subtract(resting_threads, 1u, __ATOMIC_RELEASE);
  atomic::wake_each(resting_threads);
  atomic::subtract(live_threads, 1u, __ATOMIC_RELEASE);
  atomic::wake_each(live_threads);
  return nullptr;
}

int start_thread(Pool* pool) {
  lock(pool->queue.lock);
  bool may_start = pool->threads < pool->most;
  if (may_start) {
    ++pool->threads;
    ++pool->holders;
  }
  unlock(pool->queue.lock);
  if (!may_start) return 0;
  atomic::add(live_threads, 1u, __ATOMIC_RELAXED);
  atomic::add(resting_threads, 1u, __ATOMIC_RELAXED);
  int error = os::start_thread(work_off, pool, THREAD_STACK_BYTES, os::Signals::AsHere);
  if (error == 0) return 0;
  atomic::subtract(live_threads, 1u, __ATOMIC_RELAXED);
  atomic::subtract(resting_threads, 1u, __ATOMIC_RELAXED);
  lock(pool->queue.lock);
  bool is_needed = --pool->threads == 0 || pool->has_isolates;
  --pool->holders;   // the owner is another
  unlock(pool->queue.lock);
  return is_needed ? error : 0;
}

// Gives 0, or an errno: then there is no thread to do it.
int submit(Pool* pool, Work& work) {
  begin_job(pool);
  if (!add_job(pool->queue, work.job)) return 0;
  int error = start_thread(pool);
  if (error == 0 || !remove_job(pool->queue, work.job)) return 0;   // somebody has it after all
  end_job(pool);
  return error;
}

Pool* blocking_pool;
os::Once blocking_once;
void make_blocking_pool() { blocking_pool = make_pool(BLOCKING_THREADS); }

Pool* isolate_threads;
os::Once isolates_once;
void make_isolate_threads() {
  isolate_threads = make_pool(INT64_MAX);
  isolate_threads->has_isolates = true;
}

}  // namespace

int start_isolate(Work& work) {
  isolates_once.call(make_isolate_threads);
  return submit(isolate_threads, work);
}

}  // namespace meteor::isolates

using namespace meteor::isolates;

extern "C" {

Pool* met_pool_new(int64_t threads) { return make_pool(threads); }

Pool* met_blocking_pool(void) {
  blocking_once.call(make_blocking_pool);
  return blocking_pool;
}

// Gives 0, or an errno: then there is no thread to do it.
int64_t met_pool_submit(Pool* pool, met_object* handle, met_object* entry, Work** made) {
  Work* work = make_work(handle, entry);
  *made = work;
  int error = submit(pool, *work);
  if (error == 0) return 0;
  discard_work(*work);
  *made = nullptr;
  return error;
}

// The last statement has run: threads without a job go, so that the `local`s of their isolates end while consts still have their values.
// A job that nobody waits for does not hold up the end. One that is given from now on gets a thread of its own.
void met_dismiss_workers(void) {
  lock(all_pools_lock);
  for (Pool* pool = all_pools; pool != nullptr; pool = pool->next) close_queue(pool->queue);
  unlock(all_pools_lock);
  // One that takes a job after all wakes nobody, hence the look from time to time.
  while (uint32_t resting = meteor::atomic::load(resting_threads, __ATOMIC_ACQUIRE))
    meteor::atomic::wait_while(resting_threads, resting, DISMISSAL_LOOK_NS);
}

// The program has ended, and with it every job: the threads go too, so that the leak check sees only what is left behind.
void met_finish_workers(void) {
  if (blocking_pool != nullptr) met_pool_close(blocking_pool);
  if (isolate_threads != nullptr) met_pool_close(isolate_threads);
  while (uint32_t live = meteor::atomic::load(live_threads, __ATOMIC_ACQUIRE)) meteor::atomic::wait_while(live_threads, live);
}

// No more jobs come; what is queued is still done.
void met_pool_close(Pool* pool) {
  close_queue(pool->queue);
  lock(pool->queue.lock);
  let_go(pool);
}

}  // extern "C"
