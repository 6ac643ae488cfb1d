// Which parameters a function keeps beyond its call: stores them, gives them back, hands them to somebody who does. What stays is only
// looked at and changed in place, so the caller may have it wherever it likes.
#pragma once

#include <vector>

#include "compiler/mir/mir.h"

namespace meteor::mir {

class Escapes {
 public:
  explicit Escapes(const Program& program);

  // Whether this use of a local, which the instruction names as `arg`, may make a second owner or outlive the instruction. A borrow into another local
  // is none by itself: `aliases` gets that local, and the same question is to be asked of it.
  bool escapes(const Inst& inst, const Operand& arg, std::vector<LocalId>& aliases) const;
  // Whether the function gives back what the local of `terminator.value` refers to, as whatever class.
  static bool leaves(const Terminator& terminator);

 private:
  bool param_escapes(const Function& function, LocalId param) const;

  std::vector<std::vector<bool>> params_;   // per function
};

}  // namespace meteor::mir
