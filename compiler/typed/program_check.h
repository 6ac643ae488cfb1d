// Checks over all declarations together, and questions program.cpp asks of them.
#pragma once

#include <vector>

#include "compiler/typed/checker.h"

namespace meteor::typed {

// An override must be callable wherever the method it overrides is.
void check_overrides(Checker& c, NominalInfo* info);
// A result that one of the two leaves to its body is known here only: `instance` is what the table of `type` holds.
void check_inferred_result(Checker& c, Instance* instance, TypeId type);
// Can a method that gives `have` answer calls that expect `wanted`? Of async ones, what they produce counts.
bool fits_result(Checker& c, TypeId have, TypeId wanted, FrameKind frame);
// Refuses a method with the name of a field, in one class or inherited: one of the two could not be reached.
void check_member_names(Checker& c, NominalInfo* info);
// `@derive(Ord)` over a field that may be null, which nothing orders (derive.cpp).
void check_derived_order(Checker& c, NominalInfo* info);
// What C can take and give: checked on every `extern "C"`.
void check_c_types(Checker& c, FunctionInfo* info);
// A struct can't contain itself by value.
void check_struct_recursion(Checker& c);
// The virtual methods of a class in slot order. Valid until another class is declared.
const std::vector<Name>& virtual_method_names(Checker& c, NominalInfo* info);
// What another isolate runs touches no module variable.
void check_isolate_reach(Checker& c);
// Finds the names that initializers may reach before the statements of modules run (const_order.cpp), and marks the
// consts that none can read too early.
void find_early_names(Checker& c);
// Initializers of consts, each after those of the consts that it may read (const_order.cpp).
std::vector<FunctionId> order_consts(Checker& c, const std::vector<FunctionId>& initializers);
// Does the module's top level call its own `main`?
bool calls_main(ModuleInfo* module);

}  // namespace meteor::typed
