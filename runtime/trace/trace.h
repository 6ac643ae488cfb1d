// What an isolate did and when, for `meteor trace`: each thread writes records into a ring of its own, the latest stay; the end of
// the program turns them into a timeline.
//
// Off, a place that could be recorded costs a load and a branch.
#ifndef METEOR_RUNTIME_TRACE_TRACE_H
#define METEOR_RUNTIME_TRACE_TRACE_H

#include <stdint.h>

namespace meteor::async {

enum class TraceKind : uint8_t {
  Spawn,      // task, other: its function
  Name,       // task, other: a text that stays
  SpawnedBy,  // task: who spawned the one of the record before
  Run,        // task, other: its function
  Suspend,    // of who runs; what: the function of the program that waits, detail: its line, other: the function of the library that waits for it, if any
  End,        // of who runs
  Wake,       // task
  Sleep,      // with nothing to do
  Awake,
  Receive,    // task, other: the descriptor, detail: bytes
  Send,
  Post,       // what: the message to another isolate
  Arrive,
  Work,       // an isolate begins with what it was started for, or a pool's with a job
  WorkEnd,
};

extern bool is_tracing;

void trace_as(uint32_t isolate);  // the number of the isolate that runs in this thread from now on
void trace_event(TraceKind kind, const void* what, const void* other, uint32_t detail);

// `what` is the task, where the kind has one.
inline void trace(TraceKind kind, const void* what = nullptr, const void* other = nullptr, uint32_t detail = 0) {
  if (is_tracing) [[unlikely]] trace_event(kind, what, other, detail);
}

}  // namespace meteor::async

#endif
