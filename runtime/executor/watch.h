// How the executor tells the watch what it does.
#ifndef METEOR_RUNTIME_EXECUTOR_WATCH_H
#define METEOR_RUNTIME_EXECUTOR_WATCH_H

#include <stdint.h>

namespace meteor::async {

struct Isolate;

void watch_this_thread();          // from now on; its loop runs or sleeps
void unwatch_this_thread();
extern uint32_t watch_tick;        // changes every millisecond while any loop holds on to a task, less often else
inline uint32_t ticks() { return __atomic_load_n(&watch_tick, __ATOMIC_RELAXED); }
void set_busy(bool busy);          // false while the thread sleeps
void for_each_watched(void (*visit)(Isolate*));   // none of them ends meanwhile
void hear_urgent();                // SIGURG, by which a thread is asked where it is, or told that time is over
void write_stack(const char* title);   // of this thread, to stderr; safe in a signal handler
void trace_busy_threads();         // soon: writes where those are that hold their loop; safe in a signal handler

}  // namespace meteor::async

// Read by checkpoints in emitted code: the task's slice is over. Cleared by the loop when another task runs.
extern "C" __thread volatile uint8_t met_slice_over __attribute__((tls_model("initial-exec")));

#endif
