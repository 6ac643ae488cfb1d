// Lowering puts a checkpoint at the head of every loop of an async body; this pass keeps those where giving up the turn is
// safe and needed: the loop awaits something; or (a) it writes nothing another task can reach and iterates over nothing
// another task can change; or (b) only another task can end it (waiting_loop.h).
// A loop that changes shared state step by step stays whole.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void choose_slice_checks(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
