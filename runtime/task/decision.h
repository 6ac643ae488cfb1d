// The decision of a select: which of its arms somebody else has completed, by taking what it offers or by giving it
// something. Whoever does that may be in another isolate, so the decision is one atomic word.
//
// | state         | who enters it, from where                          | what is true in it |
// |---------------|----------------------------------------------------|----------------------------------------------------------------|
// | OPEN          | the select's task before it waits, from CLOSED     | whoever holds the lock of what an arm waits
// for may claim it   | | CLOSED        | the select's task when it goes on, from OPEN       | nobody can claim an arm:
// the task looks at them itself         | | CLOSED_MISSED | another isolate whose claim failed, from CLOSED    | as
// CLOSED; the task looks once more before it waits            | | an arm        | whoever claims that arm, from OPEN |
// its operation has happened: the select goes on with it         |
#ifndef METEOR_RUNTIME_TASK_DECISION_H
#define METEOR_RUNTIME_TASK_DECISION_H

#include <stdint.h>

namespace meteor::async {

struct Task;

// Held by the task of the select and by the tickets of its arms, which another isolate may look at after the task has
// gone.
struct Decision {
  uintptr_t word;    // atomic
  uint32_t holders;  // atomic
};

Decision* make_decision();  // CLOSED, held once
void hold(Decision& decision);
void let_go(Decision* decision);                            // may be null
[[nodiscard]] bool is_held_once(const Decision& decision);  // by whoever asks

// By its own task.
[[nodiscard]] bool open_decision(Decision& decision);   // false: somebody missed it; it is still closed
[[nodiscard]] bool close_decision(Decision& decision);  // false: an arm was chosen
[[nodiscard]] bool is_open(const Decision& decision);
Task* chosen_arm(const Decision& decision);             // null: none
void reset_decision(Decision& decision);                // the chosen arm goes on waiting: CLOSED again
void choose_arm(Decision& decision, Task* arm);         // unless another one is chosen

// By anybody.
enum class Claim {
  Won,   // the arm is chosen
  Busy,  // the select looks at its arms now; if the claim leaves a mark, it looks once more before it waits
  Lost,  // another one is chosen
};
[[nodiscard]] Claim claim_arm(Decision& decision, Task* arm, bool leaves_mark);

// By its own task, which has found another select busy: it looks once more before it waits.
void look_again(Decision& decision);

}  // namespace meteor::async

#endif
