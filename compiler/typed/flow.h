// What is known at one point of a body: which variables are assigned, which
// were moved away, and which places are known to have a narrower type.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/source/span.h"
#include "compiler/typed/typed.h"

namespace meteor::typed {

class Checker;

// A variable and the fields followed from it: `v3`, `v3.next.left`, `g7.x`. Empty: not a place that can be narrowed.
// Facts of another kind about a place have a `#` and a word after its key.
using PlaceKey = std::string;

struct Fact { PlaceKey place; TypeId type; };
using Facts = std::vector<Fact>;            // all hold together

struct Flow {
  Checker* checker = nullptr;               // knows which of two types is the wider one
  bool reachable = true;
  std::vector<bool> assigned;               // by variable index
  std::map<PlaceKey, TypeId> narrowed;
  std::unordered_map<uint32_t, source::Span> moved;   // variable index -> where it was moved
  std::unordered_map<uint32_t, source::Span> moved_globals;   // of module variables, in the module's own statements
  std::vector<bool> fields_assigned;        // in `__init__`: by flattened field index

  bool is_assigned(VariableId v) const { return v.index < assigned.size() && assigned[v.index]; }
  void set_assigned(VariableId v) {
    if (assigned.size() <= v.index) assigned.resize(v.index + 1);
    assigned[v.index] = true;
    moved.erase(v.index);
  }
  void add(const Facts& facts) { for (const Fact& f : facts) narrowed[f.place] = f.type; }
  // Forgets facts about the place and everything reached through it.
  void forget(const PlaceKey& place);
  // Forgets facts that pass through a field of this name, whoever owns it.
  void forget_field(std::string_view field);
  // Forgets facts that pass through any field.
  void forget_all_fields();
};

// The fact that a module variable has been assigned.
inline PlaceKey assigned_key(GlobalId id) { return "=g" + std::to_string(id.index); }

// What holds where two paths meet.
Flow merge(const Flow& a, const Flow& b);

}  // namespace meteor::typed
