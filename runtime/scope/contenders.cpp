#include "runtime/scope/contenders.h"

#include "runtime/threads/lock.h"

namespace meteor::async {

namespace {

constexpr int MOST_LEVELS = 64;  // of races inside each other that are decided together

Decision* race_of(const Scope* scope) {
  const More* more = scope != nullptr && scope->owner != nullptr ? more_of(scope->owner) : nullptr;
  return more != nullptr ? more->race : nullptr;
}

void hold_back(Task* task) {
  if (task->flags & TASK_QUEUED) return;  // it was woken meanwhile, and tries once more
  task->flags.queue();
  task->next = isolate.held_back;
  isolate.held_back = task;
}

bool is_child(const Scope* scope, const Task* task) {
  for (const Task* child = scope->first; child != nullptr; child = child->siblings.after)
    if (child == task) return true;
  return false;
}

// Those under one decision: the contenders of a race, or the select, which asks its arms.
void wake_those_under(const Task* arm_or_contender, const Scope* scope) {
  if (scope == nullptr) return wake(outer_of(arm_or_contender));
  for (Task* child = scope->first; child != nullptr; child = child->siblings.after) wake(child);
}

// The decision is OPEN again, unless what was chosen stays so. `arm` is not looked into when it is gone.
void open_again(Decision& decision, const Task* arm, bool is_gone, bool was_closed, const Scope* scope) {
  bool must_look_again = false;
  if (chosen_arm(decision) != nullptr) {
    if (chosen_arm(decision) != arm || (!is_gone && is_bound(arm))) return;
    reset_decision(decision);
    must_look_again = true;
    call_held_back();
  } else if (!was_closed) {
    return;
  }
  open_decision(decision);
  if (must_look_again) wake_those_under(arm, scope);
}

// Whoever it is a part of goes on with Cancelled, and has not yet told it so: that one's select gives up its arms in
// its own turn.
bool is_cancelled_outside(const Task* task) {
  if (task->flags & (TASK_CANCELLED | TASK_INTERRUPTED)) return false;
  for (const Task* at = next_outwards(task); at != nullptr; at = next_outwards(at))
    if (at->flags & TASK_INTERRUPTED) return true;
  return false;
}

const Scope* scope_of_contender(const Task* task) { return task->flags & TASK_SPAWNED ? scope_of(task) : nullptr; }

// A child of a scope whose owner may wait for it; not of a race.
bool is_part(const Task* task) {
  return (task->flags & (TASK_SPAWNED | TASK_INSIDE | TASK_CONTENDS | TASK_SERVICE)) == (TASK_SPAWNED | TASK_INSIDE);
}

// As next_outwards, of one that was waited for when its turn began.
Task* owner_or_poller(const Task* task) {
  if (!(task->flags & TASK_SPAWNED)) return outer_of(task);
  Scope* scope = task->flags & (TASK_CONTENDS | TASK_INSIDE) ? scope_of(task) : nullptr;
  return scope != nullptr ? scope->owner : nullptr;
}

// Of one that is decided, with the lock held.
void choose_all(Task* task) {
  task->flags.win();
  int level = 0;
  for (Task *at = task, *next; at != nullptr && level < MOST_LEVELS; at = next, ++level) {
    if (Decision* decision = decision_of(at)) choose_arm(*decision, at);
    next = next_outwards(at);
    if (next != nullptr && is_part(at)) next->flags.win();
  }
}

// What it waits for has not happened after all. A cancellation that came meanwhile counts from now on.
void end_win(Task* owner) {
  if (!(owner->flags & TASK_WON)) return;
  owner->flags.end_win();
  wake(owner);
}

// What the turn has closed is open again, with the lock held.
void open_all(const Turn& turn) {
  if (turn.levels == 0) return;
  if (Decision* race = turn.contends ? race_of(turn.scope) : nullptr) {
    bool is_gone = chosen_arm(*race) == turn.task && !is_child(turn.scope, turn.task);
    open_again(*race, turn.task, is_gone, turn.closed & 1, turn.scope);
  }
  if (turn.levels == 1) return;
  Task* at = turn.scope->owner;
  if (!turn.contends && is_child(turn.scope, turn.task) && !is_bound(turn.task)) end_win(at);
  for (int level = 1;; ++level) {
    if (Decision* decision = decision_of(at))
      open_again(*decision, at, false, turn.closed >> level & 1, scope_of_contender(at));
    Task* next = owner_or_poller(at);
    if (next == nullptr || level + 1 == turn.levels) return;
    if (is_part(at) && !is_bound(at)) end_win(next);
    at = next;
  }
}

void set_levels_of(Nest& nest, Task* task) {
  Level levels[MOST_LEVELS];
  uint32_t count = 0;
  int level = 0;
  for (Task* at = task; at != nullptr && level < MOST_LEVELS; at = next_outwards(at), ++level)
    if (Decision* decision = decision_of(at)) levels[count++] = {decision, at};
  set_levels(nest, levels, count);
}

}  // namespace

// What others have chosen is bound, as if it had been chosen here. Whom they missed calls them again.
void Deciding::begin() {
  isolates::lock(isolate.nests.lock);
  while (Nest* nest = take_noted(isolate.nests)) {
    if (nest->note == Note::Chosen)
      bind_outwards(nest->task);
    else
      wake(nest->task);
    nest->note = Note::None;
  }
}

void Deciding::end() { isolates::unlock(isolate.nests.lock); }

void open_nest(Nest& nest, Task* task) {
  nest = {};
  if (!is_inside(task)) return;
  Deciding deciding;
  set_levels_of(nest, task);
  enlist(isolate.nests, nest, task);
  need_more(task).nest = &nest;
}

void renew_nest(Nest& nest, Task* task) {
  if (nest.task == nullptr) return open_nest(nest, task);
  Deciding deciding;
  set_levels_of(nest, task);
}

void close_nest(Nest& nest) {
  if (nest.task == nullptr) return;
  Deciding deciding;
  more_of(nest.task)->nest = nullptr;
  leave_nests(isolate.nests, nest);
}

void give_up_inside(const Task* task) {
  const More* more = isolate.nests.first != nullptr ? more_of(task) : nullptr;
  if (more == nullptr || (more->nest == nullptr && more->decision == nullptr)) return;
  Deciding deciding;
  if (more->nest != nullptr) more->nest->is_given_up = true;
  if (more->decision != nullptr && is_open(*more->decision)) reset_decision(*more->decision);
}

void renew_nests() {
  if (isolate.nests.first == nullptr) return;
  Deciding deciding;
  for (Nest* nest = isolate.nests.first; nest != nullptr; nest = nest->next) set_levels_of(*nest, nest->task);
}

void call_held_back() {
  while (Task* task = isolate.held_back) {
    isolate.held_back = task->next;
    append_ready(isolate, task);
  }
}

bool is_bound(const Task* task) {
  if (task->flags & TASK_WON) return true;
  const More* more = more_of(task);
  if (more == nullptr) return false;
  if (more->race != nullptr && chosen_arm(*more->race) != nullptr) return true;
  const Task* arm = more->decision != nullptr ? chosen_arm(*more->decision) : nullptr;
  return arm != nullptr && arm != task;  // itself: its select is over
}

void begin_race(Task* owner) {
  leave_race(owner);
  More& more = need_more(owner);
  more.race = make_decision();
  open_decision(*more.race);
}

void end_race(const Scope* scope) {
  if (race_of(scope) == nullptr) return;
  Deciding deciding;
  Task* owner = scope->owner;
  More* more = more_of(owner);
  let_go(more->race);
  more->race = nullptr;
  choose_all(owner);
  call_held_back();
}

void choose_outwards(Task* task) {
  Deciding deciding;
  choose_all(task);
}

void end_inside(Task* task) {
  if (!(task->flags & TASK_SERVICE) && is_waited_for(task)) choose_outwards(scope_of(task)->owner);
}

void bind_outwards(Task* task) {
  int level = 0;
  for (Task *at = task, *next; at != nullptr && level < MOST_LEVELS; at = next, ++level) {
    next = next_outwards(at);
    if (next != nullptr && is_part(at)) next->flags.win();
  }
}

void wait_for_more(Scope* scope) {
  if (!(scope->flags & SCOPE_CLOSING) || scope->owner == nullptr) return;
  scope->owner->flags.end_win();
  wake(scope->owner);  // at the end of its turn nothing is chosen that is not bound, and a cancellation counts
}

bool is_inside(const Task* task) {
  for (;; task = outer_of(task)) {
    if (task->flags & (TASK_ARM | TASK_CONTENDS | TASK_INSIDE)) return true;
    if ((task->flags & TASK_SPAWNED) || outer_of(task) == nullptr) return false;
  }
}

bool is_waited_for(const Task* task) {
  const Scope* scope = scope_of(task);
  if (scope == nullptr || scope->owner == nullptr) return false;
  if ((scope->flags & SCOPE_CLOSING) && scope->open == 1) return true;
  const Task* selects = task->flags & TASK_ARM ? with_mark(scope->owner, MARK_WATCH) : nullptr;
  const More* more = more_of(task);
  for (const Waiter* at = more != nullptr ? more->waiters.first : nullptr; at != nullptr; at = at->next)
    if (at->task == scope->owner || at->task == selects) return true;
  return false;
}

Decision* innermost_decision(Task*& task) {
  for (Task* at = task; at != nullptr; at = next_outwards(at)) {
    if (Decision* decision = decision_of(at)) {
      task = at;
      return decision;
    }
  }
  return nullptr;
}

void leave_race(Task* owner) {
  owner->flags.end_win();
  More* more = more_of(owner);
  if (more == nullptr || more->race == nullptr) return;
  let_go(more->race);
  more->race = nullptr;
  call_held_back();
}

Decision* decision_of_arm_or_contender(const Task* task) {
  if (is_arm(task)) {
    const More* more = more_of(outer_of(task));
    return more != nullptr ? more->decision : nullptr;
  }
  return task->flags & TASK_CONTENDS ? race_of(scope_of(task)) : nullptr;
}

bool is_left_behind(const Task* strand) {
  const Decision* decision = is_arm(strand) ? decision_of_arm_or_contender(strand) : nullptr;
  return decision != nullptr && chosen_arm(*decision) == outer_of(strand);
}

bool is_given_up(const Task* task) {
  for (const Task* at = task; at != nullptr; at = owner_or_poller(at)) {
    if (!(at->flags & TASK_CANCELLED)) continue;
    if (!(at->flags & TASK_SPAWNED)) return true;
    if ((at->flags & TASK_CONTENDS) && race_of(scope_of(at)) == nullptr) return true;
  }
  return false;
}

bool begin_turn(Turn& turn) {
  turn.closed = 0;
  if (is_cancelled_outside(turn.task)) {
    hold_back(turn.task);
    return false;
  }
  Deciding deciding;
  int level = 0;
  for (Task* at = turn.task; at != nullptr && level < MOST_LEVELS; at = next_outwards(at), ++level) {
    Decision* decision = decision_of(at);
    if (decision == nullptr) continue;
    bool was_open = is_open(*decision);
    if (close_decision(*decision)) {
      if (was_open) turn.closed |= uint64_t(1) << level;
    } else if (chosen_arm(*decision) != at) {
      hold_back(turn.task);
      turn.levels = level;
      open_all(turn);
      return false;
    }
  }
  turn.levels = level;
  return true;
}

void end_turn(const Turn& turn) {
  Deciding deciding;
  open_all(turn);
}

}  // namespace meteor::async
