// Module variables belong to the isolate that ran the modules. Lowering asks before each access whether it is at home
// (Op::RequireHome); here the questions go that need not be asked: in functions that no other isolate can run, and
// where it has been asked on every way there.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

void remove_home_checks(Program& program, const TypeFacts& facts);

}  // namespace meteor::mir
