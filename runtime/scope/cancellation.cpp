#include "runtime/scope/cancellation.h"

#include "runtime/loop/isolate.h"
#include "runtime/scope/contenders.h"
#include "runtime/scope/scopes.h"
#include "runtime/scope/streams.h"

namespace meteor::async {

// Its poller has ended it, or goes on without it.
static bool is_given_up_alone(const Task* strand) { return (strand->flags & TASK_CANCELLED) || is_left_behind(strand); }

// Tells the scopes that the task runs in, outwards from what it does now.
__attribute__((noinline)) static void count_cut(Task* task, uint32_t change) {
  auto note = [change](Scope* scope) {
    if (scope->flags & SCOPE_ENDED_BY_DEADLINE) scope->cut_short += change;
  };
  for (Region* region = regions_of(task);;) {
    for (; region != nullptr; region = region->outer)
      if (region->flags & REGION_SCOPE) note(scope_of(region));
    if (is_asked(task)) return;   // its asker is told by itself
    if (!(task->flags & TASK_SPAWNED)) {
      if (is_given_up_alone(task)) return;
      if ((task = outer_of(task)) == nullptr) return;
      region = regions_of(task);
      continue;
    }
    Scope* scope = scope_of(task);
    if (scope == nullptr || scope->owner == nullptr || (task->flags & (TASK_SERVICE | TASK_CONTENDS | TASK_ADOPTED)))
      return;  // a service ends with the others anyway; a race counts itself
    note(scope);
    region = scope->region.outer;
    task = scope->owner;
  }
}

// Whoever awaits it, and was cancelled with it, looks at it again.
static void call_waiters(const Task* task) {
  const More* more = more_of(task);
  for (const Waiter* at = more != nullptr ? more->waiters.first : nullptr; at != nullptr; at = at->next)
    if (mark_of(at->task) != MARK_EXPIRY) wake(without_mark(at->task));
}

// It goes up with Cancelled from what it does now. Unless a shield on the way or its poller keeps that from the whole task.
static void stop_whole(Task* strand) {
  for (;; strand = outer_of(strand)) {
    for (Region* region = regions_of(strand); region != nullptr; region = region->outer)
      if (region->flags & REGION_SHIELD) return;
    if ((strand->flags & TASK_SPAWNED) || outer_of(strand) == nullptr) break;
    if (is_asked(strand) || is_given_up_alone(strand)) return;
  }
  strand->flags.stop();
  call_waiters(strand);
}

met_object* cancelled_for(Task* task) {
  if (isolate.overdue > 0) count_cut(task, 1);
  stop_whole(task);
  return make_cancelled();
}

// From the innermost region outwards: a shield hides what is beyond it, until the time for clean-up is over.
// A future that is polled by hand is part of the task that polls it; a stream is no part of the one who asks it.
static Wanted find_wanted(Task* task, Region* region, bool heeds_decisions) {
  Wanted wanted;
  bool soft = false, firm = false;
  auto stops = [&](bool expired, Region* cancelled_region, Task* cancelled_task) {
    if (!firm && (!soft || expired)) {
      wanted.cancel = Cancel::Yes;
      wanted.in_cleanup = soft;
      return true;
    }
    wanted.cancel = Cancel::Shielded;
    if (soft && !expired && wanted.region == nullptr && wanted.task == nullptr) {
      wanted.region = cancelled_region;
      wanted.task = cancelled_task;
    }
    return false;
  };
  for (;; task = outer_of(task), region = regions_of(task)) {
    if (heeds_decisions && is_bound(task)) soft = true;
    for (; region != nullptr; region = region->outer) {
      if ((region->flags & REGION_CANCELLED) && stops(region->flags & REGION_EXPIRED, region, nullptr)) return wanted;
      if (region->flags & REGION_SHIELD) (region->flags & REGION_FIRM ? firm : soft) = true;
    }
    if ((task->flags & TASK_CANCELLED) && stops(task->flags & TASK_EXPIRED, nullptr, task)) return wanted;
    if ((task->flags & TASK_SPAWNED) || outer_of(task) == nullptr || is_asked(task)) return wanted;
  }
}

Wanted wanted_of(Task* task, Region* region) { return find_wanted(task, region, false); }

Wanted wanted_now(Task* task) { return find_wanted(task, regions_of(task), true); }

bool is_to_stop() {
  Task* strand = isolate.strand;
  if (strand == nullptr || isolate.closing > 0) return false;
  if (strand->flags.are(TASK_SPAWNED, TASK_SPAWNED | TASK_CANCELLED | TASK_CUT)) {
    met_may_stop = 0;
    return false;
  }
  Wanted wanted = wanted_now(strand);
  return wanted.cancel == Cancel::Yes && !wanted.in_cleanup;  // where its time is over, only what would take more of it is cut
}

namespace {

// The turn rule: until a task goes on, what it waits for has not happened. So one that is suspended gets Cancelled, even when it was woken already:
// what it was woken for is still where it was, and the next one finds it.
void interrupt(Task* task) {
  if (task->leaf == nullptr || is_at_rest(task)) return;
  bool is_plain = !task->place.has_more() && task->flags.are(TASK_SPAWNED | TASK_CANCELLED, TASK_SPAWNED | TASK_CANCELLED | TASK_WON);
  if (!is_plain && wanted_now(task).cancel != Cancel::Yes) return;
  for (Task* at = isolate.strand; at != nullptr; at = at->flags & TASK_SPAWNED ? nullptr : outer_of(at))
    if (at == task) return look_before_awaits();   // it runs
  task->flags.interrupt();
  give_up_inside(task);
}

void expire_task(Timer* timer) {
  Expiry* expiry = reinterpret_cast<Expiry*>(timer);
  Task* task = without_mark(expiry->waiter.task);
  remove(expiry->waiter);
  met_raw_free(expiry, sizeof(Expiry));
  task->flags.expire();
  wake(task);
}

constexpr TimerCall EXPIRE_TASK = expire_task;

}  // namespace

void expire(Scope* scope) {
  scope->region.flags.expire();
  if (scope->owner != nullptr) wake(scope->owner);
}

void bound_cleanup(Scope* scope) {
  if (!scope->flags.try_bound_cleanup()) return;
  set_timer(scope->cleanup_timer, scope, TIMER_ENDS_CLEANUP);
  isolate.timers.start(scope->cleanup_timer, later(now_ns(), scope->cleanup_ns));
}

// Clean-up may wait, but not for ever.
void bound_cleanup(const Wanted& wanted) {
  constexpr int64_t DEFAULT_NS = 5'000'000'000;
  if (wanted.region != nullptr) {
    bound_cleanup(scope_of(wanted.region));
  } else if (wanted.task != nullptr && wanted.task->flags.try_bound_cleanup()) {
    Task* task = wanted.task;
    Expiry* expiry = static_cast<Expiry*>(met_raw_alloc(sizeof(Expiry)));
    expiry->timer.next = nullptr;
    set_timer(expiry->timer, &EXPIRE_TASK, TIMER_CALLS);
    expiry->waiter.task = with_mark(task, MARK_EXPIRY);
    append(need_more(task).waiters, expiry->waiter);
    Scope* scope = task->flags & TASK_SPAWNED ? scope_of(task) : nullptr;
    isolate.timers.start(expiry->timer, later(now_ns(), scope != nullptr ? scope->cleanup_ns : DEFAULT_NS));
  }
}

namespace {

// The scopes that its body waits in, up to one that is cancelled already: their children must not get what comes from now on. A shield keeps in what is inside it.
void cancel_inner_scopes(Task* task, Region* outermost) {
  Region* from = regions_of(task);
  for (Region* region = from; region != outermost && region != nullptr; region = region->outer)
    if (region->flags & REGION_SHIELD) from = region->outer;
  for (Region* region = from; region != outermost && region != nullptr; region = region->outer)
    if (region->flags & REGION_SCOPE) cancel_scope(scope_of(region));
}

}  // namespace

met_object* interruption(Task* task) {
  if (!task->flags.take_interruption()) return nullptr;
  call_held_back();  // after this turn
  return cancelled_for(task);
}

void end_expiry(Waiter& waiter) {
  Expiry* expiry = reinterpret_cast<Expiry*>(reinterpret_cast<char*>(&waiter) - offsetof(Expiry, waiter));
  isolate.timers.stop(expiry->timer);
  met_raw_free(expiry, sizeof(Expiry));
}

void cancel_task(Task* task) {
  if (!task->flags.try_cancel()) return;
  if (task->flags.try_leave_line()) {   // out of the line: it ends without having run
    Scope* scope = scope_of(task);
    Task** at = &scope->line_first;
    Task* before = nullptr;
    while (*at != task) {
      before = *at;
      at = &before->next;
    }
    *at = task->next;
    if (scope->line_last == task) scope->line_last = before;
    start_child(isolate, scope, task);
    return;
  }
  interrupt(task);
  wake(task);
  cancel_inner_scopes(task, nullptr);
}

void cancel_scope(Scope* scope) {
  if (!scope->region.flags.try_cancel()) return;
  bool from_outside = scope->owner != nullptr && wanted_of(scope->owner, scope->region.outer).cancel == Cancel::Yes;
  if (!from_outside) scope->flags.cancel_itself();
  for (Task* child = scope->first; child != nullptr; child = child->siblings.after) cancel_task(child);
  if (scope->owner == nullptr) return;
  scope->owner->flags.cut();
  interrupt(scope->owner);
  wake(scope->owner);
  cancel_inner_scopes(scope->owner, &scope->region);
}

namespace {

constexpr int MOST_STEPS = 64;  // of waiting for each other

// By one or several steps: for its end.
bool waits_for(const Task* task, const Task* other, int steps) {
  const More* more = steps > 0 ? more_of(other) : nullptr;
  for (const Waiter* at = more != nullptr ? more->waiters.first : nullptr; at != nullptr; at = at->next) {
    if (mark_of(at->task) == MARK_EXPIRY) continue;
    const Task* who = without_mark(at->task);
    while (!(who->flags & TASK_SPAWNED) && outer_of(who) != nullptr) who = outer_of(who);
    if (who == task || waits_for(task, who, steps - 1)) return true;
  }
  return false;
}

}  // namespace

}  // namespace meteor::async

