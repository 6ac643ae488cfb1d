// The slice of the running task: while the watch ticks, a task that has run for long is told to give up its turn.
#ifndef METEOR_RUNTIME_EXECUTOR_SLICE_H
#define METEOR_RUNTIME_EXECUTOR_SLICE_H

#include <stdint.h>

namespace meteor::async {

extern uint32_t watch_tick;  // changes every millisecond while any loop holds on to a task, less often else
inline uint32_t ticks() { return __atomic_load_n(&watch_tick, __ATOMIC_RELAXED); }

}  // namespace meteor::async

// Read by checkpoints in emitted code: the task's slice is over. Cleared by the loop when another task runs.
extern "C" __thread volatile uint8_t met_slice_over __attribute__((tls_model("initial-exec")));

#endif
