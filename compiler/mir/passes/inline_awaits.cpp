#include "compiler/mir/passes/inline_awaits.h"

#include <algorithm>

#include "compiler/mir/async_mode.h"
#include "compiler/mir/passes/splice.h"

namespace meteor::mir {

namespace {

class AwaitInlining {
 public:
  AwaitInlining(Program& program, const TypeFacts& facts) : program_(program), facts_(facts), progress_(program.functions.size(), Progress::None) {}

  void run() {
    for (Function& function : program_.functions) expand(function);
  }

 private:
  enum class Progress : uint8_t { None, UnderWay, Done };

  bool can_be_part(const Function& caller, const Function& callee) const {
    if (callee.frame != FrameKind::Async || !callee.suspends || callee.blocks.empty()) return false;
    if (std::ranges::any_of(callee.param_modes, [](ParamMode mode) { return mode == ParamMode::Ref; })) return false;
    return callee.is_inline || (callee.span.file == caller.span.file && caller.has_frame());
  }

  // It waits at one place, for nothing that has a frame of its own.
  static bool is_small(const Function& callee) {
    constexpr size_t MOST = 16;
    size_t insts = 0, waits = 0;
    for (const Block& block : callee.blocks) {
      insts += block.insts.size();
      for (const Inst& inst : block.insts) {
        if (inst.may_suspend() && inst.op != Op::Park) return false;
        waits += inst.op == Op::Park;
      }
    }
    return waits == 1 && insts <= MOST;
  }

  // Callees first, so that what is taken over is complete. One that awaits itself stays a call.
  void expand(Function& function) {
    if (progress_[function.id.index] != Progress::None) return;
    progress_[function.id.index] = Progress::UnderWay;
    for (uint32_t block = 0; block < function.blocks.size(); ++block)
      for (uint32_t i = 0; i < function.blocks[block].insts.size(); ++i) {
        const Inst& inst = function.blocks[block].insts[i];
        if (inst.op != Op::Await) continue;
        Function& callee = program_.functions[inst.function.index];
        if (!can_be_part(function, callee)) continue;
        expand(callee);
        if (progress_[callee.id.index] != Progress::Done || !(callee.is_inline || is_small(callee))) continue;
        take_over(function, BlockId(block), i, callee);
        break;   // what followed is in a block of its own, at the end
      }
    progress_[function.id.index] = Progress::Done;
  }

  void take_over(Function& caller, BlockId at, uint32_t index, const Function& callee) {
    Span awaited_at = caller.blocks[at.index].insts[index].span;
    splice(program_, facts_, caller, at, index, callee, [&](Inst& inst) {
      // A trace names the place in the source; who looks at the task sees where its own code waits, and for what of the library.
      if (!callee.is_inline) return;
      if (inst.op != Op::Trace) inst.span = awaited_at;
      if (inst.op == Op::Park || inst.op == Op::Checkpoint) inst.function = callee.id;
    });
  }

  Program& program_;
  const TypeFacts& facts_;
  std::vector<Progress> progress_;
};

}  // namespace

void inline_awaits(Program& program, const TypeFacts& facts) {
  if (!naive_async()) AwaitInlining(program, facts).run();
}

}  // namespace meteor::mir
