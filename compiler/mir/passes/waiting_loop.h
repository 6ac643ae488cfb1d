// Is a loop one that only another task can end? Each way out of it is a branch on what the loop reads of shared places
// and does not write, and on nothing that the loop changes from round to round.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "compiler/mir/passes/shared_effects.h"

namespace meteor::mir {

class WaitingLoop {
 public:
  // `round`: per block of the function, it is on a way round the loop.
  WaitingLoop(const types::TypeStore& types, SharedEffects& shared, const Function& function, std::vector<bool> round);

  bool only_others_end_it();

 private:
  LocalId cell_of(const Place& place) const;
  void note(const Inst& inst);
  bool want_exits();
  bool want_all_branches();
  bool want(const Operand& operand, LocalId reader);
  bool want_definitions(LocalId local);
  bool has_cycle() const;

  const types::TypeStore& types_;
  SharedEffects& shared_;
  const Function& function_;
  std::vector<bool> round_;
  Effects effects_;                   // of one round, except on cells that are known
  std::set<uint32_t> written_cells_;  // those: locals
  PlaceSet written_as_;               // and the places they are for functions that are called
  std::unordered_map<uint32_t, std::vector<const Inst*>> definitions_;  // per local, in the loop
  std::set<uint32_t> changed_elsewhere_;  // locals that a callee or an assignment of a part may change in the loop
  std::vector<LocalId> open_;
  std::unordered_map<uint32_t, std::vector<uint32_t>>
      needs_;  // locals that the exits look at: what those are made from
  bool reads_shared_ = false;
};

}  // namespace meteor::mir
