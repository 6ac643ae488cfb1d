// Expressions as operands. `own` gives a value that the next instruction may consume, `borrow` one it only looks at.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;
using types::Kind;

namespace {

// A part of a text that is built: not a literal, nor what a number or a bool looks like.
bool may_be_long(const Expr* part, const types::TypeStore& types) {
  if (part->kind == ExprKind::Str) return false;
  const auto* call = part->as<Call>();
  if (call == nullptr || call->call != typed::CallKind::Direct || call->args.size() != 1) return true;
  Kind kind = types.kind(call->args[0]->type);
  return kind != Kind::Int && kind != Kind::Float && kind != Kind::Bool;
}

}  // namespace

Operand FunctionLowering::own(const Expr* e, Later later) {
  if (e->kind == ExprKind::Seq) return lower_seq(*e->as<Seq>(), later);
  if (is_place(e)) return held(copy_of(lower_place(e), e->type), later);
  return evaluate(e);
}

Operand FunctionLowering::borrow(const Expr* e, Later later) {
  if (is_place(e)) return held(borrow_of(lower_place(e), e->type), later);
  Operand value = own(e);
  if (value.kind == OperandKind::Move) value.kind = OperandKind::Borrow;
  return value;
}

void FunctionLowering::discard(const Expr* e) {
  if (is_place(e)) lower_place(e);
  else own(e);
}

LocalId FunctionLowering::materialise(Operand value) {
  if (value.kind == OperandKind::Move) return value.place.local;
  bool is_temp = value.kind == OperandKind::Copy && value.place.is_local() && out_.local(value.place.local).kind == LocalKind::Temp;
  if (is_temp && !counted(value.type) && !variable_of_local_.contains(value.place.local.index)) return value.place.local;
  LocalId temp = new_temp(value.type);
  assign(place_of(temp), std::move(value), true);
  schedule_drop(temp);
  return temp;
}

std::vector<Operand> FunctionLowering::own_all(std::span<Expr* const> exprs) {
  std::vector<Operand> values;
  values.reserve(exprs.size());
  for (size_t i = 0; i < exprs.size(); ++i) values.push_back(own(exprs[i], Later(exprs.data() + i + 1, exprs.size() - i - 1)));
  return values;
}

std::vector<Operand> FunctionLowering::borrow_all(std::span<Expr* const> exprs) {
  std::vector<Operand> values;
  values.reserve(exprs.size());
  for (size_t i = 0; i < exprs.size(); ++i) values.push_back(borrow(exprs[i], Later(exprs.data() + i + 1, exprs.size() - i - 1)));
  return values;
}

Operand FunctionLowering::evaluate(const Expr* e) {
  // Operands have spans of their own: the instruction gets this one.
  auto here = [&] { if (e->span.valid()) span_ = e->span; };
  auto value = [&](Op op, std::vector<Operand> args) {
    here();
    Inst inst = make(op, std::move(args));
    inst.type = e->type;
    return emit_value(std::move(inst), e->type);
  };
  switch (e->kind) {
    case ExprKind::Int: case ExprKind::Float: case ExprKind::Bool: case ExprKind::Null: case ExprKind::Str: case ExprKind::Bytes:
    case ExprKind::Void:
      return lower_constant(e);
    case ExprKind::Call: return lower_call(*e->as<Call>());
    case ExprKind::New: return lower_new(*e->as<New>());
    case ExprKind::MakeEnum: {
      const MakeEnum& make_enum = *e->as<MakeEnum>();
      Inst inst = make(Op::MakeEnum, own_all(make_enum.args));
      inst.type = e->type;
      inst.index = make_enum.case_index;
      return emit_value(std::move(inst), e->type);
    }
    case ExprKind::MakeTuple: return value(Op::MakeTuple, own_all(e->as<MakeTuple>()->items));
    case ExprKind::MakeClosure: return lower_closure(*e->as<MakeClosure>());
    case ExprKind::MakeWeak: return value(Op::MakeWeak, {borrow(e->as<MakeWeak>()->value)});
    case ExprKind::WeakGet: return value(Op::WeakGet, {borrow(e->as<WeakGet>()->value)});
    case ExprKind::Concat: {
      std::span<Expr* const> parts = e->as<Concat>()->parts;
      std::vector<Operand> texts = borrow_all(parts);
      here();
      Inst inst = make(Op::Concat, std::move(texts));
      inst.type = e->type;
      bool may_fail = std::ranges::any_of(parts, [&](const Expr* part) { return may_be_long(part, program_.types); });
      return may_fail ? emit_raising_value(std::move(inst), e->type) : emit_value(std::move(inst), e->type);
    }
    case ExprKind::Unary: return lower_unary(*e->as<Unary>());
    case ExprKind::Binary: return lower_binary(*e->as<Binary>());
    case ExprKind::Compare: return lower_compare(*e->as<Compare>());
    case ExprKind::And: case ExprKind::Or: return lower_logic(*e);
    case ExprKind::Not: return value(Op::Not, {own(e->as<Not>()->operand)});
    case ExprKind::Ternary: return lower_ternary(*e->as<Ternary>());
    case ExprKind::Coalesce: return lower_coalesce(*e->as<Coalesce>());
    case ExprKind::Unwrap: return lower_unwrap(*e->as<Unwrap>());
    case ExprKind::IsNull: return lower_is_null(*e->as<IsNull>());
    case ExprKind::IsType: {
      Inst inst = make(Op::IsType, {borrow(e->as<IsType>()->operand)});
      inst.type = e->as<IsType>()->tested;
      return emit_value(std::move(inst), e->type);
    }
    case ExprKind::IsCase: return lower_is_case(borrow(e->as<IsCase>()->operand), e->as<IsCase>()->case_index);
    case ExprKind::Same: return lower_same(*e->as<Same>());
    case ExprKind::Convert: return lower_convert(*e->as<Convert>());
    case ExprKind::Unreachable:
      if (!reachable()) start(new_block());
      terminate({});
      return constant(ConstKind::Zero, e->type);
    case ExprKind::Variable: case ExprKind::Global: case ExprKind::Field: case ExprKind::Seq: case ExprKind::RefTo:
      break;
    case ExprKind::Await: return lower_await(*e->as<Await>());
    case ExprKind::Yield: return lower_yield(*e->as<Yield>());
  }
  CHECK(false && "an expression that lowering does not know");
  return {};
}

