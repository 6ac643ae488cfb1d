#include "compiler/mir/frames.h"

#include <algorithm>
#include <tuple>

#include "compiler/base/check.h"
#include "compiler/mir/async_mode.h"
#include "compiler/mir/liveness.h"
#include "runtime/abi/abi.h"

namespace meteor::mir {

namespace {

uint64_t round_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

// A piece of the frame: a local or a callee's frame, and the suspensions (0: the start) at which it is needed.
struct Piece {
  LocalId local;                 // or
  uint32_t suspension = 0;       // the callee frame of this one
  SizeAndAlign extent;
  std::vector<uint32_t> states;  // ascending
  std::vector<bool> is_in;       // per state up to the last
  uint64_t offset = 0;
};

bool meet(const Piece& a, const Piece& b) {
  if (naive_async()) return true;
  if (a.states.size() > b.states.size()) return meet(b, a);
  if (a.states.back() < b.states.front()) return false;
  return std::ranges::any_of(a.states, [&](uint32_t state) { return state < b.is_in.size() && b.is_in[state]; });
}

// Locals with a home are in the frame between suspensions too: one that is written while another is live may not lie where that
// one does, nor a callee's frame where one lies that the callee has a reference to. Each such moment counts as a state of its own.
void add_moments_of_homes(const Program& program, const Function& function, const FrameLayout& layout, std::vector<std::vector<uint32_t>>& states) {
  if (std::ranges::find(layout.home, true) == layout.home.end()) return;
  for (uint32_t k = 0; k < layout.suspensions.size(); ++k) {
    const Suspension& at = layout.suspensions[k];
    for (const Operand& arg : function.blocks[at.block.index].insts[at.inst].args) {
      if (arg.kind != OperandKind::Ref || !arg.place.local.valid() || !layout.home[arg.place.local.index]) continue;
      std::vector<uint32_t>& own = states[arg.place.local.index];
      if (auto place = std::ranges::lower_bound(own, k + 1); place == own.end() || *place != k + 1) own.insert(place, k + 1);
    }
  }
  TypeFacts facts(*program.typed, *program.types);
  Liveness liveness(function, DropUse::Reads, &facts);
  uint32_t moment = static_cast<uint32_t>(layout.suspensions.size()) + 1;
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    if (!liveness.reachable(BlockId(i))) continue;
    const Block& block = function.blocks[i];
    LocalSet live = liveness.live_out(BlockId(i));
    liveness.step(block.terminator, live);
    for (size_t k = block.insts.size(); k-- > 0;) {
      const Inst& inst = block.insts[k];
      if (inst.dst.local.valid() && layout.home[inst.dst.local.index]) {
        LocalSet together = live;
        together.add(inst.dst.local);
        together.for_each([&](LocalId local) {
          if (layout.home[local.index]) states[local.index].push_back(moment);
        });
        ++moment;
      }
      liveness.step(inst, live);
    }
  }
}

// Whose addresses futures have that are awaited later than they are made.
std::vector<LocalId> lent_locals(const Function& function) {
  std::vector<LocalId> lent;
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts)
      for (const Operand& arg : inst.args)
        if (inst.lends && arg.kind == OperandKind::Ref && arg.place.local.valid()) lent.push_back(arg.place.local);
  return lent;
}

// Whether somebody may have the address of what is passed to such a parameter when the call is over: the runtime, or a future.
bool keeps_address(const Program& program, const Function& function, uint32_t param, int depth) {
  constexpr int DEPTH_MAX = 4;
  if (function.is_extern || function.blocks.empty() || depth > DEPTH_MAX) return true;
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts)
      for (uint32_t i = 0; i < inst.args.size(); ++i) {
        if (inst.args[i].kind != OperandKind::Ref || inst.args[i].place.local != LocalId(param)) continue;
        bool is_plain_call = inst.op == Op::Call && inst.call == CallKind::Direct && !inst.lends;
        if (!is_plain_call || keeps_address(program, program.functions[inst.function.index], i, depth + 1)) return true;
      }
  return false;
}

}  // namespace

