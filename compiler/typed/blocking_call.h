// Calls that mean something else in functions that can't suspend.
#ifndef METEOR_TYPED_BLOCKING_CALL_H
#define METEOR_TYPED_BLOCKING_CALL_H

#include "compiler/typed/body.h"

namespace meteor::typed {

// `@blocking_in_def` (core only): in a function that can't suspend, a call of such an `async def` has its value at once and
// holds up the isolate until then; a plain `def` so marked has no place in a function that can.
// Where its class has a `def _NAME_in_def` beside `NAME`, that one is called there instead, which makes no future.
FunctionInfo* in_def(BodyChecker& b, FunctionInfo* callee, TypeId self_type);
Expr* unless_it_blocks(BodyChecker& b, const FunctionInfo* callee, Expr* call, Span span);

}  // namespace meteor::typed

#endif
