// `Self` in a method of a class: the receiver's own type, also where a subclass inherits the method.
#pragma once

#include "compiler/typed/checker.h"

namespace meteor::typed {

// Finds out whether the method names `Self`; then it has a type parameter of that name (FunctionInfo::type_names),
// which its result and its body use. Its parameters don't: there `Self` is the class that declares it, since a caller
// that sees a base class would pass one of those.
void declare_own_self(Checker& c, FunctionInfo* method, TypeId param);
bool may_name_own_self(const FunctionInfo* method);
// The result as written. `Self` may differ from class to class alone, as an optional and in a tuple. Inside another
// type, such as a list, it can't, since that could be changed: then `Self` is the class itself in the whole method.
TypeId resolve_own_result(Checker& c, FunctionInfo* method, const TypeScope& plain);
// Says what `Self` is for a call or an instance.
void add_own_self(Checker& c, FunctionInfo* method, Subst& subst, TypeId receiver);
// Why a `return` must give the declared result, for messages.
const char* why_result(Checker& c, const FunctionInfo* method, TypeId self);
// Must a call look at the object, because an inherited method does something else for each subclass?
bool varies_with_self(Checker& c, FunctionInfo* method);
bool varies_with_self(Checker& c, NominalInfo* owner, Name method);

}  // namespace meteor::typed
