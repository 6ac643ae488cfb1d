// Which locals are read later: a backward dataflow over the graph, error edges included.
#pragma once

#include <vector>

#include "compiler/mir/flow.h"
#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

// What a Drop of a local, and the drop of its old value in a replacing Assign, mean for it.
enum class DropUse : uint8_t {
  Ends,    // not a use: the local's value is not needed any more
  Reads,   // a use: it must be known there what the local holds
};

class Liveness {
 public:
  // With `facts`, replacing a value that needs no drop does not read it.
  explicit Liveness(const Function& function, DropUse drops = DropUse::Ends, const TypeFacts* facts = nullptr);

  bool reachable(BlockId block) const { return reachable_[block.index]; }
  const LocalSet& live_in(BlockId block) const { return live_in_[block.index]; }
  LocalSet live_out(BlockId block) const;

  // Steps backward: from what is live after the terminator's or instruction's successors to what is live before it.
  void step(const Terminator& terminator, LocalSet& live) const;
  void step(const Inst& inst, LocalSet& live) const;

 private:
  const Function& function_;
  DropUse drops_;
  const TypeFacts* facts_;
  std::vector<bool> reachable_;
  std::vector<LocalSet> live_in_;
};

}  // namespace meteor::mir
