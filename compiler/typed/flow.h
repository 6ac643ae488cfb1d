// What is known at one point of a body: which variables are assigned, which
// were moved away, and which places are known to have a narrower type.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/source/span.h"
#include "compiler/typed/typed.h"

namespace meteor::typed {

class Checker;

// A variable and the fields followed from it: `v3`, `v3.next.left`; `r3` of a `ref` parameter, `s3` of a variable that
// several functions see and one of them assigns again, `g7` of a module variable. Empty: not a place that can be
// narrowed. Facts of another kind about a place have a `#` and a word after its key; `#held7` says that it still has
// the value that was read from it.
using PlaceKey = std::string;
bool is_shared_place(const PlaceKey& place);  // other code can write it

struct Fact { PlaceKey place; TypeId type; bool in_doubt = false; };
using Facts = std::vector<Fact>;            // all hold together

// What is known of a place. A fact about memory that other code can reach is in doubt once other code has run: nothing the
// compiler knows of can have written it, but a read looks again, so that the promise does not rest on that analysis.
struct Known { TypeId type; bool in_doubt = false; };

// What ended a fact, for messages: code that ran, an assignment to the place, one in an earlier pass of the loop, or
// one to a field of that name, whose object may be the same.
enum class EndedBy : uint8_t { Code, Assignment, EarlierPass, SameField };
struct Ended { source::Span span; EndedBy by{}; };

struct Flow {
  Checker* checker = nullptr;               // knows which of two types is the wider one
  bool reachable = true;
  std::vector<bool> assigned;               // by variable index
  std::vector<bool> assigned_globals;       // in the module's own statements: by the number of the module variable
  std::map<PlaceKey, Known> narrowed;
  std::map<PlaceKey, Ended> ended;          // facts that were lost on the way here
  std::unordered_map<uint32_t, source::Span> moved;   // variable index -> where it was moved
  std::unordered_map<uint32_t, source::Span> moved_globals;   // of module variables, in the module's own statements
  std::map<uint32_t, std::set<const Expr*>> functions;   // functions made here that a variable may hold: variable index -> where each is made
  std::map<uint32_t, std::set<const Expr*>> global_functions;   // of module variables, in the module's own statements
  std::map<uint32_t, source::Span> deferred;   // what a `defer` that may have been reached reads when the function ends: variable index -> where
  std::map<uint32_t, source::Span> lost;    // of those, what was deleted or moved away since: variable index -> where
  std::vector<bool> fields_assigned;        // in `__init__`: by flattened field index
  source::Span base_made;                   // in `__init__`: where `super.__init__` may have run; invalid: nowhere

  bool is_assigned(VariableId v) const { return v.index < assigned.size() && assigned[v.index]; }
  void set_assigned(VariableId v) {
    if (assigned.size() <= v.index) assigned.resize(v.index + 1);
    assigned[v.index] = true;
    moved.erase(v.index);
    lost.erase(v.index);
  }
  // It was deleted or moved away here.
  void lose(VariableId v, source::Span at) {
    if (deferred.contains(v.index)) lost.emplace(v.index, at);
  }
  bool is_assigned(GlobalId id) const { return id.index < assigned_globals.size() && assigned_globals[id.index]; }
  void set_assigned(GlobalId id, bool is = true) {
    if (assigned_globals.size() <= id.index) assigned_globals.resize(id.index + 1);
    assigned_globals[id.index] = is;
  }
  void know(const PlaceKey& place, TypeId type, bool in_doubt = false) {
    narrowed[place] = {type, in_doubt};
    if (!ended.empty()) ended.erase(place);
  }
  void add(const Facts& facts) { for (const Fact& f : facts) know(f.place, f.type, f.in_doubt); }
  const Known* find(const PlaceKey& place) const {
    auto found = place.empty() ? narrowed.end() : narrowed.find(place);
    return found == narrowed.end() ? nullptr : &found->second;
  }
  // Forgets facts about the place and everything reached through it.
  void forget(const PlaceKey& place);
  // The place was written by this: it is forgotten, and a message can say why.
  void end(const PlaceKey& place, Ended ended);
  // A field of this name was written, whoever owns it: forgets facts that pass through one. `present`: the type that the
  // new value surely has. A place that ends in the field still has it then, whether it is the one that was written or not.
  void field_written(std::string_view field, source::Span at, TypeId present = {});
  // A place was written that may be the one a `ref` parameter stands for.
  void doubt_lent();
  // Other code ran: facts about places that it can write are looked at again where they are used.
  void doubt_shared();
  // What variables may hold where this or `other` came by.
  void add_functions(const Flow& other);
};

// A condition leaves two flows: what holds where it was true, and where it was false. Whatever its parts wrote or ended is in both.
struct Branches {
  Flow yes, no;
  std::optional<bool> decided;              // known at compile time: a static branch
};

// What holds where two paths meet.
Flow merge(const Flow& a, const Flow& b);

}  // namespace meteor::typed
