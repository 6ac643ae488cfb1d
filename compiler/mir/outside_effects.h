// What is asked of the effects of code, and what code without MIR reads and writes: intrinsics, and functions of the
// runtime by their names.
#pragma once

#include <string_view>

#include "compiler/mir/mir.h"

namespace meteor::mir {

// What a function does as a whole, or only on the ways through it that end in a return: what it does before it raises
// is not seen by a loop that the error leaves.
enum class Ways : uint8_t { All, Returning };

bool writes_elements(Intrinsic intrinsic);  // behind the raw pointers that it is given
bool reads_elements(Intrinsic intrinsic);
bool runs_other_code(Intrinsic intrinsic);
// What they give depends on their arguments alone: values that cannot change.
bool works_on_values(std::string_view symbol);
// They come in pairs around a read of what several isolates have.
bool only_locks(std::string_view symbol);

}  // namespace meteor::mir
