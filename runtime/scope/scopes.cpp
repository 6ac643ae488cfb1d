#include "runtime/scope/scopes.h"

#include "runtime/loop/isolate.h"
#include "runtime/scope/cancellation.h"
#include "runtime/scope/contenders.h"
#include "runtime/scope/streams.h"
#include "runtime/task/count.h"
#include "runtime/task/frame.h"
#include "runtime/task/hooks.h"
#include "runtime/trace/trace.h"

namespace meteor::async {

void set_scope(Task* task, Scope* scope) {
  if (More* more = more_of(task)) more->scope = scope;
  else task->place = reinterpret_cast<uintptr_t>(scope);
}

namespace {

void keep_failed(Scope* scope, Task* task) {
  retain(&task->header);
  task->after = scope->failed != nullptr ? scope->failed->after : task;
  if (scope->failed != nullptr) scope->failed->after = task;
  scope->failed = task;
}

Task* take_first_failed(Scope* scope) {
  Task* last = scope->failed;
  Task* first = last->after;
  last->after = first->after;
  if (first == last) scope->failed = nullptr;
  first->after = nullptr;
  return first;
}

void child_failed(Scope* scope, Task* task, met_object* error) {
  if (scope->flags & SCOPE_KEEPS_GOING) return keep_failed(scope, task);
  if (scope->error == nullptr) {
    retain(error);
    scope->error = error;
  } else if (scope->error != error) {
    met_hook_suppress(scope->error, error);
  }
  cancel_scope(scope);
}

void end_services(Scope* scope) {
  for (Task* child = scope->first; child != nullptr; child = child->after)
    if (child->flags & TASK_SERVICE) cancel_task(child);
}

// Whether a scope around what it does now is cancelled.
void note_cut(Task* task) {
  if (!(task->flags & TASK_CUT)) return;
  for (Region* region = regions_of(task); region != nullptr; region = region->outer)
    if (region->flags & REGION_CANCELLED) return;
  task->flags &= ~TASK_CUT;
}

}  // namespace

void time_out(Scope* scope) {
  bool is_first = scope->error == nullptr && scope->failed == nullptr;
  scope->flags |= SCOPE_TIMED_OUT | (is_first ? SCOPE_TIMED_OUT_FIRST : 0);
  if (!(scope->region.flags & REGION_CANCELLED)) {
    scope->flags |= SCOPE_ENDED_BY_DEADLINE;
    ++isolate.overdue;
  }
  cancel_scope(scope);
}

void link_child(Scope* scope, Task* task) {
  set_scope(task, scope);
  task->before = scope->last;
  task->after = nullptr;
  (scope->last != nullptr ? scope->last->after : scope->first) = task;
  scope->last = task;
}

void start_child(Scope* scope, Task* task) {
  ++scope->running;
  push_ready(task);
}

void child_ended(Scope* scope, Task* task, met_object* error) {
  unlink_child(scope, task);
  set_scope(task, nullptr);
  --scope->running;
  if (error != nullptr) child_failed(scope, task, error);
  if (task->flags & TASK_SERVICE) {
    --scope->services;
  } else {
    --scope->open;
    if (task->flags & TASK_ENDED_CANCELLED) note_cut_off(scope);
    if ((scope->flags & SCOPE_INSIDE) && scope->open == 1) renew_nests();
  }
  if (scope->line_first != nullptr && scope->running < scope->limit) {
    Task* next = scope->line_first;
    scope->line_first = next->next;
    next->flags &= ~TASK_WAITS_TURN;
    start_child(scope, next);
  }
  if (scope->open == 0) all_ended(scope);
}

void all_ended(Scope* scope) {
  if (!(scope->flags & SCOPE_CLOSING)) return;
  if (scope->services > 0) end_services(scope);
  wake(scope->owner);
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

__attribute__((noinline)) static void trace_spawn(const Task* task) {
  trace(TraceKind::Spawn, task, info_of(task->frame.resume));
  trace(TraceKind::SpawnedBy, isolate.running);
}

__attribute__((noinline)) static bool spawn_slowly(Scope* scope, Task* task, bool service, const met_site* site) {
  Isolate& own = isolate;
  if ((scope->flags & SCOPE_CLOSED) || own.closing > 0) [[unlikely]] return false;
  task->frame.up = to_site(site);
  task->since = own.clock;
  ++task->header.strong;
  if (met_object* locals = own.running != nullptr ? locals_of(own.running) : nullptr) {
    need_more(task).locals = locals;
    retain(locals);
  }
  task->flags |= service ? TASK_SPAWNED | TASK_SERVICE : TASK_SPAWNED;
  if ((scope->flags & SCOPE_INSIDE) && !service) {
    task->flags |= TASK_INSIDE;
    wait_for_more(scope);
  }
  link_child(scope, task);
  ++(service ? scope->services : scope->open);
  if ((scope->flags & SCOPE_INSIDE) && scope->open == 2) renew_nests();
  if (scope->region.flags & REGION_CANCELLED) task->flags |= TASK_CANCELLED;
  if (scope->limit > 0 && scope->running >= scope->limit && !(task->flags & TASK_CANCELLED)) {
    task->flags |= TASK_WAITS_TURN;
    task->next = nullptr;
    (scope->line_first != nullptr ? scope->line_last->next : scope->line_first) = task;
    scope->line_last = task;
  } else {
    start_child(scope, task);
  }
  if (is_tracing) [[unlikely]] trace_spawn(task);
  return true;
}

// Gives false where no task can be started any more.
bool met_task_spawn(Scope* scope, Task* task, bool service, void* place) {
  auto* site = static_cast<const met_site*>(place);
  Isolate& own = isolate;
  bool is_simple = !service && ((scope->flags & (SCOPE_CLOSED | SCOPE_INSIDE)) | (scope->region.flags & REGION_CANCELLED)) == 0 && (scope->limit | own.closing) == 0 && task->place == 0 &&
                   site != nullptr && !is_tracing && own.running != nullptr && locals_of(own.running) == nullptr;
  if (!is_simple) [[unlikely]] return spawn_slowly(scope, task, service, site);
  task->frame.up = to_site(site);
  task->since = own.clock;
  task->place = reinterpret_cast<uintptr_t>(scope);
  task->flags |= TASK_SPAWNED | TASK_QUEUED;
  ++task->header.strong;
  Task* last = scope->last;
  task->before = last;
  (last != nullptr ? last->after : scope->first) = task;
  scope->last = task;
  ++scope->open;
  ++scope->running;
  append_ready(own, task);
  return true;
}

void met_scope_open(Scope* scope) {
  More& more = need_more(isolate.strand);
  scope->owner = isolate.strand;
  scope->region.flags |= REGION_SCOPE;
  if (is_inside(isolate.strand)) scope->flags |= SCOPE_INSIDE;
  scope->region.outer = more.regions;
  more.regions = &scope->region;
}

// The innermost scope around the code that runs; null outside all.
void* met_scope_current() {
  if (isolate.strand == nullptr) return nullptr;
  for (Task* strand = isolate.strand;; strand = strand->before) {
    for (Region* region = regions_of(strand); region != nullptr; region = region->outer)
      if (region->flags & REGION_SCOPE) return scope_of(region);
    if (!is_asked(strand)) return isolate.running != nullptr ? scope_of(isolate.running) : nullptr;
  }
}

bool met_scope_is(const Scope* scope, const void* other) { return scope == other; }

void met_scope_deadline(Scope* scope, int64_t ns) {
  set_timer(scope->timer, scope, TIMER_ENDS_SCOPE);
  int64_t now = now_ns();
  isolate.timers.start(scope->timer, later(now, ns));
}

// The body has ended. True while children are left to wait for.
bool met_scope_closing(Scope* scope) {
  scope->flags |= SCOPE_CLOSING;
  if ((scope->flags & SCOPE_INSIDE) && scope->open == 1) renew_nests();
  if (scope->open == 0 && scope->services > 0) {
    bool is_decided = (scope->flags & SCOPE_INSIDE) && !(scope->region.flags & REGION_CANCELLED);
    if (is_decided) choose_outwards(scope->owner);
    end_services(scope);
  }
  return scope->open > 0 || scope->services > 0;
}

void met_scope_cancel(Scope* scope) { cancel_scope(scope); }

// What it waits for outside its tasks has ended.
void met_scope_wake(void* address) {
  auto* scope = static_cast<const Scope*>(address);
  if (scope->owner != nullptr) wake(scope->owner);
}

// Its clean-up has begun.
void met_scope_bound_cleanup(Scope* scope) { bound_cleanup(scope); }

// Something outside this scope wants its task to stop.
bool met_scope_cancelled_outside(Scope* scope) {
  return isolate.closing > 0 || wanted_of(isolate.strand, scope->region.outer).cancel == Cancel::Yes;
}

// The first error of a child that nobody has looked at, owned; null: there is none left.
met_object* met_scope_take_unseen(Scope* scope) {
  while (scope->failed != nullptr) {
    Task* task = take_first_failed(scope);
    met_object* error = task->flags & TASK_SEEN ? nullptr : more_of(task)->error;
    retain(error);
    release(&task->header);
    if (error != nullptr) return error;
  }
  return nullptr;
}

void met_scope_leave(Scope* scope) {
  isolate.timers.stop(scope->timer);
  isolate.timers.stop(scope->cleanup_timer);
  if (scope->flags & SCOPE_ENDED_BY_DEADLINE) --isolate.overdue;
  Region** at = &need_more(isolate.strand).regions;
  while (*at != nullptr && *at != &scope->region) at = &(*at)->outer;
  if (*at != nullptr) *at = scope->region.outer;
  note_cut(isolate.strand);
  if (scope->flags & SCOPE_INSIDE) isolate.strand->flags &= ~TASK_WON;
  scope->flags |= SCOPE_CLOSED;
  scope->owner = nullptr;
}

}  // extern "C"
