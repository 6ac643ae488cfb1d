// Which counted places in the heap a function may write, itself or by what it calls: the fact behind borrowing from a
// field. A slot is a field of a class, a module variable, the content of all cells of one type, or all elements of one
// type behind raw pointers.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

class SlotSet {
 public:
  void resize(size_t slots) { words_.resize((slots + 63) / 64); }
  void add(uint32_t slot) { words_[slot / 64] |= 1ull << (slot % 64); }
  bool unite(const SlotSet& other);                // whether it grew; sets of one WriteSets only
  bool meets(const SlotSet& other) const;
  friend auto operator<=>(const SlotSet& a, const SlotSet& b) = default;

 private:
  std::vector<uint64_t> words_;
};

class WriteSets {
 public:
  WriteSets(const Program& program, const TypeFacts& facts);

  // What a value at a place depends on: while none of it is written, the value stays and stays alive.
  struct Dependence {
    SlotSet slots;
    LocalId root;            // the local where the place begins, or invalid
  };
  Dependence depends_on(const Function& function, const Place& place) const;
  bool may_write(const Function& function, const Inst& inst, const Dependence& on) const;
  // Slots that the instruction may write; the locals it writes are the caller's business.
  SlotSet written_by(const Function& function, const Inst& inst) const;
  SlotSet no_slots() const;
  void add_path(SlotSet& slots, const Function& function, const Place& place) const;   // what lies on the way to it
  void add_elements(SlotSet& slots, TypeId element) const;
  // Whether assigning `place` changes bits of its local itself.
  bool writes_local(const Function& function, const Place& place) const { return place.local.valid() && !leads_into_object(function, place); }

 private:
  static constexpr uint32_t NONE = UINT32_MAX;
  struct Node {               // a function, or a set of functions that might be called
    SlotSet writes;
    std::vector<uint32_t> callers;
  };
  using Key = std::pair<uint32_t, uint32_t>;
  void number_slots();
  uint32_t add_slot(Key key, TypeId type);
  uint32_t field_slot(TypeId owner, uint32_t index) const;
  uint32_t cell_slot(TypeId cell) const;
  uint32_t written_slot(const Function& function, const Place& place) const;
  bool contains_inline(TypeId type, TypeId part) const;
  bool leads_into_object(const Function& function, const Place& place) const;
  template <typename F> void for_each_effect(const Function& function, const Inst& inst, F&& slot, auto&& node) const;
  void solve();

  const Program& program_;
  const TypeFacts& facts_;
  uint32_t del_node_, closure_node_;
  std::map<Key, uint32_t> slots_;
  std::vector<TypeId> slot_types_;
  std::vector<Node> nodes_;
  std::unordered_map<TypeId, std::vector<TypeId>> subclasses_;
};

}  // namespace meteor::mir
