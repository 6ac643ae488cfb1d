// An await of an `@inline async def`, or of one that does little but wait once, becomes its body: it waits in the caller's own
// frame, which needs no header for it and is resumed once where there would have been two frames to resume.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void inline_awaits(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
