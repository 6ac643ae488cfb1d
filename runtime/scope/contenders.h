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
//
// A contender may wait for tasks of its own, in a scope. The turn of the child that it waits for is its own turn: of
// one that it awaits, or, when the body has ended, of the last one that is left. What the others do counts in no race.
#ifndef METEOR_RUNTIME_SCOPE_CONTENDERS_H
#define METEOR_RUNTIME_SCOPE_CONTENDERS_H

#include "runtime/loop/isolate.h"

namespace meteor::async {

// While it lives, no other isolate chooses anything here. What others have left for this one is seen to before.
struct Deciding {
  Deciding() : is_shared(isolate.nests.first != nullptr) {
    if (is_shared) begin();
  }
  ~Deciding() {
    if (is_shared) end();
  }
  Deciding(const Deciding&) = delete;
  void begin();
  void end();
  const bool is_shared;
};

// A case of the select that its poller is in.
inline bool is_arm(const Task* strand) {
  return (strand->flags & TASK_ARM) && !(strand->flags & TASK_SPAWNED) && outer_of(strand) != nullptr;
}

// An arm whose select goes on with another one, and has not come to tell it so: others take long to clean up.
[[nodiscard]] bool is_left_behind(const Task* strand);

// Of the race that it takes part in, or of the select whose arm it is; null: neither, or it is over.
Decision* decision_of_arm_or_contender(const Task* task);
inline Decision* decision_of(const Task* task) {
  return task->flags & (TASK_ARM | TASK_CONTENDS) ? decision_of_arm_or_contender(task) : nullptr;
}

// Of the innermost race or select that it is inside of; null: none. `task` becomes the contender or the arm.
Decision* innermost_decision(Task*& task);

// The nest of one that waits for something shared. Whether it is inside of anything is known for as long as it waits.
void open_nest(Nest& nest, Task* task);
void renew_nest(Nest& nest, Task* task);
void close_nest(Nest& nest);
void give_up_inside(const Task* task);  // which is interrupted: no other isolate completes what it waits for any more
void renew_nests();                     // the owner of a scope waits for another child than before, or for none

// What runs now is inside a race or a select, or may be.
bool is_inside(const Task* task);

// The owner of its scope waits for this child and nothing else. Of one with TASK_INSIDE.
bool is_waited_for(const Task* task);

// Whose decision comes after the task's own: who polls it, who began the race that it takes part in, or whose turn its
// own is. Null: nobody.
inline Task* next_outwards(const Task* task) {
  if (!(task->flags & TASK_SPAWNED)) return outer_of(task);
  if (!(task->flags & (TASK_CONTENDS | TASK_INSIDE))) return nullptr;
  if (!(task->flags & TASK_CONTENDS) && !is_waited_for(task)) return nullptr;
  Scope* scope = scope_of(task);
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

// A task with TASK_INSIDE has ended by itself.
void end_inside(Task* task);

// The same for one that waits, whose operation somebody completes: all around it are chosen already.
void bind_outwards(Task* task);

// A scope whose last child was waited for has a new one.
void wait_for_more(Scope* scope);

// A race or select that it is inside of has gone on with something else.
[[nodiscard]] bool is_given_up(const Task* task);

// The turn of a contender, or of a task with TASK_INSIDE.
struct Turn {
  Task* task;       // gone at the end, perhaps
  Scope* scope;     // whose child it is
  bool contends;    // the scope is for its race
  int levels;       // how far outwards it counts
  uint64_t closed;  // which decisions it has closed: bit 0 is its own race's, then outwards
};
inline Turn turn_of(Task* task, Scope* scope) { return {task, scope, (task->flags & TASK_CONTENDS) != 0, 0, 0}; }
[[nodiscard]] bool begin_turn(Turn& turn);  // false: another one is chosen; it has its turn after that one's
void end_turn(const Turn& turn);

// Those that had no turn look again whether they may: a choice has been taken back, or a decision is over.
void call_held_back();

}  // namespace meteor::async

#endif
