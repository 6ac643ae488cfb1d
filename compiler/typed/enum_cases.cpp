#include "compiler/typed/enum_cases.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/typed/body.h"

namespace meteor::typed {

namespace {

// The value of a case: its type, and how it is written in the source that is made of it.
struct CaseValue {
  std::string_view type;
  std::string text;
};

std::optional<int64_t> folded(ast::Expr* e) {
  if (auto* literal = e->as<ast::IntExpr>())
    return literal->too_big || literal->value > INT64_MAX ? std::nullopt
                                                          : std::optional(static_cast<int64_t>(literal->value));
  if (auto* unary = e->as<ast::UnaryExpr>()) {
    auto* literal = unary->operand->as<ast::IntExpr>();
    if (unary->op == ast::UnaryOp::Neg && literal && !literal->too_big && literal->value == uint64_t(INT64_MAX) + 1)
      return INT64_MIN;
    std::optional<int64_t> inner = folded(unary->operand);
    if (!inner || unary->op == ast::UnaryOp::Not) return std::nullopt;
    if (unary->op == ast::UnaryOp::Invert) return ~*inner;
    if (unary->op == ast::UnaryOp::Plus) return inner;
    return *inner == INT64_MIN ? std::nullopt : std::optional(-*inner);
  }
  auto* binary = e->as<ast::BinaryExpr>();
  if (!binary) return std::nullopt;
  std::optional<int64_t> left = folded(binary->left), right = folded(binary->right);
  if (!left || !right) return std::nullopt;
  int64_t out = 0;
  switch (binary->op) {
    case ast::BinaryOp::Add: return __builtin_add_overflow(*left, *right, &out) ? std::nullopt : std::optional(out);
    case ast::BinaryOp::Sub: return __builtin_sub_overflow(*left, *right, &out) ? std::nullopt : std::optional(out);
    case ast::BinaryOp::Mul: return __builtin_mul_overflow(*left, *right, &out) ? std::nullopt : std::optional(out);
    case ast::BinaryOp::BitAnd: return *left & *right;
    case ast::BinaryOp::BitOr: return *left | *right;
    case ast::BinaryOp::BitXor: return *left ^ *right;
    case ast::BinaryOp::Shl: {
      if (*left < 0 || *right < 0 || *right > 62 || *left > (INT64_MAX >> *right)) return std::nullopt;
      return *left << *right;
    }
    default: return std::nullopt;
  }
}

// What a case can have: an integer known here, or another literal.
std::optional<CaseValue> value_of(Checker& c, ast::Expr* e) {
  auto as_written = [&](std::string_view type) {
    return CaseValue{type, "(" + std::string(c.input.sources.text(e->span)) + ")"};
  };
  switch (e->kind) {
    case ast::ExprKind::Str: return as_written("str");
    case ast::ExprKind::Bytes: return as_written("bytes");
    case ast::ExprKind::Float: return as_written("float");
    case ast::ExprKind::Bool: return as_written("bool");
    case ast::ExprKind::Duration: return as_written("Duration");
    case ast::ExprKind::Unary: {
      auto* sign = e->as<ast::UnaryExpr>();
      if (sign->op == ast::UnaryOp::Neg && sign->operand->kind == ast::ExprKind::Float) return as_written("float");
      break;
    }
    default: break;
  }
  std::optional<int64_t> number = folded(e);
  if (!number) return std::nullopt;
  return CaseValue{"int", std::to_string(*number)};
}

// Of every case; empty when some case has none, or one that is refused.
std::vector<CaseValue> values_of(Checker& c, NominalInfo* info) {
  std::vector<CaseValue> out;
  for (ast::EnumCaseDecl& one : info->decl->cases) {
    std::optional<CaseValue> value = one.value && one.fields.empty() ? value_of(c, one.value) : std::nullopt;
    if (!value || (!out.empty() && out.front().type != value->type)) return {};
    out.push_back(std::move(*value));
  }
  return out;
}

bool has_field(NominalInfo* info, std::string_view name) {
  return std::ranges::any_of(info->cases, [&](const CaseInfo& one) {
    return std::ranges::any_of(one.fields, [&](const FieldInfo& field) { return field.name.text() == name; });
  });
}

}  // namespace

bool has_case_values(Checker& c, NominalInfo* info) { return info->kind == Kind::Enum && !values_of(c, info).empty(); }

void check_case_values(Checker& c, NominalInfo* info) {
  const ast::EnumCaseDecl* first = nullptr;
  std::string_view type;
  std::map<std::string, const ast::EnumCaseDecl*> seen;
  for (ast::EnumCaseDecl& one : info->decl->cases)
    if (one.value && !first) first = &one;
  if (!first) return;
  for (ast::EnumCaseDecl& one : info->decl->cases) {
    if (!one.value || !one.fields.empty()) {
      Diagnostic& d = c.error(Code::InvalidAssignmentTarget, one.span,
                              one.value ? "a case that holds values of its own can't have one by `=`"
                                        : "`" + one.name.str() + "` has no value, unlike `" + first->name.str() + "`");
      d.labels.push_back({first->span, "this one has a value"});
      d.help = "give every case a value, or none";
      return;
    }
    if (one.value->kind == ast::ExprKind::Error) return;
    std::optional<CaseValue> value = value_of(c, one.value);
    if (!value) {
      Diagnostic& d = c.error(Code::InvalidAssignmentTarget, one.value->span,
                              "the value of a case is a number, text or another literal that is known here");
      d.help = "write it out, or give the enum a method that computes it";
      return;
    }
    if (type.empty()) type = value->type;
    if (value->type != type) {
      Diagnostic& d = c.error(Code::TypeMismatch, one.value->span, "the values of an enum have one type");
      d.labels.push_back({first->value->span, "`" + std::string(type) + "`, since here"});
      d.expected = type;
      d.found = value->type;
      return;
    }
    auto [at, is_new] = seen.emplace(value->text, &one);
    if (is_new) continue;
    Diagnostic& d =
        c.error(Code::DuplicateDefinition, one.value->span, "`" + at->second->name.str() + "` has this value already");
    d.labels.push_back({at->second->span, "here"});
    d.help = "give each case a value of its own: `" + info->name.str() + "(…)` finds a case by it";
    return;
  }
}

const CaseInfo* find_case_with_payload(Checker& c, NominalInfo* info) {
  c.ensure_fields(info);
  for (const CaseInfo& one : info->cases)
    if (!one.fields.empty()) return &one;
  return nullptr;
}

std::string case_member_source(Checker& c, NominalInfo* info, std::string_view member) {
  std::string name = info->name.str();
  auto pattern = [&](const CaseInfo& one) {
    std::string fields;
    for (size_t i = 0; i < one.fields.size(); ++i) fields += i ? ", _" : "_";
    return "Self." + one.name.str() + (fields.empty() ? "" : "(" + fields + ")");
  };
  if (has_field(info, member) || info->cases.empty()) return {};
  if (member == "index") return "@property\ndef index(self) -> int: return _intrinsic.enum_tag<Self>(self)\n";
  if (member == "name") {
    std::string out = "@property\ndef name(self) -> str:\n    switch self:\n";
    for (const CaseInfo& one : info->cases)
      out += "        case " + pattern(one) + ": return \"" + one.name.str() + "\"\n";
    return out;
  }
  if (member == "_cases") {
    if (find_case_with_payload(c, info)) return {};
    std::string out = "def _cases() -> list<Self>: return [";
    for (const CaseInfo& one : info->cases) out += "Self." + one.name.str() + ", ";
    return out + "]\n";
  }
  std::vector<CaseValue> values = values_of(c, info);
  if (values.size() != info->cases.size()) return {};
  std::string type(values.front().type);
  if (member == "value") {
    std::string out = "@property\ndef value(self) -> " + type + ":\n    switch self:\n";
    for (size_t i = 0; i < values.size(); ++i)
      out += "        case " + pattern(info->cases[i]) + ": return " + values[i].text + "\n";
    return out;
  }
  std::string out = "def " + name + "(value: " + type + ") -> Self:\n";
  bool is_int = type == "int";
  if (is_int) out += "    switch value:\n";
  for (size_t i = 0; i < values.size(); ++i)
    out +=
        (is_int ? "        case " + values[i].text + ": return " : "    if value == " + values[i].text + ": return ") +
        "Self." + info->cases[i].name.str() + "\n";
  return out + (is_int ? "        default: " : "    ") + "raise _no_case(\"" + name + "\", repr(value))\n";
}

bool BodyChecker::offer_cases(ast::Expr* expr) {
  if (expr->kind != ast::ExprKind::Name && expr->kind != ast::ExprKind::Member &&
      expr->kind != ast::ExprKind::TypeApply)
    return false;
  if (replaced_.count(expr)) return true;
  Entity entity = find_entity(expr);
  if (entity.kind != SymbolKind::Nominal && entity.kind != SymbolKind::Alias && entity.kind != SymbolKind::BuiltinType)
    return false;
  if (entity.kind == SymbolKind::Nominal && entity.symbol.nominal->kind != Kind::Enum) return false;
  TypeId type = entity_type(entity, {}, expr->span);
  NominalInfo* nominal = c.nominal_info(type);
  if (c.kind(type) != Kind::Enum || !nominal) return false;
  if (const CaseInfo* holding = find_case_with_payload(c, nominal)) {
    Diagnostic& d = c.error(
        Code::NotIterable, expr->span,
        "the cases of `" + nominal->name.str() + "` can't be gone through: `" + holding->name.str() + "` holds values");
    d.labels.push_back({holding->span, "each `" + holding->name.str() + "` is another one"});
    d.help = "write the cases that are meant into a list";
    replaced_[expr] = poison(expr->span);
    return true;
  }
  if (nominal->decl->cases.empty() || !c.derived_method(type, c.name("_cases"))) return false;
  replaced_[expr] = call_static(type, "_cases", {}, expr->span);
  return true;
}

}  // namespace meteor::typed
