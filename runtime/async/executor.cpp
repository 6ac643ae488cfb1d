// The loop of one isolate, and what it is made of: run a task's innermost frame, wake, cancel, wait.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "runtime/async/isolate.h"
#include "runtime/async/slice.h"
#include "runtime/memory/memory.h"
#include "runtime/os/os.h"

namespace meteor::async {

__thread Isolate isolate __attribute__((tls_model("initial-exec")));

namespace {

constexpr uint64_t TURNS_BETWEEN_LOOKS = 61;   // at most; a tick of the watch comes between

void retain(met_object* object) {
  if (object != nullptr && !(object->strong & MET_IMMORTAL)) ++object->strong;
}

void release(met_object* object) {
  if (object == nullptr || (object->strong & MET_IMMORTAL)) return;
  if (--object->strong == 0) met_object_drop(object);
}

// A waiter on the heap has a mark in the lowest bits of its task: it watches the end of another (met_task_watch), or is part of
// an Expiry, which goes with its task. One that waits for something shared has its ticket there.
enum : uintptr_t { MARK_WATCH = 1, MARK_EXPIRY = 2, MARK_TICKET = 3, MARKS = 3 };
Task* with_mark(Task* task, uintptr_t mark) { return reinterpret_cast<Task*>(reinterpret_cast<uintptr_t>(task) | mark); }
Task* without_mark(Task* task) { return reinterpret_cast<Task*>(reinterpret_cast<uintptr_t>(task) & ~uintptr_t(MARKS)); }
uintptr_t mark_of(const Task* task) { return reinterpret_cast<uintptr_t>(task) & MARKS; }

Ticket* ticket_of(const Waiter& waiter) { return reinterpret_cast<Ticket*>(without_mark(waiter.task)); }

int64_t later(int64_t now, int64_t ns) { return ns > INT64_MAX - now ? INT64_MAX : now + ns; }

// ---- Ready queue ----

void push_ready(Task* task) {
  task->flags |= TASK_QUEUED;
  task->next = nullptr;
  if (isolate.ready_first == nullptr) isolate.ready_first = task;
  else isolate.ready_last->next = task;
  isolate.ready_last = task;
}

// ---- Cancellation ----

enum class Cancel { No, Yes, Shielded };

// What wants a task to stop.
struct Wanted {
  Cancel cancel = Cancel::No;
  Region* region = nullptr;   // kept out by clean-up code or a shield: the cancelled scope's, or
  Task* task = nullptr;       // the cancelled task
};

// From the innermost region outwards: a shield hides what is beyond it, until the time for clean-up is over.
// A future that is polled by hand is part of the task that polls it.
Wanted wanted_of(Task* task, Region* region) {
  Wanted wanted;
  bool soft = false, firm = false;
  auto stops = [&](bool expired, Region* cancelled_region, Task* cancelled_task) {
    if (!firm && (!soft || expired)) {
      wanted.cancel = Cancel::Yes;
      return true;
    }
    wanted.cancel = Cancel::Shielded;
    if (soft && !expired && wanted.region == nullptr && wanted.task == nullptr) {
      wanted.region = cancelled_region;
      wanted.task = cancelled_task;
    }
    return false;
  };
  for (;; task = task->before, region = task->regions) {
    for (; region != nullptr; region = region->outer) {
      if ((region->flags & REGION_CANCELLED) && stops(region->flags & REGION_EXPIRED, region, nullptr)) return wanted;
      if (region->flags & REGION_SHIELD) (region->flags & REGION_FIRM ? firm : soft) = true;
    }
    if ((task->flags & TASK_CANCELLED) && stops(task->flags & TASK_EXPIRED, nullptr, task)) return wanted;
    if ((task->flags & TASK_SPAWNED) || task->before == nullptr) return wanted;
  }
}

Scope* scope_of(Region* region) { return reinterpret_cast<Scope*>(reinterpret_cast<char*>(region) - offsetof(Scope, region)); }

// Who waits for something when it is cancelled does not get it any more, though it runs only later. Who has been woken already looks first: completion wins.
void interrupt(Task* task) {
  if (task->leaf == nullptr || wanted_of(task, task->regions).cancel != Cancel::Yes) return;
  for (Task* at = isolate.strand; at != nullptr; at = at->flags & TASK_SPAWNED ? nullptr : at->before)
    if (at == task) return;   // it runs
  Task* root = task;
  while (!(root->flags & TASK_SPAWNED) && root->before != nullptr) root = root->before;
  if (!(root->flags & TASK_QUEUED)) task->flags |= TASK_INTERRUPTED;
}

met_object* interruption(Task* task) {
  if (!(task->flags & TASK_INTERRUPTED)) return nullptr;
  task->flags &= ~TASK_INTERRUPTED;
  return met_hook_cancelled();
}

// The time of a cancelled task's clean-up.
struct Expiry {
  Timer timer;
  Waiter waiter;   // in the task's line: ends with it
};

void expire_task(Timer* timer) {
  Expiry* expiry = static_cast<Expiry*>(timer->data);
  Task* task = without_mark(expiry->waiter.task);
  remove(expiry->waiter);
  met_raw_free(expiry, sizeof(Expiry));
  task->flags |= TASK_EXPIRED;
  wake(task);
}

void expire_scope(Timer* timer) {
  Scope* scope = static_cast<Scope*>(timer->data);
  scope->region.flags |= REGION_EXPIRED;
  if (scope->owner != nullptr) wake(scope->owner);
}

// Clean-up may wait, but not for ever.
void bound_cleanup(const Wanted& wanted) {
  constexpr int64_t DEFAULT_NS = 5'000'000'000;
  if (wanted.region != nullptr) {
    Scope* scope = scope_of(wanted.region);
    if (scope->flags & SCOPE_CLEANUP_BOUND) return;
    scope->flags |= SCOPE_CLEANUP_BOUND;
    scope->cleanup_timer.fire = expire_scope;
    scope->cleanup_timer.data = scope;
    isolate.timers.start(scope->cleanup_timer, later(now_ns(), scope->cleanup_ns));
  } else if (wanted.task != nullptr && !(wanted.task->flags & TASK_EXPIRY_SET)) {
    Task* task = wanted.task;
    task->flags |= TASK_EXPIRY_SET;
    Expiry* expiry = static_cast<Expiry*>(met_raw_alloc(sizeof(Expiry)));
    expiry->timer.next = nullptr;
    expiry->timer.fire = expire_task;
    expiry->timer.data = expiry;
    expiry->waiter.task = with_mark(task, MARK_EXPIRY);
    append(task->waiters, expiry->waiter);
    isolate.timers.start(expiry->timer, later(now_ns(), task->scope != nullptr ? task->scope->cleanup_ns : DEFAULT_NS));
  }
}

// ---- Ends ----

void start_child(Scope* scope, Task* task) {
  ++scope->running;
  push_ready(task);
}

void unlink_child(Scope* scope, Task* task) {
  (task->before != nullptr ? task->before->after : scope->first) = task->after;
  (task->after != nullptr ? task->after->before : scope->last) = task->before;
  task->before = task->after = nullptr;
}

void child_failed(Scope* scope, met_object* error) {
  if (scope->error == nullptr) {
    retain(error);
    scope->error = error;
  } else if (scope->error != error) {
    met_hook_suppress(scope->error, error);
  }
  cancel_scope(scope);
}

void end_services(Scope* scope) {
  for (Task* child = scope->first; child != nullptr; child = child->after)
    if (child->flags & TASK_SERVICE) cancel_task(child);
}

void finish(Task* task, met_object* error) {
  task->flags |= TASK_DONE;
  task->leaf = nullptr;
  bool failed = error != nullptr && met_hook_is_error(error);
  if (error != nullptr && !failed) {
    task->flags |= TASK_ENDED_CANCELLED;
    release(error);
    error = nullptr;
  }
  if (failed && task->spawned_at != nullptr) met_error_trace(error, reinterpret_cast<const met_site*>(reinterpret_cast<uintptr_t>(task->spawned_at) | 1));
  task->error = error;
  wake_all(task->waiters);
  Scope* scope = task->scope;
  if (scope != nullptr) {
    unlink_child(scope, task);
    task->scope = nullptr;
    --scope->running;
    if (failed) child_failed(scope, error);
    if (task->flags & TASK_SERVICE) --scope->services;
    else --scope->open;
    if (scope->line_first != nullptr && scope->running < scope->limit) {
      Task* next = scope->line_first;
      scope->line_first = next->next;
      next->flags &= ~TASK_WAITS_TURN;
      start_child(scope, next);
    }
    if (scope->open == 0 && (scope->flags & SCOPE_CLOSING)) {
      if (scope->services > 0) end_services(scope);
      wake(scope->owner);
    }
  }
  if (task->flags & TASK_ORPHAN) {
    --isolate.orphans;
    if (failed) met_hook_report(error);
  }
  if (task->flags & TASK_QUEUED) return;   // the queue's turn of it lets it go
  release(&task->header);
}

void run(Task* task) {
  task->flags &= ~TASK_QUEUED;
  if (task->flags & TASK_DONE) {
    release(&task->header);
    return;
  }
  isolate.running = isolate.strand = task;
  begin_turn(isolate.turns);
  met_object* error = nullptr;
  if (task->leaf == nullptr) {
    task->leaf = &task->frame;
    if (task->flags & TASK_CANCELLED) error = met_hook_cancelled();   // before it started: it never runs
  } else {
    error = interruption(task);
  }
  met_object* status = run_frames(task->leaf, error);
  isolate.running = isolate.strand = nullptr;
  if (status != MET_PENDING) finish(task, status);
}

// ---- Tickets ----

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

// ---- Signals and sleeping ----

volatile sig_atomic_t interrupts;
Isolate* main_isolate;

void on_interrupt(int signal) {
  if (interrupts > 0) _exit(128 + signal);
  interrupts = signal;
  if (main_isolate != nullptr) ring(main_isolate->inbox);
}

void watch_signals() {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void look_outside(bool has_polled) {
  isolate.tick = ticks();
  if (interrupts > 0 && main_isolate == &isolate && isolate.root != nullptr && !(isolate.root->flags & TASK_CANCELLED)) cancel_task(isolate.root);
  if (!has_polled && isolate.reactor.waiting > 0) poll_kernel(isolate.reactor, 0);
  if (!isolate.timers.empty()) isolate.timers.advance(now_ns());
}

// Every isolate waits for another one: the main isolate's loop ends with that.
bool is_deadlocked;

void report_deadlock() {
  __atomic_store_n(&is_deadlocked, true, __ATOMIC_SEQ_CST);
  if (main_isolate != nullptr) ring(main_isolate->inbox);
}

// With nothing to do the thread sleeps in the kernel. False: nothing will ever wake it.
bool wait_for_something() {
  int64_t next = isolate.timers.next_ns();
  if (next == FOR_EVER && isolate.outside == 0 && isolate.others == 0 && isolate.reactor.waiting == 0) return false;
  bool for_others = next == FOR_EVER && isolate.outside == 0 && isolate.reactor.waiting == 0;
  if (!begin_sleep(isolate.inbox, for_others ? SLEEP_OTHERS : SLEEP_EVENTS)) return true;
  if (for_others && all_wait()) report_deadlock();
  int64_t left = next == FOR_EVER ? FOR_EVER : next - now_ns();
  set_busy(false);
  met_flush();   // whoever reads the output sees it before a long wait
  poll_kernel(isolate.reactor, left > 0 ? left : 0);
  set_busy(true);
  end_sleep(isolate.inbox);
  return !take_deadlock();
}

}  // namespace

int64_t now_ns() { return met_clock_monotonic_ns(); }

bool take_deadlock() { return main_isolate == &isolate && __atomic_exchange_n(&is_deadlocked, false, __ATOMIC_SEQ_CST); }

bool sleep_for_others() {
  bool for_others = isolate.outside == 0;
  if (!begin_sleep(isolate.inbox, for_others ? SLEEP_OTHERS : SLEEP_EVENTS)) return true;
  if (for_others && all_wait()) report_deadlock();
  poll_kernel(isolate.reactor, FOR_EVER);
  end_sleep(isolate.inbox);
  return !take_deadlock();
}

void open_loop() {
  open_inbox(isolate.inbox);
  open_reactor(isolate.reactor, isolate.inbox.wake_fd);
  if (main_isolate != nullptr || isolate.is_worker) return;
  main_isolate = &isolate;
  watch_signals();
}

void wake(Task* task) {
  while (!(task->flags & TASK_SPAWNED)) {   // part of whoever polls it
    if (task->before == nullptr) return;
    task = task->before;
  }
  if (task->flags & (TASK_QUEUED | TASK_DONE | TASK_WAITS_TURN)) return;
  push_ready(task);
}

// The scopes that its body waits in, up to one that is cancelled already: their children must not get what comes from now on. A shield keeps in what is inside it.
static void cancel_inner_scopes(Task* task, Region* outermost) {
  Region* from = task->regions;
  for (Region* region = from; region != outermost && region != nullptr; region = region->outer)
    if (region->flags & REGION_SHIELD) from = region->outer;
  for (Region* region = from; region != outermost && region != nullptr; region = region->outer)
    if (region->flags & REGION_SCOPE) cancel_scope(scope_of(region));
}

void cancel_task(Task* task) {
  if (task->flags & (TASK_DONE | TASK_CANCELLED)) return;
  task->flags |= TASK_CANCELLED;
  if (task->flags & TASK_WAITS_TURN) {   // out of the line: it ends without having run
    Scope* scope = task->scope;
    Task** at = &scope->line_first;
    Task* before = nullptr;
    while (*at != task) {
      before = *at;
      at = &before->next;
    }
    *at = task->next;
    if (scope->line_last == task) scope->line_last = before;
    task->flags &= ~TASK_WAITS_TURN;
    start_child(scope, task);
    return;
  }
  interrupt(task);
  wake(task);
  cancel_inner_scopes(task, nullptr);
}

void cancel_scope(Scope* scope) {
  if (scope->region.flags & REGION_CANCELLED) return;
  scope->region.flags |= REGION_CANCELLED;
  for (Task* child = scope->first; child != nullptr; child = child->after) cancel_task(child);
  if (scope->owner == nullptr) return;
  interrupt(scope->owner);
  wake(scope->owner);
  cancel_inner_scopes(scope->owner, &scope->region);
}

// The innermost frame goes on; when it ends, whoever awaits it goes on with its result or its error.
met_object* run_frames(met_frame* leaf, met_object* error) {
  for (;;) {
    met_object* status = leaf->resume(leaf, error);
    if (status == MET_PENDING || leaf->parent == nullptr) return status;
    leaf = leaf->parent;
    error = status;
  }
}

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
      case MARK_EXPIRY: {
        Expiry* expiry = reinterpret_cast<Expiry*>(reinterpret_cast<char*>(waiter) - offsetof(Expiry, waiter));
        isolate.timers.stop(expiry->timer);
        met_raw_free(expiry, sizeof(Expiry));
        break;
      }
      default: wake(task);
    }
  }
}

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

