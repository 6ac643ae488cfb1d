// A function as a whole: its variables, its entry, and its two ends.
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;

FunctionLowering::FunctionLowering(ProgramLowering& program, Function& out) : program_(program), out_(out) { span_ = out.span; }

void FunctionLowering::run(const typed::Function& source) {
  source_ = &source;
  if (out_.frame != FrameKind::None) first_param_ = static_cast<uint32_t>(source.captures.size());
  facts_ = collect_facts(source, program_.types);
  start(new_block());
  declare_variables();
  enter_variables();
  if (!facts_.defers.empty()) open_defers();
  lower(source.body);
  if (reachable()) {
    bool falls_off = out_.frame == FrameKind::Generator || out_.frame == FrameKind::AsyncGenerator;
    if (falls_off || program_.types.kind(out_.result) == types::Kind::Void) leave({ExitKind::Return, 0});
    else terminate({});   // the checker has seen that every path returns
  }
  if (!facts_.defers.empty()) close_defers();
  if (return_block_.valid()) {
    start(return_block_);
    drop_variables();
    ret(end_value());
  }
  function_error_exit();
}

void FunctionLowering::declare_variables() {
  variable_places_.resize(source_->variables.size());
  caught_.resize(source_->variables.size());
  std::vector<uint32_t> capture_of(source_->variables.size(), UINT32_MAX);
  for (uint32_t i = 0; i < source_->captures.size(); ++i) capture_of[source_->captures[i].index] = i;
  for (uint32_t i = 0; i < source_->variables.size(); ++i) {
    const Variable& v = source_->variables[i];
    TypeId cell = v.boxed ? program_.types.wrap(types::Kind::Cell, v.type) : v.type;
    span_ = v.span;
    LocalId local;
    if (facts_.stands_for_place[i]) continue;
    if (i < source_->param_count) {
      local = param_local(i);
      bool needs_own = mode_of(i) == ParamMode::Plain && counted(v.type) && facts_.assigned[i];
      if (mode_of(i) != ParamMode::Ref && (v.boxed || needs_own)) local = new_local(cell, LocalKind::Variable, v.name);
    } else if (capture_of[i] != UINT32_MAX && first_param_ > 0) {
      local = LocalId(capture_of[i]);
    } else if (capture_of[i] != UINT32_MAX) {
      variable_places_[i] = project(place_of(out_.environment), ProjectionKind::Field, cell, capture_of[i]);
    } else {
      local = new_local(cell, v.kind == VariableKind::Temp && !v.boxed ? LocalKind::Temp : LocalKind::Variable, v.name);
    }
    if (local.valid()) {
      variable_places_[i] = place_of(local);
      variable_of_local_[local.index] = VariableId(i);
      const Local& l = out_.local(local);
      bool scoped = facts_.scoped[i] && !v.boxed;
      if (l.ownership == Ownership::Owned && !l.by_reference && counted(l.type) && !scoped) function_drops_.push_back(local);
    }
    if (v.boxed && !(i < source_->param_count && mode_of(i) == ParamMode::Ref))
      variable_places_[i] = project(std::move(variable_places_[i]), ProjectionKind::Field, v.type, 0);
  }
  span_ = source_->span;
  bool has_result = program_.types.kind(out_.result) != types::Kind::Void && program_.types.kind(out_.result) != types::Kind::Never;
  if (has_result && out_.frame != FrameKind::Generator && out_.frame != FrameKind::AsyncGenerator) {
    result_ = new_temp(out_.result);
    result_zeroed_ = facts_.returns_through_cleanup || !facts_.defers.empty();
  }
}

void FunctionLowering::enter_variables() {
  if (result_zeroed_) assign(place_of(result_), constant(ConstKind::Zero, out_.result), true);
  for (uint32_t i = 0; i < source_->variables.size(); ++i) {
    const Variable& v = source_->variables[i];
    bool is_param = i < source_->param_count;
    if (facts_.stands_for_place[i] || v.kind == VariableKind::Capture || (is_param && mode_of(i) == ParamMode::Ref))
      continue;
    LocalId local = variable_places_[i].local;
    if (local == out_.environment) continue;
    Operand given = is_param ? mode_of(i) == ParamMode::Owned ? take(param_local(i)) : copy_of(place_of(param_local(i)), v.type) : Operand{};
    if (v.boxed) {
      Inst cell = make(Op::MakeCell);
      if (is_param) cell.args.push_back(given);
      cell.dst = place_of(local);
      emit(std::move(cell));
    } else if (is_param) {
      if (!(local == param_local(i))) assign(place_of(local), given, true);
    } else if (facts_.zeroed[i] && !facts_.scoped[i]) {
      assign(place_of(local), constant(ConstKind::Zero, v.type), true);
    }
  }
}

Place FunctionLowering::variable_place(VariableId id) const {
  auto alias = aliases_.find(id.index);
  return alias != aliases_.end() ? alias->second : variable_places_[id.index];
}

void FunctionLowering::enter_scoped(std::span<const VariableId> temps) {
  for (VariableId temp : temps) {
    if (variable(temp).boxed || facts_.stands_for_place[temp.index]) continue;
    LocalId local = variable_places_[temp.index].local;
    if (facts_.zeroed[temp.index]) assign(place_of(local), constant(ConstKind::Zero, variable(temp).type), true);
    schedule_drop(local);
  }
}

// Small functions get their drops at each return, so that every path knows what it holds.
void FunctionLowering::finish_return() {
  constexpr size_t INLINE_DROPS = 32;
  returned_drops_ += function_drops_.size();
  if (returned_drops_ > INLINE_DROPS) {
    if (!return_block_.valid()) return_block_ = new_block();
    return jump(return_block_);
  }
  drop_variables();
  ret(end_value());
}

}  // namespace meteor::mir
