// Which locals hold a value at each point: a forward dataflow over the graph. A local may be both maybe initialised and
// maybe uninitialised where paths meet. One that holds zero bits is neither: it may be used and dropped like a value,
// and overwritten or forgotten like none.
#pragma once

#include <vector>

#include "compiler/mir/flow.h"
#include "compiler/mir/mir.h"

namespace meteor::mir {

struct InitState {
  LocalSet maybe_init, maybe_uninit;

  bool surely_init(LocalId id) const { return !maybe_uninit.has(id); }
  bool surely_uninit(LocalId id) const { return !maybe_init.has(id); }
  void init(LocalId id) { maybe_init.add(id); maybe_uninit.remove(id); }
  void zero(LocalId id) { maybe_init.remove(id); maybe_uninit.remove(id); }
  void uninit(LocalId id) { maybe_init.remove(id); maybe_uninit.add(id); }

  // What an instruction does in two steps, between which its error edge leaves: it consumes operands, then it stores.
  void consume(const Inst& inst);
  void store(const Inst& inst);
};

class InitFlow {
 public:
  explicit InitFlow(const Function& function);
  const std::vector<BlockId>& order() const { return order_; }   // reachable blocks
  const InitState& at_entry(BlockId block) const { return entry_[block.index]; }

 private:
  std::vector<BlockId> order_;
  std::vector<InitState> entry_;   // empty sets for blocks that are not reachable
};

}  // namespace meteor::mir
