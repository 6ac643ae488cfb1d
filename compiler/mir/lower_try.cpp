// try/catch: errors of the body go to a chain of type tests; what no clause wants goes on outward.
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;

void FunctionLowering::lower_try(const Try& s) {
  size_t depth = mark();
  Handler handler;
  push_handler(handler);
  lower(s.body);
  forget_scope(depth);
  lower(s.else_body);   // its errors are not caught here
  BlockId after = new_block();
  jump(after);
  if (handler.on_error.valid()) {
    start(handler.on_error);
    lower_catches(s, after);
  }
  start(after);
}

void FunctionLowering::lower_catches(const Try& s, BlockId after) {
  LocalId error = error_local();
  Operand seen = borrow_of(place_of(error), program_.raisable);
  bool all_caught = false;
  for (const CatchClause& clause : s.catches) {
    BlockId body = new_block(), next = new_block(true);
    if (clause.span.valid()) span_ = clause.span;
    std::vector<TypeId> tested(clause.types.begin(), clause.types.end());
    if (tested.empty()) tested.push_back(program_.source.error);
    for (size_t i = 0; i < tested.size(); ++i) {
      TypeId type = tested[i];
      if (type == program_.raisable) {
        all_caught = true;
        jump(body);
        break;
      }
      Inst test = make(Op::IsType, {seen});
      test.type = type;
      BlockId other = i + 1 == tested.size() ? next : new_block(true);
      LocalId answer = new_temp(program_.types.bool_);
      test.dst = place_of(answer);
      emit(std::move(test));
      branch(take(answer), body, other);
      start(other);
    }
    BlockId test_next = current_;
    start(body);
    if (clause.span.valid()) span_ = clause.span;
    if (clause.variable.valid()) {
      Operand value = take(error);
      TypeId type = variable(clause.variable).type;
      size_t scope = mark();
      if (!(type == program_.raisable)) {
        Inst cast = make(Op::Reinterpret, {std::move(value)});
        cast.type = type;
        value = emit_value(std::move(cast), type);
      }
      assign(variable_place(clause.variable), std::move(value), false);
      pop_scope(scope);
      caught_[clause.variable.index] = true;
    } else {
      emit_drop(error);
    }
    lower(clause.body);
    jump(after);
    start(test_next);
    if (all_caught) break;
  }
  if (reachable()) jump(unwind_block());
}

}  // namespace meteor::mir
