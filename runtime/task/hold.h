// How whoever may wake a task keeps it. A stream ends with its last reference, and what wakes it is often a part of it or
// held by it: only its memory is kept. One that has ended can be woken, which does nothing.
#ifndef METEOR_RUNTIME_TASK_HOLD_H
#define METEOR_RUNTIME_TASK_HOLD_H

#include "runtime/memory/memory.h"
#include "runtime/os/threads.h"
#include "runtime/task/count.h"
#include "runtime/task/task.h"

namespace meteor::async {

inline void hold_to_wake(Task* task) {
  if (!(task->flags & TASK_STREAM))
    retain(&task->header);
  else if (met_multi_isolate)
    __atomic_add_fetch(&task->header.weak, 1, __ATOMIC_RELAXED);
  else
    ++task->header.weak;
}

inline void let_go_to_wake(Task* task) {
  if (task->flags & TASK_STREAM)
    met_weak_release(&task->header);
  else
    release(&task->header);
}

}  // namespace meteor::async

#endif