Operand FunctionLowering::lower_constant(const Expr* e) {
  Operand value = constant(ConstKind::Void, e->type);
  switch (e->kind) {
    case ExprKind::Int: value.constant = {ConstKind::Int, e->as<IntConst>()->bits, 0, {}}; break;
    case ExprKind::Float: value.constant = {ConstKind::Float, 0, e->as<FloatConst>()->value, {}}; break;
    case ExprKind::Bool: value.constant = {ConstKind::Bool, e->as<BoolConst>()->value, 0, {}}; break;
    case ExprKind::Null: value.constant.kind = ConstKind::Null; break;
    case ExprKind::Str: value.constant = {ConstKind::Str, 0, 0, e->as<StrConst>()->value}; break;
    case ExprKind::Bytes: value.constant = {ConstKind::Bytes, 0, 0, e->as<BytesConst>()->value}; break;
    default: break;
  }
  return value;
}

// Fields are evaluated before the object is made, so that nothing can fail while it is half filled.
Operand FunctionLowering::lower_new(const New& e) {
  std::vector<Expr*> given;
  for (Expr* field : e.fields)
    if (field) given.push_back(field);
  std::vector<Operand> values = own_all(given);
  if (e.span.valid()) span_ = e.span;
  if (program_.types.kind(e.type) != Kind::Class) {
    std::vector<Operand> parts;
    for (size_t i = 0, next = 0; i < e.fields.size(); ++i)
      parts.push_back(e.fields[i] ? std::move(values[next++]) : constant(ConstKind::Zero, program_.source.nominal(e.type).fields[i].type));
    Inst inst = make(Op::MakeStruct, std::move(parts));
    inst.type = e.type;
    return emit_value(std::move(inst), e.type);
  }
  Inst inst = make(Op::New);
  inst.type = e.type;
  Operand object = emit_value(std::move(inst), e.type);
  size_t next = 0;
  for (uint32_t i = 0; i < e.fields.size(); ++i) {
    if (!e.fields[i]) continue;
    TypeId type = values[next].type;
    assign(project(object.place, ProjectionKind::Field, type, i), std::move(values[next]), true);
    ++next;
  }
  return object;
}

Operand FunctionLowering::lower_closure(const MakeClosure& e) {
  std::vector<Operand> captures;
  for (const Expr* capture : e.captures) {
    const auto* ref = capture->as<VariableRef>();
    if (ref && variable(ref->variable).boxed) {   // the cell, not what is in it
      Place cell = variable_places_[ref->variable.index];
      CHECK(!cell.path.empty() && "a `ref` parameter has no cell that a closure could share");
      cell.path.pop_back();
      captures.push_back(copy_of(std::move(cell), program_.types.wrap(Kind::Cell, capture->type)));
    } else {
      captures.push_back(own(capture));
    }
  }
  if (e.span.valid()) span_ = e.span;
  Inst inst = make(Op::MakeClosure, std::move(captures));
  inst.function = e.function;
  inst.type = e.type;
  return emit_value(std::move(inst), e.type);
}

Operand FunctionLowering::lower_seq(const Seq& e, Later later) {
  auto temps = facts_.seq_temps.find(&e);
  if (temps != facts_.seq_temps.end()) enter_scoped(temps->second);
  lower(e.stmts);
  return own(e.value, later);
}

}  // namespace meteor::mir
