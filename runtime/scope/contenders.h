// The contenders of a race: tasks of which one decides. Only one of them may take its turn at a time that counts: while
// one runs, nobody can complete another's operation, and while one is chosen, because somebody has completed its
// operation, the others wait until it has had its turn. So a race never has to choose between two that have happened.
//
// The race's decision (runtime/task/decision.h) belongs to the task that began it. It is OPEN between the turns,
// CLOSED in a turn, and gone when a contender has won: what the others clean up is free of it.
//
// One race may be inside another, or in an arm of a select. The turn of an inner contender counts in all of them, so it
// closes each decision from its own outwards. When it wins, the task that began its race is chosen in the race or
// select outside, and so on: it stays chosen until it has gone on from its race, however long the losers clean up
// (TASK_WON).
#ifndef METEOR_RUNTIME_SCOPE_CONTENDERS_H
#define METEOR_RUNTIME_SCOPE_CONTENDERS_H

#include "runtime/task/task.h"

namespace meteor::async {

// A case of the select that its poller is in.
inline bool is_arm(const Task* strand) { return (strand->flags & TASK_ARM) && !(strand->flags & TASK_SPAWNED) && strand->before != nullptr; }

// Of the race that it takes part in, or of the select whose arm it is; null: neither, or it is over.
Decision* decision_of_arm_or_contender(const Task* task);
inline Decision* decision_of(const Task* task) {
  return task->flags & (TASK_ARM | TASK_CONTENDS) ? decision_of_arm_or_contender(task) : nullptr;
}

// Whose decision comes after the task's own: who polls it, or who began the race that it takes part in. Null: nobody.
inline Task* next_outwards(const Task* task) {
  if (!(task->flags & TASK_SPAWNED)) return task->before;
  Scope* scope = task->flags & TASK_CONTENDS ? scope_of(task) : nullptr;
  return scope != nullptr ? scope->owner : nullptr;
}

// What is chosen inside of it has happened: it stays chosen itself.
bool is_bound(const Task* task);

void begin_race(Task* owner);       // which has opened a scope for it
void end_race(const Scope* scope);  // a contender has won
void leave_race(Task* owner);       // which goes on from it

// What it waits for is decided: it is TASK_WON until it goes on, and chosen in every race and select that it is inside
// of.
void choose_outwards(Task* task);

// The turn of a contender.
struct Turn {
  Task* task;       // gone at the end, perhaps
  Scope* scope;     // of its race
  uint64_t closed;  // which decisions it has closed: bit 0 is its own race's, then outwards
};
[[nodiscard]] bool begin_turn(Turn& turn);  // false: another one is chosen; it has its turn after that one's
void end_turn(const Turn& turn);

// Those that had no turn look again whether they may: a choice has been taken back, or a decision is over.
void call_held_back();

}  // namespace meteor::async

#endif
