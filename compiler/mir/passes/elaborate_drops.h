// Makes every drop exact. A Drop of a local that holds nothing goes away; a replacing Assign to one becomes an
// initialising one. Where paths that hold a value meet paths that do not, the local is zero while it holds nothing, and
// dropping zero does nothing. Needs adaptive drops, leaves exact ones.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void elaborate_drops(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
