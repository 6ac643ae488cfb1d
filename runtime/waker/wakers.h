// Wakers, which may go to other isolates: each has a remote that belongs to the isolate of its task and that is told by messages.
//
// Invariant: `home` is not null exactly as long as that isolate takes messages, and changes only under the lock; whoever posts holds
// it. The task is counted, and touched by the home alone.
#ifndef METEOR_RUNTIME_WAKER_WAKERS_H
#define METEOR_RUNTIME_WAKER_WAKERS_H

#include "runtime/loop/isolate.h"

namespace meteor::async {

constexpr uint64_t WAKER_MARK = 1;   // in met_shared::lines[1] of a Waker, whose remote is in lines[0]; others have a line there

struct Remote {
  Message wake_up;      // to the home: somebody has woken it
  Message over;         // to the home: the last waker is gone; then the home frees it
  Isolate* home;        // null: it has ended
  Task* task;
  Remote* next;         // of the home's
  Remote* before;
  uint32_t lock;
  uint32_t posted;      // wake_up is under way; under the lock
  bool is_shared;       // others may have it; of the home alone
  bool is_closed;       // no waker is left, and wake_up is under way
};

Remote* open_waker();                      // of the running task
void wake_remote(Remote& remote);          // from any isolate
void close_waker(Remote& remote);          // nobody has the waker any more
bool is_waker(const met_shared& object);
void share_waker(met_shared& object);
void leave_wakers();                       // the isolate ends: who still has one of its wakers wakes nobody

}  // namespace meteor::async

#endif
