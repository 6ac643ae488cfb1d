// How the executor tells the watch what it does.
#ifndef METEOR_RUNTIME_ASYNC_SLICE_H
#define METEOR_RUNTIME_ASYNC_SLICE_H

#include <stdint.h>

namespace meteor::async {

void watch_this_thread();          // from now on; its loop runs or sleeps
void unwatch_this_thread();
uint32_t ticks();                  // changes every millisecond while any loop is busy
void begin_turn(uint64_t number);  // another task runs now
void set_busy(bool busy);          // false while the thread sleeps

}  // namespace meteor::async

// Read by checkpoints in emitted code: the task's slice is over.
extern "C" __thread volatile uint8_t met_slice_over __attribute__((tls_model("initial-exec")));

#endif
