// How whoever may wake a task keeps it. What wakes a task is often a part of it or held by it, so only its memory is
// kept: it ends with the last reference that others have. One that has ended can be woken, which does nothing.
#ifndef METEOR_RUNTIME_TASK_HOLD_H
#define METEOR_RUNTIME_TASK_HOLD_H

#include "runtime/memory/memory.h"
#include "runtime/os/threads.h"
#include "runtime/task/task.h"

namespace meteor::async {

inline void hold_to_wake(Task* task) {
  if (met_multi_isolate)
    __atomic_add_fetch(&task->header.weak, 1, __ATOMIC_RELAXED);
  else
    ++task->header.weak;
}

inline void let_go_to_wake(Task* task) { met_weak_release(&task->header); }

}  // namespace meteor::async

#endif
