// Who overrides what: questions about all classes below a class, answered without walking over them.
// Invariant: the classes of function bodies are declared when those are checked, but no answer changes by that: what
// they may derive from and define is known from the start, by the names that the source has.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/typed/entities.h"

namespace meteor::typed {

class Checker;

class Hierarchy {
 public:
  void changed() { is_ready_ = false; }              // there is one class more
  bool may_grow(Checker& c, NominalInfo* info);      // it has a subclass, or a function body may declare one
  bool may_get_late(Checker& c, NominalInfo* info);  // a function body may declare a class below it
  bool is_late_method(Name method) const { return late_methods_.contains(method); }  // of a class of a function body
  bool is_defined_below(Checker& c, NominalInfo* owner,
                        Name method);  // by a class that derives from it, at any distance
  std::vector<NominalInfo*> with_traits_below(Checker& c, NominalInfo* owner);  // those that name traits of their own
  const std::vector<Name>* find_virtual_names(Checker& c, NominalInfo* info);   // null: not kept yet
  const std::vector<Name>& keep_virtual_names(Checker& c, NominalInfo* info, std::vector<Name> names);

 private:
  struct Numbers {
    uint32_t first = 0, end = 0;
    bool may_grow = false;
  };  // its own, and one past the last of those below it

  void number_classes(Checker& c);
  Numbers numbers_of(Checker& c, NominalInfo* owner);

  void scan_late_classes(Checker& c);
  void add_late_base(Checker& c, NominalInfo* base);
  void add_late_class(Checker& c, ModuleInfo* module, const ast::ClassDecl& decl);

  bool is_ready_ = false;
  bool is_scanned_ = false;
  bool any_may_grow_ = false;                    // a late class has a base whose name says too little
  std::unordered_set<NominalInfo*> late_bases_;  // of classes of function bodies
  std::unordered_set<Name> late_base_names_;
  std::unordered_set<Name> late_methods_;
  std::unordered_map<NominalInfo*, Numbers> numbers_;
  std::unordered_map<Name, std::vector<uint32_t>> definers_;    // ascending
  std::vector<std::pair<uint32_t, NominalInfo*>> with_traits_;  // ascending
  std::unordered_map<NominalInfo*, std::vector<Name>> virtual_names_;
};

}  // namespace meteor::typed
