// Warns where a closure is stored in an object that it captures: the two keep each other alive, and nothing ever frees them.
#pragma once

#include <functional>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/typed/typed.h"
#include "compiler/types/types.h"

namespace meteor::mir {

void warn_about_closure_cycles(const typed::Program& program, const types::TypeStore& types, const std::function<bool(source::FileId)>& is_library, diagnostics::Sink& sink);

}  // namespace meteor::mir