met_object* met_park(met_frame* frame) {
  Task* strand = isolate.strand;
  if (strand == nullptr || isolate.closing > 0) return met_hook_cancelled();
  Wanted wanted = wanted_of(strand, strand->regions);
  if (wanted.cancel == Cancel::Yes) return met_hook_cancelled();
  if (wanted.cancel == Cancel::Shielded) bound_cleanup(wanted);
  strand->leaf = frame;
  return MET_PENDING;
}

// The slice of the running task is over: it goes to the end of the queue.
met_object* met_give_up_turn(met_frame* frame) {
  met_slice_over = 0;
  if (isolate.running == nullptr || isolate.strand == nullptr || isolate.closing > 0) return nullptr;
  met_object* status = met_park(frame);
  if (status == MET_PENDING) wake(isolate.running);
  return status;
}

// Ends a generator or a stream that is suspended at a yield. Nobody can wait for it: an await in its clean-up raises.
void met_frame_close(met_frame* frame) {
  constexpr int MOST_YIELDS = 1000;
  ++isolate.closing;
  for (int i = 0; i < MOST_YIELDS && frame->state != 0 && frame->state < MET_STATE_LAST; ++i) {
    met_object* status = frame->resume(frame, met_hook_cancelled());
    if (status == nullptr || status == MET_PENDING) continue;
    if (met_hook_is_error(status)) met_hook_report(status);
    release(status);
  }
  --isolate.closing;
}