uint32_t FrameLayout::state_of(BlockId block, uint32_t inst) const {
  for (uint32_t i = 0; i < suspensions.size(); ++i)
    if (suspensions[i].block == block && suspensions[i].inst == inst) return i + 1;
  CHECK(!"an instruction that suspends has a state");
  return 0;
}

const FrameLayout& Frames::layout(FunctionId id) {
  auto found = layouts_.find(id);
  if (found != layouts_.end()) return found->second;
  const Function& function = program_.functions[id.index];
  under_way_[id] = true;
  FrameLayout layout;
  layout.slot.assign(function.locals.size(), FrameLayout::NONE);
  layout.home.assign(function.locals.size(), false);
  find_suspensions(function, layout);
  find_homes(function, layout);
  place(function, layout);
  under_way_[id] = false;
  return layouts_.emplace(id, std::move(layout)).first->second;
}

void Frames::find_suspensions(const Function& function, FrameLayout& layout) {
  TypeFacts facts(*program_.typed, *program_.types);
  Liveness liveness(function, DropUse::Reads, &facts);
  std::vector<LocalId> lent = lent_locals(function);
  for (uint32_t i = 0; i < function.blocks.size(); ++i) {
    const Block& block = function.blocks[i];
    bool any = std::ranges::any_of(block.insts, [](const Inst& inst) { return inst.may_suspend(); });
    if (!any || !liveness.reachable(BlockId(i))) continue;
    LocalSet live = liveness.live_out(BlockId(i));
    liveness.step(block.terminator, live);
    size_t first = layout.suspensions.size();
    for (size_t k = block.insts.size(); k-- > 0;) {
      const Inst& inst = block.insts[k];
      if (inst.may_suspend()) {
        LocalSet kept = live;
        if (inst.dst.is_local()) kept.remove(inst.dst.local);
        if (inst.on_error.valid()) {
          LocalSet after_error = liveness.live_in(inst.on_error);
          after_error.remove(inst.error);
          kept.unite(after_error);
        }
        // What a running frame is inside of must outlive the wait.
        for (const Operand& arg : inst.args)
          if (arg.kind == OperandKind::Ref && arg.place.local.valid()) kept.add(arg.place.local);
        for (uint32_t p = 0; p < function.param_count; ++p)
          if (function.locals[p].by_reference) kept.add(LocalId(p));
        for (LocalId local : lent) kept.add(local);
        for (uint32_t n = 0; naive_async() && n < function.locals.size(); ++n) kept.add(LocalId(n));
        if (inst.op == Op::RunFrame && inst.args[0].place.local.valid()) kept.add(inst.args[0].place.local);
        Suspension at;
        at.block = BlockId(i);
        at.inst = static_cast<uint32_t>(k);
        at.span = inst.span;
        kept.for_each([&](LocalId local) { at.saved.push_back(local); });
        layout.suspensions.push_back(std::move(at));
      }
      liveness.step(inst, live);
    }
    std::reverse(layout.suspensions.begin() + static_cast<ptrdiff_t>(first), layout.suspensions.end());
  }
  for (Suspension& at : layout.suspensions) {
    const Inst& inst = function.blocks[at.block.index].insts[at.inst];
    if (inst.op != Op::Await) continue;
    at.has_child = true;
    at.boxed = under_way_[inst.function];
    at.child_size = at.boxed ? sizeof(void*) : this->layout(inst.function).size;
  }
}

