// The ready queue: tasks that can go on, in the order in which they were woken, linked through Task::next.
#ifndef METEOR_RUNTIME_QUEUE_READY_H
#define METEOR_RUNTIME_QUEUE_READY_H

#include "runtime/task/task.h"

namespace meteor::async {

struct ReadyQueue {
  Task* first;
  Task* last;  // while there is a first
};

inline void append(ReadyQueue& queue, Task* task) {
  task->next = nullptr;
  (queue.first == nullptr ? queue.first : queue.last->next) = task;
  queue.last = task;
}

}  // namespace meteor::async

#endif