// ---- What std/core calls ----

enum { RUN_DONE = 0, RUN_NESTED = 1, RUN_DEADLOCK = 2 };

// Runs the loop until `root` has ended.
int64_t met_run(Task* root) {
  if (isolate.is_running) return RUN_NESTED;
  open_loop();
  isolate.is_running = true;
  watch_this_thread();
  set_busy(true);
  isolate.root = root;
  if (isolate.is_cancelled) cancel_task(root);
  int64_t closing = isolate.closing;
  isolate.closing = 0;
  if (!(root->flags & TASK_SPAWNED)) {   // the first time; finish lets go of one
    retain(&root->header);
    root->flags |= TASK_SPAWNED;
    root->locals = isolate.locals;
    retain(root->locals);
  }
  wake(root);
  int64_t result = RUN_DONE;
  while (!(root->flags & TASK_DONE) || isolate.orphans > 0) {
    run_messages(isolate.inbox);
    Task* task = isolate.ready_first;
    if (task == nullptr) {
      if (!wait_for_something()) {
        result = RUN_DEADLOCK;
        break;
      }
      look_outside(true);
      continue;
    }
    isolate.ready_first = task->next;
    run(task);
    if (++isolate.turns % TURNS_BETWEEN_LOOKS == 0 || isolate.tick != ticks()) look_outside(false);
  }
  while (result == RUN_DONE && isolate.ready_first != nullptr) {   // woken in their last turn
    Task* task = isolate.ready_first;
    isolate.ready_first = task->next;
    run(task);
  }
  set_busy(false);
  isolate.is_running = false;
  isolate.root = nullptr;
  isolate.closing = closing;
  return result;
}

