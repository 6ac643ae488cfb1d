// The life of a ticket: issued where somebody waits, posted by whoever wakes it, freed when both have let go of it.
#include "runtime/waker/tickets.h"

#include "runtime/loop/isolate.h"
#include "runtime/scope/contenders.h"
#include "runtime/scope/streams.h"
#include "runtime/threads/atomic.h"

namespace meteor::async {

namespace {

void free_ticket(Ticket* ticket) { met_raw_free(ticket, sizeof(Ticket)); }

void arrive(Message* message) {
  Ticket* ticket = reinterpret_cast<Ticket*>(message);
  atomic::store(ticket->posted, 0u, __ATOMIC_RELEASE);
  if (ticket->task != nullptr) wake(ticket->task);
  else free_ticket(ticket);
}

}  // namespace

void issue_ticket(Waiter& waiter) {
  Ticket* ticket = static_cast<Ticket*>(met_raw_alloc(sizeof(Ticket)));
  *ticket = {.message = {nullptr, arrive}, .home = &isolate, .task = waiter.task};
  open_nest(ticket->nest, ticket->task);
  waiter.task = with_mark(reinterpret_cast<Task*>(ticket), MARK_TICKET);
  ++isolate.others;
}

// The lock of what it waits for is held, so nobody is posting it now.
void withdraw_ticket(Waiter& waiter) {
  if (mark_of(waiter.task) != MARK_TICKET) return;
  Ticket* ticket = ticket_of(waiter);
  waiter.task = nullptr;
  --isolate.others;
  ticket->task = nullptr;
  close_nest(ticket->nest);
  if (atomic::load(ticket->posted, __ATOMIC_ACQUIRE) == 0) free_ticket(ticket);
}

// A future that waits may be polled by another select than before. The lock of what it waits for is held.
void renew_ticket(Waiter& waiter) {
  if (mark_of(waiter.task) != MARK_TICKET) return;
  renew_nest(ticket_of(waiter)->nest, ticket_of(waiter)->task);
}

// Somebody in this isolate or, by its ticket, in another.
void wake_waiter(Waiter& waiter) {
  if (mark_of(waiter.task) != MARK_TICKET) return wake(waiter.task);
  Ticket* ticket = ticket_of(waiter);
  if (ticket->home == &isolate) return wake(ticket->task);
  if (atomic::exchange(ticket->posted, 1u, __ATOMIC_ACQ_REL) == 0) post(ticket->home->inbox, ticket->message);
}

void issue_tickets(WaitList& list) {
  for (Waiter* waiter = list.first; waiter != nullptr; waiter = waiter->next) issue_ticket(*waiter);
}

}  // namespace meteor::async
