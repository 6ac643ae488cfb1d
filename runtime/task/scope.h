// Scopes and shields: the parts of a task's body that can be cancelled by themselves. A scope owns its tasks;
// std/core/scope.met declares the same fields in the same order.
#ifndef METEOR_RUNTIME_TASK_SCOPE_H
#define METEOR_RUNTIME_TASK_SCOPE_H

#include "runtime/abi/abi.h"
#include "runtime/task/scope_flags.h"
#include "runtime/task/timer.h"

namespace meteor::async {

struct Task;

// A part of a task's body that can be cancelled by itself (a scope), or that keeps cancellation out (a shield).
struct Region {
  Region* outer;
  RegionFlags flags;
};

struct Scope {
  met_object header;
  Region region;
  Task* owner;
  Task* first;  // children, oldest first
  Task* last;
  Task* line_first;  // those that wait for their turn
  Task* line_last;
  met_object* error;  // the first of a child, counted
  int64_t open;       // children that have not ended, services not counted
  int64_t services;
  int64_t running;  // children that have had their turn and have not ended
  int64_t limit;    // 0: none
  int64_t cleanup_ns;
  Timer timer;
  Timer cleanup_timer;
  ScopeFlags flags;
  uint32_t cut_short;  // how often something in it got Cancelled since its deadline ended it
  Task* failed;  // where it keeps going: the last child that failed, counted; by `next_failed` to the first and on
};

inline Scope* scope_of(Region* region) {
  return reinterpret_cast<Scope*>(reinterpret_cast<char*>(region) - offsetof(Scope, region));
}

}  // namespace meteor::async

#endif
