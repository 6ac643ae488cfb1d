// What std/core calls to wait and to wake: lines, timers, wakers.
#include "runtime/scope/contenders.h"
#include "runtime/task/hold.h"
#include "runtime/waker/tickets.h"
#include "runtime/waker/wakers.h"

using namespace meteor::async;

extern "C" {

// Wakes the running task when that one ends; for tasks that are polled by hand. The waiter is on the heap and holds the
// one who waits.
void met_task_watch(Task* task) {
  Task* marked = with_mark(isolate.strand, MARK_WATCH);
  WaitList& waiters = need_more(task).waiters;
  for (Waiter* waiter = waiters.first; waiter != nullptr; waiter = waiter->next)
    if (waiter->task == marked) return;
  Waiter* waiter = static_cast<Waiter*>(met_raw_alloc(sizeof(Waiter)));
  hold_to_wake(isolate.strand);
  waiter->task = marked;
  append(waiters, *waiter);
  if (task->flags & TASK_INSIDE) renew_nests();
}

// The running task holds the lock from now on, unless somebody else does already.
void met_lock_taken(Held* held, WaitList* line) {
  Task* task = isolate.running;
  if (held->at != nullptr || task == nullptr) return;
  *held = {isolate.life.held, &isolate.life.held, line, task->frame.resume, task->flags & TASK_SPAWNED ? spawned_at(task) : nullptr, task};
  if (held->next != nullptr) held->next->at = &held->next;
  isolate.life.held = held;
}
void met_lock_left(Held* held) {
  if (held->at == nullptr) return;
  *held->at = held->next;
  if (held->next != nullptr) held->next->at = held->at;
  held->at = nullptr;
}

void met_wait(WaitList* list, Waiter* waiter) {
  waiter->task = isolate.strand;
  append(*list, *waiter);
}
void met_wait_shared(WaitList* list, Waiter* waiter) {
  met_wait(list, waiter);
  issue_ticket(*waiter);
}
void met_wait_for_task(Task* task, Waiter* waiter) {
  met_wait(&need_more(task).waiters, waiter);
  if (task->flags & TASK_INSIDE) renew_nests();
}
void met_unwait(Waiter* waiter) {
  remove(*waiter);
  withdraw_ticket(*waiter);
}
void met_unwait_for_task(Waiter* waiter) {  // in the turn in which it goes on
  remove(*waiter);
  if (isolate.strand == nullptr) return;
  isolate.strand->flags.end_win();
  if (isolate.nests.first != nullptr && is_inside(isolate.strand)) renew_nests();
}
void met_renew_ticket(Waiter* waiter) { renew_ticket(*waiter); }
int64_t met_place_in_line(const Waiter* waiter) {
  int64_t place = 0;
  while ((waiter = waiter->before) != nullptr) ++place;
  return place;
}
void met_wake_first(WaitList* list) { wake_waiter(*list->first); }   // there is one
void met_wake_each(WaitList* list) {   // the same for all of them
  for (Waiter* waiter = list->first; waiter != nullptr; waiter = waiter->next) wake_waiter(*waiter);
}
void met_serve_first(WaitList* list) {   // the same, and it is out of the line
  Waiter& waiter = *list->first;
  remove(waiter);
  wake_waiter(waiter);
}
void met_wake_all(WaitList* list) { wake_all(*list); }

Remote* met_waker_open(void) { return open_waker(); }
void met_waker_wake(Remote* remote) { wake_remote(*remote); }
void met_waker_close(Remote* remote) { close_waker(*remote); }
bool met_waker_is_current(const Remote* remote) { return remote->task == isolate.running; }

void met_timer_start(Timer* timer, int64_t ns) {
  set_timer(*timer, isolate.strand, TIMER_WAKES);
  int64_t now = now_ns();
  isolate.timers.start(*timer, later(now, ns));
}
void met_timer_stop(Timer* timer) { isolate.timers.stop(*timer); }

}  // extern "C"
