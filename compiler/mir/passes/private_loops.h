// Is a loop one that nobody else can notice? What it writes, and what it iterates over, only this task has: it was made
// here, or given by a task that waits for this function, and no way leads to it from anything that another task can
// reach (regions/task_regions.h). Asked first for everything at once, then for each kind of object that the loop
// writes: a list of shared objects may be private, though they are not.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "compiler/mir/passes/shared_effects.h"
#include "compiler/mir/regions/call_sites.h"
#include "compiler/mir/regions/region_flow.h"
#include "compiler/mir/regions/task_regions.h"

namespace meteor::mir {

class PrivateLoops {
 public:
  PrivateLoops(const Program& program, const TypeFacts& facts, SharedEffects& shared);

  // `blocks`: those of the loop; `round`: per block of the function, it is on a way round the loop; `effects`: of all
  // blocks.
  bool is_private(const Function& function, const LoopRange& loop, const std::vector<uint32_t>& blocks,
                  const std::vector<bool>& round, const Effects& effects);

 private:
  struct Param {
    uint32_t function, index;
    friend auto operator<=>(const Param&, const Param&) = default;
  };
  struct Need {                 // of a parameter that is to be private
    bool is_open = false;       // it is not
    std::vector<Param> params;  // those of callers that must be, too
  };
  struct View {  // regions of everything, or of one kind of object
    std::unique_ptr<TaskRegions> regions;
    std::map<uint32_t, std::unique_ptr<RegionFlow>> flows;  // per function
    std::map<Param, Need> needs;
  };

  View& view(TypeId target);
  std::vector<uint32_t> concerned_functions();
  bool holds_for(TypeId target, const Function& function, const LoopRange& loop, const std::vector<uint32_t>& blocks,
                 const std::vector<bool>& round);
  bool is_private_at(View& view, const Function& function, uint32_t block, uint32_t inst, uint32_t node);
  Need need_at(View& view, const Function& function, uint32_t block, uint32_t inst, uint32_t node);
  template <typename Regions>
  Need need_of(const View& view, const Function& function, const RegionJoins& nodes, const Regions& regions,
               uint32_t node) const;
  const Need& need_of_param(View& view, Param param);
  bool are_private(View& view, std::vector<Param> params);
  std::optional<std::vector<TypeId>> kinds_of(const Function& function, const LoopRange& loop,
                                              const std::vector<uint32_t>& blocks, const Effects& effects);

  const Program& program_;
  SharedEffects& shared_;
  TaskCode code_;
  CallSites calls_;
  std::vector<uint32_t> functions_;
  std::map<uint32_t, View> views_;  // by target type
};

}  // namespace meteor::mir
