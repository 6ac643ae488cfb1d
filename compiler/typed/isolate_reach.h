// Who calls whom and who touches module variables: what runs in another isolate must not touch those of the one that
// ran the module. Calls that are not known (function values, trait objects, `__del__`) are left to the program itself
// (Op::RequireHome in compiler/mir).
#pragma once

#include <vector>

#include "compiler/source/span.h"
#include "compiler/typed/typed.h"

namespace meteor::typed {

struct GlobalInfo;

struct IsolateReach {
  struct Use {
    FunctionId function;
    GlobalInfo* global;
    Span span;
  };
  struct Call {
    FunctionId caller, callee;
    Span span;
  };
  // What runs in another isolate: the function, or those that are seen to go along with `value` (in `maker`).
  struct Entry {
    FunctionId function, maker;
    const Expr* value = nullptr;
    Span span;
  };
  struct Assigned {
    FunctionId function;
    VariableId variable;
    const Expr* value;
  };  // something that may be or hold a function, to a variable

  std::vector<Call> calls;
  std::vector<Use> uses;
  std::vector<Entry> entries;
  std::vector<Assigned> assigned;
};

}  // namespace meteor::typed
