// How a task gives up its turn: it waits where it is until somebody wakes it, or goes to the end of the queue. Whoever
// is to stop gets Cancelled here.
#include "runtime/executor/simulate.h"
#include "runtime/loop/isolate.h"
#include "runtime/scope/cancellation.h"
#include "runtime/scope/streams.h"
#include "runtime/trace/trace.h"

using namespace meteor::async;

extern "C" {

static met_object* wait_in(Isolate& own, Task* strand, met_frame* frame) {
  strand->leaf = frame;
  if (!(strand->flags & TASK_QUEUED))
    strand->since = own.clock;
  else if (!(strand->since & SINCE_WAKES_ITSELF))
    strand->since = own.clock | SINCE_WAKES_ITSELF;
  return MET_PENDING;
}

// The body of a stream that is asked waits. Its asker may be one that is to stop: then it gets Cancelled at its `next`,
// in its next turn.
__attribute__((noinline)) static met_object* park_in_stream(Isolate& own, Task* stream, met_frame* frame) {
  if (stream->place.has_more() || (stream->flags & TASK_CANCELLED)) {
    Wanted wanted = wanted_of(stream, regions_of(stream));
    if (wanted.cancel == Cancel::Yes) return cancelled_for(stream);
    if (wanted.cancel == Cancel::Shielded) bound_cleanup(wanted);
  }
  Task* told = nullptr;
  for (Task* at = stream; is_asked(at); at = outer_of(at)) {
    Task* asker = outer_of(at);
    if ((asker->flags & (TASK_SPAWNED | TASK_CANCELLED | TASK_CUT)) == TASK_SPAWNED) continue;
    Wanted wanted = wanted_of(asker, regions_of(asker));
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

// Somebody may want it to stop, or nobody may wait now.
__attribute__((noinline)) static met_object* park_slowly(met_frame* frame) {
  Isolate& own = isolate;
  Task* strand = own.strand;
  if (own.parks_to_cancel != 0) count_park();
  if (strand == nullptr || own.closing > 0) return make_cancelled();
  if (is_asked(strand)) return park_in_stream(own, strand, frame);
  Wanted wanted = wanted_of(strand, regions_of(strand));
  if (wanted.cancel == Cancel::Yes) return cancelled_for(strand);
  if (wanted.cancel == Cancel::Shielded) bound_cleanup(wanted);
  return wait_in(own, strand, frame);
}

// Not in a plain task. A function of its own, so that plain ones need no more registers.
__attribute__((noinline)) static met_object* park_otherwise(Isolate& own, met_frame* frame) {
  Task* asker = try_wait_in_stream(own.strand, frame);
  if (asker == nullptr) return park_slowly(frame);
  asker->since = own.clock;
  return MET_PENDING;
}

met_object* met_park(met_frame* frame) {
  Isolate& own = isolate;
  Task* strand = own.strand;
  if (strand == nullptr || (own.closing | own.parks_to_cancel) != 0) return park_slowly(frame);
  if ((strand->flags & (TASK_SPAWNED | TASK_CANCELLED | TASK_CUT)) != TASK_SPAWNED) return park_otherwise(own, frame);
  return wait_in(own, strand, frame);
}

__attribute__((noinline)) static met_object* give_way_slowly(met_frame* frame) {
  Task* strand = isolate.strand != nullptr ? asker_of(isolate.strand) : nullptr;
  uint32_t since = strand != nullptr ? strand->since : 0;
  met_object* status = park_slowly(frame);
  if (status != MET_PENDING) return status;
  wake(strand);
  strand->since = since & SINCE_WAKES_ITSELF ? since : isolate.clock | SINCE_WAKES_ITSELF;
  return status;
}

// As met_park, but it is ready again at once: every other one that is ready runs first.
__attribute__((always_inline)) static inline met_object* queue_again(Isolate& own, Task* task) {
  task->flags.queue();
  if (!(task->since & SINCE_WAKES_ITSELF)) task->since = own.clock | SINCE_WAKES_ITSELF;
  append_ready(own, task);
  return MET_PENDING;
}

__attribute__((noinline)) static met_object* give_way_otherwise(Isolate& own, met_frame* frame) {
  Task* asker = try_wait_in_stream(own.strand, frame);
  return asker == nullptr ? give_way_slowly(frame) : queue_again(own, asker);
}

met_object* met_give_way(met_frame* frame) {
  Isolate& own = isolate;
  Task* strand = own.strand;
  if (strand == nullptr || (own.closing | own.parks_to_cancel) != 0 || is_tracing) [[unlikely]]
    return give_way_slowly(frame);
  bool is_plain =
      (strand->flags & (TASK_SPAWNED | TASK_CANCELLED | TASK_CUT | TASK_QUEUED | TASK_STREAM)) == TASK_SPAWNED;
  if (!is_plain) [[unlikely]]
    return give_way_otherwise(own, frame);
  strand->leaf = frame;
  return queue_again(own, strand);
}

}  // extern "C"
