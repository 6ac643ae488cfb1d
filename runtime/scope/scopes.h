// Scopes: their children start, end and fail.
#ifndef METEOR_RUNTIME_SCOPE_SCOPES_H
#define METEOR_RUNTIME_SCOPE_SCOPES_H

#include "runtime/loop/isolate.h"
#include "runtime/scope/contenders.h"
#include "runtime/task/task.h"

namespace meteor::async {

inline void note_cut_off(Scope* scope) {  // a child that does more than clean up has got Cancelled
  if ((scope->region.flags & REGION_CANCELLED) && !(scope->flags & SCOPE_CANCELLED_ITSELF)) scope->flags.cut();
}
void link_child(Scope* scope, Task* task);
inline void link_last(Scope* scope, Task* task) {  // of one that knows its scope
  Task* last = scope->last;
  task->siblings = {last, nullptr};
  (last != nullptr ? last->siblings.after : scope->first) = task;
  scope->last = task;
}
inline void unlink_child(Scope* scope, Task* task) {
  auto [before, after] = task->siblings;
  (before != nullptr ? before->siblings.after : scope->first) = after;
  (after != nullptr ? after->siblings.before : scope->last) = before;
  task->siblings = {};
}
void all_ended(Scope* scope);  // no child is left but services
inline void start_child(Isolate& own, Scope* scope, Task* task) {
  ++scope->running;
  task->flags.queue();
  append_ready(own, task);
}
void child_failed(Scope* scope, Task* task, met_object* error);
void time_out(Scope* scope);
void close_scope(Scope* scope);  // nobody is in it any more

// A child has ended: with an error, or null. The plain one is no service, has not failed, and
// nobody waits for its end in the scope's line; nobody will look at it again.
template <bool PLAIN>
__attribute__((always_inline)) inline void leave_scope(Scope* scope, Task* task, met_object* error) {
  unlink_child(scope, task);
  if (!PLAIN) task->place.set_scope(nullptr);
  --scope->running;
  if (unless_plain<PLAIN>(error != nullptr)) child_failed(scope, task, error);
  bool is_service = unless_plain<PLAIN>(task->flags & TASK_SERVICE);
  --(is_service ? scope->services : scope->open);
  if (unless_plain<PLAIN>(!is_service && (scope->flags & SCOPE_INSIDE) && scope->open == 1)) renew_nests();
  if (unless_plain<PLAIN>(scope->line_first != nullptr && scope->running < scope->limit)) {
    Task* next = scope->line_first;
    scope->line_first = next->next;
    if (next->flags.try_leave_line()) start_child(isolate, scope, next);
  }
  if (scope->open == 0) all_ended(scope);
}
void child_ended(Scope* scope, Task* task, met_object* error);  // the same, of any

}  // namespace meteor::async

#endif
