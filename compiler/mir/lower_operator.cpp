// Operators on plain values, comparisons and tests.
#include "compiler/mir/lower_function.h"

namespace meteor::mir {

using namespace typed;
using types::Kind;

namespace {

bool may_fail(BinaryOp op, Kind kind) {
  switch (op) {
    case BinaryOp::Add: case BinaryOp::Sub: case BinaryOp::Mul: return kind == Kind::Int;
    case BinaryOp::Div: case BinaryOp::FloorDiv: case BinaryOp::Mod: case BinaryOp::Pow: return kind == Kind::Int || kind == Kind::Float;
    default: return false;
  }
}

// The amount must not be negative, and a signed number must fit after `<<`; an unsigned one drops what leaves at the top.
bool shift_may_fail(BinaryOp op, const types::Type& left, const types::Type& right, const Operand& amount) {
  bool is_known = amount.kind == OperandKind::Const && amount.constant.kind == ConstKind::Int;
  bool may_be_negative = right.is_signed && !(is_known && static_cast<int64_t>(amount.constant.bits) >= 0);
  return may_be_negative || (op == BinaryOp::Shl && left.is_signed);
}

// By a number other than zero: nothing can go wrong. -1 overflows with the least number.
bool is_harmless(BinaryOp op, const Operand& right) {
  if (right.kind != OperandKind::Const) return false;
  bool is_positive = right.constant.kind == ConstKind::Int && static_cast<int64_t>(right.constant.bits) > 0;
  switch (op) {
    case BinaryOp::Div: case BinaryOp::FloorDiv: case BinaryOp::Mod: return is_positive || (right.constant.kind == ConstKind::Float && right.constant.number != 0);
    default: return false;
  }
}

}  // namespace

Operand FunctionLowering::lower_unary(const Unary& e) {
  Inst inst = make(Op::Unary, {own(e.operand)});
  if (e.span.valid()) inst.span = span_ = e.span;
  inst.unary = e.op;
  inst.checked = e.op == UnaryOp::Neg && program_.types.kind(e.type) == Kind::Int;
  return inst.checked ? emit_raising_value(std::move(inst), e.type) : emit_value(std::move(inst), e.type);
}

// Chains lean to the left and may be long, so the left spine is followed in a loop.
Operand FunctionLowering::lower_binary(const Binary& e) {
  std::vector<const Binary*> spine{&e};
  while (const auto* left = spine.back()->left->as<Binary>()) spine.push_back(left);
  const Expr* first_right[] = {spine.back()->right};
  Operand value = own(spine.back()->left, first_right);
  for (size_t i = spine.size(); i-- > 0;) {
    const Binary& binary = *spine[i];
    Operand right = own(binary.right);
    Inst inst = make(Op::Binary, {std::move(value), std::move(right)});
    if (binary.span.valid()) inst.span = span_ = binary.span;
    inst.binary = binary.op;
    bool is_shift = binary.op == BinaryOp::Shl || binary.op == BinaryOp::Shr;
    inst.checked = is_shift ? shift_may_fail(binary.op, program_.types.get(binary.type), program_.types.get(binary.right->type), inst.args[1])
                            : may_fail(binary.op, program_.types.kind(binary.type)) && !is_harmless(binary.op, inst.args[1]);
    value = inst.checked ? emit_raising_value(std::move(inst), binary.type) : emit_value(std::move(inst), binary.type);
  }
  return value;
}

Operand FunctionLowering::lower_compare(const Compare& e) {
  const Expr* later[] = {e.right};
  Operand left = borrow(e.left, later);
  Operand right = borrow(e.right);
  Inst inst = make(Op::Compare, {std::move(left), std::move(right)});
  inst.compare = e.op;
  return emit_value(std::move(inst), e.type);
}

Operand FunctionLowering::lower_same(const Same& e) {
  const Expr* later[] = {e.right};
  Operand left = borrow(e.left, later);
  Operand right = borrow(e.right);
  return emit_value(make(Op::Same, {std::move(left), std::move(right)}), e.type);
}

Operand FunctionLowering::is_null(Operand value) {
  if (value.kind == OperandKind::Const) return bool_const(value.constant.kind == ConstKind::Null);
  return emit_value(make(Op::IsNull, {std::move(value)}), program_.types.bool_);
}

Operand FunctionLowering::lower_is_null(const IsNull& e) {
  Operand value = borrow(e.operand);
  if (program_.types.kind(e.operand->type) != Kind::Weak) return is_null(std::move(value));
  TypeId inner = program_.types.arg(e.operand->type);
  TypeId type = program_.types.kind(inner) == Kind::Optional ? inner : program_.types.optional(inner);
  Operand alive = emit_value(make(Op::WeakGet, {std::move(value)}), type);
  alive.kind = OperandKind::Borrow;
  return is_null(std::move(alive));
}

Operand FunctionLowering::lower_is_case(Operand value, uint32_t case_index) {
  Operand tag = emit_value(make(Op::EnumTag, {std::move(value)}), program_.types.int_);
  Inst inst = make(Op::Compare, {std::move(tag), int_const(case_index)});
  inst.compare = CompareOp::Eq;
  return emit_value(std::move(inst), program_.types.bool_);
}

}  // namespace meteor::mir
