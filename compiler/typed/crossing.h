// What may go to another isolate, as far as types and names tell. What they can't tell is checked when it moves.
#ifndef METEOR_COMPILER_TYPED_CROSSING_H
#define METEOR_COMPILER_TYPED_CROSSING_H

#include "compiler/typed/body.h"

namespace meteor::typed {

bool can_come_back(BodyChecker& b, TypeId result, Span span);   // what a function gives that runs elsewhere; reports why not

bool can_be_const(BodyChecker& b, TypeId type, Span span);  // which every isolate sees; reports why not

// `@crossing` (core only): what a call of such a function takes as `owned`, and what its functions capture, leaves the isolate.
bool check_crossings_of(BodyChecker& b, const FunctionInfo* callee, Expr* call);

}  // namespace meteor::typed

#endif
