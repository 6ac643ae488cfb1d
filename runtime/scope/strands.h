// Futures that are polled by hand: each runs as a strand inside the task that polls it.
#ifndef METEOR_RUNTIME_SCOPE_STRANDS_H
#define METEOR_RUNTIME_SCOPE_STRANDS_H

#include "runtime/task/task.h"

namespace meteor::async {

// What std is told of a strand after a step: its value is in the frame; it waits; it has failed; it has ended with the
// Cancelled that it got.
enum : int64_t { STRAND_DONE, STRAND_PENDING, STRAND_FAILED, STRAND_CANCELLED };

void set_poller(Task* strand, Task* poller);  // counted, null: none
met_object* step_strand(
    Task* strand,
    met_object* error);  // one step of a future that is not a task of its own: MET_PENDING, null or an owned error
met_object* step_cancelled(Task* strand);  // the same; where it waits it gets Cancelled, unless a shield keeps that out
void adopt_strand(Task* strand, Scope* scope);  // it goes on as a task of that scope, or of none, and has a turn soon
Scope* scope_around(Task* strand);              // null: none

}  // namespace meteor::async

#endif
