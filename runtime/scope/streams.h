// The body of a stream: an `async def` that yields. A Stream has the fields of a Task (std/core/generator.met), so
// whatever its body waits for knows the stream itself, not the task that asks it.
//
// clang-format off
// | state   | TASK_SPAWNED | part or siblings      | what is true in it |
// |---------|--------------|-----------------------|---------------------------------------------------------------------|
// | at rest | no           | null, any             | not started, at a yield, or over                                    |
// | asked   | no           | the asker, its `next` | a part of the asker: a wake goes to it, its turns are the body's    |
// | left    | yes          | siblings in the scope | the asker was cancelled: it goes on by itself to its next yield     |
// | closed  | no           | the poller, counted   | TASK_POLLED: whoever had it ends it where it waits                  |
// clang-format on
//
// at rest -> asked and back by emitted code (emit_run_frame). asked -> left by run_inside and met_stream_go_on, left ->
// at rest in its own turn, left -> closed by met_stream_cancel.
//
// What cancels the asker stops at the stream: the asker gets Cancelled in its `next`, the body notices nothing. A
// stream that is left is a service of the scope it was made in. Nobody counts it there: with its last reference it is
// closed. The ready queue holds its memory when it is no longer left.
//
// Who closes it waits until its body has ended. Where the time for clean-up is over before, the body has none either:
// it is let go of, told so (TASK_EXPIRED) and closed again, behind a shield that nothing gets through.
#ifndef METEOR_RUNTIME_SCOPE_STREAMS_H
#define METEOR_RUNTIME_SCOPE_STREAMS_H

#include "runtime/loop/isolate.h"

namespace meteor::async {

inline bool is_asked(const Task* task) {
  return (task->flags & (TASK_STREAM | TASK_SPAWNED | TASK_POLLED)) == TASK_STREAM && outer_of(task) != nullptr;
}
inline bool is_at_rest(const Task* task) {
  return (task->flags & (TASK_STREAM | TASK_SPAWNED)) == TASK_STREAM && outer_of(task) == nullptr;
}

// Who asks the stream, or the stream that asks it, and so on; another task is its own.
template <typename Any>
Any* asker_of(Any* task) {
  while (is_asked(task)) task = outer_of(task);
  return task;
}

// The stream that it waits in, of several the innermost. Only of one with TASK_ASKS.
inline Task* stream_in(const Task* task) { return task->asks_in; }
inline met_frame* leaf_of(const Task* task) { return task->flags & TASK_ASKS ? stream_in(task)->leaf : task->leaf; }

// Goes on with a suspended task or strand where it waits: with an owned error or null. As run_frames, in its strand.
met_object* run_inside(Task* task, met_object* error);

inline void set_asks(Task* task, Task* stream) {
  task->asks_in = stream;
  task->flags.ask();
}

void run_stream(Task* stream);  // the turn of one that was left

}  // namespace meteor::async

#endif
