// What ownership needs to know about a type: whether its values are counted (need a drop), and whether dropping one can
// be noticed by the program (`__del__`, or a weak reference that becomes null).
#pragma once

#include <vector>

#include "compiler/typed/typed.h"
#include "compiler/types/types.h"

namespace meteor::mir {

class TypeFacts {
 public:
  TypeFacts(const typed::Program& program, const types::TypeStore& types);

  bool needs_drop(types::TypeId type) const;
  // Conservative: true when in doubt.
  bool drop_is_observable(types::TypeId type) const;
  // A class reference, also inside an Optional or Frozen: same bits, so it may be seen as another class in place.
  bool is_class_reference(types::TypeId type) const;

 private:
  enum Answer : uint8_t { Unknown, Busy, No, Yes };
  Answer compute_needs_drop(types::TypeId type) const;
  Answer compute_observable(types::TypeId type) const;
  bool any_field(const typed::Nominal& nominal, bool (TypeFacts::*fact)(types::TypeId) const) const;

  const typed::Program& program_;
  const types::TypeStore& types_;
  bool something_observable_ = false;
  mutable std::vector<Answer> needs_drop_, observable_;
  std::unordered_map<types::TypeId, std::vector<types::TypeId>> subclasses_;
  std::unordered_map<types::TypeId, bool> watched_;   // classes that some weak reference may point to
};

}  // namespace meteor::mir
