// Work that runs in another isolate: an entry object of std/core/isolate.met that goes there, runs, and comes back with its
// result. In an isolate of its own (`spawn`), or in one of a pool's (`Pool`, `blocking`).
#ifndef METEOR_RUNTIME_ISOLATE_WORK_H
#define METEOR_RUNTIME_ISOLATE_WORK_H


#include "runtime/loop/isolate.h"
#include "runtime/os/threads.h"
#include "runtime/threads/job_queue.h"

namespace meteor::isolates {

constexpr uint64_t THREAD_STACK_BYTES = 64 * 1024 * 1024;   // of address space; pages come as they are used

// What a `def` that waits is told: NEVER: every isolate waits for another. NOBODY: no other isolate has anything to do with it.
enum : int64_t { LOOK_AGAIN, NEVER, NOBODY };

struct Work {
  async::Message over;          // to the home
  async::Isolate* home;
  met_object* entry;            // counted by the handle, used by the worker until it is over
  met_object* handle;           // counted
  Job job;                      // in the queue of those who may run it
  bool is_isolate;              // which ends with it
  os::Mutex lock;         // of `worker` and `is_cancelled`
  async::Isolate* worker;       // where it runs now
  bool is_cancelled;
};

Work* make_work(met_object* handle, met_object* entry);   // counts in the home as something to wait for
void discard_work(Work& work);                            // nobody will run it
void run_work(Work& work);                                // in a worker's thread
void tell_home(Work& work);                               // that it is over, after which the home frees it
void enter_thread();                                      // a worker's thread begins
void leave_thread();
void enter_isolate();                                     // an isolate begins in this thread, after another one or as its first
void leave_isolate();
void cancel_work(Work& work);
int start_isolate(Work& work);                            // in a thread that has nothing to do, or in a new one; 0 or an errno

}  // namespace meteor::isolates

extern "C" {
// Functions of std/core/isolate.met, in programs that use isolates.
__attribute__((weak)) void met_hook_run_entry(met_object* entry);
__attribute__((weak)) void met_hook_work_over(met_object* handle);
__attribute__((weak)) void met_hook_share_consts(void);
__attribute__((weak)) void met_hook_drop_locals(void);
}

#endif
