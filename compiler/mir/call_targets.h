// Which functions a call through a function value, a table of methods or a trait object may reach: more than it really
// does, never fewer.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/mir/mir.h"

namespace meteor::mir {

class CallTargets {
 public:
  explicit CallTargets(const Program& program);

  // Of a Call that is neither Direct nor an Intrinsic.
  std::vector<FunctionId> of(const Inst& inst);

 private:
  std::vector<FunctionId> of_dyn(const Inst& inst) const;
  std::vector<FunctionId> of_virtual(const Inst& inst) const;
  TypeId bare(TypeId type) const;
  const std::string& signature(TypeId type);

  const Program& program_;
  std::unordered_map<std::string, std::vector<FunctionId>> values_;
  std::unordered_map<TypeId, std::string> signatures_;
  std::unordered_map<TypeId, std::vector<TypeId>> subclasses_;
};

}  // namespace meteor::mir
