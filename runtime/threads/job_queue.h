// Jobs, and threads that wait for one. Who gives a job calls a thread out of the kernel only when more jobs than threads that are
// awake wait, and each thread that waits takes one before it goes: so jobs for which there is a waiting thread need no other.
//
// Invariant: all but `first`, which a thread that waits briefly looks at, is under the lock; parked ≤ idle, called ≤ parked.
#ifndef METEOR_RUNTIME_THREADS_JOB_QUEUE_H
#define METEOR_RUNTIME_THREADS_JOB_QUEUE_H

#include "runtime/threads/brief_wait.h"
#include "runtime/threads/lock.h"

namespace meteor::isolates {

struct Job {
  Job* next;
};

struct JobQueue {
  uint32_t lock;
  uint32_t calls;      // parked threads sleep on it
  Job* first;
  Job* last;
  int64_t queued;
  int64_t idle;        // threads that wait
  int64_t parked;      // those of them that are in the kernel
  int64_t called;      // those of them that have been called and have not come yet
  bool is_closed;
};

// True: there are more jobs than threads that wait for one.
inline bool add_job(JobQueue& queue, Job& job) {
  lock(queue.lock);
  job.next = nullptr;
  if (queue.queued++ == 0) atomic::store(queue.first, &job, __ATOMIC_RELAXED);
  else queue.last->next = &job;
  queue.last = &job;
  int64_t asleep = queue.parked - queue.called;
  bool calls = asleep > 0 && queue.idle - asleep < queue.queued;
  if (calls) {
    ++queue.called;
    atomic::add(queue.calls, 1u, __ATOMIC_RELAXED);
  }
  bool lacks_thread = queue.idle < queue.queued;
  unlock(queue.lock);
  if (calls) atomic::wake_one(queue.calls);
  return lacks_thread;
}

// With the lock held.
inline Job* take_first(JobQueue& queue) {
  Job* job = atomic::load(queue.first, __ATOMIC_RELAXED);
  if (job == nullptr) return nullptr;
  atomic::store(queue.first, job->next, __ATOMIC_RELAXED);
  --queue.queued;
  return job;
}

// The next job; null: none has come in that time, or the queue is closed and empty. Leaves the lock held with null, so that the one
// who goes can say so before another job is added.
inline Job* next_job(JobQueue& queue, Luck& luck, int64_t ns) {
  lock(queue.lock);
  bool in_time = true;
  for (;;) {
    if (Job* job = take_first(queue)) {
      unlock(queue.lock);
      return job;
    }
    if (queue.is_closed || !in_time) return nullptr;
    bool is_only_one = queue.idle++ == queue.parked - queue.called;   // of those who wait briefly
    if (is_only_one) {
      unlock(queue.lock);
      BriefWait wait(luck);
      while (atomic::load(queue.first, __ATOMIC_RELAXED) == nullptr && wait.goes_on()) {
      }
      lock(queue.lock);
      if (atomic::load(queue.first, __ATOMIC_RELAXED) != nullptr) wait.was_worth_it();
    }
    if (atomic::load(queue.first, __ATOMIC_RELAXED) == nullptr && !queue.is_closed) {
      ++queue.parked;
      uint32_t calls = atomic::load(queue.calls, __ATOMIC_RELAXED);
      unlock(queue.lock);
      in_time = atomic::wait_while(queue.calls, calls, ns);
      lock(queue.lock);
      --queue.parked;
      if (queue.called > 0) --queue.called;
    }
    --queue.idle;
  }
}

// False: a thread has taken it.
inline bool remove_job(JobQueue& queue, Job& job) {
  lock(queue.lock);
  Job* before = nullptr;
  Job* at = atomic::load(queue.first, __ATOMIC_RELAXED);
  for (; at != nullptr && at != &job; at = at->next) before = at;
  if (at != nullptr) {
    if (before == nullptr) atomic::store(queue.first, job.next, __ATOMIC_RELAXED);
    else before->next = job.next;
    if (queue.last == &job) queue.last = before;
    --queue.queued;
  }
  unlock(queue.lock);
  return at != nullptr;
}

// What is queued is still done.
inline void close_queue(JobQueue& queue) {
  lock(queue.lock);
  queue.is_closed = true;
  atomic::add(queue.calls, 1u, __ATOMIC_RELAXED);
  unlock(queue.lock);
  atomic::wake_each(queue.calls);
}

}  // namespace meteor::isolates

#endif
