// How a task gives up its turn: it waits where it is until somebody wakes it, or goes to the end of the queue. Whoever
// is to stop gets Cancelled here.
//
// park_anyhow and give_way_anyhow say all that there is to it. met_park and met_give_way are those two where the task
// is plain, which most are: each of the questions has its usual answer then, and what is left is the last step.
#include "runtime/executor/simulate.h"
#include "runtime/executor/slice.h"
#include "runtime/loop/isolate.h"
#include "runtime/scope/cancellation.h"
#include "runtime/scope/contenders.h"
#include "runtime/scope/streams.h"
#include "runtime/trace/trace.h"

namespace meteor::async {

namespace {

// The task runs by itself and nobody has asked it, or a scope that it is in, to stop.
bool is_plain(const Task* task) { return task->flags.are(TASK_SPAWNED, TASK_SPAWNED | TASK_CANCELLED | TASK_CUT); }

// An owned Cancelled, where somebody wants it to stop. What a shield keeps out has its time from now on.
met_object* reason_not_to_wait(Task* task) {
  Wanted wanted = wanted_now(task);
  if (wanted.cancel == Cancel::Yes) return cancelled_for(task);
  if (wanted.cancel == Cancel::Shielded) bound_cleanup(wanted);
  return nullptr;
}

// The last step, where nothing keeps it from waiting.
met_object* wait_in(Isolate& own, Task* task, met_frame* frame) {
  if (IS_CHECKED && is_plain(task)) expect(wanted_now(task).cancel == Cancel::No);
  task->leaf = frame;
  begin_wait(task, own.clock);
  return MET_PENDING;
}

// The same in a stream that is asked: its asker waits, in its next turn the body goes on. Gives the asker.
Task* suspend_in_stream(Task* stream, met_frame* frame) {
  stream->leaf = frame;
  Task* asker = asker_of(stream);
  set_asks(asker, stream);
  return asker;
}
met_object* wait_in_stream(Isolate& own, Task* stream, met_frame* frame) {
  begin_wait(suspend_in_stream(stream, frame), own.clock);
  return MET_PENDING;
}

// Its asker may be one that is to stop: then it gets Cancelled at its `next`, in its next turn.
__attribute__((noinline)) met_object* park_in_stream(Isolate& own, Task* stream, met_frame* frame) {
  if (stream->place.has_more() || (stream->flags & TASK_CANCELLED))
    if (met_object* error = reason_not_to_wait(stream)) return error;
  Task* told = nullptr;
  for (Task* at = stream; is_asked(at); at = outer_of(at)) {
    Task* asker = outer_of(at);
    if (is_plain(asker)) continue;
    Wanted wanted = wanted_now(asker);
    if (wanted.cancel == Cancel::Yes) told = asker;
    if (wanted.cancel == Cancel::Shielded) bound_cleanup(wanted);
  }
  wait_in_stream(own, stream, frame);
  if (told != nullptr) {
    told->flags.interrupt();
    wake(told);
  }
  return MET_PENDING;
}

__attribute__((noinline)) met_object* park_anyhow(met_frame* frame) {
  Isolate& own = isolate;
  if (own.life.parks_to_cancel != 0) count_park();
  Task* strand = own.strand;
  if (strand == nullptr || own.closing > 0) return make_cancelled();
  if (is_asked(strand)) return park_in_stream(own, strand, frame);
  if (met_object* error = reason_not_to_wait(strand)) return error;
  return wait_in(own, strand, frame);
}

// It parks and is ready again at once: every other one that is ready runs first.
__attribute__((noinline)) met_object* give_way_anyhow(met_frame* frame) {
  Task* task = isolate.strand != nullptr ? asker_of(isolate.strand) : nullptr;
  uint32_t since = task != nullptr ? task->since : 0;
  met_object* status = park_anyhow(frame);
  if (status != MET_PENDING) return status;
  task->since = since;
  begin_again(task, isolate.clock);
  wake(task);
  return status;
}

// The last steps of that, where nobody traces.
__attribute__((always_inline)) inline met_object* queue_again(Isolate& own, Task* task) {
  begin_again(task, own.clock);
  push_ready(task);
  return MET_PENDING;
}

// A stream that nobody wants to stop, asked by a plain task.
bool is_in_plain(const Task* stream) {
  constexpr uint32_t KINDS = TASK_STREAM | TASK_SPAWNED | TASK_POLLED | TASK_CANCELLED;
  if (!stream->flags.are(TASK_STREAM, KINDS) || stream->place.has_more()) return false;
  const Task* asker = outer_of(stream);
  return asker != nullptr && is_plain(asker) && !(asker->flags & TASK_QUEUED);
}

// Not in a plain task. Functions of their own, so that plain ones need no more registers.
__attribute__((noinline)) met_object* park_in_other(Isolate& own, met_frame* frame) {
  return is_in_plain(own.strand) ? wait_in_stream(own, own.strand, frame) : park_anyhow(frame);
}
__attribute__((noinline)) met_object* give_way_in_other(Isolate& own, met_frame* frame) {
  return is_in_plain(own.strand) ? queue_again(own, suspend_in_stream(own.strand, frame)) : give_way_anyhow(frame);
}

// Nobody keeps the running code from waiting, whoever it is.
inline bool may_wait(const Isolate& own) {
  return own.strand != nullptr && (own.closing | own.life.parks_to_cancel) == 0;
}

}  // namespace

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

met_object* met_park(met_frame* frame) {
  Isolate& own = isolate;
  if (!may_wait(own)) return park_anyhow(frame);
  if (!is_plain(own.strand)) return park_in_other(own, frame);
  return wait_in(own, own.strand, frame);
}

met_object* met_give_way(met_frame* frame) {
  Isolate& own = isolate;
  Task* task = own.strand;
  if (!may_wait(own) || is_tracing) [[unlikely]]
    return give_way_anyhow(frame);
  if (!is_plain(task) || (task->flags & (TASK_QUEUED | TASK_STREAM))) [[unlikely]]
    return give_way_in_other(own, frame);
  task->leaf = frame;
  return queue_again(own, task);
}

// The slice of the running task is over: it goes to the end of the queue.
met_object* met_give_up_turn(met_frame* frame) {
  __atomic_store_n(&met_slice_over, uint8_t(0), __ATOMIC_RELAXED);
  if (isolate.running == nullptr || isolate.strand == nullptr || isolate.closing > 0 || isolate.blocked.calls > 0)
    return nullptr;
  if (isolate.slice_at_start && asker_of(isolate.strand) != isolate.running)
    return nullptr;  // its poller would poll it for ever
  if (is_bound(isolate.strand))
    return nullptr;  // what it waited for has happened: a cancellation found here would come too early
  return give_way_anyhow(frame);
}

}  // extern "C"