bool met_loop_runs(void) { return isolate.is_running; }
int64_t met_interrupted(void) { return interrupts; }   // the signal, 0: none

void met_task_spawn(Scope* scope, Task* task, bool service, const met_site* site) {
  task->spawned_at = site;
  retain(&task->header);
  if (isolate.running != nullptr && isolate.running->locals != nullptr) {
    task->locals = isolate.running->locals;
    retain(task->locals);
  }
  task->flags |= TASK_SPAWNED | (service ? TASK_SERVICE : 0);
  task->scope = scope;
  task->before = scope->last;
  task->after = nullptr;
  (scope->last != nullptr ? scope->last->after : scope->first) = task;
  scope->last = task;
  ++(service ? scope->services : scope->open);
  if (scope->region.flags & REGION_CANCELLED) task->flags |= TASK_CANCELLED;
  if (scope->limit > 0 && scope->running >= scope->limit && !(task->flags & TASK_CANCELLED)) {
    task->flags |= TASK_WAITS_TURN;
    task->next = nullptr;
    (scope->line_first != nullptr ? scope->line_last->next : scope->line_first) = task;
    scope->line_last = task;
    return;
  }
  start_child(scope, task);
}

// The bindings of TaskLocal values: the running task's, or those outside any task.
static met_object** locals_slot() { return isolate.running != nullptr ? &isolate.running->locals : &isolate.locals; }
void met_locals_read(met_object** into) {
  met_object* old = *into;
  *into = *locals_slot();
  retain(*into);
  release(old);
}
void met_locals_write(met_object* locals) {
  met_object** slot = locals_slot();
  met_object* old = *slot;
  retain(locals);
  *slot = locals;
  release(old);
}

