// Scopes: their children start, end and fail.
#ifndef METEOR_RUNTIME_SCOPE_SCOPES_H
#define METEOR_RUNTIME_SCOPE_SCOPES_H

#include "runtime/task/task.h"

namespace meteor::async {

inline void note_cut_off(Scope* scope) {
  if (scope->region.flags & REGION_CANCELLED) scope->flags |= SCOPE_CUT;
}
void link_child(Scope* scope, Task* task);
inline void unlink_child(Scope* scope, Task* task) {
  auto [before, after] = task->siblings;
  (before != nullptr ? before->siblings.after : scope->first) = after;
  (after != nullptr ? after->siblings.before : scope->last) = before;
  task->siblings = {};
}
void all_ended(Scope* scope);  // no child is left but services
void start_child(Scope* scope, Task* task);
void time_out(Scope* scope);
void child_ended(Scope* scope, Task* task, met_object* error);  // null: it did not fail

}  // namespace meteor::async

#endif
