// A lock that a task holds. Lives in the lock; std/core/sync.met declares the same fields in the same order.
#ifndef METEOR_RUNTIME_TASK_HELD_H
#define METEOR_RUNTIME_TASK_HELD_H

#include "runtime/abi/abi.h"
#include "runtime/task/line.h"

namespace meteor::async {

struct Held {
  Held* next;
  Held** at;             // who points to it: the isolate's list; null: nobody holds the lock
  const WaitList* line;  // of those who want it
  met_resume resume;     // of the holder, which may be gone
  const met_site* site;  // where that one was spawned; null: it was not
  const void* task;      // its address, by which a report finds its name while it lives
};

}  // namespace meteor::async

#endif
