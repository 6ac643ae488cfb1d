// Lines of those who wait, timers that wake, and the tickets by which other isolates wake.
#include "runtime/async/executor.h"

namespace meteor::async {

namespace {

void arrive(Message* message) {
  Ticket* ticket = reinterpret_cast<Ticket*>(message);
  __atomic_store_n(&ticket->posted, 0, __ATOMIC_RELEASE);
  if (ticket->task != nullptr) wake(ticket->task);
  else met_raw_free(ticket, sizeof(Ticket));
}

void issue_ticket(Waiter& waiter) {
  Ticket* ticket = static_cast<Ticket*>(met_raw_alloc(sizeof(Ticket)));
  *ticket = {{nullptr, arrive}, &isolate, waiter.task, 0};
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
  if (__atomic_load_n(&ticket->posted, __ATOMIC_ACQUIRE) == 0) met_raw_free(ticket, sizeof(Ticket));
}

// Somebody in this isolate or, by its ticket, in another.
void wake_waiter(Waiter& waiter) {
  if (mark_of(waiter.task) != MARK_TICKET) return wake(waiter.task);
  Ticket* ticket = ticket_of(waiter);
  if (ticket->home == &isolate) return wake(ticket->task);
  if (__atomic_exchange_n(&ticket->posted, 1, __ATOMIC_ACQ_REL) == 0) post(ticket->home->inbox, ticket->message);
}

}  // namespace

void append(WaitList& list, Waiter& waiter) {
  waiter.list = &list;
  waiter.next = nullptr;
  waiter.before = list.last;
  (list.last != nullptr ? list.last->next : list.first) = &waiter;
  list.last = &waiter;
}

void remove(Waiter& waiter) {
  WaitList* list = waiter.list;
  if (list == nullptr) return;
  (waiter.before != nullptr ? waiter.before->next : list->first) = waiter.next;
  (waiter.next != nullptr ? waiter.next->before : list->last) = waiter.before;
  waiter.list = nullptr;
}

void issue_tickets(WaitList& list) {
  for (Waiter* waiter = list.first; waiter != nullptr; waiter = waiter->next) issue_ticket(*waiter);
}

void wake_all(WaitList& list) {
  while (list.first != nullptr) {
    Waiter* waiter = list.first;
    Task* task = waiter->task;
    remove(*waiter);
    switch (mark_of(task)) {
      case MARK_WATCH:
        met_raw_free(waiter, sizeof(Waiter));
        wake(without_mark(task));
        release(&without_mark(task)->header);
        break;
      case MARK_EXPIRY: end_expiry(*waiter); break;
      default: wake(task);
    }
  }
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

// Wakes the running task when that one ends; for tasks that are polled by hand. The waiter is on the heap and counts in
// the one who waits.
void met_task_watch(Task* task) {
  Task* marked = with_mark(isolate.strand, MARK_WATCH);
  for (Waiter* waiter = task->waiters.first; waiter != nullptr; waiter = waiter->next)
    if (waiter->task == marked) return;
  Waiter* waiter = static_cast<Waiter*>(met_raw_alloc(sizeof(Waiter)));
  retain(&isolate.strand->header);
  waiter->task = marked;
  append(task->waiters, *waiter);
}

void met_wait(WaitList* list, Waiter* waiter) {
  waiter->task = isolate.strand;
  append(*list, *waiter);
}
void met_wait_shared(WaitList* list, Waiter* waiter) {
  met_wait(list, waiter);
  issue_ticket(*waiter);
}
void met_wait_for_task(Task* task, Waiter* waiter) { met_wait(&task->waiters, waiter); }
void met_unwait(Waiter* waiter) {
  remove(*waiter);
  withdraw_ticket(*waiter);
}
bool met_waits_first(const Waiter* waiter) { return waiter->list != nullptr && waiter->list->first == waiter; }
bool met_is_line_empty(const WaitList* list) { return list->first == nullptr; }
bool met_is_waiting(const Waiter* waiter) { return waiter->list != nullptr; }
bool met_wake_first(WaitList* list) {   // who stays in the line until it has what it wants
  if (list->first == nullptr) return false;
  wake_waiter(*list->first);
  return true;
}
void met_wake_each(WaitList* list) {   // the same for all of them
  for (Waiter* waiter = list->first; waiter != nullptr; waiter = waiter->next) wake_waiter(*waiter);
}
bool met_serve_first(WaitList* list) {   // who is out of the line with that
  Waiter* waiter = list->first;
  if (waiter == nullptr) return false;
  remove(*waiter);
  wake_waiter(*waiter);
  return true;
}
void met_wake_all(WaitList* list) { wake_all(*list); }

static void fire_wake(Timer* timer) { wake(static_cast<Task*>(timer->data)); }

void met_timer_start(Timer* timer, int64_t ns) {
  timer->fire = fire_wake;
  timer->data = isolate.strand;
  int64_t now = now_ns();
  isolate.timers.start(*timer, later(now, ns));
}
bool met_timer_runs(const Timer* timer) { return timer->next != nullptr; }
void met_timer_stop(Timer* timer) { isolate.timers.stop(*timer); }

}  // extern "C"
