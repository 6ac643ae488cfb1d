// What an isolate does when it has nothing to run, and what ends its sleep: time, the kernel, other isolates, signals.
#ifndef METEOR_RUNTIME_EXECUTOR_SLEEPING_H
#define METEOR_RUNTIME_EXECUTOR_SLEEPING_H

#include <stdint.h>

namespace meteor::async {

void open_loop();                   // what it needs to sleep and to be woken
bool wait_for_something();          // with nothing to do; false: nothing will ever wake it
bool sleep_for_others(int64_t ns);  // with nothing to run, at most so long; false: every isolate waits for another

}  // namespace meteor::async

#endif
