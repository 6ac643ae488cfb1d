// Which functions can raise: the least fixpoint over the call graph. Calls that can't lose their error edge; every
// function gets its Summary. Calls through a table consider all functions in that slot; calls of func values always may.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void infer_raises(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
