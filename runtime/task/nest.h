// The nest of one who waits for something shared: every race and select that it is inside of, from the innermost
// outwards, as other isolates see it. To complete what it waits for, they choose it in all of them, in one step under
// the lock of its isolate, or in none.
//
// Invariant: an isolate changes its nests and the decisions in them only with its own lock held. The lock of a channel
// is taken before it, never after.
#ifndef METEOR_RUNTIME_TASK_NEST_H
#define METEOR_RUNTIME_TASK_NEST_H

#include "runtime/task/decision.h"

namespace meteor::async {

// A decision, and the arm or contender that it would go on with.
struct Level {
  Decision* decision;  // held
  Task* arm;
};

// What another isolate leaves for its own.
enum class Note : uint32_t {
  None,
  Chosen,  // in all levels
  Missed,  // one of them was closed: it looks once more
};

struct Nest {
  Task* task;  // who waits; null: the nest is in no list, and it is inside of nothing
  Level innermost;
  Level* others;     // outwards
  uint32_t levels;   // atomic for those who just look
  bool is_given_up;  // who waits goes on with Cancelled
  Note note;
  Nest* next_noted;
  Nest* next;  // of its isolate's
  Nest* before;
};

// Of one isolate.
struct Nests {
  uint32_t lock;
  Nest* first;  // its own affair: null means that nobody else can change a decision
  Nest* noted;
};

inline const Level& level_at(const Nest& nest, uint32_t i) { return i == 0 ? nest.innermost : nest.others[i - 1]; }

// By its isolate.
void enlist(Nests& nests, Nest& nest, Task* task);
void set_levels(Nest& nest, const Level* levels, uint32_t count);  // it holds the decisions from now on
void leave_nests(Nests& nests, Nest& nest);                        // it no longer waits
Nest* take_noted(Nests& nests);                                    // null: none is left; its note is for the caller

// By anybody.
enum class Claim {
  Won,   // it is chosen in all
  Busy,  // its isolate looks at one of them now
  Lost,  // another one is chosen
};
[[nodiscard]] Claim claim_all(Nests& nests, Nest& nest);
void note_missed(Nests& nests, Nest& nest);
[[nodiscard]] bool share_a_decision(const Nest& one, const Nest& other);

}  // namespace meteor::async

#endif
