// Whether what an argument leads to can be reached from nowhere else when it is passed: no other local in its region holds anything then, and nobody
// outside the function does.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "compiler/mir/init_state.h"
#include "compiler/mir/liveness.h"
#include "compiler/mir/regions/call_sites.h"
#include "compiler/mir/regions/region_graph.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

struct Reason {
  std::string text;
  Span cause;
};

class Isolation {
 public:
  Isolation(const RegionFacts& facts, const TypeFacts& types);

  bool is_isolated(Site site, uint32_t arg, Reason* why = nullptr);
  // The same for what a function gives.
  bool gives_isolated(const Function& function, Reason* why = nullptr);
  // Before asking again: answers rest on what was assumed of parameters meanwhile. What was found to be held stays so, there is only ever more of it.
  void forget();
  size_t refuted() const { return why_params_.size(); }   // how many assumptions turned out wrong so far

 private:
  struct BlockStates {             // of each instruction
    std::vector<InitState> init;   // when it has taken its operands
    std::vector<LocalSet> live;    // after it, on either way out
  };
  struct Flows {
    Flows(const RegionFacts& facts, const Function& function);
    RegionGraph graph;
    InitFlow init;
    Liveness live;
    std::unordered_map<uint32_t, std::vector<uint32_t>> members;   // of each region: locals that can share something
    std::unordered_map<uint32_t, BlockStates> blocks;              // those that were asked for
  };
  Flows& flows(const Function& function);
  bool is_private(const Function& function, uint32_t start, uint32_t region, Reason* why);
  bool is_isolated_param(const Function& function, uint32_t param, Reason* why);
  const BlockStates& states(const Function& function, uint32_t block);
  bool is_held_after(const Function& function, Site site, LocalId local);
  void explain(const Function& function, uint32_t from, uint32_t to, std::string fallback, Reason* why);

  const RegionFacts& facts_;
  const TypeFacts& types_;
  CallSites calls_;
  std::map<uint32_t, std::unique_ptr<Flows>> flows_;
  enum class Answer : uint8_t { Assumed, No };
  std::map<std::pair<uint32_t, uint32_t>, Answer> params_;
  std::map<std::pair<uint32_t, uint32_t>, Reason> why_params_;
  int depth_ = 0;
};

}  // namespace meteor::mir
