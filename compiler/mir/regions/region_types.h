// What the region analysis asks of a type: whether its values can share something that changes, whether their end runs the program's code,
// and what in them only a walk at run time can settle.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/mir/mir.h"

namespace meteor::mir {

// Whom a region is kept from.
enum class Others : uint8_t {
  Isolates,   // what raw memory holds is looked at by its element type, and what leaves is gone
  Tasks,      // of one isolate: what leaves may be looked at by whoever takes it, and raw memory is an object like any other
};

class RegionTypes {
 public:
  // With a target only objects of that class, cells of that type or memory behind that raw pointer are followed.
  explicit RegionTypes(const Program& program, Others others = Others::Isolates, TypeId target = {});

  Others others() const { return others_; }
  bool is_target(TypeId type) const;   // or there is none

  // Whether a value may hold a reference to something that can change. What several isolates may hold anyway (text, `frozen`, channels) counts as no
  // such reference; what is inside a channel belongs to everybody.
  bool can_alias(TypeId type) const;
  bool is_shareable(TypeId type) const;
  bool is_frozen(TypeId type) const;
  // Whether dropping one may call a `__del__`.
  bool runs_code(TypeId type) const;
  // Whether somebody declared what is to be seen when one ends: a `__del__`, or a weak reference to a part. What a function, `any` or `dyn` in it may hold
  // does not count.
  bool ends_visibly(TypeId type) const;
  // The first part whose content the type does not tell, or that must be looked at as it crosses; invalid: none.
  TypeId obstacle(TypeId type) const;

 private:
  template <typename F> bool any_part(TypeId type, F&& has) const;
  const typed::Nominal* nominal(TypeId type) const;
  bool can_change(TypeId part) const;
  bool may_hide_target(TypeId part) const;

  const Program& program_;
  const types::TypeStore& types_;
  Others others_;
  TypeId target_;
  bool has_del_ = false;
  std::unordered_map<TypeId, std::vector<TypeId>> subclasses_;
  std::unordered_set<TypeId> watched_;   // classes that some weak reference may point to
  mutable std::unordered_map<TypeId, bool> alias_, runs_code_, ends_visibly_;
  mutable std::unordered_map<TypeId, TypeId> obstacles_;
};

}  // namespace meteor::mir
