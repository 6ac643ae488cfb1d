// A local that only ever gets copies of what fields, elements and other such locals hold needs no count of its own where
// nothing that runs while it is in use can take those away (memory rule 3). It becomes a Borrowed local: its copies
// become borrows, its drops go away, and what consumed it copies it. Where a callee gave the copy, its lending twin is
// called. Needs and leaves adaptive drops.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void borrow_locals(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
