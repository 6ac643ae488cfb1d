// What code may read and write of what other tasks can reach, itself or by what it calls: fields of classes, module
// variables, the inside of cells, elements behind raw pointers. More than it really does, never less.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/mir/call_targets.h"
#include "compiler/mir/outside_effects.h"
#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

// Numbers of shared places.
class PlaceSet {
 public:
  void add(uint32_t place);
  bool has(uint32_t place) const;
  bool unite(const PlaceSet& other);  // whether it grew
  bool meets(const PlaceSet& other) const;
  bool empty() const;
  template <typename F>
  void for_each(F&& visit) const {
    for (uint32_t i = 0; i < words_.size() * 64; ++i)
      if (has(i)) visit(i);
  }

 private:
  std::vector<uint64_t> words_;
};

struct Effects {
  bool writes_anything = false;  // also what has no number
  bool reads_anything = false;   // what it gives may be different each time: the time, input, a random number
  PlaceSet writes, reads;

  bool writes_nothing() const { return !writes_anything && writes.empty(); }
  bool add(const Effects& other);  // whether it grew
};

class SharedEffects {
 public:
  SharedEffects(const Program& program, const TypeFacts& facts);

  void add(Effects& effects, const Function& function, const Inst& inst, Ways ways);
  Effects of_callees(const Inst& inst, Ways ways);  // of a call, without its arguments

  // What a shared place is a part of: a class, a cell's type, or the type of raw pointers to elements. Invalid: a module variable.
  TypeId holder_of(uint32_t place) const { return holders_[place]; }

  // visit(number) for each shared place on the way to `place`; the last one is where its bits are.
  template <typename F>
  void for_each_step(const Function& function, const Place& place, F&& visit);

 private:
  using Key = std::pair<uint32_t, uint32_t>;
  uint32_t number(Key key, TypeId holder);
  uint32_t field(TypeId owner, uint32_t index);
  uint32_t element(const Inst& inst);
  void add_read(Effects& effects, const Function& function, const Place& place);
  void add_write(Effects& effects, const Function& function, const Place& place);
  void add_own(Effects& effects, const Function& function, const Inst& inst);
  void add_intrinsic(Effects& effects, const Inst& inst);
  void add_call(Effects& effects, const Inst& inst);
  void add_extern(Effects& effects, const Function& callee, const Inst& inst) const;
  template <typename F>
  void for_each_callee(const Inst& inst, F&& visit);
  void begin(const Function& function);
  void solve();
  static size_t node(FunctionId function, Ways ways) { return function.index * 2 + static_cast<size_t>(ways); }

  const Program& program_;
  const TypeFacts& facts_;
  CallTargets targets_;
  std::map<Key, uint32_t> numbers_;
  std::vector<TypeId> holders_;                 // per number
  std::vector<Effects> effects_;                // per node
  std::vector<std::vector<uint32_t>> callers_;  // per node, of nodes
};

template <typename F>
void SharedEffects::for_each_step(const Function& function, const Place& place, F&& visit) {
  constexpr uint32_t GLOBAL = UINT32_MAX, CELL = UINT32_MAX - 1;  // first halves of keys that are no fields
  TypeId type;
  if (place.global.valid()) {
    visit(number({GLOBAL, place.global.index}, TypeId()));
    size_t own = program_.typed->globals.size();
    type = place.global.index < own ? program_.typed->globals[place.global.index].type : program_.types->bool_;
  } else {
    type = function.local(place.local).type;
  }
  for (const Projection& step : place.path) {
    types::Kind kind = program_.types->kind(type);
    if (step.kind == ProjectionKind::Field && kind == types::Kind::Class) visit(field(type, step.index));
    if (step.kind == ProjectionKind::Field && kind == types::Kind::Cell) visit(number({CELL, type.index}, type));
    type = step.type;
  }
}

}  // namespace meteor::mir
