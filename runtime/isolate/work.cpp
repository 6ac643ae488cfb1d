// The life of a piece of work: made at home, run by a worker, told about at home.
#include "runtime/isolate/work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/executor/interrupts.h"
#include "runtime/executor/sleeping.h"
#include "runtime/executor/watch.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/os/process.h"
#include "runtime/os/signals.h"
#include "runtime/os/stack.h"
#include "runtime/scope/cancellation.h"
#include "runtime/trace/trace.h"
#include "runtime/waker/wakers.h"

// Read by emitted code before it touches a module variable: 0 in the isolate that ran the modules, 1 in all others.
extern "C" __thread uint8_t met_is_elsewhere __attribute__((tls_model("initial-exec"))) = 0;

namespace meteor::isolates {

namespace {

void count(met_object* object, int32_t by) {
  object->strong += uint32_t(by);
  if (object->strong == 0) met_object_drop(object);
}

// Back home.
void finish_work(async::Message* message) {
  Work* work = reinterpret_cast<Work*>(message);
  --async::isolate.others;
  --async::isolate.children;
  met_object* handle = work->handle;
  work->lock.close();
  free(work);
  met_hook_work_over(handle);
  count(handle, -1);
}

void cancel_here(async::Message* message) {
  free(message);
  async::isolate.life.is_cancelled = true;
  if (async::isolate.root != nullptr) async::cancel_task(async::isolate.root);
}

}  // namespace

Work* make_work(met_object* handle, met_object* entry) {
  Work* work = static_cast<Work*>(calloc(1, sizeof(Work)));
  if (work == nullptr) met_out_of_memory(int64_t(sizeof(Work)));
  work->over.run = finish_work;
  work->home = &async::isolate;
  work->entry = entry;
  work->handle = handle;
  work->lock.open();
  count(handle, 1);
  async::open_loop();
  ++async::isolate.others;
  ++async::isolate.children;
  return work;
}

void discard_work(Work& work) {
  --async::isolate.others;
  --async::isolate.children;
  count(work.handle, -1);
  work.lock.close();
  free(&work);
}

void enter_thread() {
  os::hear_faults_alone();   // the main isolate's thread hears the rest
  os::guard_thread_stack(THREAD_STACK_BYTES);
  async::isolate.is_worker = true;
  met_is_elsewhere = 1;
}

void leave_thread() {
  async::close_parts();
  os::unguard_thread_stack();
}

void enter_isolate() { async::open_loop(); }

void leave_isolate() {
  async::Isolate& own = async::isolate;
  while (async::this_reactor().outside > 0) {   // work on files, cancelled or not, tells its end here
    async::sleep_for_others(async::FOR_EVER);
    async::run_messages(own.inbox);
  }
  met_hook_drop_locals();
  async::leave_wakers();
  async::unwatch_this_thread();
  async::run_messages(own.inbox);   // nobody posts any more
  async::empty_parts();
  memory::leave_heap();
}

void run_work(Work& work) {
  async::isolate.life.is_cancelled = false;
  work.lock.lock();
  work.worker = &async::isolate;
  async::isolate.life.is_cancelled = work.is_cancelled;
  work.lock.unlock();
  async::trace(async::TraceKind::Work);
  met_hook_run_entry(work.entry);
  async::trace(async::TraceKind::WorkEnd);
  work.lock.lock();
  work.worker = nullptr;
  work.lock.unlock();
  async::run_messages(async::isolate.inbox);   // a cancellation that came too late
  if (work.is_isolate) leave_isolate();
}

void tell_home(Work& work) {
  async::Isolate* home = work.home;
  async::post(home->inbox, work.over);
}

void cancel_work(Work& work) {
  work.lock.lock();
  work.is_cancelled = true;
  if (work.worker != nullptr) {
    async::Message* message = static_cast<async::Message*>(calloc(1, sizeof(async::Message)));
    if (message == nullptr) met_out_of_memory(int64_t(sizeof(async::Message)));
    message->run = cancel_here;
    async::post(work.worker->inbox, *message);
  }
  work.lock.unlock();
}

}  // namespace meteor::isolates

