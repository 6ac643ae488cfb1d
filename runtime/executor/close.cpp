// Ends what nobody holds any more before it has ended by itself: futures, streams and generators. Their clean-up runs,
// in the loop that runs or in one of its own.
#include "runtime/loop/isolate.h"
#include "runtime/scope/strands.h"
#include "runtime/task/count.h"
#include "runtime/task/hooks.h"

using namespace meteor::async;

extern "C" {

static void report(met_object* status) {
  if (status == nullptr) return;
  if (met_hook_is_error(status)) met_hook_report(status);
  release(status);
}

// The clean-up of a stream that is being dropped: nobody awaits it.
void met_run_cleanup(Task* task, Task* stream) {
  if (!isolate.is_running) {
    met_run(task);
    if (More* more = more_of(task); more != nullptr && more->error != nullptr) met_hook_report(more->error);
    return;
  }
  int64_t closing = isolate.closing;  // wherever the program is now, this waits for nobody there
  isolate.closing = 0;
  met_object* status = step_strand(task, nullptr);
  isolate.closing = closing;
  Scope* scope = scope_of(stream);
  if (status == MET_PENDING)
    adopt_strand(task, scope != nullptr && !(scope->flags & SCOPE_CLOSED) ? scope : scope_around(isolate.strand));
  else
    report(status);
}

// Nobody holds a future that was polled and has not ended: it is cancelled.
void met_task_close(met_object* object) {
  Task* task = reinterpret_cast<Task*>(object);
  if (task->leaf == nullptr || (task->flags & TASK_SPAWNED)) return;
  if (!isolate.is_running) {
    task->flags.cancel_strand();
    set_poller(task, nullptr);
    met_run(task);
    return;
  }
  met_object* status = step_cancelled(task);
  if (status == MET_PENDING) {
    met_strand_adopt(task);
    return;
  }
  report(status);
}

// Ends a generator that is suspended at a yield.
void met_frame_close(met_frame* frame) {
  constexpr int MOST_YIELDS = 1000;
  ++isolate.closing;
  for (int i = 0; i < MOST_YIELDS && frame->state != 0 && frame->state < MET_STATE_LAST; ++i) {
    met_object* status = frame->resume(frame, met_hook_cancelled());
    if (status == nullptr || status == MET_PENDING) continue;
    if (met_hook_is_error(status)) met_hook_report(status);
    release(status);
  }
  --isolate.closing;
}

}  // extern "C"
