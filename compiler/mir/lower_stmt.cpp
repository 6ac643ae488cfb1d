// Statements without handlers: each is a full expression's scope, at whose end its temporaries die.
#include "compiler/base/check.h"
#include "compiler/mir/lower_function.h"
#include "compiler/typed/walk.h"

namespace meteor::mir {

using namespace typed;

void FunctionLowering::lower(typed::Block block) {
  for (const Stmt* stmt : block) {
    if (!reachable()) return;
    lower(*stmt);
  }
}

void FunctionLowering::lower(const Stmt& stmt) {
  if (stmt.span.valid()) span_ = stmt.span;
  size_t scope = mark();
  switch (stmt.kind) {
    case StmtKind::Expr:
      discard(stmt.as<ExprStmt>()->value);
      pop_scope(scope);
      break;
    case StmtKind::Assign: lower_assign(*stmt.as<Assign>()); break;
    case StmtKind::If: lower_if(*stmt.as<If>()); break;
    case StmtKind::Loop: lower_loop(*stmt.as<Loop>()); break;
    case StmtKind::Break: leave({ExitKind::Break, stmt.as<Break>()->label}); break;
    case StmtKind::Continue: leave({ExitKind::Continue, stmt.as<Continue>()->label}); break;
    case StmtKind::Return: lower_return(*stmt.as<Return>()); break;
    case StmtKind::Raise: lower_raise(*stmt.as<Raise>()); break;
    case StmtKind::Try: lower_try(*stmt.as<Try>()); break;
    case StmtKind::Cleanup: lower_cleanup(*stmt.as<Cleanup>()); break;
    case StmtKind::Switch: lower_switch(*stmt.as<Switch>()); break;
    case StmtKind::Defer: lower_defer(*stmt.as<Defer>()); break;
    case StmtKind::Drop: lower_drop(*stmt.as<Drop>()); break;
    case StmtKind::Block: lower_block(*stmt.as<BlockStmt>()); break;
  }
}

bool FunctionLowering::has_own_cell(const Expr* target) const {
  const auto* ref = target->as<VariableRef>();
  if (!ref) return false;
  const Variable& v = variable(ref->variable);
  return v.boxed && v.kind != VariableKind::Capture && v.mode != ParamMode::Ref;
}

// As in Python the value comes first, then what the target is made of.
void FunctionLowering::lower_assign(const Assign& s) {
  size_t scope = mark();
  const Expr* target[] = {s.target};
  bool simple = s.target->kind == ExprKind::Variable || s.target->kind == ExprKind::Global;
  Operand value = own(s.value, simple ? Later{} : Later(target));
  Place place = lower_place(s.target);
  if (s.span.valid()) span_ = s.span;
  if (s.begins_pass && has_own_cell(s.target)) {   // what captured the cell of the pass before keeps it
    place.path.pop_back();
    value = emit_value(make(Op::MakeCell, {std::move(value)}), program_.types.wrap(types::Kind::Cell, s.target->type));
  }
  assign(place, std::move(value), s.initializes && !place.is_local(), s.ends_with_pass);
  pop_scope(scope);
  // A constructor that fails from here on must not run `__del__`.
  if (source_ && source_->is_constructor && s.value->kind == ExprKind::New && place.is_local() &&
      program_.types.kind(s.value->type) == types::Kind::Class)
    entries_.push_back({Entry::MarkDead, place.local, nullptr, {}, {}});
}

void FunctionLowering::lower_if(const If& s) {
  if (const auto* known = s.condition->as<BoolConst>()) return lower(known->value ? s.then_body : s.else_body);
  BlockId then_block = new_block(), else_block = s.else_body.empty() ? BlockId() : new_block(), after = new_block();
  condition(s.condition, then_block, else_block.valid() ? else_block : after);
  start(then_block);
  lower(s.then_body);
  jump(after);
  if (else_block.valid()) {
    start(else_block);
    lower(s.else_body);
    jump(after);
  }
  start(after);
}

void FunctionLowering::lower_loop(const Loop& s) {
  const auto* known = s.condition ? s.condition->as<BoolConst>() : nullptr;
  bool for_ever = !s.condition || (known && known->value);
  BlockId head = new_block(), body = for_ever ? head : new_block(), after = new_block();
  BlockId step = s.step.empty() ? head : new_block();
  BlockId otherwise = s.else_body.empty() ? after : new_block();
  jump(head);
  start(head);
  LocalId iterator = s.iterator.valid() ? variable_place(s.iterator).local : LocalId();
  bool may_wait = (out_.frame == FrameKind::Async || out_.frame == FrameKind::AsyncGenerator) && iterator.valid() == s.iterator.valid();
  if (may_wait) emit_raising(make(Op::Checkpoint));
  if (!for_ever) {
    condition(s.condition, body, otherwise);
    start(body);
  }
  auto outer = loops_.find(s.label);
  LoopTargets saved = outer == loops_.end() ? LoopTargets{} : outer->second;
  loops_[s.label] = {after, step, mark()};
  lower(s.body);
  jump(step);
  if (!s.step.empty()) {
    start(step);
    lower(s.step);
    jump(head);
  }
  loops_[s.label] = saved;
  out_.loops.push_back({head, after, otherwise, static_cast<uint32_t>(out_.blocks.size()), iterator, may_wait});
  if (!s.else_body.empty()) {
    start(otherwise);
    lower(s.else_body);
    jump(after);
  }
  start(after);
}

void FunctionLowering::lower_return(const Return& s) {
  size_t scope = mark();
  if (s.value) {
    Operand value = own(s.value);
    if (s.span.valid()) span_ = s.span;
    if (result_.valid() && program_.types.kind(value.type) != types::Kind::Never) assign(place_of(result_), std::move(value), !result_zeroed_);
    pop_scope(scope);
  }
  leave({ExitKind::Return, 0});
}

// An error that this function caught already has a line for it in its trace.
void FunctionLowering::lower_raise(const Raise& s) {
  Span span = s.span.valid() ? s.span : span_;
  Operand value = own(s.value);
  const auto* variable = s.value->as<VariableRef>();
  if (const auto* convert = s.value->as<Convert>()) variable = convert->operand->as<VariableRef>();
  if (!(value.type == program_.raisable)) {
    Inst cast = make(Op::Reinterpret, {std::move(value)});
    cast.type = program_.raisable;
    value = emit_value(std::move(cast), program_.raisable);
  }
  span_ = span;
  assign(place_of(error_local()), std::move(value), true);
  jump(variable && caught_[variable->variable.index] ? unwind_block() : landing_block());
}

void FunctionLowering::lower_drop(const Drop& s) {
  size_t scope = mark();
  Place place = lower_place(s.place);
  const auto* ref = s.place->as<VariableRef>();
  bool is_zeroed = ref && facts_.zeroed[ref->variable.index];   // it has some value on every path
  if (place.is_local() && !is_zeroed && !out_.local(place.local).by_reference && counted(s.place->type)) emit_drop(place.local);
  else assign(place, constant(ConstKind::Zero, s.place->type), false);
  pop_scope(scope);
}

void FunctionLowering::lower_block(const BlockStmt& s) {
  size_t scope = mark();
  enter_scoped(s.temps);
  lower(s.body);
  pop_scope(scope);
}

}  // namespace meteor::mir
