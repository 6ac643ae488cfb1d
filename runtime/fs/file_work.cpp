// Work on files without holding up the loop: std/fs.met starts a piece of work, waits for it, and takes its result. What the isolate's ring does not do
// is done in threads, which all isolates share and which start with the first work.
//
// Invariant: a piece of work is freed in the isolate's thread, by whoever comes last: the message that it is done, or the task.
#include "runtime/fs/file_work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/net/stream.h"
#include "runtime/os/descriptors.h"
#include "runtime/text/c_path.h"
#include "runtime/os/threads.h"
#include "runtime/text/view.h"

namespace meteor::net {

using namespace meteor::async;
using namespace meteor::text;

namespace {

constexpr int MOST_THREADS = 16;

os::Mutex lock;
os::Condition has_work;
Work* first;
Work* last;
int threads, idle;

void free_work(Work* work) {
  free(work->path);
  free(work->other);
  free(work->result);
  met_str_release(work->data);
  free(work);
}

// Nobody hears of what was made, so nobody could give it back.
void undo(Work& work) {
  if (work.closes) os::close_descriptor(int(work.number[0]));
  if (work.status < 0) return;
  if (work.kind == OPEN) os::close_descriptor(int(work.status));
  if (work.kind == TEMP) ::remove(reinterpret_cast<const char*>(work.result));
}

void done(Message* message) { work_is_done(*reinterpret_cast<Work*>(message)); }

void* serve(void*) {
  lock.lock();
  for (;;) {
    while (first == nullptr) {
      ++idle;
      has_work.wait(lock);
      --idle;
    }
    Work* work = first;
    first = work->next;
    lock.unlock();
    work->status = run_work(*work);
    post(work->home->inbox, work->message);
    lock.lock();
  }
}

void start_thread() {
  constexpr uint64_t STACK_BYTES = 256 * 1024;
  if (os::start_thread(serve, nullptr, STACK_BYTES, os::Signals::None) == 0) ++threads;
}

// False: there is no thread and none can be made.
bool hand_over(Work* work) {
  lock.lock();
  work->next = nullptr;
  if (idle == 0 && threads < MOST_THREADS) start_thread();
  bool is_taken = threads > 0;
  if (is_taken) {
    (first == nullptr ? first : last->next) = work;
    last = work;
    has_work.signal();
  }
  lock.unlock();
  return is_taken;
}

char* copy_path(const met_str& path) {
  text::CPath c_path(path);
  return c_path.valid ? strdup(c_path.c) : nullptr;
}

}  // namespace

void work_is_done(Work& work) {
  --this_reactor().outside;
  work.is_done = true;
  if (work.is_abandoned) {
    undo(work);
    return free_work(&work);
  }
  for (Waiter* waiter = work.line.first; waiter != nullptr; waiter = waiter->next) wake(waiter->task);
}

}  // namespace meteor::net

using namespace meteor::async;
using namespace meteor::net;

extern "C" {

Work* met_work_start(int64_t kind, met_str path, met_str other, int64_t x, int64_t y, int64_t place, met_str data) {
  Work* work = static_cast<Work*>(calloc(1, sizeof(Work)));
  if (work == nullptr) met_out_of_memory(sizeof(Work));
  work->kind = kind;
  work->path = copy_path(path);
  work->other = copy_path(other);
  work->number[0] = x;
  work->number[1] = y;
  work->number[2] = place;
  work->data = meteor::text::kept(data);
  work->home = &isolate;
  work->message.run = done;
  if (work->path == nullptr || work->other == nullptr) {
    work->status = -EINVAL;
    work->is_done = true;
  } else if (start_by_ring(*work)) {
    ++this_reactor().outside;
  } else if (!hand_over(work)) {
    work->status = run_work(*work);
    work->is_done = true;
  } else {
    ++this_reactor().outside;
  }
  return work;
}

void met_work_wait(Work* work, Waiter* waiter) {
  waiter->task = isolate.strand;
  append(work->line, *waiter);
}

int64_t met_work_status(const Work* work) { return work->is_done ? work->status : int64_t(WAIT); }
int64_t met_work_number(const Work* work, int64_t i) { return work->number[i]; }
met_str met_work_bytes(const Work* work) { return met_bytes_make(work->result, work->result_size); }
int64_t met_work_size(const Work* work) { return work->result_size; }
void met_work_copy(Work* work, uint8_t* to) {
  if (work->result_size > 0) memcpy(to, work->result, size_t(work->result_size));   // an empty buffer has no place
}

static void abandon(Work* work) {
  work->is_abandoned = true;
  if (work->by_ring) this_reactor().ring->cancel(meteor::os::Ring::key_of(work->operation));
}

// What was under way on a file that is closed: the descriptor may not become another file's before that has ended.
void met_work_close(Work* work) {
  while (work->line.first != nullptr) {
    Waiter* waiter = work->line.first;
    remove(*waiter);
    wake(waiter->task);
  }
  if (work->is_done) {
    meteor::os::close_descriptor(int(work->number[0]));
    free_work(work);
  } else {
    work->closes = true;
    abandon(work);
  }
}

void met_work_end(Work* work) { free_work(work); }   // which is done

// Nobody has taken what it gives: as if it had not been done.
void met_work_give_up(Work* work, Waiter* waiter) {
  remove(*waiter);
  if (!work->is_done) return abandon(work);
  undo(*work);
  free_work(work);
}

}  // extern "C"
