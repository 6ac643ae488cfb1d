// Functions with a frame: what callers see makes an object around the frame, the body runs inside it.
#include "compiler/base/check.h"
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;
using types::Kind;

void ProgramLowering::declare_body(const typed::Function& function) {
  bool yields = function.frame != FrameKind::Async;
  FunctionId id = add_function(function.name, yields ? types.optional(function.produced) : function.produced);
  Function& body = program_.functions[id.index];
  const Function& maker = program_.functions[function.id.index];
  body.symbol = function.symbol + ".body";
  body.span = function.span;
  body.frame = function.frame;
  body.is_inline = function.is_inline;
  body.is_glue = function.is_glue;
  body.is_std = function.is_std;
  body.region = maker.region;
  body.leaving = maker.leaving << maker.captures.size();
  auto add_param = [&](Name name, TypeId type, Span span, bool by_reference = false) {
    Local local;
    local.name = name;
    local.type = type;
    local.span = span;
    local.kind = LocalKind::Param;
    local.by_reference = by_reference;
    if (by_reference) local.ownership = Ownership::Borrowed;
    body.locals.push_back(local);
    body.param_modes.push_back(by_reference ? ParamMode::Ref : ParamMode::Owned);
  };
  for (size_t i = 0; i < maker.captures.size(); ++i) add_param(function.variables[function.captures[i].index].name, maker.captures[i], function.span);
  for (uint32_t i = 0; i < function.param_count; ++i) add_param(maker.locals[i].name, maker.locals[i].type, maker.locals[i].span, maker.locals[i].by_reference);
  body.param_count = static_cast<uint32_t>(body.locals.size());
  bodies_[function.id] = id;
}

void ProgramLowering::lower_maker(const typed::Function& function) {
  Function& out = program_.functions[function.id.index];
  FunctionLowering lowering(*this, out);
  lowering.start(lowering.new_block());
  std::vector<Operand> args;
  for (uint32_t i = 0; i < out.captures.size(); ++i) {
    Place place = FunctionLowering::place_of(out.environment);
    place.path.push_back({ProjectionKind::Field, i, 0, out.captures[i]});
    args.push_back(lowering.copy_of(std::move(place), out.captures[i]));
  }
  for (uint32_t i = 0; i < out.param_count; ++i) {
    if (out.locals[i].by_reference) {
      Operand address = lowering.copy_of(FunctionLowering::place_of(LocalId(i)), out.locals[i].type);
      address.kind = OperandKind::Ref;
      args.push_back(std::move(address));
      continue;
    }
    bool owned = out.param_modes[i] == ParamMode::Owned;
    args.push_back(owned ? lowering.take(LocalId(i)) : lowering.copy_of(FunctionLowering::place_of(LocalId(i)), out.locals[i].type));
  }
  Inst make = lowering.make(Op::MakeFuture, std::move(args));
  make.function = body_of(function.id);
  make.type = function.result;
  LocalId made = lowering.new_temp(function.result);
  make.dst = FunctionLowering::place_of(made);
  lowering.emit(std::move(make));
  lowering.ret(lowering.take(made));
}

ParamMode FunctionLowering::mode_of(uint32_t param) const {
  ParamMode mode = source_->variables[param].mode;
  return out_.frame == FrameKind::None || mode == ParamMode::Ref ? mode : ParamMode::Owned;
}

Operand FunctionLowering::end_value() {
  if (result_.valid()) return take(result_);
  bool yields = out_.frame == FrameKind::Generator || out_.frame == FrameKind::AsyncGenerator;
  return constant(yields ? ConstKind::Null : ConstKind::Void, out_.result);
}

Operand FunctionLowering::lower_await(const Await& e) {
  const Call& call = *e.operand;
  Inst inst;
  if (call.call == typed::CallKind::Intrinsic) {
    bool parks = static_cast<Intrinsic>(call.intrinsic) == Intrinsic::Park;
    inst = make(parks ? Op::Park : Op::RunFrame);
    for (const Expr* arg : call.args) inst.args.push_back(borrow(arg));
    if (!parks) inst.type = call.type_arg;
  } else {
    CHECK(call.call == typed::CallKind::Direct);
    std::vector<uint32_t> order(call.order.begin(), call.order.end());
    if (order.empty())
      for (uint32_t i = 0; i < call.args.size(); ++i) order.push_back(i);
    std::vector<const Expr*> evaluated;
    for (uint32_t i : order) evaluated.push_back(call.args[i]);
    std::vector<Operand> args(call.args.size());
    for (size_t k = 0; k < order.size(); ++k) {
      const Expr* arg = call.args[order[k]];
      Later later = Later(evaluated).subspan(k + 1);
      bool by_reference = order[k] < call.modes.size() && call.modes[order[k]] == ParamMode::Ref;
      args[order[k]] = by_reference ? lower_reference(arg->kind == ExprKind::RefTo ? arg->as<RefTo>()->place : arg, later) : own(arg, later);
    }
    inst = make(Op::Await, std::move(args));
    inst.function = program_.body_of(call.function);
    // Only the library waits for something; a function of the program awaits in its turn what heeds.
    if (e.heeds && !out_.is_std && program_.source.function(call.function).is_std) {
      if (e.span.valid()) span_ = e.span;
      emit_raising(make(Op::Heed));
    }
  }
  if (e.span.valid()) span_ = inst.span = e.span;
  Kind kind = program_.types.kind(e.type);
  if (kind != Kind::Void && kind != Kind::Never) return emit_raising_value(std::move(inst), e.type);
  emit_raising(std::move(inst));
  if (kind == Kind::Never) terminate({});
  return constant(ConstKind::Void, e.type);
}

Operand FunctionLowering::lower_yield(const Yield& e) {
  Operand value = own(e.value);
  if (e.span.valid()) span_ = e.span;
  if (e.value->type != out_.result) value = emit_value(make(Op::MakeSome, {std::move(value)}), out_.result);
  emit_raising(make(Op::Yield, {std::move(value)}));
  return constant(ConstKind::Void, e.type);
}

}  // namespace meteor::mir
