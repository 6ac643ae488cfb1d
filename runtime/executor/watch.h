// The watch over busy tasks: one thread that looks at every isolate's loop each millisecond, and less often while all of them change from task to
// task quickly. A task that has run for a whole slice is told to give up its turn at its next checkpoint; one that holds the loop for long is
// reported with a stack trace, once.
#ifndef METEOR_RUNTIME_EXECUTOR_WATCH_H
#define METEOR_RUNTIME_EXECUTOR_WATCH_H

namespace meteor::async {

void watch_this_thread();          // from now on; its loop runs or sleeps
void unwatch_this_thread();
void set_busy(bool busy);          // false while the thread sleeps
void trace_busy_threads();         // soon: writes where those are that hold their loop; safe in a signal handler

}  // namespace meteor::async

#endif
