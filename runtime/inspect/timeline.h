// A run as a timeline: what the flight recorder holds becomes Chrome's trace events, which Perfetto and the page of
// `meteor trace` show.
#ifndef METEOR_RUNTIME_INSPECT_TIMELINE_H
#define METEOR_RUNTIME_INSPECT_TIMELINE_H

#include "runtime/task/task.h"

namespace meteor::async {

void begin_tracing();  // where the environment asks for it (METEOR_TRACE=FILE); written at the end of the program
void trace_suspension(const Task* task);  // where in the program's own code it waits, and for what

}  // namespace meteor::async

#endif
