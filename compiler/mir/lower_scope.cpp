// What happens when control leaves a point: the drops of live temporaries, handlers and cleanups between here and the
// goal, last first.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

void FunctionLowering::schedule_drop(LocalId local) {
  if (counted(out_.local(local).type)) entries_.push_back({Entry::Drop, local, nullptr, {}, {}});
}

// What lies above was remembered with the drop in its way out: forget that.
void FunctionLowering::unschedule(LocalId local) {
  for (size_t i = entries_.size(); i-- > 0;) {
    if (entries_[i].kind != Entry::Drop || !(entries_[i].local == local)) continue;
    entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(i));
    for (size_t above = i; above < entries_.size() && entries_[above].kind != Entry::Handle; ++above) entries_[above].unwind = {};
    for (size_t above = i; above < entries_.size() && !entries_[above].is_cleanup(); ++above)
      entries_[above].exits.clear();
    return;
  }
}

void FunctionLowering::pop_scope(size_t mark) {
  for (size_t i = entries_.size(); i-- > mark;)
    if (entries_[i].kind == Entry::Drop) emit_drop(entries_[i].local);
  forget_scope(mark);
}

void FunctionLowering::push_handler(Handler& handler) { entries_.push_back({Entry::Handle, {}, &handler, {}, {}}); }

BlockId FunctionLowering::unwind_block() {
  size_t from = entries_.size();
  BlockId target;
  while (!target.valid()) {
    if (from == 0) {
      if (!raise_block_.valid()) raise_block_ = new_block(true);
      target = raise_block_;
    } else if (Entry& entry = entries_[from - 1]; entry.unwind.valid()) {
      target = entry.unwind;
    } else if (entry.kind == Entry::Handle) {
      if (!entry.handler->on_error.valid()) entry.handler->on_error = new_block(true);
      target = entry.unwind = entry.handler->on_error;
    } else {
      --from;
    }
  }
  for (; from < entries_.size(); ++from) {
    Entry& entry = entries_[from];
    BlockId block = new_block(true);
    Inst step = entry.kind == Entry::Drop ? make(Op::Drop, {take(entry.local)})
                                          : make(Op::MarkDead, {borrow_of(place_of(entry.local), out_.local(entry.local).type)});
    out_.blocks[block.index].insts.push_back(std::move(step));
    out_.blocks[block.index].terminator.kind = TerminatorKind::Goto;
    out_.blocks[block.index].terminator.target = target;
    target = entry.unwind = block;
  }
  return target;
}

BlockId FunctionLowering::landing_block() {
  BlockId target = unwind_block();
  Landing& known = landings_[target.index];
  if (known.block.valid() && known.span.file == span_.file && known.span.start == span_.start) return known.block;
  BlockId block = new_block(true);
  if (!source_ || !source_->is_untraced) out_.blocks[block.index].insts.push_back(make(Op::Trace, {borrow_of(place_of(error_local()), program_.raisable)}));
  out_.blocks[block.index].terminator.kind = TerminatorKind::Goto;
  out_.blocks[block.index].terminator.target = target;
  known = {span_, block};
  return block;
}

BlockId FunctionLowering::exit_block(size_t mark, BlockId target) {
  bool any = false;
  for (size_t i = mark; i < entries_.size(); ++i) any |= entries_[i].kind == Entry::Drop;
  if (!any) return target;
  BlockId back = current_, block = new_block();
  start(block);
  for (size_t i = entries_.size(); i-- > mark;)
    if (entries_[i].kind == Entry::Drop) emit_drop(entries_[i].local);
  jump(target);
  start(back);
  return block;
}

// How far out an exit goes: the entries above this number are left.
size_t FunctionLowering::goal_of(Exit exit) const {
  if (exit.kind != ExitKind::Break && exit.kind != ExitKind::Continue) return 0;
  auto found = loops_.find(exit.label);
  CHECK(found != loops_.end());
  return found->second.depth;
}

// Some exits drop on their own what they leave, so that every path knows what it holds. Many would make the code grow
// with the square of the depth: the others share their drops.
void FunctionLowering::leave(Exit exit) {
  constexpr size_t MOST_DROPS = 512;
  if (!reachable()) return;
  size_t goal = goal_of(exit), at = entries_.size();
  for (size_t i = at; i > goal && !entries_[i - 1].is_cleanup(); --i)
    left_drops_ += entries_[i - 1].kind == Entry::Drop;
  if (left_drops_ > MOST_DROPS) return jump(shared_exit(exit));
  for (; at > goal && !entries_[at - 1].is_cleanup(); --at)
    if (entries_[at - 1].kind == Entry::Drop) emit_drop(entries_[at - 1].local);
  leave_at(at, exit);
}

// Out of the outermost entry that is not left, or of a cleanup, which goes on from there.
void FunctionLowering::leave_at(size_t depth, Exit exit) {
  if (depth > goal_of(exit)) {
    Handler& handler = *entries_[depth - 1].handler;
    size_t index = 0;
    while (index < handler.exits.size() && !(handler.exits[index] == exit)) ++index;
    if (index == handler.exits.size()) handler.exits.push_back(exit);
    assign(place_of(handler.exit_index), int_const(index), false);
    if (!handler.on_exit.valid()) handler.on_exit = new_block();
    return jump(handler.on_exit);
  }
  if (exit.kind != ExitKind::Break && exit.kind != ExitKind::Continue) return finish_return();
  const LoopTargets& loop = loops_.at(exit.label);
  jump(exit.kind == ExitKind::Break ? loop.on_break : loop.on_continue);
}

// One block per drop, as on the way of errors.
BlockId FunctionLowering::shared_exit(Exit exit) {
  auto known_exit = [&](const Entry& entry) {
    auto found = std::ranges::find(entry.exits, exit, &std::pair<Exit, BlockId>::first);
    return found == entry.exits.end() ? BlockId() : found->second;
  };
  size_t goal = goal_of(exit), at = entries_.size();
  BlockId target, back = current_;
  while (at > goal && !entries_[at - 1].is_cleanup() && !(target = known_exit(entries_[at - 1])).valid()) --at;
  if (!target.valid()) {
    target = new_block();
    start(target);
    leave_at(at, exit);
  }
  for (; at < entries_.size(); ++at) {
    Entry& entry = entries_[at];
    if (entry.kind == Entry::Drop) {
      BlockId block = new_block();
      start(block);
      emit_drop(entry.local);
      jump(target);
      target = block;
    }
    entry.exits.push_back({exit, target});
  }
  start(back);
  return target;
}

void FunctionLowering::drop_variables() {
  for (size_t i = function_drops_.size(); i-- > 0;) emit_drop(function_drops_[i]);
}

// One block per drop: drop elaboration lets an edge skip the drops of what it can't have initialised.
void FunctionLowering::function_error_exit() {
  if (!raise_block_.valid()) return;
  start(raise_block_);
  auto drop_alone = [&](LocalId local) {
    emit_drop(local);
    BlockId next = new_block(true);
    jump(next);
    start(next);
  };
  if (result_zeroed_ && result_.valid() && counted(out_.local(result_).type)) drop_alone(result_);
  for (size_t i = function_drops_.size(); i-- > 0;) drop_alone(function_drops_[i]);
  Terminator end;
  end.kind = TerminatorKind::Raise;
  end.error = error_local();
  terminate(std::move(end));
}

}  // namespace meteor::mir
