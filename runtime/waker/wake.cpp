// From an event to the ready queue: a task that something has come for is queued, unless it is there already. A timer
// that is due wakes one, or ends a scope.
#include "runtime/task/wake.h"

#include "runtime/loop/isolate.h"
#include "runtime/scope/cancellation.h"
#include "runtime/scope/scopes.h"
#include "runtime/task/hold.h"
#include "runtime/trace/trace.h"

namespace meteor::async {

__attribute__((noinline)) static void trace_wake(const Task* task) { trace(TraceKind::Wake, task); }

void wake(Task* task) {
  while (!(task->flags & TASK_SPAWNED)) {  // part of whoever polls it
    if (outer_of(task) == nullptr) return;
    task = outer_of(task);
  }
  if (!task->flags.try_queue()) return;
  append_ready(isolate, task);
  if (is_tracing) [[unlikely]]
    trace_wake(task);
}

void wake_all(WaitList& list) {
  while (list.first != nullptr) {
    Waiter* waiter = list.first;
    Task* task = waiter->task;
    remove(*waiter);
    switch (mark_of(task)) {
      case MARK_WATCH:
        met_raw_free(waiter, sizeof(Waiter));
        wake(without_mark(task));
        let_go_to_wake(without_mark(task));
        break;
      case MARK_EXPIRY: end_expiry(*waiter); break;
      default: wake(task);
    }
  }
}

void time_is_up(Timer& timer) {
  void* whom = reinterpret_cast<void*>(timer.what & ~TIMER_KINDS);
  switch (timer.what & TIMER_KINDS) {
    case TIMER_WAKES: return wake(static_cast<Task*>(whom));
    case TIMER_ENDS_SCOPE: return time_out(static_cast<Scope*>(whom));
    case TIMER_ENDS_CLEANUP: return expire(static_cast<Scope*>(whom));
    case TIMER_CALLS: return (*static_cast<const TimerCall*>(whom))(&timer);
  }
}

}  // namespace meteor::async
