// SIGURG, by which a thread is asked where it is, or told that time is over.
#ifndef METEOR_RUNTIME_EXECUTOR_URGENT_H
#define METEOR_RUNTIME_EXECUTOR_URGENT_H

namespace meteor::async {

void hear_urgent();
void write_stack(const char* title);  // of this thread, to stderr; safe in a signal handler

}  // namespace meteor::async

#endif
