// Scopes: their children start, end and fail.
#ifndef METEOR_RUNTIME_SCOPE_SCOPES_H
#define METEOR_RUNTIME_SCOPE_SCOPES_H

#include "runtime/task/task.h"

namespace meteor::async {

void set_scope(Task* task, Scope* scope);
inline void note_cut_off(Scope* scope) {
  if (scope->region.flags & REGION_CANCELLED) scope->flags |= SCOPE_CUT;
}
void link_child(Scope* scope, Task* task);
inline void unlink_child(Scope* scope, Task* task) {
  (task->before != nullptr ? task->before->after : scope->first) = task->after;
  (task->after != nullptr ? task->after->before : scope->last) = task->before;
  task->before = task->after = nullptr;
}
void all_ended(Scope* scope);  // no child is left but services
void start_child(Scope* scope, Task* task);
void time_out(Scope* scope);
void child_ended(Scope* scope, Task* task, met_object* error);  // null: it did not fail

}  // namespace meteor::async

#endif
