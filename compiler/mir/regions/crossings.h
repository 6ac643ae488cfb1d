// Which crossings are proven: at the call, what the value leads to can be reached from nowhere else, and its type says all of what it leads to.
// Everything else is checked when it moves.
//
// Summaries and proofs depend on each other: a value that crosses with a check may stay shared inside this isolate. All crossings are taken as proven at
// first; those that are not are taken back and the functions looked at again until nothing changes.
#pragma once

#include "compiler/mir/mir.h"
#include "compiler/mir/regions/isolation.h"
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

class Crossings {
 public:
  struct Leaving {
    Site site;
    uint32_t arg = 0;
    bool is_proven = true;
    Reason reason;
  };
  struct Returning {          // the result of what `spawn` starts
    Site site;
    FunctionId body;          // whose result it is
    bool is_proven = false;
    Reason reason;
  };

  Crossings(const Program& program, const TypeFacts& types);

  const std::vector<Leaving>& leaving() const { return leaving_; }
  const std::vector<Returning>& returning() const { return returning_; }
  std::vector<Crossing> report() const;

 private:
  void find_sites();
  void summarise(std::vector<uint32_t> work);
  bool look_again();
  bool is_proven(const Leaving& one, Reason* why);
  TypeId obstacle_of(const Function& function, const Operand& value) const;
  const Inst* closure_in(const Function& function, LocalId local) const;
  bool captures_only_fixed(const Function& function, const Operand& value, int depth = 0) const;
  bool is_fixed(TypeId type) const { return !facts_.types.can_alias(type) && !facts_.types.obstacle(type).valid(); }
  // Of a function of the library that lets other isolates do jobs: the type of those functions; invalid: it does not.
  TypeId job_of(const Function& callee) const;
  void report_job_result(const Inst& inst, const Function& callee, std::vector<Crossing>& out) const;
  const Inst& inst_at(Site site) const { return program_.functions[site.function.index].blocks[site.block].insts[site.inst]; }
  std::string describe(TypeId obstacle) const;
  void judge_results();
  FunctionId body_behind(FunctionId closure) const;

  const Program& program_;
  RegionFacts facts_;
  Isolation isolation_;
  std::vector<Leaving> leaving_;
  std::vector<Returning> returning_;
  std::vector<std::vector<uint32_t>> callers_;   // functions by those they call
};

// The locals that hold a parameter and nothing else: itself and those it is moved to. Empty: something else is put into it.
std::vector<LocalId> carriers_of(const Function& function, uint32_t param);

// Whether a parameter's check can be left out when it is isolated: the function, or one it hands the parameter on to, looks at it once as a whole.
bool checks_whole(const Program& program, const Function& function, uint32_t param, int depth = 0);

}  // namespace meteor::mir