void met_task_cancel(Task* task) { cancel_task(task); }
met_object* met_task_current(void) {
  Task* task = isolate.running;
  if (task == nullptr) return nullptr;
  retain(&task->header);
  return &task->header;
}
bool met_is_task_current(const Task* task) { return task == isolate.running; }
void met_task_wake(Task* task) { wake(task); }
void met_yield_now(void) {
  if (isolate.strand != nullptr) wake(isolate.strand);
}

bool met_is_closing(void) { return isolate.closing > 0; }

void met_scope_open(Scope* scope) {
  Task* task = isolate.strand;
  scope->owner = task;
  scope->region.flags |= REGION_SCOPE;
  scope->region.outer = task->regions;
  task->regions = &scope->region;
}

static void fire_scope(Timer* timer) {
  Scope* scope = static_cast<Scope*>(timer->data);
  scope->flags |= SCOPE_TIMED_OUT | (scope->error == nullptr ? SCOPE_TIMED_OUT_FIRST : 0);
  cancel_scope(scope);
}

void met_scope_deadline(Scope* scope, int64_t ns) {
  scope->timer.fire = fire_scope;
  scope->timer.data = scope;
  int64_t now = now_ns();
  isolate.timers.start(scope->timer, later(now, ns));
}

// The body has ended. True while children are left to wait for.
bool met_scope_closing(Scope* scope) {
  scope->flags |= SCOPE_CLOSING;
  if (scope->open == 0 && scope->services > 0) end_services(scope);
  return scope->open > 0 || scope->services > 0;
}