using namespace meteor::isolates;

extern "C" {

// A new isolate in a thread of its own. Gives 0, or an errno: then nothing was started.
int64_t met_isolate_start(met_object* handle, met_object* entry, Work** made) {
  Work* work = make_work(handle, entry);
  work->is_isolate = true;
  *made = work;   // before it can be over
  int error = start_isolate(*work);
  if (error == 0) return 0;
  discard_work(*work);
  *made = nullptr;
  return error;
}

void met_isolate_cancel(Work* work) { cancel_work(*work); }

bool met_isolate_is_cancelled(void) { return meteor::async::isolate.life.is_cancelled; }

int64_t met_isolate_number(void) {
  meteor::async::open_loop();   // which gives it one
  return meteor::async::isolate.life.number;
}

// It was asked to stop and has not done so in the time that its scope has for clean-up.
void met_isolate_runs_on(const void* place) {
  auto* site = static_cast<const met_site*>(place);
  meteor::os::runs_on = true;
  if (site == nullptr) return;
  fprintf(stderr, "warning: the isolate that was started at %s:%u does not stop: it runs on after its scope has ended\n", site->file, site->line);
}

// The same of a call that a thread of `blocking` does.
void met_blocking_runs_on(void* place) {
  auto* site = static_cast<const met_site*>(place);
  meteor::os::runs_on = true;
  if (site == nullptr) return;
  fprintf(stderr, "warning: the call of `blocking` at %s:%u does not stop: it runs on after its scope has ended\n", site->file, site->line);
}

bool met_main_is_interrupted(void) { return meteor::async::is_interrupted(); }

// Sleeps until another isolate has something to say. For code that no event loop runs. False: nobody ever will.
bool met_isolate_wait(void) {
  if (meteor::async::run_messages(meteor::async::isolate.inbox)) return true;
  bool going_on = meteor::async::sleep_for_others(meteor::async::FOR_EVER);
  meteor::async::run_messages(meteor::async::isolate.inbox);
  return going_on;
}

// The same, but the program's first isolate waits only so long for those it has told to stop. All others wait: their memory is used
// by whoever has something to say to them. False: the time is over.
bool met_isolate_wait_until(int64_t deadline_ns) {
  using namespace meteor::async;
  int64_t left = isolate.is_worker ? FOR_EVER : deadline_ns - now_ns();
  if (left <= 0) return false;
  if (!run_messages(isolate.inbox)) sleep_for_others(left);
  run_messages(isolate.inbox);
  return true;
}

// A `def` waits for that future from here on; null: no more. What waited before goes on waiting after it.
void met_block_at(void** site, void** task) {
  meteor::async::Isolate& own = meteor::async::isolate;
  const met_site* outer_site = own.blocked.at;
  const meteor::async::Task* outer_task = own.blocked.in;
  own.blocked.at = static_cast<const met_site*>(*site);
  own.blocked.in = static_cast<const meteor::async::Task*>(*task);
  *site = const_cast<met_site*>(outer_site);
  *task = const_cast<meteor::async::Task*>(outer_task);
}

void* met_task_address(meteor::async::Task* task) { return task; }

void met_block_begin(void) { ++meteor::async::isolate.blocked.calls; }
void met_block_end(void) { --meteor::async::isolate.blocked.calls; }

// The same for code that an event loop runs, which meanwhile runs nothing else.
int64_t met_block_wait(void) {
  if (meteor::async::this_reactor().outside == 0 && meteor::async::isolate.others == 0) return meteor::isolates::NOBODY;
  return met_isolate_wait() ? meteor::isolates::LOOK_AGAIN : meteor::isolates::NEVER;
}

}  // extern "C"
