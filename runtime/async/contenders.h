// The contenders of a race: tasks of which one decides. Only one of them may take its turn at a time that counts: while
// one runs, nobody can complete another's operation, and while one is chosen, because somebody has completed its
// operation, the others wait until it has had its turn. So a race never has to choose between two that have happened.
//
// The race's decision (runtime/async/decision.h) belongs to the task that began it. It is OPEN between the turns,
// CLOSED in a turn, and gone when a contender has won: what the others clean up is free of it.
#ifndef METEOR_RUNTIME_ASYNC_CONTENDERS_H
#define METEOR_RUNTIME_ASYNC_CONTENDERS_H

#include "runtime/async/task.h"

namespace meteor::async {

// Of the race that it takes part in, or of the select whose arm it is; null: neither, or it is over.
Decision* decision_of_arm_or_contender(const Task* task);
inline Decision* decision_of(const Task* task) {
  return task->flags & (TASK_ARM | TASK_CONTENDS) ? decision_of_arm_or_contender(task) : nullptr;
}

void begin_race(Task* owner);       // which has opened a scope for it
void end_race(const Scope* scope);  // a contender has won

[[nodiscard]] bool begin_turn_of_contender(
    Task* task);  // false: another one is chosen; it is woken after that one's turn
void end_turn_of_contender(Scope* scope);

}  // namespace meteor::async

#endif
