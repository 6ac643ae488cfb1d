// The loop of one isolate: take the next ready task, run its innermost frame, end it or leave it where it waits.
#include "runtime/async/executor.h"

#include "runtime/async/simulate.h"
#include "runtime/async/slice.h"
#include "runtime/async/snapshot.h"
#include "runtime/async/trace.h"
#include "runtime/os/simulated/simulation.h"

namespace meteor::async {

__thread Isolate isolate __attribute__((tls_model("initial-exec")));

namespace {

constexpr uint32_t TURNS_BETWEEN_LOOKS = 61;   // at most; a tick of the watch comes between

__attribute__((noinline)) void finish(Task* task, met_object* error) {
  task->flags |= TASK_DONE;
  task->leaf = nullptr;
  task->header.weak |= MET_FLAG_NO_DEL;   // which ends a frame that is suspended
  bool failed = error != nullptr && met_hook_is_error(error);
  if (error != nullptr && !failed) {
    task->flags |= TASK_ENDED_CANCELLED;
    release(error);
    error = nullptr;
  }
  if (failed && task->spawned_at != nullptr) met_error_trace(error, reinterpret_cast<const met_site*>(reinterpret_cast<uintptr_t>(task->spawned_at) | 1));
  task->error = error;
  if (task->waiters.first != nullptr) wake_all(task->waiters);
  Scope* scope = task->scope;
  if (scope != nullptr) child_ended(scope, task, failed ? error : nullptr);
  uint32_t flags = task->flags;
  if (flags & TASK_ORPHAN) {
    --isolate.orphans;
    if (failed) met_hook_report(error);
  }
  if (flags & TASK_QUEUED) return;   // the queue's turn of it lets it go
  release(&task->header);
}

__attribute__((always_inline)) inline void run(Isolate& own, Task* task) {
  uint32_t flags = task->flags & ~TASK_QUEUED;
  task->flags = flags;
  if (flags & TASK_DONE) [[unlikely]] {
    release(&task->header);
    return;
  }
  own.running = own.strand = task;
  if (is_tracing) [[unlikely]] trace(TraceKind::Run, task, info_of(task->frame.resume));
  __atomic_store_n(&met_slice_over, own.slice_at_start, __ATOMIC_RELAXED);   // the watch sets it
  met_object* error = nullptr;
  met_frame* leaf = task->leaf;
  if (leaf == nullptr) {
    leaf = task->leaf = &task->frame;
    if (flags & TASK_CANCELLED) [[unlikely]] error = met_hook_cancelled();   // before it started: it never runs
  } else if (flags & TASK_INTERRUPTED) [[unlikely]] {
    error = interruption(task);
  }
  met_object* status = run_frames(leaf, error);
  own.running = own.strand = nullptr;
  if (is_tracing) [[unlikely]] status == MET_PENDING ? trace_suspension(task) : trace(TraceKind::End, task);
  if (status != MET_PENDING) finish(task, status);
}

// The loop looks outside after every tick of the watch, so what took several ticks was one turn.
void note_long_turn(uint32_t began, met_resume of) {
  uint32_t took_ms = (isolate.clock - began) / SINCE_UNITS_PER_MS;
  if (took_ms <= isolate.longest_turn_ms) return;
  isolate.longest_turn_ms = took_ms;
  isolate.longest_turn_of = of;
}

// After a sleep, or after a turn of the task with this frame.
void look_outside(met_resume turn_of) {
  bool has_polled = turn_of == nullptr;
  uint32_t tick = ticks();
  int64_t now = 0;
  if (tick != isolate.tick || has_polled) {
    uint32_t began = isolate.clock, ticks_since = tick - isolate.tick;
    isolate.tick = tick;
    now = now_ns();
    isolate.clock = uint32_t(now / (1'000'000 / SINCE_UNITS_PER_MS)) & ~SINCE_WAKES_ITSELF;
    if (!has_polled && ticks_since > 3) note_long_turn(began, turn_of);
  }
  if (DumpTo to = take_dump_request(); to != DumpTo::Nobody) [[unlikely]] write_dump(to, ask_others_to_dump(to));
  if (is_interrupted() && isolate.root != nullptr && !(isolate.root->flags & TASK_CANCELLED)) cancel_task(isolate.root);
  if (!has_polled && isolate.reactor.waiting > 0) poll_kernel(isolate.reactor, 0);
  if (!isolate.timers.empty()) isolate.timers.advance(now != 0 ? now : now_ns());
  if (os::simulation.is_on) simulate_turn();
}

}  // namespace

__attribute__((noinline)) static void trace_wake(const Task* task) { trace(TraceKind::Wake, task, nullptr, isolate.running); }

void wake(Task* task) {
  while (!(task->flags & TASK_SPAWNED)) {   // part of whoever polls it
    if (task->before == nullptr) return;
    task = task->before;
  }
  if (task->flags & (TASK_QUEUED | TASK_DONE | TASK_WAITS_TURN)) return;
  push_ready(task);
  if (is_tracing) [[unlikely]] trace_wake(task);
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

// The slice of the running task is over: it goes to the end of the queue.
met_object* met_give_up_turn(met_frame* frame) {
  __atomic_store_n(&met_slice_over, uint8_t(0), __ATOMIC_RELAXED);
  if (isolate.running == nullptr || isolate.strand == nullptr || isolate.closing > 0) return nullptr;
  if (isolate.slice_at_start && isolate.strand != isolate.running) return nullptr;   // its poller would poll it for ever
  uint32_t since = isolate.strand->since;
  met_object* status = met_park(frame);
  if (status != MET_PENDING) return status;
  isolate.strand->since = since & SINCE_WAKES_ITSELF ? since : isolate.clock | SINCE_WAKES_ITSELF;
  wake(isolate.running);
  return status;
}

// Ends a generator or a stream that is suspended at a yield. Nobody can wait for it: an await in its clean-up raises.
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

// ---- What std/core calls ----

enum { RUN_DONE = 0, RUN_NESTED = 1, RUN_DEADLOCK = 2 };

// Runs the loop until `root` has ended.
int64_t met_run(Task* root) {
  if (isolate.is_running) return RUN_NESTED;
  open_loop();
  __atomic_store_n(&isolate.is_running, true, __ATOMIC_RELAXED);   // others ask
  watch_this_thread();
  set_busy(true);
  look_outside(nullptr);
  isolate.root = root;
  if (isolate.is_cancelled) cancel_task(root);
  int64_t closing = isolate.closing;
  isolate.closing = 0;
  if (!(root->flags & TASK_SPAWNED)) {   // the first time; finish lets go of one
    retain(&root->header);
    root->flags |= TASK_SPAWNED;
    root->locals = isolate.locals;
    retain(root->locals);
  }
  wake(root);
  if (meteor::os::simulation.is_on) begin_simulation();
  int64_t result = RUN_DONE;
  Isolate& own = isolate;
  while (!(root->flags & TASK_DONE) || own.orphans > 0) {
    if (has_messages(own.inbox)) run_messages(own.inbox);
    Task* task = own.ready_first;
    if (task == nullptr) {
      if (!wait_for_something()) {
        result = RUN_DEADLOCK;
        break;
      }
      look_outside(nullptr);
      continue;
    }
    own.ready_first = task->next;
    met_resume resume = task->frame.resume;   // of one that may be gone after its turn
    run(own, task);
    uint64_t turns = own.turns + 1;
    __atomic_store_n(&own.turns, turns, __ATOMIC_RELAXED);   // which the watch reads
    if (turns % TURNS_BETWEEN_LOOKS == 0 || own.tick != ticks()) look_outside(resume);
  }
  while (result == RUN_DONE && isolate.ready_first != nullptr) {   // woken in their last turn
    Task* task = isolate.ready_first;
    isolate.ready_first = task->next;
    run(own, task);
  }
  if (meteor::os::simulation.is_on) end_simulation();
  set_busy(false);
  __atomic_store_n(&isolate.is_running, false, __ATOMIC_RELAXED);
  isolate.root = nullptr;
  isolate.closing = closing;
  return result;
}

bool met_loop_runs(void) { return isolate.is_running; }

// The bindings of TaskLocal values: the running task's, or those outside any task.
static met_object** locals_slot() { return isolate.running != nullptr ? &isolate.running->locals : &isolate.locals; }
void met_locals_read(met_object** into) {
  met_object* old = *into;
  *into = *locals_slot();
  retain(*into);
  release(old);
}
void met_locals_write(met_object* locals) {
  met_object** slot = locals_slot();
  met_object* old = *slot;
  retain(locals);
  *slot = locals;
  release(old);
}

met_object* met_task_current(void) {
  Task* task = isolate.running;
  if (task == nullptr) return nullptr;
  retain(&task->header);
  return &task->header;
}
bool met_is_task_current(const Task* task) { return task == isolate.running; }
void met_yield_now(void) {
  if (isolate.strand != nullptr) wake(isolate.strand);
}

}  // extern "C"
