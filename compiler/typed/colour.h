// Colour of nested functions: what decides whether an instance of one is async. The rules are in colour.cpp.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// Of a nested function as it stands, or of an instance of one: async when it calls an async function that it was given.
FrameKind nested_kind(BodyChecker& home, NestedFunction& nested);
// Calls in this body that turn out to be async are awaited by themselves.
bool waits_unasked(BodyChecker& body);
bool takes_plain_functions(Checker& c, const std::vector<ParamInfo>& params);
// The parameters as a call sees them: those that get an async function take one. An argument whose type decides is checked.
std::vector<ParamInfo> colour_params(BodyChecker& body, std::vector<ParamInfo> params, std::vector<BodyChecker::CallArg>& args);

}  // namespace meteor::typed
