#include "compiler/mir/passes/plain_async.h"

#include <vector>

#include "compiler/mir/async_mode.h"

namespace meteor::mir {

void find_suspending(Program& program, const TypeFacts&) {
  std::vector<std::vector<uint32_t>> awaiters(program.functions.size());
  std::vector<uint32_t> work;
  auto suspends = [&](Function& function) {
    if (function.suspends) return;
    function.suspends = true;
    work.push_back(function.id.index);
  };
  for (Function& function : program.functions)
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts) {
        if (inst.op == Op::Await) awaiters[inst.function.index].push_back(function.id.index);
        else if (inst.may_suspend()) suspends(function);
      }
  // A generator that yields nothing is still resumed as one.
  for (Function& function : program.functions)
    if (function.frame == FrameKind::Generator || function.frame == FrameKind::AsyncGenerator || (naive_async() && function.frame == FrameKind::Async)) suspends(function);
  while (!work.empty()) {
    uint32_t at = work.back();
    work.pop_back();
    for (uint32_t awaiter : awaiters[at]) suspends(program.functions[awaiter]);
  }
  for (Function& function : program.functions)
    for (Block& block : function.blocks)
      for (Inst& inst : block.insts)
        if (inst.op == Op::Await && !program.functions[inst.function.index].suspends) {
          inst.op = Op::Call;
          inst.call = CallKind::Direct;
        }
}

}  // namespace meteor::mir
