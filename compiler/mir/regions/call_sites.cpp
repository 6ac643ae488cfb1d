#include "compiler/mir/regions/call_sites.h"

namespace meteor::mir {

CallSites::CallSites(const Program& program)
    : is_called_by_unknown(program.functions.size()), callers(program.functions.size()) {
  auto unknown = [&](FunctionId id) {
    if (id.valid()) is_called_by_unknown[id.index] = true;
  };
  for (const auto& [type, nominal] : program.typed->nominals) {
    unknown(nominal.del);
    for (FunctionId method : nominal.vtable) unknown(method);
  }
  for (const typed::TraitTable& table : program.typed->trait_tables)
    for (FunctionId method : table.slots) unknown(method);
#define HOOK(name) unknown(program.typed->hooks.name);
#include "compiler/typed/hooks.def"
#undef HOOK
  for (const Function& function : program.functions)
    for (uint32_t b = 0; b < function.blocks.size(); ++b)
      for (uint32_t i = 0; i < function.blocks[b].insts.size(); ++i) {
        const Inst& inst = function.blocks[b].insts[i];
        if (calls_known_function(inst))
          callers[inst.function.index].push_back({function.id, b, i});
        else if (inst.op == Op::MakeClosure)
          unknown(inst.function);
      }
}

}  // namespace meteor::mir
