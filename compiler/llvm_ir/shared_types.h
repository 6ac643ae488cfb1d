// Which types may have instances that several isolates hold at once, so that their counting must test for it: the library's
// shareable classes, and everything that consts and frozen values can reach. In a program with one isolate there are none.
#pragma once

#include <unordered_set>

#include "compiler/mir/mir.h"

namespace meteor::llvm_ir {

class SharedTypes {
 public:
  // `as_if_isolates`: counts as in a program with several, so that what is frozen is marked.
  SharedTypes(const mir::Program& program, bool as_if_isolates);

  bool has_isolates() const { return has_isolates_; }
  bool may_be_shared(types::TypeId type) const;   // of an object reference of that static type

 private:
  void add(types::TypeId type);
  void add_views();

  const mir::Program& program_;
  bool has_isolates_ = false;
  bool anything_ = false;                          // an `any`, a trait object or a function can be reached: every type may be
  std::unordered_set<types::TypeId> shared_;
};

}  // namespace meteor::llvm_ir
