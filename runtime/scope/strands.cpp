// Futures that are polled by hand: each runs as a strand inside the task that polls it.
#include "runtime/memory/weak.h"
#include "runtime/scope/streams.h"

namespace meteor::async {

namespace {

// A stream often holds what it polls, and ends with its last reference: only its memory is kept.
void hold(Task* poller) {
  if (!(poller->flags & TASK_STREAM)) retain(&poller->header);
  else if (met_multi_isolate) __atomic_add_fetch(&poller->header.weak, 1, __ATOMIC_RELAXED);
  else ++poller->header.weak;
}

void let_go_of_poller(Task* poller) {
  if (poller->flags & TASK_STREAM) met_weak_release(&poller->header);
  else release(&poller->header);
}

}  // namespace

void set_poller(Task* strand, Task* poller) {
  Task* earlier = strand->before;
  if (earlier == poller) return;
  if (poller != nullptr) hold(poller);
  strand->before = poller;
  if (earlier != nullptr) let_go_of_poller(earlier);
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

// One step of a future that is not a task of its own: MET_PENDING, null or an owned error.
static met_object* step(Task* strand, met_object* error) {
  Task* outer = isolate.strand;
  set_poller(strand, outer);
  if (strand->leaf == nullptr) strand->leaf = &strand->frame;
  met_object* status = run_inside(strand, error);
  isolate.strand = outer;
  if (status != MET_PENDING) {
    strand->leaf = nullptr;
    strand->flags &= ~TASK_POLLED;
    if (More* more = more_of(strand)) wake_all(more->waiters);
    set_poller(strand, nullptr);
  }
  return status;
}

// 0: done, its value in the frame; 1: pending; 2: *error is set.
static int64_t outcome(met_object* status, met_object** error) {
  if (status == MET_PENDING) return 1;
  if (status == nullptr) return 0;
  release(*error);
  *error = status;
  return 2;
}

// Of one that somebody wrote: a task knows its own state.
bool met_future_is_over(int64_t address) {
  return (meteor::memory::weak_word(reinterpret_cast<const met_object*>(address)) & MET_FLAG_OVER) != 0;
}
void met_future_end(int64_t address) {
  meteor::memory::set_flags(reinterpret_cast<met_object*>(address), MET_FLAG_OVER);
}

bool met_is_polled(const Task* strand) { return strand->leaf != nullptr; }

int64_t met_strand_poll(Task* strand, met_object** error) { return outcome(step(strand, nullptr), error); }

// Where it waits it gets Cancelled, unless a shield keeps that out.
static met_object* step_cancelled(Task* strand) {
  strand->flags |= TASK_CANCELLED;
  bool stops = wanted_of(strand, regions_of(strand)).cancel == Cancel::Yes;
  return step(strand, stops ? make_cancelled() : nullptr);
}

// 0, 1 or 2 as above; 3: it has ended with the Cancelled that it got.
int64_t met_strand_cancel(Task* strand, met_object** error) {
  met_object* status = step_cancelled(strand);
  if (status == MET_PENDING || status == nullptr || met_hook_is_error(status)) return outcome(status, error);
  let_go_of_cancelled(status);
  return 3;
}

static Scope* scope_around(Task* strand) {
  for (; strand != nullptr; strand = strand->before) {
    for (Region* region = regions_of(strand); region != nullptr; region = region->outer)
      if (region->flags & REGION_SCOPE) return scope_of(region);
    if (strand->flags & TASK_SPAWNED) return scope_of(strand);
  }
  return nullptr;
}

// It gets a turn of its own soon: what has woken it so far went to its poller.
static void adopt(Task* strand, Scope* scope) {
  set_poller(strand, nullptr);
  retain(&strand->header);
  strand->flags |= TASK_SPAWNED;
  if (scope == nullptr) {
    strand->flags |= TASK_ORPHAN;
    ++isolate.orphans;
  } else {
    link_child(scope, strand);
    ++scope->open;
    ++scope->running;
  }
  wake(strand);
}

// Its poller lets go of it while it cleans up: it goes on as a task of the scope that it was polled in.
void met_strand_adopt(Task* strand) {
  strand->flags |= TASK_CANCELLED;
  adopt(strand, scope_around(isolate.strand));
}

static void report(met_object* status) {
  if (status == nullptr) return;
  if (met_hook_is_error(status)) met_hook_report(status);
  release(status);
}

// The clean-up of a stream that is being dropped: nobody awaits it.
void met_run_cleanup(Task* task, Task* stream) {
  if (!isolate.is_running) {
    met_run(task);
    if (More* more = more_of(task); more != nullptr && more->error != nullptr) met_hook_report(more->error);
    return;
  }
  int64_t closing = isolate.closing;  // wherever the program is now, this waits for nobody there
  isolate.closing = 0;
  met_object* status = step(task, nullptr);
  isolate.closing = closing;
  Scope* scope = scope_of(stream);
  if (status == MET_PENDING)
    adopt(task, scope != nullptr && !(scope->flags & SCOPE_CLOSED) ? scope : scope_around(isolate.strand));
  else
    report(status);
}

// Nobody holds a future that was polled and has not ended: it is cancelled.
void met_task_close(met_object* object) {
  Task* task = reinterpret_cast<Task*>(object);
  if (task->leaf == nullptr || (task->flags & TASK_SPAWNED)) return;
  if (!isolate.is_running) {
    task->flags |= TASK_CANCELLED;
    set_poller(task, nullptr);
    met_run(task);
    return;
  }
  met_object* status = step_cancelled(task);
  if (status == MET_PENDING) {
    met_strand_adopt(task);
    return;
  }
  report(status);
}

}  // extern "C"