using namespace meteor::async;

extern "C" {

__thread uint8_t met_may_stop __attribute__((tls_model("initial-exec")));

// The running task caught Cancelled where it waited, and found that what it waited for has happened: its deadline has cut nothing short.
void met_has_happened(void) {
  if (isolate.running == nullptr) return;  // the clean-up of a stream that ended after the loop
  if (isolate.overdue > 0) count_cut(isolate.strand, uint32_t(-1));
  isolate.running->flags.go_on_cancelled();
}

// Both were cancelled, and the task may yet end by itself: then it gives its value to the running one. Not where it
// waits for the running one to do the same.
bool met_task_may_go_on(const Task* task) {
  bool may = task->flags.are(TASK_CANCELLED, TASK_CANCELLED | TASK_DONE | TASK_STOPS);
  return may && !waits_for(task, isolate.running, MOST_STEPS);
}
// What met_has_happened was told too early: it did not happen.
void met_has_not_happened(void) {
  if (isolate.running == nullptr) return;
  if (isolate.overdue > 0) count_cut(isolate.strand, 1);
  stop_whole(isolate.strand);
}
// The running task goes up with Cancelled from a scope whose children got it.
void met_stop(void) {
  if (isolate.strand != nullptr) stop_whole(isolate.strand);
}
// It does not, since it has what it wanted from them.
void met_go_on(void) {
  if (isolate.running != nullptr) isolate.running->flags.go_on_cancelled();
}

// The running task gives up something that others did for it, which got Cancelled and did not count: a race.
void met_was_cut_off(void) {
  if (isolate.overdue > 0) count_cut(isolate.strand, 1);
}

// Before an await that may be ready: null, or an owned Cancelled.
met_object* met_heed(void) { return is_to_stop() ? cancelled_for(isolate.strand) : nullptr; }

bool met_is_to_stop(void) { return met_may_stop != 0 && is_to_stop(); }

void met_task_cancel(Task* task) { cancel_task(task); }

bool met_is_closing(void) { return isolate.closing > 0; }

void met_region_enter(Region* region, bool firm) {
  region->flags.become_shield(firm);
  region->outer = nullptr;
  if (isolate.strand == nullptr) return;   // the clean-up of a stream that ended after the loop
  More& more = need_more(isolate.strand);
  region->outer = more.regions;
  more.regions = region;
}

void met_region_leave(Region* region) {
  if (isolate.strand == nullptr) return;
  Region** at = &need_more(isolate.strand).regions;
  while (*at != nullptr && *at != region) at = &(*at)->outer;
  if (*at != nullptr) *at = region->outer;
}

}  // extern "C"
