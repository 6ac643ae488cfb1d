// Lines of those who wait for something. A place in one lives in the frame of whoever waits, so waiting allocates
// nothing.
#ifndef METEOR_RUNTIME_TASK_LINE_H
#define METEOR_RUNTIME_TASK_LINE_H

#include <stdint.h>

namespace meteor::async {

struct Task;

struct WaitList {
  struct Waiter* first;
  struct Waiter* last;
};
struct Waiter {
  Waiter* next;
  Waiter* before;
  WaitList* list;  // null: not in any
  Task* task;
};

void append(WaitList& list, Waiter& waiter);
void remove(Waiter& waiter);

// A waiter on the heap has a mark in the lowest bits of its task: it watches the end of another (met_task_watch), or is
// part of an Expiry, which goes with its task. One that waits for something shared has its ticket there.
enum : uintptr_t { MARK_WATCH = 1, MARK_EXPIRY = 2, MARK_TICKET = 3, MARKS = 3 };
inline Task* with_mark(Task* task, uintptr_t mark) {
  return reinterpret_cast<Task*>(reinterpret_cast<uintptr_t>(task) | mark);
}
inline Task* without_mark(Task* task) {
  return reinterpret_cast<Task*>(reinterpret_cast<uintptr_t>(task) & ~uintptr_t(MARKS));
}
inline uintptr_t mark_of(const Task* task) { return reinterpret_cast<uintptr_t>(task) & MARKS; }

}  // namespace meteor::async

#endif
