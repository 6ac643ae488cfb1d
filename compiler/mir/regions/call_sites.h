// Who calls each function, as far as that is known.
#pragma once

#include <vector>

#include "compiler/mir/regions/region_joins.h"

namespace meteor::mir {

struct CallSites {
  explicit CallSites(const Program& program);

  std::vector<bool> is_called_by_unknown;  // per function: through a table, a function value, or by the runtime
  std::vector<std::vector<Site>> callers;  // per function: calls, awaits, and where its frame is made
};

}  // namespace meteor::mir
