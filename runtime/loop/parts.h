// The small parts of an isolate's loop. Each knows how it begins again.
#ifndef METEOR_RUNTIME_LOOP_PARTS_H
#define METEOR_RUNTIME_LOOP_PARTS_H

#include "runtime/task/held.h"
#include "runtime/task/task.h"

namespace meteor::async {

struct LongestTurn {
  uint32_t ms;
  met_resume of;  // the frame of the task whose turn it was; null: none was long

  void note(uint32_t took_ms, met_resume turn_of) {
    if (took_ms > ms) *this = {took_ms, turn_of};
  }
};

// What begins and ends with an isolate, whatever thread it runs in. A thread's next isolate has it anew.
struct Life {
  uint32_t number;          // 1 is the program's first; 0: it has not run yet
  bool is_cancelled;        // asked to stop by the one who started it
  int64_t parks_to_cancel;  // simulated: the main task is cancelled at that one; 0: never
  Held* held;               // locks, the last one first
  LongestTurn longest_turn;

  void begin();  // it gets a number, unless it has one
  void end();
};

// Calls in which the whole isolate waits: who gives up its turn there would be slept over.
struct Blocked {
  int64_t calls;
  const met_site* at;  // the innermost of these calls
  const Task* in;      // and the future that it runs; null: none
};

// A Cancelled that has done its work, for the next one who gets Cancelled. As they are made, whatever a program has
// done with it.
struct SpareCancelled {
  met_object* error;  // owned; null: the next one is made
  const met_type* type;
  met_str message;

  met_object* take();                // owned
  void keep(met_object* cancelled);  // owned, any
  void drop();
};

}  // namespace meteor::async

#endif
