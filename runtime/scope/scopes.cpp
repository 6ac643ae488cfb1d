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

namespace {

void keep_failed(Scope* scope, Task* task) {
  retain(&task->header);
  task->next_failed = scope->failed != nullptr ? scope->failed->next_failed : task;
  if (scope->failed != nullptr) scope->failed->next_failed = task;
  scope->failed = task;
}

Task* take_first_failed(Scope* scope) {
  Task* last = scope->failed;
  Task* first = last->next_failed;
  last->next_failed = first->next_failed;
  if (first == last) scope->failed = nullptr;
  first->next_failed = nullptr;
  return first;
}

void end_services(Scope* scope) {
  for (Task* child = scope->first; child != nullptr; child = child->siblings.after)
    if (child->flags & TASK_SERVICE) cancel_task(child);
}

// Whether a scope around what it does now is cancelled.
void note_cut(Task* task) {
  if (!(task->flags & TASK_CUT)) return;
  for (Region* region = regions_of(task); region != nullptr; region = region->outer)
    if (region->flags & REGION_CANCELLED) return;
  task->flags.end_cut();
}

}  // namespace

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

void time_out(Scope* scope) {
  bool is_first = scope->error == nullptr && scope->failed == nullptr;
  bool is_cause = !(scope->region.flags & REGION_CANCELLED);
  scope->flags.time_out(is_first, is_cause);
  if (is_cause) ++isolate.overdue;
  cancel_scope(scope);
}

void link_child(Scope* scope, Task* task) {
  task->place.set_scope(scope);
  link_last(scope, task);
}

void child_ended(Scope* scope, Task* task, met_object* error) { leave_scope<false>(scope, task, error); }

void close_scope(Scope* scope) {
  isolate.timers.stop(scope->timer);
  isolate.timers.stop(scope->cleanup_timer);
  if (scope->flags & SCOPE_ENDED_BY_DEADLINE) --isolate.overdue;
  scope->flags.close();
  scope->owner = nullptr;
}

void all_ended(Scope* scope) {
  if (!(scope->flags & SCOPE_CLOSING)) return;
  if (scope->services > 0) end_services(scope);
  wake(scope->owner);
}

namespace {

__attribute__((noinline)) void trace_spawn(const Task* task) {
  trace(TraceKind::Spawn, task, info_of(task->frame.resume));
  trace(TraceKind::SpawnedBy, isolate.running);
}

void inherit_locals(const Isolate& own, Task* task) {
  met_object* locals = own.running != nullptr ? locals_of(own.running) : nullptr;
  if (locals == nullptr) return;
  need_more(task).locals = locals;
  retain(locals);
}

void wait_in_line(Scope* scope, Task* task) {
  task->flags.wait_for_turn();
  task->next = nullptr;
  (scope->line_first != nullptr ? scope->line_last->next : scope->line_first) = task;
  scope->line_last = task;
}

// Most are spawned by a task without locals into a scope that takes any number of children and has not ended.
inline bool is_plain_spawn(const Isolate& own, const Scope* scope, const Task* task, bool service, const met_site* site) {
  return !service && ((scope->flags & (SCOPE_CLOSED | SCOPE_INSIDE)) | (scope->region.flags & REGION_CANCELLED)) == 0 &&
         (scope->limit | own.closing) == 0 && task->place.is_empty() && site != nullptr && !is_tracing &&
         own.running != nullptr && locals_of(own.running) == nullptr;
}

template <bool PLAIN>
__attribute__((always_inline)) inline bool spawn(Isolate& own, Scope* scope, Task* task, bool service, const met_site* site) {
  if (unless_plain<PLAIN>((scope->flags & SCOPE_CLOSED) || own.closing > 0)) return false;
  task->frame.up = to_site(site);
  task->since = own.clock;
  ++task->header.strong;
  if (!PLAIN) inherit_locals(own, task);
  bool is_service = unless_plain<PLAIN>(service);
  bool is_inside = unless_plain<PLAIN>((scope->flags & SCOPE_INSIDE) && !service);
  bool is_cancelled = unless_plain<PLAIN>(scope->region.flags & REGION_CANCELLED);
  task->flags.spawn((is_service ? TASK_SERVICE : 0) | (is_inside ? TASK_INSIDE : 0) | (is_cancelled ? TASK_CANCELLED : 0));
  if (is_inside) wait_for_more(scope);
  PLAIN ? task->place.set_only_scope(scope) : task->place.set_scope(scope);
  link_last(scope, task);
  ++(is_service ? scope->services : scope->open);
  if (is_inside && scope->open == 2) renew_nests();
  bool has_no_room = unless_plain<PLAIN>(scope->limit > 0 && scope->running >= scope->limit && !is_cancelled);
  has_no_room ? wait_in_line(scope, task) : start_child(own, scope, task);
  if (unless_plain<PLAIN>(is_tracing)) trace_spawn(task);
  return true;
}

__attribute__((noinline)) bool spawn_anyhow(Scope* scope, Task* task, bool service, const met_site* site) {
  return spawn<false>(isolate, scope, task, service, site);
}

}  // namespace

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

// Gives false where no task can be started any more.
bool met_task_spawn(Scope* scope, Task* task, bool service, void* place) {
  auto* site = static_cast<const met_site*>(place);
  Isolate& own = isolate;
  if (!is_plain_spawn(own, scope, task, service, site)) [[unlikely]] return spawn_anyhow(scope, task, service, site);
  return spawn<true>(own, scope, task, service, site);
}

void met_scope_open(Scope* scope, bool keeps_going) {
  More& more = need_more(isolate.strand);
  scope->owner = isolate.strand;
  scope->region.flags.become_scope();
  scope->flags.open(keeps_going, is_inside(isolate.strand));
  scope->region.outer = more.regions;
  more.regions = &scope->region;
}

// The innermost scope around the code that runs; null outside all.
void* met_scope_current() {
  if (isolate.strand == nullptr) return nullptr;
  for (Task* strand = isolate.strand;; strand = outer_of(strand)) {
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
  scope->flags.begin_closing();
  if ((scope->flags & SCOPE_INSIDE) && scope->open == 1) renew_nests();
  if (scope->open == 0 && scope->services > 0) {
    if (!(scope->region.flags & REGION_CANCELLED)) choose_outwards(scope->owner);  // what is left does not count
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
  close_scope(scope);
  Region** at = &need_more(isolate.strand).regions;
  while (*at != nullptr && *at != &scope->region) at = &(*at)->outer;
  if (*at != nullptr) *at = scope->region.outer;
  note_cut(isolate.strand);
  isolate.strand->flags.end_win();
}

}  // extern "C"
