// Which closures only read what they captured. `freeze` freezes what such a closure captured; of any other it asks that
// nothing in there can change.
//
// A value is followed from the captures through locals, fields, elements and calls. It must be neither written to, nor
// stored, nor given to code that is not known, nor given back. Function values are not followed: each closure is looked
// at by itself.
#pragma once

#include "compiler/mir/mir.h"

namespace meteor::mir {

// Sets Function::only_reads_captures, in programs that freeze something or have consts which hold functions.
void find_reading_closures(Program& program);

}  // namespace meteor::mir
