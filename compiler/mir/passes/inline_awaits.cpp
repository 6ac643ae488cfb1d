#include "compiler/mir/passes/inline_awaits.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/mir/async_mode.h"
#include "compiler/mir/flow.h"

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
    uint32_t first_local = static_cast<uint32_t>(caller.locals.size());
    for (Local local : callee.locals) {
      if (local.kind == LocalKind::Param) local.kind = LocalKind::Variable;
      caller.locals.push_back(std::move(local));
    }
    uint32_t first_block = static_cast<uint32_t>(caller.blocks.size());
    BlockId after(first_block + static_cast<uint32_t>(callee.blocks.size()));
    caller.blocks.resize(after.index + 1);
    Block& head = caller.blocks[at.index];
    Block& tail = caller.blocks[after.index];
    Inst await = std::move(head.insts[index]);
    tail.insts.assign(std::make_move_iterator(head.insts.begin() + index + 1), std::make_move_iterator(head.insts.end()));
    tail.terminator = std::move(head.terminator);
    tail.is_cold = head.is_cold;
    head.insts.resize(index);
    for (uint32_t i = 0; i < callee.param_count; ++i) head.insts.push_back(assign(LocalId(first_local + i), std::move(await.args[i]), await.span));
    head.terminator = go(BlockId(first_block), await.span);

    for (uint32_t i = 0; i < callee.blocks.size(); ++i) {
      Block block = callee.blocks[i];
      block.is_cold |= head.is_cold;
      for (Inst& inst : block.insts) {
        move_to(inst.dst, first_local);
        for (Operand& arg : inst.args) move_to(arg.place, first_local);
        if (inst.on_error.valid()) {
          inst.on_error = BlockId(inst.on_error.index + first_block);
          inst.error = LocalId(inst.error.index + first_local);
        }
        // A trace names the place in the source; who looks at the task sees where its own code waits, and for what of the library.
        if (callee.is_inline && inst.op != Op::Trace) inst.span = await.span;
        if ((callee.is_inline && (inst.op == Op::Park || inst.op == Op::Checkpoint)) || (inst.op == Op::Trace && !inst.function.valid())) inst.function = callee.id;
      }
      Terminator& end = block.terminator;
      move_to(end.value.place, first_local);
      for_each_target(end, [&](BlockId& target) { target = BlockId(target.index + first_block); });
      if (end.error.valid()) end.error = LocalId(end.error.index + first_local);
      if (end.kind == TerminatorKind::Return) leave(caller, block, await, after);
      else if (end.kind == TerminatorKind::Raise) raise(block, await, LocalId(end.error));
      caller.blocks[first_block + i] = std::move(block);
    }
  }

  void leave(Function& caller, Block& block, const Inst& await, BlockId after) {
    Operand value = std::move(block.terminator.value);
    block.terminator = go(after, await.span);
    bool is_void = value.kind == OperandKind::Const && value.constant.kind == ConstKind::Void;
    if (is_void) return;
    LocalId into = await.dst.local;
    if (!into.valid()) {
      Local unused;
      unused.type = value.type;
      into = LocalId(static_cast<uint32_t>(caller.locals.size()));
      caller.locals.push_back(unused);
    }
    bool drops = !await.dst.local.valid() && facts_.needs_drop(value.type);
    TypeId type = value.type;
    block.insts.push_back(assign(into, std::move(value), await.span));
    if (!drops) return;
    Inst drop;
    drop.op = Op::Drop;
    drop.span = await.span;
    drop.args.push_back(moved(into, type));
    block.insts.push_back(std::move(drop));
  }

  void raise(Block& block, const Inst& await, LocalId error) {
    block.insts.push_back(assign(await.error, moved(error, program_.typed->raisable), await.span));
    block.terminator = go(await.on_error, await.span);
  }

  static void move_to(Place& place, uint32_t first_local) {
    if (place.local.valid()) place.local = LocalId(place.local.index + first_local);
  }

  static Operand moved(LocalId local, TypeId type) {
    Operand operand;
    operand.kind = OperandKind::Move;
    operand.type = type;
    operand.place.local = local;
    return operand;
  }

  static Inst assign(LocalId local, Operand value, Span span) {
    Inst inst;
    inst.op = Op::Assign;
    inst.span = span;
    inst.initializes = true;
    inst.dst.local = local;
    inst.args.push_back(std::move(value));
    return inst;
  }

  static Terminator go(BlockId target, Span span) {
    Terminator terminator;
    terminator.kind = TerminatorKind::Goto;
    terminator.span = span;
    terminator.target = target;
    return terminator;
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
