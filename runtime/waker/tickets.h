// Tickets, by which other isolates wake those who wait for something that is shared.
#ifndef METEOR_RUNTIME_WAKER_TICKETS_H
#define METEOR_RUNTIME_WAKER_TICKETS_H

#include "runtime/queue/inbox.h"
#include "runtime/task/nest.h"
#include "runtime/task/task.h"

namespace meteor::async {

// How other isolates wake a task that waits for something they share: a message to its own isolate. Stands in place of
// the task in its waiter, marked. Goes when the waiter leaves, or, if it is under way then, when it arrives.
struct Ticket {
  Message message;
  struct Isolate* home;
  Task* task;       // null: it no longer waits
  Nest nest;        // what it is inside of
  uint32_t posted;  // atomic
};

inline Ticket* ticket_of(const Waiter& waiter) { return reinterpret_cast<Ticket*>(without_mark(waiter.task)); }

void issue_ticket(Waiter& waiter);     // it waits for something shared
void issue_tickets(WaitList& list);    // its object is about to be shared: who waits is this isolate's
void withdraw_ticket(Waiter& waiter);  // no longer
void renew_ticket(Waiter& waiter);     // before it goes on waiting
void wake_waiter(Waiter& waiter);

}  // namespace meteor::async

#endif
