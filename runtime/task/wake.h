// How whoever has something for a task says so: the task is put into the ready queue of its isolate. Callable from
// every room, however low; the functions are in runtime/waker.
#ifndef METEOR_RUNTIME_TASK_WAKE_H
#define METEOR_RUNTIME_TASK_WAKE_H

#include "runtime/task/line.h"

namespace meteor::async {

void wake(Task* task);
void wake_all(WaitList& list);  // and empties it

}  // namespace meteor::async

#endif