// Locals whose address somebody may have while the function is suspended: where they live across a suspension, they live
// in the frame. So do those that many suspensions would save and load where there are many of both: the code would grow
// with their product. What is only lent to a call, as an iterator is to its `next`, stays in registers.
void Frames::find_homes(const Function& function, FrameLayout& layout) {
  constexpr size_t MOST_SAVES = 1000, MOST_SAVES_OF_ONE = 8;
  std::vector<uint32_t> saved(function.locals.size());
  size_t saves = 0;
  for (const Suspension& at : layout.suspensions) {
    saves += at.saved.size();
    for (LocalId local : at.saved) ++saved[local.index];
  }
  for (uint32_t i = 0; saves > MOST_SAVES && i < saved.size(); ++i)
    layout.home[i] = saved[i] > MOST_SAVES_OF_ONE && !function.locals[i].by_reference;
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts)
      for (uint32_t i = 0; i < inst.args.size(); ++i) {
        const Operand& arg = inst.args[i];
        if (arg.kind != OperandKind::Ref || !arg.place.local.valid() || saved[arg.place.local.index] == 0) continue;
        if (layout.home[arg.place.local.index] || function.local(arg.place.local).by_reference) continue;
        bool is_plain_call = inst.op == Op::Call && inst.call == CallKind::Direct && !inst.lends;
        layout.home[arg.place.local.index] = !is_plain_call || keeps_address(program_, program_.functions[inst.function.index], i, 0);
      }
}

// Largest first, each at the lowest offset where it meets nothing that is needed at the same time.
void Frames::place(const Function& function, FrameLayout& layout) {
  std::vector<Piece> pieces;
  std::vector<std::vector<uint32_t>> states(function.locals.size());
  for (uint32_t i = 0; i < function.param_count; ++i) states[i].push_back(0);
  for (uint32_t k = 0; k < layout.suspensions.size(); ++k)
    for (LocalId local : layout.suspensions[k].saved) states[local.index].push_back(k + 1);
  add_moments_of_homes(program_, function, layout, states);
  for (uint32_t i = 0; i < function.locals.size(); ++i) {
    if (states[i].empty()) continue;
    SizeAndAlign extent = function.locals[i].by_reference ? SizeAndAlign{sizeof(void*), alignof(void*)} : size_of_(function.locals[i].type);
    pieces.push_back({LocalId(i), 0, extent, std::move(states[i]), {}, 0});
  }
  for (uint32_t k = 0; k < layout.suspensions.size(); ++k)
    if (layout.suspensions[k].has_child)
      pieces.push_back({{}, k, {layout.suspensions[k].child_size, alignof(void*)}, {k + 1}, {}, 0});
  for (Piece& piece : pieces) {
    piece.is_in.resize(piece.states.back() + 1);
    for (uint32_t state : piece.states) piece.is_in[state] = true;
  }
  auto order = [](const Piece& piece) { return std::tuple(UINT64_MAX - piece.extent.size, piece.local.index, piece.suspension); };
  std::ranges::sort(pieces, {}, order);

  // The result of an `async def` comes when nothing else is needed any more; what a generator yields lies beside its slots.
  SizeAndAlign result = size_of_(function.result);
  layout.result_offset = round_up(MET_FRAME_SLOTS, result.align);
  uint64_t first = function.frame == FrameKind::Async ? MET_FRAME_SLOTS : layout.result_offset + result.size;
  uint64_t end = first;
  std::vector<const Piece*> placed;  // by offset
  for (Piece& piece : pieces) {
    uint64_t offset = round_up(first, piece.extent.align);
    for (const Piece* other : placed) {
      if (offset + piece.extent.size <= other->offset) break;
      if (meet(piece, *other))
        offset = std::max(offset, round_up(other->offset + other->extent.size, piece.extent.align));
    }
    piece.offset = offset;
    placed.insert(std::ranges::upper_bound(placed, offset, {}, &Piece::offset), &piece);
    end = std::max(end, offset + piece.extent.size);
    if (piece.local.valid()) layout.slot[piece.local.index] = offset;
    else layout.suspensions[piece.suspension].child_offset = offset;
  }
  layout.size = round_up(std::max(end, layout.result_offset + result.size), alignof(void*));
}

}  // namespace meteor::mir
