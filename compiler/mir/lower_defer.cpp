// defer: the whole function body is a cleanup whose code runs what was deferred, last first. Without loops the order of
// the text is the order of running, and one flag per defer says whether it was reached; with loops a stack of their
// numbers is kept. An error in one joins or replaces the one in flight, and the others still run.
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;

namespace {

Inst intrinsic_call(Inst inst, Intrinsic intrinsic, TypeId element) {
  inst.call = mir::CallKind::Intrinsic;
  inst.intrinsic = intrinsic;
  inst.type = element;
  return inst;
}

}  // namespace

void FunctionLowering::open_defers() {
  TypeId bool_type = program_.types.bool_, int_type = program_.types.int_;
  if (facts_.defer_in_loop) {
    defer_stack_ = new_temp(program_.int_pointer);
    defer_count_ = new_temp(int_type);
    defer_room_ = new_temp(int_type);
    assign(place_of(defer_stack_), constant(ConstKind::Zero, program_.int_pointer), true);
    assign(place_of(defer_count_), int_const(0), true);
    assign(place_of(defer_room_), int_const(0), true);
  } else {
    for (size_t i = 0; i < facts_.defers.size(); ++i) {
      armed_.push_back(new_temp(bool_type));
      assign(place_of(armed_.back()), bool_const(false), true);
    }
  }
  open_cleanup(defer_handler_);
}

void FunctionLowering::lower_defer(const Defer& s) {
  size_t number = 0;
  while (facts_.defers[number] != &s) ++number;
  if (!facts_.defer_in_loop) return assign(place_of(armed_[number]), bool_const(true), false);

  auto binary = [&](BinaryOp op, Operand left, Operand right) {
    Inst inst = make(Op::Binary, {std::move(left), std::move(right)});
    inst.binary = op;
    inst.checked = false;
    return inst;
  };
  BlockId grow = new_block(true), push = new_block();
  Inst full = make(Op::Compare, {take(defer_count_), take(defer_room_)});
  full.compare = CompareOp::Eq;
  branch(emit_value(std::move(full), program_.types.bool_), grow, push);
  start(grow);   // room: 8, then twice as much
  Operand twice = emit_value(binary(BinaryOp::WrapMul, take(defer_room_), int_const(2)), program_.types.int_);
  Operand room = emit_value(binary(BinaryOp::WrapAdd, std::move(twice), int_const(8)), program_.types.int_);
  Inst realloc = intrinsic_call(make(Op::Call, {take(defer_stack_), take(defer_room_), room}), Intrinsic::RawRealloc, program_.types.int_);
  assign(place_of(defer_stack_), emit_value(std::move(realloc), program_.int_pointer), false);
  assign(place_of(defer_room_), room, false);
  jump(push);
  start(push);
  emit(intrinsic_call(make(Op::Call, {take(defer_stack_), take(defer_count_), int_const(number)}), Intrinsic::RawInit, program_.types.int_));
  assign(place_of(defer_count_), emit_value(binary(BinaryOp::WrapAdd, take(defer_count_), int_const(1)), program_.types.int_), false);
}

void FunctionLowering::close_defers() {
  close_cleanup_body(defer_handler_, 0);
  if (!reachable()) return;
  schedule_drop(defer_handler_.in_flight);
  run_defers();
  forget_scope(0);
  dispatch_exits(defer_handler_, new_block(), true);   // the body's end left by a return
}

void FunctionLowering::run_defers() {
  if (!facts_.defer_in_loop) {
    for (size_t i = facts_.defers.size(); i-- > 0;) {
      BlockId body = new_block(), next = new_block();
      branch(take(armed_[i]), body, next);
      start(body);
      lower_defer_body(*facts_.defers[i], next);
      start(next);
    }
    return;
  }
  BlockId head = new_block(), body = new_block(), done = new_block();
  jump(head);
  start(head);
  Inst more = make(Op::Compare, {take(defer_count_), int_const(0)});
  more.compare = CompareOp::Gt;
  branch(emit_value(std::move(more), program_.types.bool_), body, done);
  start(body);
  Inst less = make(Op::Binary, {take(defer_count_), int_const(1)});
  less.binary = BinaryOp::WrapSub;
  less.checked = false;
  assign(place_of(defer_count_), emit_value(std::move(less), program_.types.int_), false);
  Inst get = intrinsic_call(make(Op::Call, {take(defer_stack_), take(defer_count_)}), Intrinsic::RawGet, program_.types.int_);
  Terminator which;
  which.kind = TerminatorKind::Switch;
  which.value = emit_value(std::move(get), program_.types.int_);
  for (size_t i = 0; i < facts_.defers.size(); ++i) which.cases.push_back({i, new_block()});
  which.target = head;
  std::vector<SwitchTarget> cases = which.cases;
  terminate(std::move(which));
  for (const SwitchTarget& c : cases) {
    start(c.block);
    lower_defer_body(*facts_.defers[c.value], head);
  }
  start(done);
  emit(intrinsic_call(make(Op::Call, {take(defer_stack_), take(defer_room_)}), Intrinsic::RawFree, program_.types.int_));
}

void FunctionLowering::lower_defer_body(const Defer& s, BlockId next) {
  size_t depth = mark();
  Handler handler;
  push_handler(handler);
  lower(s.body);
  jump(next);
  forget_scope(depth);
  if (!handler.on_error.valid()) return;
  start(handler.on_error);
  merge_error(defer_handler_.in_flight);
  TypeId type = program_.optional_raisable;
  Inst keep = make(Op::MakeSome, {take(error_local())});
  keep.type = type;
  Operand kept = emit_value(std::move(keep), type);
  assign(place_of(defer_handler_.in_flight), std::move(kept), false);
  assign(place_of(defer_handler_.exit_index), int_const(1), false);
  jump(next);
}

}  // namespace meteor::mir
