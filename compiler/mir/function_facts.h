// What lowering must know about a whole function before it starts: which variables are assigned and where, which
// temps belong to which block or Seq, and which defers there are.
#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/typed/typed.h"
#include "compiler/types/types.h"

namespace meteor::mir {

struct FunctionFacts {
  std::vector<bool> assigned;   // per variable: something here assigns it, deletes it or passes it by reference
  std::vector<bool> scoped;     // per variable: a block or Seq owns it and drops it at its end
  // Per variable: starts as zero bits where it is declared, because paths that assigned it and paths that did not meet
  // in a cleanup or a defer, after which it may be used.
  std::vector<bool> zeroed;
  std::vector<bool> stands_for_place;  // per variable: the subject of a pattern, which never holds a value of its own
  std::unordered_map<const typed::Seq*, std::vector<typed::VariableId>> seq_temps;
  std::vector<const typed::Defer*> defers;   // in order of the text
  bool defer_in_loop = false;
  bool returns_through_cleanup = false;
};

FunctionFacts collect_facts(const typed::Function& function, const types::TypeStore& types);

// The variable whose own bits change when `place` is assigned, or an invalid id (the place is in the heap or global).
typed::VariableId root_variable(const typed::Expr* place, const types::TypeStore& types);

}  // namespace meteor::mir
