// Calls through tables (overridden methods, `dyn`) with something frozen. The functions in the tables take plain values: what they make has
// plain types, and an `any` of it could be changed. So such a call goes to a function that asks for the receiver's type and calls the
// lifted instance of that type's method (frozen.h). All of those give the same type, the one that is frozen wherever one of them says so.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// What a call gives whose result is `call.result` for all that is known of its receiver: frozen wherever an implementation gives a part of
// something frozen.
TypeId lifted_call_result(Checker& c, const LiftedCall& call);

}  // namespace meteor::typed
