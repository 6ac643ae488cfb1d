// A local that only ever holds a copy of (a part of) a borrowed parameter is that parameter: the caller keeps the value
// alive and unchanged for the whole call, so the copy and its drop go away. Needs and leaves adaptive drops.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void propagate_copies(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
