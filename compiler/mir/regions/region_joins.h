// Which locals of a function may lead to something in common after an instruction: the rules by which regions are
// joined, whoever keeps the regions (region_graph.h over a whole function, region_flow.h at each of its points). Nodes
// are the locals, one for all that others can reach (module variables, what unknown code may keep), one for the results
// and one for the errors that leave.
#pragma once

#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compiler/mir/mir.h"
#include "compiler/mir/regions/region_types.h"

namespace meteor::mir {

bool calls_known_function(const Inst& inst);  // directly, by awaiting it, or by making its frame

bool only_reads(const Program& program,
                const Function& function);  // an extern function that keeps nothing and changes nothing (`@reads`)

// The regions of a function for its callers: parameters, then result, then error. Equal numbers: they may share
// something. OPEN: others may reach it.
struct RegionSummary {
  static constexpr uint32_t OPEN = UINT32_MAX;
  std::vector<uint32_t> classes;
  friend bool operator==(const RegionSummary&, const RegionSummary&) = default;
};

struct Site {  // an instruction
  FunctionId function;
  uint32_t block = 0, inst = 0;
  friend auto operator<=>(const Site& a, const Site& b) {
    return std::tie(a.function.index, a.block, a.inst) <=> std::tie(b.function.index, b.block, b.inst);
  }
  friend bool operator==(const Site& a, const Site& b) { return (a <=> b) == 0; }
};

// What the regions of all functions are made from.
struct RegionFacts {
  explicit RegionFacts(const Program& program, RegionTypes types);
  std::vector<FunctionId> targets(const Inst& inst) const;  // of a virtual call; empty: not known

  const Program& program;
  RegionTypes types;
  std::vector<RegionSummary> summaries;  // per function
  std::set<std::pair<Site, uint32_t>>
      checked;  // arguments that leave and were not proven: the receiver shares them with whoever has them
  std::unordered_map<TypeId, std::vector<TypeId>> subclasses;
};

class RegionJoins {
 public:
  enum class Why : uint8_t { Flow, ModuleVariable, UnknownCode, Kept, Given, Deleted, Sent };

  RegionJoins(const RegionFacts& facts, const Function& function) : facts_(facts), function_(function) {}

  uint32_t open() const { return static_cast<uint32_t>(function_.locals.size()); }
  uint32_t result() const { return open() + 1; }
  uint32_t error() const { return open() + 2; }
  uint32_t node_count() const { return open() + 3; }
  static constexpr uint32_t NONE = UINT32_MAX;
  uint32_t node_of(const Operand& operand) const;  // NONE: nothing that can be shared

 protected:
  ~RegionJoins() = default;
  virtual void join_nodes(uint32_t a, uint32_t b, Why why, FunctionId callee) = 0;
  void visit(const Inst& inst, Site site);
  void visit(const Terminator& terminator);

  const RegionFacts& facts_;
  const Function& function_;
  Span span_;  // of what is visited

 private:
  uint32_t node_of(const Place& place, TypeId type) const;
  TypeId type_of(const Place& place) const;
  void join(uint32_t a, uint32_t b, Why why = Why::Flow, FunctionId callee = {});
  void join_all(const Inst& inst, bool opens, Why why = Why::Flow);
  void visit_call(const Inst& inst, Site site);
  void visit_intrinsic(const Inst& inst);
  void apply(const Inst& inst, const Function& callee, Site site);
  void apply_extern(const Inst& inst, const Function& callee);
};

}  // namespace meteor::mir
