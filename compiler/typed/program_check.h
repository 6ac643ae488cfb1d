// Checks over all declarations together, and questions program.cpp asks of them.
#pragma once

#include <vector>

#include "compiler/typed/checker.h"

namespace meteor::typed {

// An override must be callable wherever the method it overrides is.
void check_overrides(Checker& c, NominalInfo* info);
// What C can take and give: checked on every `extern "C"`.
void check_c_types(Checker& c, FunctionInfo* info);
// A struct can't contain itself by value.
void check_struct_recursion(Checker& c);
// The virtual methods of a class in slot order.
std::vector<Name> virtual_method_names(Checker& c, NominalInfo* info);
// What another isolate runs touches no module variable.
void check_isolate_reach(Checker& c);
// Does the module's top level call its own `main`?
bool calls_main(ModuleInfo* module);

}  // namespace meteor::typed
