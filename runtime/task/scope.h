// Scopes and shields: the parts of a task's body that can be cancelled by themselves. A scope owns its tasks;
// std/core/scope.met declares the same fields in the same order.
#ifndef METEOR_RUNTIME_TASK_SCOPE_H
#define METEOR_RUNTIME_TASK_SCOPE_H

#include "runtime/abi/abi.h"
#include "runtime/task/timer.h"

namespace meteor::async {

struct Task;

// A part of a task's body that can be cancelled by itself (a scope), or that keeps cancellation out (a shield).
struct Region {
  Region* outer;
  uint32_t flags;
};
enum : uint32_t { REGION_CANCELLED = 1, REGION_SHIELD = 2, REGION_SCOPE = 4, REGION_FIRM = 8, REGION_EXPIRED = 16 };
// FIRM: not even an expired clean-up gets through. EXPIRED: the clean-up of this scope's body took too long.

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
  uint32_t flags;
  uint32_t cut_short;  // how often something in it got Cancelled since its deadline ended it
  Task* failed;        // where it keeps going: the last child that failed, counted; by `next_failed` to the first and on
};
enum : uint32_t {
  SCOPE_CLOSED = 1,
  SCOPE_TIMED_OUT = 2,
  SCOPE_CLOSING = 4,
  SCOPE_TIMED_OUT_FIRST = 8,
  SCOPE_CLEANUP_BOUND = 16,
  SCOPE_ENDED_BY_DEADLINE = 32,  // nothing else had cancelled it before
  SCOPE_KEEPS_GOING = 64,        // a child that fails does not cancel the others
  SCOPE_CUT = 128,               // when it was cancelled from outside, a child that was no service had not ended
  SCOPE_INSIDE = 256,            // its owner takes part in a race, or is in a case of a select
  SCOPE_CANCELLED_ITSELF = 512,  // by its body, a child or its deadline, before anything outside wanted it to stop
};

inline Scope* scope_of(Region* region) {
  return reinterpret_cast<Scope*>(reinterpret_cast<char*>(region) - offsetof(Scope, region));
}

}  // namespace meteor::async

#endif