void met_scope_cancel(Scope* scope) { cancel_scope(scope); }

// Something outside this scope wants its task to stop.
bool met_scope_cancelled_outside(Scope* scope) {
  return isolate.closing > 0 || wanted_of(isolate.strand, scope->region.outer).cancel == Cancel::Yes;
}

void met_scope_leave(Scope* scope) {
  isolate.timers.stop(scope->timer);
  isolate.timers.stop(scope->cleanup_timer);
  Region** at = &isolate.strand->regions;
  while (*at != nullptr && *at != &scope->region) at = &(*at)->outer;
  if (*at != nullptr) *at = scope->region.outer;
  scope->flags |= SCOPE_CLOSED;
  scope->owner = nullptr;
}

void met_region_enter(Region* region, bool firm) {
  region->flags = REGION_SHIELD | (firm ? REGION_FIRM : 0);
  region->outer = nullptr;
  if (isolate.strand == nullptr) return;   // the clean-up of a stream that ended after the loop
  region->outer = isolate.strand->regions;
  isolate.strand->regions = region;
}

void met_region_leave(Region* region) {
  if (isolate.strand == nullptr) return;
  Region** at = &isolate.strand->regions;
  while (*at != nullptr && *at != region) at = &(*at)->outer;
  if (*at != nullptr) *at = region->outer;
}

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

// ---- Futures polled by hand ----

static void set_poller(Task* strand, Task* poller) {
  if (strand->before == poller) return;
  if (poller != nullptr) retain(&poller->header);
  if (strand->before != nullptr) release(&strand->before->header);
  strand->before = poller;
}

// One step of a future that is not a task of its own: MET_PENDING, null or an owned error.
static met_object* step(Task* strand, met_object* error) {
  Task* outer = isolate.strand;
  set_poller(strand, outer);
  if (strand->leaf == nullptr) strand->leaf = &strand->frame;
  if (error == nullptr) error = interruption(strand);
  isolate.strand = strand;
  met_object* status = run_frames(strand->leaf, error);
  isolate.strand = outer;
  if (status != MET_PENDING) {
    strand->leaf = nullptr;
    wake_all(strand->waiters);
    set_poller(strand, nullptr);
  }
  return status;
}

// 0: done, its value in the frame; 1: pending; 2: *error is set.
static int64_t outcome(met_object* status, met_object** error) {
  if (status == MET_PENDING) return 1;
  if (status == nullptr) return 0;
  release(*error);
  *error = status;
  return 2;
}

bool met_is_polled(const Task* strand) { return strand->leaf != nullptr; }

int64_t met_strand_poll(Task* strand, met_object** error) { return outcome(step(strand, nullptr), error); }

