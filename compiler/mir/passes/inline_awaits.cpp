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
      if (insts > MOST) return false;
      for (const Inst& inst : block.insts) {
        if (inst.may_suspend() && inst.op != Op::Park) return false;
        waits += inst.op == Op::Park;
      }
    }
    return waits == 1;
  }

  // Callees first, so that what is taken over is complete. One that awaits itself stays a call.
  void expand(Function& function) {
    if (progress_[function.id.index] != Progress::None) return;
    progress_[function.id.index] = Progress::UnderWay;
    auto body_of = [&](const Inst& inst) -> const Function* {
      if (inst.op != Op::Await) return nullptr;
      Function& callee = program_.functions[inst.function.index];
      if (!can_be_part(function, callee)) return nullptr;
      expand(callee);
      return progress_[callee.id.index] == Progress::Done && (callee.is_inline || is_small(callee)) ? &callee : nullptr;
    };
    splice_calls(program_, facts_, function, body_of, adapt);
    progress_[function.id.index] = Progress::Done;
  }

  // A trace names the place in the source; who looks at the task sees where its own code waits, and for what of the
  // library.
  static void adapt(const Function& callee, Span awaited_at, Inst& inst) {
    if (!callee.is_inline) return;
    if (inst.op != Op::Trace) inst.span = awaited_at;
    if (inst.op == Op::Park || inst.op == Op::Checkpoint) inst.function = callee.id;
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
