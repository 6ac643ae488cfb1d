#include "runtime/async/contenders.h"

#include "runtime/async/executor.h"

namespace meteor::async {

namespace {

Decision* race_of(const Scope* scope) {
  const More* more = scope != nullptr && scope->owner != nullptr ? more_of(scope->owner) : nullptr;
  return more != nullptr ? more->race : nullptr;
}

void wake_contenders(const Scope* scope) {
  for (Task* child = scope->first; child != nullptr; child = child->after) wake(child);
}

}  // namespace

void begin_race(Task* owner) {
  More& more = need_more(owner);
  let_go(more.race);
  more.race = make_decision();
  while (!open_decision(*more.race)) continue;
}

void end_race(const Scope* scope) {
  if (race_of(scope) == nullptr) return;
  More* more = more_of(scope->owner);
  let_go(more->race);
  more->race = nullptr;
}

Decision* decision_of_arm_or_contender(const Task* task) {
  if (is_arm(task)) {
    const More* more = more_of(task->before);
    return more != nullptr ? more->decision : nullptr;
  }
  return task->flags & TASK_CONTENDS ? race_of(scope_of(task)) : nullptr;
}

bool begin_turn_of_contender(Task* task) {
  Decision* race = race_of(scope_of(task));
  return race == nullptr || close_decision(*race) || chosen_arm(*race) == task;
}

void end_turn_of_contender(Scope* scope) {
  Decision* race = race_of(scope);
  if (race == nullptr) return;
  bool must_look_again = chosen_arm(*race) != nullptr;  // those whose turn came before the chosen one's
  if (must_look_again) reset_decision(*race);
  while (!open_decision(*race)) must_look_again = true;  // and those who were missed
  if (must_look_again) wake_contenders(scope);
}

}  // namespace meteor::async