// Where it waits it gets Cancelled, unless a shield keeps that out.
static met_object* step_cancelled(Task* strand) {
  strand->flags |= TASK_CANCELLED;
  bool stops = wanted_of(strand, strand->regions).cancel == Cancel::Yes;
  return step(strand, stops ? met_hook_cancelled() : nullptr);
}

int64_t met_strand_cancel(Task* strand, met_object** error) { return outcome(step_cancelled(strand), error); }

// ---- Arms of a select ----

void met_arm_begin(Task* strand) { strand->flags |= TASK_ARM; }
bool met_arm_chosen(const Task* strand) { return strand->flags & TASK_CHOSEN; }

// The select looks anew, or has ended.
void met_arms_open(void) { isolate.strand->flags &= ~TASK_DECIDED; }
bool met_arms_decided(void) { return isolate.strand->flags & TASK_DECIDED; }
void met_arm_open(Task* strand) { strand->flags &= ~TASK_CHOSEN; }

// Whoever wants to take from or give to the first in a line, before that one runs: false when it will not take part any more, because
// it is cancelled or another arm of its select has been served. True: its select goes on with it.
bool met_claim_first(WaitList* list) {
  if (list->first == nullptr) return false;
  Task* task = list->first->task;
  if (mark_of(task) == MARK_TICKET) {
    Ticket* ticket = ticket_of(*list->first);
    if (ticket->home != &isolate) return true;   // it takes its value back itself, under the lock, if it will not take part
    task = ticket->task;
  }
  for (Task* at = task; at != nullptr; at = at->flags & TASK_SPAWNED ? nullptr : at->before) {
    if (at->flags & TASK_INTERRUPTED) return false;
    bool is_arm = (at->flags & TASK_ARM) && !(at->flags & TASK_SPAWNED) && at->before != nullptr;
    if (is_arm && (at->before->flags & TASK_DECIDED) && !(at->flags & TASK_CHOSEN)) return false;
    for (Task* runs = is_arm ? isolate.strand : nullptr; runs != nullptr; runs = runs->flags & TASK_SPAWNED ? nullptr : runs->before)
      if (runs == at->before) return false;   // a select does not serve itself
  }
  for (Task* at = task; !(at->flags & TASK_SPAWNED) && at->before != nullptr; at = at->before) {
    if (!(at->flags & TASK_ARM)) continue;
    at->flags |= TASK_CHOSEN;
    at->before->flags |= TASK_DECIDED;
  }
  return true;
}

static Scope* scope_around(Task* strand) {
  for (; strand != nullptr; strand = strand->before) {
    for (Region* region = strand->regions; region != nullptr; region = region->outer)
      if (region->flags & REGION_SCOPE) return scope_of(region);
    if (strand->flags & TASK_SPAWNED) return strand->scope;
  }
  return nullptr;
}

// Its poller lets go of it while it cleans up: it goes on as a task of the scope that it was polled in.
void met_strand_adopt(Task* strand) {
  Scope* scope = scope_around(isolate.strand);
  set_poller(strand, nullptr);
  retain(&strand->header);
  strand->flags |= TASK_SPAWNED | TASK_CANCELLED;
  if (scope == nullptr) {
    strand->flags |= TASK_ORPHAN;
    ++isolate.orphans;
    return;
  }
  strand->scope = scope;
  strand->before = scope->last;
  strand->after = nullptr;
  (scope->last != nullptr ? scope->last->after : scope->first) = strand;
  scope->last = strand;
  ++scope->open;
  ++scope->running;
}

// Nobody holds a future that was polled and has not ended: it is cancelled.
void met_task_close(met_object* object) {
  Task* task = reinterpret_cast<Task*>(object);
  if (task->leaf == nullptr || (task->flags & TASK_SPAWNED)) return;
  if (!isolate.is_running) {
    task->flags |= TASK_CANCELLED;
    set_poller(task, nullptr);
    met_run(task);
    return;
  }
  met_object* status = step_cancelled(task);
  if (status == MET_PENDING) {
    met_strand_adopt(task);
    return;
  }
  if (status == nullptr) return;
  if (met_hook_is_error(status)) met_hook_report(status);
  release(status);
}

}  // extern "C"
