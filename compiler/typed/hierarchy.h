// Who overrides what: questions about all classes below a class, answered without walking over them.
// Invariant: what is remembered here is thrown away when a class gets a subclass; classes of function bodies come late.
#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/typed/entities.h"

namespace meteor::typed {

class Checker;

class Hierarchy {
 public:
  void changed() { is_ready_ = false; }  // a class has got a subclass
  bool is_defined_below(Checker& c, NominalInfo* owner,
                        Name method);  // by a class that derives from it, at any distance
  std::vector<NominalInfo*> with_traits_below(Checker& c, NominalInfo* owner);  // those that name traits of their own
  const std::vector<Name>* find_virtual_names(Checker& c, NominalInfo* info);   // null: not kept yet
  const std::vector<Name>& keep_virtual_names(Checker& c, NominalInfo* info, std::vector<Name> names);

 private:
  struct Numbers {
    uint32_t first = 0, end = 0;
  };  // its own, and one past the last of those below it

  void number_classes(Checker& c);
  Numbers numbers_of(Checker& c, NominalInfo* owner);

  bool is_ready_ = false;
  std::unordered_map<NominalInfo*, Numbers> numbers_;
  std::unordered_map<Name, std::vector<uint32_t>> definers_;    // ascending
  std::vector<std::pair<uint32_t, NominalInfo*>> with_traits_;  // ascending
  std::unordered_map<NominalInfo*, std::vector<Name>> virtual_names_;
};

}  // namespace meteor::typed
