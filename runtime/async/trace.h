// What an isolate did and when, for `meteor trace`: each thread writes records into a ring of its own, the latest stay; the end of
// the program turns them into Chrome's trace events, which Perfetto and the page of `meteor trace` show.
//
// Off, a place that could be recorded costs a load and a branch.
#ifndef METEOR_RUNTIME_ASYNC_TRACE_H
#define METEOR_RUNTIME_ASYNC_TRACE_H

#include <stdint.h>

namespace meteor::async {

struct Task;

enum class TraceKind : uint32_t {
  Spawn,      // task, what: its function, other: who spawned it
  Run,        // task, what: its function
  Suspend,    // task, what: the function of the program that waits, detail: its line, other: the text of what for
  End,        // task
  Wake,       // task, other: who woke it; null: the kernel, time or another isolate
  Sleep,      // with nothing to do
  Awake,
  Receive,    // detail: bytes, what: the descriptor
  Send,
  Post,       // what: the message to another isolate
  Arrive,
  Work,       // an isolate begins with what it was started for, or a pool's with a job
  WorkEnd,
};

extern bool is_tracing;

void begin_tracing();             // where the environment asks for it (METEOR_TRACE=FILE); written at the end of the program
void trace_event(TraceKind kind, const void* task, const void* what, const void* other, uint32_t detail);
void trace_suspension(const Task* task);

inline void trace(TraceKind kind, const void* task = nullptr, const void* what = nullptr, const void* other = nullptr, uint32_t detail = 0) {
  if (is_tracing) [[unlikely]] trace_event(kind, task, what, other, detail);
}

}  // namespace meteor::async

#endif
