// The decision of a select or of a race: which of its arms or contenders goes on. Others may complete what an arm waits
// for, by taking what it offers or by giving it something; then it is chosen before it runs.
//
// | state  | who enters it, from where                              | what is true in it |
// |--------|--------------------------------------------------------|----------------------------------------------------|
// | OPEN   | its own isolate when the task waits, from CLOSED       | an arm may be chosen by whoever completes it | |
// CLOSED | its own isolate when the task has its turn, from OPEN  | nobody else chooses: the task looks at them itself
// | | an arm | whoever completes it, from OPEN; its own isolate       | its operation has happened: it goes on with it
// |
//
// Another isolate chooses only as a whole, with every race and select around (nest.h), and holds a lock of this isolate
// meanwhile. Its own isolate holds that lock for each change when others could do so (`Deciding` in
// runtime/scope/contenders.h), so the word is atomic only for those who just look.
#ifndef METEOR_RUNTIME_TASK_DECISION_H
#define METEOR_RUNTIME_TASK_DECISION_H

#include <stdint.h>

namespace meteor::async {

struct Task;

// Held by the task of the select or race, and by the nests of those who wait inside of it.
struct Decision {
  uintptr_t word;    // atomic
  uint32_t holders;  // all of one isolate
};

Decision* make_decision();  // CLOSED, held once
void hold(Decision& decision);
void let_go(Decision* decision);                            // may be null
[[nodiscard]] bool is_held_once(const Decision& decision);  // by whoever asks

[[nodiscard]] bool is_open(const Decision& decision);
Task* chosen_arm(const Decision& decision);  // null: none

// Of a decision in which nothing is chosen.
void open_decision(Decision& decision);
[[nodiscard]] bool close_decision(Decision& decision);  // false: an arm was chosen, and it stays so
void reset_decision(Decision& decision);                // the chosen arm goes on waiting: CLOSED again
void choose_arm(Decision& decision, Task* arm);         // unless another one is chosen

// It waits for this arm, or goes on with it already.
inline bool may_choose(const Decision& decision, const Task* arm) {
  return is_open(decision) || chosen_arm(decision) == arm;
}

}  // namespace meteor::async

#endif
