// The loop of one isolate: take the next ready task, run its innermost frame, end it or leave it where it waits.
#include "runtime/executor/executor.h"
#include "runtime/executor/interrupts.h"
#include "runtime/executor/simulate.h"
#include "runtime/executor/sleeping.h"
#include "runtime/executor/slice.h"
#include "runtime/executor/watch.h"
#include "runtime/inspect/timeline.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/memory.h"
#include "runtime/os/simulated/simulation.h"
#include "runtime/scope/cancellation.h"
#include "runtime/scope/contenders.h"
#include "runtime/scope/scopes.h"
#include "runtime/scope/streams.h"
#include "runtime/task/count.h"
#include "runtime/task/frame.h"
#include "runtime/task/hooks.h"
#include "runtime/trace/trace.h"

namespace meteor::async {

namespace {

void look_outside(met_resume turn_of);

constexpr uint32_t TURNS_BETWEEN_LOOKS = 61;   // at most; a tick of the watch comes between

// It ended with this error, which it owns.
void keep_error(Task* task, met_object* error) {
  if (const met_site* site = spawned_at(task)) met_error_trace(error, reinterpret_cast<const met_site*>(reinterpret_cast<uintptr_t>(site) | 1));
  need_more(task).error = error;
}

// For those who look at it from now on, and those who wait for its end.
void tell_end(Task* task, bool is_cancelled, met_object* error) {
  task->flags.end();
  task->leaf = nullptr;
  if (is_cancelled) task->flags.end_cancelled();
  if (error != nullptr) keep_error(task, error);
  if ((task->flags & TASK_INSIDE) && !is_cancelled) end_inside(task);
  if (More* more = more_of(task); more != nullptr && more->waiters.first != nullptr) wake_all(more->waiters);
}

// For the loop, which may have waited for its end.
void tell_loop(Isolate& own, const Task* task, met_object* error) {
  bool is_orphan = task->flags & TASK_ORPHAN;
  if (task == own.root || is_orphan) own.look_at = 0;   // the loop looks whether it is done
  if (!is_orphan) return;
  --own.orphans;
  if (error != nullptr) met_hook_report(error);
}

// As the last reference goes, of one that has no weak references and is not tracked.
__attribute__((always_inline)) inline void free_plain(Task* task) {
  expect(task->header.strong == 1 && (task->header.weak & MET_WEAK_COUNT_MASK) == 0);
  const met_type* type = task->header.type;
  task->header.weak |= MET_FLAG_DYING;
  type->drop(&task->header);
  memory::deallocate(task, type->size);
}

// Most are children that nobody else holds or waits for, and that end well or because they were asked to.
__attribute__((always_inline)) inline bool is_plain_end(const Isolate& own, const Task* task) {
  constexpr uint32_t UNUSUAL = TASK_SERVICE | TASK_ADOPTED | TASK_QUEUED | TASK_INSIDE;
  return task->place.is_only_scope() && !(task->flags & UNUSUAL) && task->header.strong == 1 &&
         (task->header.weak & MET_WEAK_COUNT_MASK) == 0 && task != own.root && task->place.only_scope()->limit == 0 && !met_leak_tracking;
}

// It ended with the Cancelled that it got, which has done its work.
inline void take_cancelled(Scope* scope, bool cuts_off, met_object* cancelled) {
  let_go_of_cancelled(cancelled);
  if (cuts_off && scope != nullptr) note_cut_off(scope);
}

// The end of a task: with an owned error, because it got Cancelled, or well.
template <bool PLAIN>
__attribute__((always_inline)) inline void end_task(Isolate& own, Task* task, bool is_cancelled, met_object* error) {
  own.running = own.strand = nullptr;
  task->header.weak |= MET_FLAG_NO_DEL;   // which ends a frame that is suspended
  if (!PLAIN) tell_end(task, is_cancelled, error);
  Scope* scope = PLAIN ? task->place.only_scope() : scope_of(task);
  if (PLAIN || scope != nullptr) leave_scope<PLAIN>(scope, task, error);
  if (PLAIN) return free_plain(task);
  bool is_queued = task->flags & TASK_QUEUED;
  tell_loop(own, task, error);
  if (!is_queued) release(&task->header);   // else the queue's turn of it does
}

__attribute__((noinline)) void finish_anyhow(Isolate& own, Task* task, met_object* error) {
  bool is_cancelled = error != nullptr && !met_hook_is_error(error);
  if (is_cancelled) {
    take_cancelled(scope_of(task), !(task->flags & (TASK_SERVICE | TASK_ADOPTED)), error);
    error = nullptr;
  }
  end_task<false>(own, task, is_cancelled, error);
}

__attribute__((always_inline)) inline void finish(Isolate& own, Task* task, met_object* error) {
  if (!is_plain_end(own, task)) [[unlikely]] return finish_anyhow(own, task, error);
  if (error != nullptr) [[unlikely]] {
    if (met_hook_is_error(error)) return finish_anyhow(own, task, error);
    take_cancelled(task->place.only_scope(), true, error);
  }
  end_task<true>(own, task, false, nullptr);
}

// Why a task that has its turn does not just go on: null, or an owned Cancelled.
__attribute__((noinline)) met_object* reason_to_stop(Task* task) {
  if (task->leaf == nullptr) return task->flags & TASK_CANCELLED ? cancelled_for(task) : nullptr;   // before it started: it never runs
  return interruption(task);
}

template <bool TRACES, bool MAY_ASK = false>
__attribute__((always_inline)) inline void go_on(Isolate& own, Task* task, met_object* error) {
  own.running = own.strand = task;
  if (TRACES) trace(TraceKind::Run, task, info_of(task->frame.resume));
  met_frame* leaf = task->leaf;
  if (leaf == nullptr) leaf = task->leaf = &task->frame;
  met_object* status = MAY_ASK ? run_inside(task, error) : run_frames(task, leaf, error);
  if (TRACES) status == MET_PENDING ? trace_suspension(task) : trace(TraceKind::End);
  if (status != MET_PENDING) finish(own, task, status);
}

template <bool TRACES>
__attribute__((noinline)) void run_contender(Isolate& own, Task* task) {
  Turn turn = turn_of(task, scope_of(task));
  if (!begin_turn(turn)) return;
  go_on<TRACES, true>(own, task, reason_to_stop(task));
  end_turn(turn);
}

template <bool TRACES>
__attribute__((noinline)) void run_asking(Isolate& own, Task* task) {
  if (task->flags & TASK_STREAM) return run_stream(task);
  Task* stream = stream_in(task);
  bool is_plain = !TRACES && outer_of(stream) == task && !(task->flags & TASK_INTERRUPTED) && !(stream->flags & TASK_INTERRUPTED);
  if (!is_plain) return go_on<TRACES, true>(own, task, reason_to_stop(task));
  own.running = task;
  own.strand = stream;
  task->flags.end_ask();
  met_object* status = run_frames(task, stream->leaf, nullptr);
  if (status != MET_PENDING) finish(own, task, status);
}

template <bool TRACES>
__attribute__((always_inline)) inline void run(Isolate& own, Task* task) {
  uint32_t flags = task->flags.take_turn();
  met_object* error = nullptr;
  if (flags & (TASK_DONE | TASK_CANCELLED | TASK_CUT | TASK_INTERRUPTED | TASK_CONTENDS | TASK_INSIDE | TASK_ASKS | TASK_STREAM)) [[unlikely]] {
    if (flags & TASK_DONE) {
      own.running = own.strand = nullptr;
      return release(&task->header);
    }
    if (flags & (TASK_CANCELLED | TASK_CUT)) look_before_awaits();
    if (flags & (TASK_CONTENDS | TASK_INSIDE)) return run_contender<TRACES>(own, task);
    if (flags & (TASK_ASKS | TASK_STREAM)) return run_asking<TRACES>(own, task);
    error = reason_to_stop(task);
  }
  go_on<TRACES>(own, task, error);
}

// Some turns, between which nothing outside is looked at. A slice that is over is noticed at a tick of the watch, which ends them.
template <bool TRACES>
__attribute__((noinline)) void run_ready(Isolate& own) {
  met_resume resume = nullptr;   // of one that may be gone after its turn
  __atomic_store_n(&met_slice_over, own.slice_at_start, __ATOMIC_RELAXED);   // the watch sets it
  own.look_at = own.turns + TURNS_BETWEEN_LOOKS;
  do {
    Task* task = own.ready.first;
    if (task == nullptr) break;
    own.ready.first = task->next;
    __builtin_prefetch(task->next);
    resume = task->frame.resume;
    run<TRACES>(own, task);
    __atomic_store_n(&own.turns, own.turns + 1, __ATOMIC_RELAXED);   // which the watch reads
  } while (own.turns < own.look_at && own.tick == ticks());
  own.running = own.strand = nullptr;
  look_outside(resume);
}

// The loop looks outside after every tick of the watch, so what took several ticks was one turn.
void note_long_turn(uint32_t began, met_resume of) {
  isolate.life.longest_turn.note((isolate.clock - began) / SINCE_UNITS_PER_MS, of);
}

// After a sleep, or after a turn of the task with this frame.
void look_outside(met_resume turn_of) {
  __atomic_store_n(&isolate.looks, isolate.looks + 1, __ATOMIC_RELAXED);   // which the watch reads
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
  if (root_is_to_stop()) cancel_task(isolate.root);
  if (!has_polled && this_reactor().waiting > 0) poll_kernel(this_reactor(), 0);
  if (!isolate.timers.empty()) isolate.timers.advance(now != 0 ? now : now_ns());
  if (os::simulation.is_on) simulate_turn();
}

}  // namespace

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

// ---- What std/core calls ----

// When the root has ended: some were woken in their last turn. A stream that goes on by itself keeps no program alive.
static bool are_others_ready(const Isolate& own) {
  for (const Task* task = own.ready.first; task != nullptr; task = task->next)
    if ((task->flags & (TASK_STREAM | TASK_SPAWNED)) != (TASK_STREAM | TASK_SPAWNED)) return true;
  return false;
}

// Runs the loop until `root` has ended.
int64_t met_run(Task* root) {
  if (isolate.is_running) return RUN_NESTED;
  open_loop();
  __atomic_store_n(&isolate.is_running, true, __ATOMIC_RELAXED);   // others ask
  watch_this_thread();
  set_busy(true);
  look_outside(nullptr);
  isolate.root = root;
  if (isolate.life.is_cancelled) cancel_task(root);
  int64_t closing = isolate.closing;
  isolate.closing = 0;
  if (!(root->flags & TASK_SPAWNED)) {   // the first time; finish lets go of one
    retain(&root->header);
    root->flags.spawn();
    if (isolate.locals != nullptr) {
      need_more(root).locals = isolate.locals;
      retain(isolate.locals);
    }
  }
  wake(root);
  if (meteor::os::simulation.is_on) begin_simulation();
  int64_t result = RUN_DONE;
  Isolate& own = isolate;
  while (!(root->flags & TASK_DONE) || own.orphans > 0 || are_others_ready(own)) {
    if (has_messages(own.inbox)) run_messages(own.inbox);
    if (own.ready.first == nullptr) {
      if (!wait_for_something()) {
        result = RUN_DEADLOCK;
        break;
      }
      look_outside(nullptr);
      continue;
    }
    is_tracing ? run_ready<true>(own) : run_ready<false>(own);
  }
  if (meteor::os::simulation.is_on) end_simulation();
  if (this_reactor().outside > 0) poll_kernel(this_reactor(), 0);   // what was given up lets go of its memory
  set_busy(false);
  __atomic_store_n(&isolate.is_running, false, __ATOMIC_RELAXED);
  isolate.root = nullptr;
  isolate.closing = closing;
  isolate.spare_cancelled.drop();
  return result;
}

bool met_loop_runs(void) { return isolate.is_running; }

// The bindings of TaskLocal values: the running task's, or those outside any task.
void met_locals_read(met_object** into) {
  met_object* old = *into;
  *into = isolate.running != nullptr ? locals_of(isolate.running) : isolate.locals;
  retain(*into);
  release(old);
}
void met_locals_write(met_object* locals) {
  met_object** slot = isolate.running != nullptr ? &need_more(isolate.running).locals : &isolate.locals;
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
bool met_is_task_current(const met_object* task) { return isolate.running != nullptr && task == &isolate.running->header; }
void met_yield_now(void) {
  if (isolate.strand != nullptr) wake(isolate.strand);
}

}  // extern "C"
