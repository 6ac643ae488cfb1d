// A temporary that refers to something that can change ends where it is last used, not at the end of its statement:
// in `ch.send(make([1]))` nobody but what `make` gave may hold the list when that is sent. What a loop assigns and
// nobody reads after it ends with the loop: `for job in jobs: …` leaves nothing that would hold up `ch.send(jobs)`.
// What a pass of a loop binds ends with the pass: `async for c in listener: …` does not keep the last connection.
// In a function that sends something, variables end where they are last used, as does an enum or optional out of which
// something is taken and sent: `case Work(doc): ch.send(doc)`.
// What can be observed to end (language reference §9) does so with its statement, unless the statement sends something
// after it has used it last.
// It runs first and in every mode, so the order in which things end is the same with and without the passes that remove counting.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void end_temporaries(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
