// try/finally and with. The cleanup's code stands once, whatever number of ways lead out of the body: each way notes in
// `exit_index` where to go on, runs the cleanup, and a switch sends it there. So nested cleanups stay linear in size.
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;

void FunctionLowering::open_cleanup(Handler& handler) {
  handler.is_cleanup = true;
  handler.exit_index = new_temp(program_.types.int_);
  handler.in_flight = new_temp(program_.optional_raisable);
  handler.exits = {{ExitKind::End, 0}, {ExitKind::Error, 0}};
  push_handler(handler);
}

// After the body: ends where the cleanup's code begins, with `in_flight` and `exit_index` set on every path.
void FunctionLowering::close_cleanup_body(Handler& handler, size_t depth) {
  forget_scope(depth);
  BlockId cleanup = new_block();
  if (reachable()) {
    assign(place_of(handler.exit_index), int_const(0), false);
    if (!handler.on_exit.valid()) handler.on_exit = new_block();
    jump(handler.on_exit);
  }
  if (handler.on_exit.valid()) {
    start(handler.on_exit);
    assign(place_of(handler.in_flight), constant(ConstKind::Null, program_.optional_raisable), true);
    jump(cleanup);
  }
  if (handler.on_error.valid()) {
    start(handler.on_error);
    Inst keep = make(Op::MakeSome, {take(error_local())});
    keep.dst = place_of(handler.in_flight);
    keep.type = program_.optional_raisable;
    emit(std::move(keep));
    assign(place_of(handler.exit_index), int_const(1), false);
    jump(cleanup);
  }
  if (handler.on_exit.valid() || handler.on_error.valid()) start(cleanup);
  else current_ = {};
}

// In the block where an error of the cleanup's own code arrives: the one in flight joins its suppressed, or goes on
// instead of it where the cleanup was only cancelled. The current block goes on with that one in error_local().
void FunctionLowering::merge_error(LocalId in_flight) {
  Place place = place_of(in_flight);
  BlockId join = new_block(true), next = new_block(true);
  LocalId none = new_temp(program_.types.bool_);
  Inst test = make(Op::IsNull, {borrow_of(place, program_.optional_raisable)});
  test.dst = place_of(none);
  emit(std::move(test));
  branch(take(none), next, join);
  start(join);
  LocalId failure = new_temp(program_.raisable), merged = new_temp(program_.raisable);
  BlockId failed = new_block(true);
  Inst call = make_call(program_.source.hooks.merge, {borrow_of(place_of(error_local()), program_.raisable),
                                                         borrow_of(project(place, ProjectionKind::Payload, program_.raisable), program_.raisable)});
  call.dst = place_of(merged);
  call.on_error = failed;
  call.error = failure;
  emit(std::move(call));
  assign(place_of(error_local()), take(merged), false);
  jump(next);
  start(failed);
  emit_drop(failure);
  jump(next);
  start(next);
}

void FunctionLowering::dispatch_exits(Handler& handler, BlockId after, bool may_fail) {
  if (!reachable()) return;
  Terminator end;
  end.kind = TerminatorKind::Switch;
  end.value = take(handler.exit_index);
  for (size_t i = 1; i < handler.exits.size(); ++i)
    if (i > 1 || may_fail) end.cases.push_back({i, new_block(i == 1)});
  end.target = new_block();
  std::vector<SwitchTarget> cases = end.cases;
  BlockId rest = end.target;
  terminate(std::move(end));
  for (const SwitchTarget& c : cases) {
    start(c.block);
    if (c.value == 1) {
      Inst take_error = make(Op::TakeSome, {take(handler.in_flight)});
      take_error.dst = place_of(error_local());
      emit(std::move(take_error));
      jump(unwind_block());
    } else {
      emit_drop(handler.in_flight);
      leave(handler.exits[c.value]);
    }
  }
  start(rest);
  emit_drop(handler.in_flight);
  jump(after);
}

void FunctionLowering::lower_cleanup(const Cleanup& s) {
  size_t depth = mark();
  Handler handler;
  open_cleanup(handler);
  lower(s.body);
  close_cleanup_body(handler, depth);
  if (!reachable()) return;

  if (s.error.valid()) assign(variable_place(s.error), copy_of(place_of(handler.in_flight), program_.optional_raisable), false);
  schedule_drop(handler.in_flight);
  Handler merge;
  push_handler(merge);
  lower(s.cleanup);
  forget_scope(depth + 1);
  BlockId end = current_;
  if (merge.on_error.valid()) {
    start(merge.on_error);
    merge_error(handler.in_flight);
    jump(unwind_block());
  }
  forget_scope(depth);
  if (!end.valid()) {
    current_ = {};
    return;
  }
  start(end);
  BlockId after = new_block();
  if (s.suppress.valid() && handler.on_error.valid()) {
    BlockId swallow = new_block(), go_on = new_block();
    branch(copy_of(variable_place(s.suppress), program_.types.bool_), swallow, go_on);
    start(swallow);
    BlockId ended = new_block();
    Inst test = make(Op::Compare, {take(handler.exit_index), int_const(1)});
    test.compare = CompareOp::Eq;
    branch(emit_value(std::move(test), program_.types.bool_), ended, go_on);
    start(ended);
    emit_drop(handler.in_flight);
    jump(after);
    start(go_on);
  }
  dispatch_exits(handler, after, handler.on_error.valid());
  start(after);
}

}  // namespace meteor::mir
