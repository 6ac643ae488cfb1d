// Operators: built in on numbers and text, else the dunder methods.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {

namespace {

struct OperatorNames { const char* symbol; const char* method; const char* reflected; };

OperatorNames names_of(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::Add: return {"+", "__add__", "__radd__"};
    case ast::BinaryOp::Sub: return {"-", "__sub__", "__rsub__"};
    case ast::BinaryOp::Mul: return {"*", "__mul__", "__rmul__"};
    case ast::BinaryOp::Div: return {"/", "__truediv__", "__rtruediv__"};
    case ast::BinaryOp::FloorDiv: return {"//", "__floordiv__", "__rfloordiv__"};
    case ast::BinaryOp::Mod: return {"%", "__mod__", "__rmod__"};
    case ast::BinaryOp::Pow: return {"**", "__pow__", "__rpow__"};
    case ast::BinaryOp::BitAnd: return {"&", "__and__", "__rand__"};
    case ast::BinaryOp::BitOr: return {"|", "__or__", "__ror__"};
    case ast::BinaryOp::BitXor: return {"^", "__xor__", "__rxor__"};
    case ast::BinaryOp::Shl: return {"<<", "__lshift__", "__rlshift__"};
    case ast::BinaryOp::Shr: return {">>", "__rshift__", "__rrshift__"};
    case ast::BinaryOp::WrapAdd: return {"&+", "__wrapping_add__", ""};
    case ast::BinaryOp::WrapSub: return {"&-", "__wrapping_sub__", ""};
    case ast::BinaryOp::WrapMul: return {"&*", "__wrapping_mul__", ""};
    case ast::BinaryOp::Coalesce: return {"??", "", ""};
  }
  return {"?", "", ""};
}

// Whether one of the methods has this value as its one parameter.
bool takes(BodyChecker& b, const Member& m, Expr* value) {
  for (FunctionInfo* f : *m.methods) {
    b.c.ensure_signature(f);
    if (f->params.size() != 1) continue;
    if (!f->params[0].type.valid()) return true;
    TypeId wanted = b.c.apply(f->params[0].type, m.subst);
    if (b.types.has_param(wanted) || b.can_convert(value, wanted) || lifted_param(b.c, wanted, value->type).valid()) return true;
  }
  return false;
}

// Of methods that several traits have, those that take the value.
Member taking_one(BodyChecker& b, Member m, Expr* value) {
  if (m.rivals.empty()) return m;
  std::vector<Member> rivals = std::move(m.rivals);
  m.rivals.clear();
  std::erase_if(rivals, [&](const Member& rival) { return rival.kind != Member::Methods || !takes(b, rival, value); });
  if (rivals.empty()) return m;
  m = rivals.front();
  if (rivals.size() > 1) m.rivals = std::move(rivals);
  return m;
}

// The left side, evaluated before the right one. A literal stays one: it may become what the method takes.
Expr* evaluated_first(BodyChecker& b, Expr* left, Span span) {
  if (is_constant(left)) return left;
  VariableId held = b.new_temp(left->type, span);
  b.emit_assign(b.variable_ref(held, span), left);
  return b.variable_ref(held, span);
}

// Two types that have nothing in common, of which one has a method for the other: `x.method(y)` or `y.reflected(x)`; null: neither has.
Expr* compare_by_method(BodyChecker& b, Expr* x, Expr* y, const char* method, const char* reflected, Span span) {
  TypeId tx = b.known(x->type), ty = b.known(y->type);
  for (TypeId type : {tx, ty})
    if (Kind k = b.types.kind(type); k == Kind::Var || k == Kind::Optional) return nullptr;
  if (tx == ty || b.join(tx, ty).valid()) return nullptr;
  if (b.c.nominal_info(thawed_type(b.c, tx)))
    if (Member own = taking_one(b, b.find_member(x->type, b.c.name(method)), y); own.kind == Member::Methods && takes(b, own, y))
      return b.call_overloads(*own.methods, own.subst, x, tx, {b.arg_of(y)}, span, TypeId(), b.c.name(method));
  if (b.c.nominal_info(thawed_type(b.c, ty)))
    if (Member other = taking_one(b, b.find_member(y->type, b.c.name(reflected)), x); other.kind == Member::Methods && takes(b, other, x)) return b.make_seq([&]() -> Expr* {
      return b.call_overloads(*other.methods, other.subst, y, ty, {b.arg_of(evaluated_first(b, x, span))}, span, TypeId(), b.c.name(reflected));
    }, span);
  return nullptr;
}

// A number that only `uint64` holds.
bool is_wide_literal(ast::Expr* expr) {
  auto* number = expr->as<ast::IntExpr>();
  return number && !number->too_big && number->value > static_cast<uint64_t>(INT64_MAX);
}

}  // namespace

namespace {

// `"a" + b"b"`: bytes become text by being read as UTF-8.
bool suggest_decoding(Checker& c, Diagnostic& d, Expr* other) {
  std::string type = c.text(other->type);
  if (!other->span.valid() || (type != "bytes" && type != "Buffer")) return false;
  std::string_view source = c.input.sources.text(other->span);
  d.help = "read it as UTF-8: `….decode()`";
  if (source.find_first_of(" \n") == std::string_view::npos) d.edits.push_back({{other->span.file, other->span.end, other->span.end}, ".decode()"});
  return true;
}

void suggest_number_of(Checker& c, Diagnostic& d, Expr* flag) {
  d.help = "a bool is no number: write `1 if … else 0`";
  std::string_view source = flag->span.valid() ? c.input.sources.text(flag->span) : std::string_view();
  if (!source.empty() && source.find('\n') == std::string_view::npos) d.edits.push_back({flag->span, "(1 if " + std::string(source) + " else 0)"});
}

// A type of the library takes no new operators: a method of it may do what is meant.
void suggest_method_for(BodyChecker& b, Diagnostic& d, TypeId type, std::string_view operation) {
  std::string word(operation.substr(2, operation.size() - 4));   // `add` of `__add__`
  for (const std::string& known : b.member_names(type))
    if (known == word || known.starts_with(word + "_")) {
      d.help = "write `." + known + "(…)`";
      return;
    }
}

}  // namespace

Expr* BodyChecker::make_binary(ast::BinaryOp op, Expr* a, Expr* b, Span span, TypeId expected) {
  if (is_poison(a)) return a;
  if (is_poison(b)) return b;
  a = thaw_copied(*this, a);
  b = thaw_copied(*this, b);
  TypeId ta = known(a->type), tb = known(b->type);
  Kind ka = types.kind(ta), kb = types.kind(tb);
  // One side unknown (a recursive function's result, an empty list's element): it is like the other.
  if (ka == Kind::Var && kb != Kind::Var && (types.is_numeric(tb) || kb == Kind::Str)) { c.unifier.unify(ta, tb); ta = tb; ka = kb; }
  if (kb == Kind::Var && ka != Kind::Var && (types.is_numeric(ta) || ka == Kind::Str)) { c.unifier.unify(tb, ta); tb = ta; kb = ka; }
  if (ka == Kind::Var || kb == Kind::Var) {
    // Both: what is wanted of the result tells, as far as numbers and text go.
    TypeId wanted = expected.valid() ? known(expected) : TypeId();
    if (ka == Kind::Var && kb == Kind::Var && wanted.valid() && (types.is_numeric(wanted) || types.kind(wanted) == Kind::Str) && op != ast::BinaryOp::Div) {
      c.unifier.unify(ta, wanted);
      c.unifier.unify(tb, wanted);
    }
    ta = require_known(ta, a->span, "this operand");
    tb = require_known(tb, b->span, "this operand");
    ka = types.kind(ta);
    kb = types.kind(tb);
    if (ka == Kind::Error || kb == Kind::Error) return poison(span);
  }
  // Numbers: literals adapt, narrower widens.
  if (types.is_numeric(ta) && types.is_numeric(tb)) {
    if (ta != tb) {
      auto literal = [](Expr* e) { auto* k = e->as<IntConst>(); return k && k->is_literal; };
      auto float_literal = [](Expr* e) { return e->kind == ExprKind::Float; };
      Expr* converted = nullptr;
      bool shift = op == ast::BinaryOp::Shl || op == ast::BinaryOp::Shr;
      bool arithmetic = op <= ast::BinaryOp::Pow;
      if (literal(b) || (float_literal(b) && ka == Kind::Float)) { if ((converted = try_coerce(b, ta, b->span))) b = converted; }
      else if (literal(a) || (float_literal(a) && kb == Kind::Float)) { if ((converted = try_coerce(a, tb, a->span))) a = converted; }
      else if (shift && ka == Kind::Int && kb == Kind::Int) converted = b;   // the amount keeps its type
      else if ((converted = can_convert(b, ta) ? try_coerce(b, ta, b->span) : nullptr)) b = converted;
      else if ((converted = can_convert(a, tb) ? try_coerce(a, tb, a->span) : nullptr)) a = converted;
      else if (arithmetic && ka == Kind::Int && tb == types.float_) converted = a = int_to_float(a);
      else if (arithmetic && kb == Kind::Int && ta == types.float_) converted = b = int_to_float(b);
      if (is_poison(a) || is_poison(b)) return poison(span);
      if (!converted) {
        auto& d = c.error(Code::InvalidOperand, span, std::string("`") + names_of(op).symbol + "` needs two numbers of the same type");
        d.labels.push_back({a->span, "`" + c.text(ta) + "`"});
        d.labels.push_back({b->span, "`" + c.text(tb) + "`"});
        if (ka != kb) d.help = "convert the int: `float(…)`";
        else d.help = "convert one of them with `as`";
        return poison(span);
      }
      ta = c.unifier.shallow(a->type);
      ka = types.kind(ta);
    }
    BinaryOp out = static_cast<BinaryOp>(op);
    bool bits = op == ast::BinaryOp::BitAnd || op == ast::BinaryOp::BitOr || op == ast::BinaryOp::BitXor || op == ast::BinaryOp::Shl || op == ast::BinaryOp::Shr || op >= ast::BinaryOp::WrapAdd;
    if (ka == Kind::Float && bits) {
      c.error(Code::InvalidOperand, span, std::string("`") + names_of(op).symbol + "` works on integers, not on `float`");
      return poison(span);
    }
    if (ka == Kind::Int && op == ast::BinaryOp::Div) {
      a = int_to_float(a);
      b = int_to_float(b);
      ta = types.float_;
    }
    auto* binary = make<Binary>(ta, span);
    binary->op = out;
    binary->left = a;
    binary->right = b;
    return binary;
  }
  if (ka == Kind::Bool && kb == Kind::Bool && (op == ast::BinaryOp::BitAnd || op == ast::BinaryOp::BitOr || op == ast::BinaryOp::BitXor)) {
    auto* binary = make<Binary>(types.bool_, span);
    binary->op = static_cast<BinaryOp>(op);
    binary->left = a;
    binary->right = b;
    return binary;
  }
  if (ka == Kind::Str && kb == Kind::Str && op == ast::BinaryOp::Add) {
    auto* concat = make<Concat>(types.str, span);
    std::vector<Expr*> parts;
    if (auto* left = a->as<Concat>()) parts.assign(left->parts.begin(), left->parts.end());
    else parts.push_back(a);
    parts.push_back(b);
    concat->parts = keep(parts);
    return concat;
  }
  if (ka == Kind::Tuple && kb == Kind::Tuple && op == ast::BinaryOp::Add) return make_seq([&]() -> Expr* {
    std::vector<Expr*> items;
    std::vector<TypeId> item_types;
    for (Expr* side : {a, b}) {
      VariableId held = new_temp(side->type, span);
      emit_assign(variable_ref(held, span), side);
      TypeId type = c.unifier.shallow(side->type);
      for (uint32_t i = 0; i < types.get(type).args.size(); ++i) {
        items.push_back(make_field(variable_ref(held, span), i, types.arg(type, i), span));
        item_types.push_back(types.arg(type, i));
      }
    }
    auto* both = make<MakeTuple>(types.tuple(item_types), span);
    both->items = keep(items);
    return both;
  }, span);
  OperatorNames n = names_of(op);
  Member own = ka == Kind::Optional ? Member() : taking_one(*this, find_member(a->type, c.name(n.method)), b);
  Member reflected = *n.reflected && kb != Kind::Optional ? taking_one(*this, find_member(b->type, c.name(n.reflected)), a) : Member();
  if (own.kind == Member::Methods && (takes(*this, own, b) || reflected.kind != Member::Methods)) {
    std::vector<CallArg> args = {arg_of(b)};
    if (!settle(own, ta, a, c.name(n.method), &args, span)) return poison(span);
    return call_overloads(*own.methods, own.subst, a, ta, std::move(args), span, TypeId(), c.name(n.method));
  }
  if (reflected.kind == Member::Methods) return make_seq([&]() -> Expr* {
    Expr* left = evaluated_first(*this, a, span);
    return call_overloads(*reflected.methods, reflected.subst, b, tb, {arg_of(left)}, span, TypeId(), c.name(n.reflected));
  }, span);
  if (op == ast::BinaryOp::Mul && ka == Kind::Int) {   // 3 * "ab", 2 * [0]
    Member swapped = c.find_member(tb, c.name("__mul__"));
    if (swapped.kind == Member::Methods) return call_overloads(*swapped.methods, swapped.subst, b, tb, {arg_of(a)}, span, TypeId(), c.name("__mul__"));
  }
  if (ka == Kind::Optional || kb == Kind::Optional) {
    bool left = ka == Kind::Optional;
    auto& d = c.error(Code::OptionalNotUnwrapped, left ? a->span : b->span, std::string("this may be null, so `") + n.symbol + "` can't be applied to it");
    show_null_origin(d, left ? a : b);
    d.found = c.text(left ? ta : tb);
    d.help = "test it with `is not null` first, or give a default with `??`";
    return poison(span);
  }
  auto& d = c.error(Code::InvalidOperand, span, std::string("`") + n.symbol + "` does not work on `" + c.text(ta) + "` and `" + c.text(tb) + "`");
  if (op == ast::BinaryOp::Add && (ka == Kind::Str || kb == Kind::Str)) {
    Expr* other = ka == Kind::Str ? b : a;
    if (suggest_decoding(c, d, other)) return poison(span);
    std::string_view source = other->span.valid() ? c.input.sources.text(other->span) : std::string_view();
    d.help = source.size() && source.size() < 40 ? "make it text: `str(" + std::string(source) + ")`, or use an f-string" : "make the other side text with `str(…)`, or use an f-string";
    if (!source.empty() && source.size() < 40) d.edits.push_back({other->span, "str(" + std::string(source) + ")"});
  } else if (Expr* future = c.future_value(ta).valid() ? a : c.future_value(tb).valid() ? b : nullptr; future && future->span.valid()) {
    suggest_await(d, future, "a future gives its value when it is awaited: ");
  } else if (op == ast::BinaryOp::Mod && ka == Kind::Str) {
    d.help = "put values into text with an f-string: `f\"{x} items\"`";
  } else if (Expr* flag = ka == Kind::Bool ? a : kb == Kind::Bool ? b : nullptr; flag && (ka == Kind::Int || kb == Kind::Int)) {
    suggest_number_of(c, d, flag);
  } else if (NominalInfo* nominal = c.nominal_info(ta); nominal && !nominal->module->is_std) {
    d.help = "give `" + c.text(ta) + "` a method `" + n.method + "`";
  } else if (nominal) {
    suggest_method_for(*this, d, ta, n.method);
  } else if ((ka == Kind::Any || kb == Kind::Any) && !module->is_std) {
    d.help = "say what it holds: `x as " + c.text(ka == Kind::Any && kb != Kind::Any ? tb : kb == Kind::Any && ka != Kind::Any ? ta : types.int_) + "`";
  } else if (ka == Kind::Any && module->is_std) {  // a function of the library, made for what the caller gives it
    auto is_mixed = [&](const Variable& v) {
      NominalInfo* nominal = c.nominal_info(v.type);
      return nominal && nominal == c.core_nominal("list") && types.arg(c.unifier.shallow(v.type)) == types.any;
    };
    if (std::ranges::any_of(fn.variables, is_mixed)) d.help = "the list is a `list<any>`: give its elements one type";
  }
  return poison(span);
}

Expr* BodyChecker::int_to_float(Expr* value) {
  if (auto* constant = value->as<IntConst>(); constant && constant->is_literal) return coerce(value, types.float_, value->span);
  return make_convert(ConvertKind::Numeric, value, types.float_);
}

BodyChecker::CallArg BodyChecker::arg_of(Expr* value) {
  CallArg a;
  a.value = value;
  return a;
}

Expr* BodyChecker::check_binary(ast::BinaryExpr* expr, TypeId expected) {
  // A long chain `a + b + …` leans left: walk it without recursion.
  std::vector<ast::BinaryExpr*> spine;
  ast::Expr* first = expr;
  while (auto* b = first->as<ast::BinaryExpr>()) {
    if (replaced_.count(b)) break;
    spine.push_back(b);
    first = b->left;
  }
  TypeId first_hint = numeric_hint(expected);
  if (is_wide_literal(first) && !(first_hint == types.uint64)) {   // the other side says what it is; evaluating it has no effect
    ast::Expr* second = spine.back()->right;
    Expr* other = replaced_[second] = check_isolated(second, TypeId());
    if (TypeId hint = wide_literal_hint(first, ast::CompareOp::Eq, other); hint.valid()) first_hint = hint;
  }
  Expr* left = check(first, first_hint);
  for (size_t i = spine.size(); i-- > 0;) {
    ast::BinaryExpr* at = spine[i];
    TypeId left_type = known(left->type);
    TypeId hint = at->right->kind == ast::ExprKind::List || at->right->kind == ast::ExprKind::Dict || at->right->kind == ast::ExprKind::Set ? left_type : TypeId();
    bool is_shift = at->op == ast::BinaryOp::Shl || at->op == ast::BinaryOp::Shr;   // whose amount has a type of its own
    if (left_type == types.uint64 && !is_shift) hint = left_type;   // literals beyond int's range
    Expr* right = check_isolated(at->right, hint);
    if (i + 1 == spine.size()) replaced_.erase(at->right);
    left = make_binary(at->op, left, right, at->span, expected);
  }
  return left;
}

TypeId BodyChecker::numeric_hint(TypeId expected) {
  if (!expected.valid()) return expected;
  TypeId type = c.unifier.shallow(expected);
  if (types.kind(type) == Kind::Optional) type = c.unifier.shallow(types.arg(type));
  Kind k = types.kind(type);
  return k == Kind::Int || k == Kind::Class ? type : TypeId();
}

// A number's sign is a number of its kind; null has none.
TypeId BodyChecker::operand_hint(TypeId expected) {
  if (!expected.valid()) return expected;
  TypeId type = c.unifier.shallow(expected);
  if (types.kind(type) == Kind::Optional) type = c.unifier.shallow(types.arg(type));
  Kind k = types.kind(type);
  return types.is_numeric(type) || types.is_nominal(type) || k == Kind::Var ? type : TypeId();
}

TypeId BodyChecker::wide_literal_hint(ast::Expr* literal, ast::CompareOp op, Expr* other) {
  if (!is_wide_literal(literal) || is_poison(other)) return TypeId();
  TypeId type = c.unifier.shallow(other->type);
  bool inside = op == ast::CompareOp::In || op == ast::CompareOp::NotIn;
  if (inside && (c.nominal_info(type) || types.kind(type) == Kind::Tuple) && !types.get(type).args.empty()) type = c.unifier.shallow(types.arg(type));
  return types.is_numeric(type) ? type : TypeId();
}

Expr* BodyChecker::check_unary(ast::UnaryExpr* expr, TypeId expected) {
  Span span = expr->span;
  if (expr->op == ast::UnaryOp::Not) {
    Expr* value = check_truth(expr->operand);
    return is_poison(value) ? value : make_not(value);
  }
  if (expr->op == ast::UnaryOp::Neg) {
    if (auto* number = expr->operand->as<ast::IntExpr>(); number && !number->too_big && number->value == uint64_t{1} << 63) {
      auto* constant = make<IntConst>(types.int_, span);
      constant->bits = number->value;
      constant->is_literal = true;
      TypeId hint = numeric_hint(expected);
      if (hint.valid() && types.kind(hint) == Kind::Float) return coerce(constant, hint, span);
      return constant;
    }
  }
  Expr* operand = check(expr->operand, operand_hint(expected));
  if (is_poison(operand)) return operand;
  TypeId type = require_known(operand->type, span, "this operand");
  Kind k = types.kind(type);
  if (k == Kind::Error) return poison(span);
  if (auto* constant = operand->as<IntConst>(); constant && constant->is_literal && expr->op == ast::UnaryOp::Neg && type == types.int_ && constant->bits != uint64_t{1} << 63) {
    auto* out = make<IntConst>(type, span);
    out->bits = 0 - constant->bits;
    out->is_literal = true;
    return out;
  }
  if (auto* constant = operand->as<FloatConst>(); constant && expr->op == ast::UnaryOp::Neg) {
    auto* out = make<FloatConst>(type, span);
    out->value = -constant->value;
    return out;
  }
  if (expr->op == ast::UnaryOp::Plus && (k == Kind::Int || k == Kind::Float)) return operand;
  bool built_in = (expr->op == ast::UnaryOp::Neg && (k == Kind::Int || k == Kind::Float)) || (expr->op == ast::UnaryOp::Invert && k == Kind::Int);
  if (built_in) {
    auto* unary = make<Unary>(type, span);
    unary->op = expr->op == ast::UnaryOp::Neg ? UnaryOp::Neg : UnaryOp::Invert;
    unary->operand = operand;
    return unary;
  }
  const char* method = expr->op == ast::UnaryOp::Neg ? "__neg__" : expr->op == ast::UnaryOp::Plus ? "__pos__" : "__invert__";
  if (Expr* call = try_call_method(operand, method, {}, span)) return call;
  const char* symbol = expr->op == ast::UnaryOp::Neg ? "-" : expr->op == ast::UnaryOp::Plus ? "+" : "~";
  if (k == Kind::Optional) {
    auto& d = c.error(Code::OptionalNotUnwrapped, operand->span, std::string("this may be null, so `") + symbol + "` can't be applied to it");
    show_null_origin(d, operand);
    d.help = "test it with `is not null` first, or give a default with `??`";
    return poison(span);
  }
  c.error(Code::InvalidOperand, span, std::string("`") + symbol + "` does not work on `" + c.text(type) + "`");
  return poison(span);
}

// ---- Comparison --------------------------------------------------------------

namespace {

bool compares_directly(Kind k) { return k == Kind::Int || k == Kind::Float || k == Kind::Bool || k == Kind::Str || k == Kind::Bytes; }

}  // namespace

// Makes the two sides one type if conversions allow it.
bool BodyChecker::match_types(Expr*& a, Expr*& b, Span span, const char* symbol) {
  TypeId ta = known(a->type), tb = known(b->type);
  if (ta == tb) return true;
  Kind ka = types.kind(ta), kb = types.kind(tb);
  if (ka == Kind::Var || kb == Kind::Var) return c.unifier.unify(ta, tb);
  auto literal = [](Expr* e) { auto* k = e->as<IntConst>(); return (k && k->is_literal) || e->kind == ExprKind::Float; };
  if (literal(b) && types.is_numeric(ta)) { if (Expr* e = try_coerce(b, ta, b->span)) { b = e; return !is_poison(e); } }
  if (literal(a) && types.is_numeric(tb)) { if (Expr* e = try_coerce(a, tb, a->span)) { a = e; return !is_poison(e); } }
  TypeId both = join(ta, tb);
  if (both.valid()) {
    Expr* x = try_coerce(a, both, a->span);
    Expr* y = try_coerce(b, both, b->span);
    if (x && y) { a = x; b = y; return true; }
  }
  if (ka == Kind::Int && tb == types.float_) { a = int_to_float(a); return true; }
  if (kb == Kind::Int && ta == types.float_) { b = int_to_float(b); return true; }
  auto& d = c.error(Code::InvalidOperand, span, std::string("`") + symbol + "` can't compare `" + c.text(ta) + "` with `" + c.text(tb) + "`");
  if (types.is_numeric(ta) && types.is_numeric(tb)) d.help = ka != kb ? "convert the int: `float(…)`" : "convert one of them with `as`";
  else if (ka == Kind::Optional || kb == Kind::Optional) d.help = "test the optional one with `is not null` first";
  return false;
}

namespace {

// A collection is compared with a frozen one as if both were frozen: comparing only reads. So are optionals and tuples of such.
void see_alike(BodyChecker& body, Expr*& a, Expr*& b) {
  Checker& c = body.c;
  TypeId ta = c.resolve(body.known(a->type)), tb = c.resolve(body.known(b->type));
  if (holds_frozen(c, ta) == holds_frozen(c, tb)) return;
  Expr*& plain = holds_frozen(c, ta) ? b : a;
  TypeId frozen = holds_frozen(c, ta) ? ta : tb;
  bool is_parts = is_collection(c, thawed_type(c, frozen)) || c.kind(frozen) == Kind::Optional || c.kind(frozen) == Kind::Tuple;
  TypeId have = c.resolve(plain->type);
  if (c.kind(have) == Kind::Null) return;
  if (is_collection(c, thawed_type(c, frozen)) && c.types.has_var(have)) c.unifier.unify(have, thawed_type(c, frozen));   // `== []`
  if (is_parts && (frozen_type(c, have) == frozen || (c.kind(frozen) == Kind::Optional && frozen_type(c, have) == c.types.arg(frozen)))) plain = freeze_part(body, plain);
}

// Is it left to methods, or to what compares references, whether a frozen side fits the other one?
bool may_differ_by_frozen(BodyChecker& body, Expr* a, Expr* b) {
  auto has_one_type = [&](Expr* side) {
    Kind k = body.c.kind(side->type);
    return k == Kind::Any || k == Kind::Var || (k != Kind::Frozen && is_copied_type(body.c, side->type));
  };
  return (is_frozen(body, a) || is_frozen(body, b)) && !has_one_type(a) && !has_one_type(b);
}

// One of them at least is optional: both are null, or neither is and the values are equal.
Expr* equal_optionals(BodyChecker& body, Expr* a, Expr* b, Span span) {
  return body.make_seq([&]() -> Expr* {
    struct Side {
      Expr* value;
      VariableId held;
      bool is_optional;
    };
    Side sides[] = {{a, {}, false}, {b, {}, false}};
    for (Side& side : sides) {
      side.is_optional = body.c.kind(side.value->type) == Kind::Optional;
      side.held = body.new_temp(side.value->type, span);
      body.emit_assign(body.variable_ref(side.held, span), side.value);
    }
    auto is_null = [&](const Side& side) -> Expr* {
      if (!side.is_optional) return body.make_bool(false, span);
      auto* test = body.make<IsNull>(body.types.bool_, span);
      test->operand = body.variable_ref(side.held, span);
      return test;
    };
    auto value = [&](const Side& side) -> Expr* {
      Expr* held = body.variable_ref(side.held, span);
      return side.is_optional ? body.make_unwrap(held, span, false) : held;
    };
    Expr* equal = body.make_equal(value(sides[0]), value(sides[1]), span);
    if (body.is_poison(equal)) return equal;
    auto* both = body.make<And>(body.types.bool_, span);
    both->left = body.make_not(is_null(sides[1]));
    both->right = equal;
    auto* choice = body.make<Ternary>(body.types.bool_, span);
    choice->condition = is_null(sides[0]);
    choice->then_value = is_null(sides[1]);
    choice->else_value = both;
    return choice;
  }, span);
}

}  // namespace

Expr* BodyChecker::make_equal(Expr* a, Expr* b, Span span) {
  if (is_poison(a)) return a;
  if (is_poison(b)) return b;
  a = thaw_copied(*this, a);
  b = thaw_copied(*this, b);
  auto null_test = [&](Expr* e) -> Expr* {
    TypeId t = known(e->type);
    if (types.kind(t) == Kind::Null) return make_bool(true, span);
    if (types.kind(t) != Kind::Optional && types.kind(t) != Kind::Any) {
      return make_seq([&]() -> Expr* { emit_expr(e); return make_bool(false, span); }, span);
    }
    auto* test = make<IsNull>(types.bool_, span);
    test->operand = e;
    return test;
  };
  if (c.kind(b->type) == Kind::Null) return null_test(a);
  if (c.kind(a->type) == Kind::Null) return null_test(b);
  if (Expr* mixed = compare_by_method(*this, a, b, "__eq__", "__eq__", span)) return mixed;
  see_alike(*this, a, b);
  for (Expr** side : {&a, &b})
    if (c.kind(thawed_type(c, (*side)->type)) == Kind::Any) *side = thaw(*this, *side);
  bool has_optional = c.kind(a->type) == Kind::Optional || c.kind(b->type) == Kind::Optional;
  if (has_optional && (holds_frozen(c, a->type) || holds_frozen(c, b->type))) return equal_optionals(*this, a, b, span);
  if (!may_differ_by_frozen(*this, a, b) && !match_types(a, b, span, "==")) return poison(span);
  TypeId type = known(a->type);
  Kind k = types.kind(type);
  auto compare = [&]() {
    auto* out = make<Compare>(types.bool_, span);
    out->op = CompareOp::Eq;
    out->left = a;
    out->right = b;
    return out;
  };
  if (compares_directly(k) || k == Kind::Var) return compare();
  if (k == Kind::Enum) {
    NominalInfo* nominal = c.nominal_info(type);
    c.ensure_fields(nominal);
    Member own = find_member(a->type, c.name("__eq__"));
    bool plain = own.kind != Member::Methods || own.methods->front()->is_derived;
    for (CaseInfo& one : nominal->cases) plain &= one.fields.empty();
    if (plain) return compare();
  }
  if (k == Kind::Optional) return equal_optionals(*this, a, b, span);
  if (k == Kind::Any) return call_any_function(AnyFunction::Equal, {a, b}, types.bool_, span);
  if (Expr* call = try_call_method(a, "__eq__", {b}, span)) return call;
  Kind seen = c.kind(thawed_type(c, type));
  if (seen == Kind::Dyn) return make_equal(coerce(thaw(*this, a), types.any, span), coerce(thaw(*this, b), types.any, span), span);
  if (seen == Kind::Class || seen == Kind::Func || seen == Kind::RawPtr) {
    a = thaw(*this, a);
    b = thaw(*this, b);
    if (!match_types(a, b, span, "==")) return poison(span);
    auto* same = make<Same>(types.bool_, span);
    same->left = a;
    same->right = b;
    return same;
  }
  c.error(Code::InvalidOperand, span, "values of type `" + c.text(type) + "` can't be compared");
  return poison(span);
}

Expr* BodyChecker::make_less(Expr* a, Expr* b, Span span) { return make_compare(ast::CompareOp::Lt, a, b, span); }

Expr* BodyChecker::make_compare(ast::CompareOp op, Expr* a, Expr* b, Span span) {
  if (is_poison(a)) return a;
  if (is_poison(b)) return b;
  a = thaw_copied(*this, a);
  b = thaw_copied(*this, b);
  bool looks_inside = op == ast::CompareOp::In || op == ast::CompareOp::NotIn;
  for (Expr* side : {a, looks_inside ? a : b})
    if (refuse_compared_future(side, "this compares a future, which never runs, instead of its value"))
      return poison(span);
  switch (op) {
    case ast::CompareOp::Eq: return make_equal(a, b, span);
    case ast::CompareOp::Ne: {
      TypeId type = known(a->type);
      if (c.nominal_info(thawed_type(c, type)) && types.kind(type) != Kind::Optional) {
        if (Expr* call = try_call_method(a, "__ne__", {b}, span)) return call;
      }
      Expr* equal = make_equal(a, b, span);
      return is_poison(equal) ? equal : make_not(equal);
    }
    case ast::CompareOp::In: return make_contains(a, b, span);
    case ast::CompareOp::NotIn: {
      Expr* found = make_contains(a, b, span);
      return is_poison(found) ? found : make_not(found);
    }
    default: break;
  }
  const char* symbol = op == ast::CompareOp::Lt ? "<" : op == ast::CompareOp::Le ? "<=" : op == ast::CompareOp::Gt ? ">" : ">=";
  const char* method = op == ast::CompareOp::Lt ? "__lt__" : op == ast::CompareOp::Le ? "__le__" : op == ast::CompareOp::Gt ? "__gt__" : "__ge__";
  see_alike(*this, a, b);
  TypeId ta = known(a->type);
  if (types.kind(ta) == Kind::Optional || c.kind(b->type) == Kind::Optional || c.kind(b->type) == Kind::Null) {
    Expr* which = types.kind(ta) == Kind::Optional ? a : b;
    auto& d = c.error(Code::OptionalNotUnwrapped, which->span, std::string("this may be null, so `") + symbol + "` can't compare it");
    show_null_origin(d, which);
    d.found = c.text(which->type);
    d.help = "test it with `is not null` first, or give a default with `??`";
    return poison(span);
  }
  const char* reflected = op == ast::CompareOp::Lt ? "__gt__" : op == ast::CompareOp::Le ? "__ge__" : op == ast::CompareOp::Gt ? "__lt__" : "__le__";
  if (Expr* mixed = compare_by_method(*this, a, b, method, reflected, span)) return mixed;
  // An explicit method may take another type on the right.
  if (c.nominal_info(thawed_type(c, ta)))
    if (Expr* call = try_call_method(a, method, {b}, span)) return call;
  if (!may_differ_by_frozen(*this, a, b) && !match_types(a, b, span, symbol)) return poison(span);
  TypeId type = known(a->type);
  Kind k = types.kind(type);
  if (k == Kind::Var) {
    type = require_known(type, span, "these values");
    k = types.kind(type);
    if (k == Kind::Error) return poison(span);
  }
  if (compares_directly(k)) {
    auto* out = make<Compare>(types.bool_, span);
    out->op = op == ast::CompareOp::Lt ? CompareOp::Lt : op == ast::CompareOp::Le ? CompareOp::Le : op == ast::CompareOp::Gt ? CompareOp::Gt : CompareOp::Ge;
    out->left = a;
    out->right = b;
    return out;
  }
  if (Expr* call = try_call_method(a, method, {b}, span)) return call;
  Member less = find_member(a->type, c.name("__lt__"));
  if (less.kind != Member::Methods) {
    auto& d = c.error(Code::InvalidOperand, span, "values of type `" + c.text(type) + "` have no order, so `" + symbol + "` can't compare them");
    if (c.nominal_info(type)) d.help = "give it `__lt__`, or write `@derive(Ord)` above it";
    return poison(span);
  }
  // a > b is b < a; a <= b is not b < a; a >= b is not a < b. Operands keep their order of evaluation.
  bool swapped = op == ast::CompareOp::Gt || op == ast::CompareOp::Le;
  bool negated = op == ast::CompareOp::Le || op == ast::CompareOp::Ge;
  Expr* result = nullptr;
  if (swapped) {
    result = make_seq([&]() -> Expr* {
      VariableId x = new_temp(type, span), y = new_temp(type, span);
      emit_assign(variable_ref(x, span), a);
      emit_assign(variable_ref(y, span), b);
      return call_overloads(*less.methods, less.subst, variable_ref(y, span), type, {arg_of(variable_ref(x, span))}, span, TypeId(), c.name("__lt__"));
    }, span);
  } else {
    result = call_overloads(*less.methods, less.subst, a, type, {arg_of(b)}, span, TypeId(), c.name("__lt__"));
  }
  return negated && !is_poison(result) ? make_not(result) : result;
}

Expr* BodyChecker::make_contains(Expr* item, Expr* container, Span span) {
  if (is_poison(item)) return item;
  if (is_poison(container)) return container;
  container = thaw_copied(*this, container);
  TypeId type = require_known(container->type, container->span, "this container");
  if (types.kind(type) == Kind::Error) return poison(span);
  if (is_any(type)) return any_contains(container, item, span);
  if (types.kind(type) == Kind::Tuple) {
    // x in (a, b): compare with each.
    return make_seq([&]() -> Expr* {
      VariableId x = new_temp(item->type, span), t = new_temp(type, span);
      emit_assign(variable_ref(x, span), item);
      emit_assign(variable_ref(t, span), container);
      Expr* any = nullptr;
      for (uint32_t i = 0; i < types.get(type).args.size(); ++i) {
        Expr* test = make_equal(variable_ref(x, span), make_field(variable_ref(t, span), i, types.arg(type, i), span), span);
        if (!any) { any = test; continue; }
        auto* either = make<Or>(types.bool_, span);
        either->left = any;
        either->right = test;
        any = either;
      }
      return any ? any : make_bool(false, span);
    }, span);
  }
  Member method = c.find_member(type, c.name("__contains__"));
  if (method.kind == Member::Methods) {
    // The item is evaluated before the container, as written.
    bool simple = item->kind <= ExprKind::Variable;
    if (simple) return call_overloads(*method.methods, method.subst, container, type, {arg_of(item)}, span, TypeId(), c.name("__contains__"));
    return make_seq([&]() -> Expr* {
      VariableId x = new_temp(item->type, span);
      emit_assign(variable_ref(x, span), item);
      return call_overloads(*method.methods, method.subst, container, type, {arg_of(variable_ref(x, span))}, span, TypeId(), c.name("__contains__"));
    }, span);
  }
  if (c.has_method(type, "__iter__") || c.has_method(type, "next")) return call_core("_iter_contains", {container, item}, span);
  auto& d = c.error(Code::InvalidOperand, span, "`in` does not work on `" + c.text(type) + "`");
  if (types.kind(type) == Kind::Optional) show_null_origin(d, container);
  if (types.kind(type) == Kind::Optional) d.help = "test it with `is not null` first";
  return poison(span);
}

Expr* BodyChecker::check_compare(ast::CompareExpr* expr) {
  Span span = expr->span;
  TypeId first_hint;
  if (is_wide_literal(expr->operands[0])) {
    Expr* other = replaced_[expr->operands[1]] = check_isolated(expr->operands[1], TypeId());
    first_hint = wide_literal_hint(expr->operands[0], expr->ops[0], other);
  }
  if (expr->operands.size() == 2) {
    Expr* a = check(expr->operands[0], first_hint);
    TypeId hint = comparison_hint(a, expr->ops[0], expr->operands[1]);
    Expr* b = check_isolated(expr->operands[1], hint);
    replaced_.erase(expr->operands[1]);
    return make_compare(expr->ops[0], a, b, span);
  }
  // a < b < c: each operand once, stopping at the first false one.
  return make_seq([&]() -> Expr* {
    std::function<Expr*(size_t, Expr*)> from = [&](size_t i, Expr* left) -> Expr* {
      Expr* right = check_isolated(expr->operands[i + 1], comparison_hint(left, expr->ops[i], expr->operands[i + 1]));
      if (i == 0) replaced_.erase(expr->operands[1]);
      if (is_poison(left)) return left;
      if (is_poison(right)) return right;
      if (i + 1 == expr->ops.size()) return make_compare(expr->ops[i], left, right, span);
      Expr* held = right;
      Expr* test = nullptr;
      Block stmts = {};
      if (right->kind > ExprKind::Variable) {
        VariableId temp = new_temp(right->type, span);
        stmts = collect([&]() {
          if (left->kind > ExprKind::Variable) {
            VariableId first = new_temp(left->type, span);
            emit_assign(variable_ref(first, span), left);
            left = variable_ref(first, span);
          }
          emit_assign(variable_ref(temp, span), right);
        });
        held = variable_ref(temp, span);
      }
      test = make_compare(expr->ops[i], left, held, span);
      if (is_poison(test)) return test;
      if (!stmts.empty()) {
        auto* seq = make<Seq>(types.bool_, span);
        seq->stmts = stmts;
        seq->value = test;
        test = seq;
      }
      Expr* rest = nullptr;
      Flow stopped = flow;   // the operands from here on may not run
      Block later = collect([&]() { rest = from(i + 1, held); });
      flow = merge(stopped, flow);
      if (is_poison(rest)) return rest;
      if (!later.empty()) {
        auto* seq = make<Seq>(types.bool_, span);
        seq->stmts = later;
        seq->value = rest;
        rest = seq;
      }
      auto* both = make<And>(types.bool_, span);
      both->left = test;
      both->right = rest;
      return both;
    };
    return from(0, check(expr->operands[0], first_hint));
  }, span);
}

TypeId BodyChecker::comparison_hint(Expr* left, ast::CompareOp op, ast::Expr* right) {
  TypeId type = thawed_type(c, known(left->type));   // what is compared with something frozen need not be
  if (op == ast::CompareOp::In || op == ast::CompareOp::NotIn) {
    if (right->kind == ast::ExprKind::List) return c.list_of(type);
    if (right->kind == ast::ExprKind::Set) return c.core_type("set", {type});
    return TypeId();
  }
  // Empty displays and enum cases take their type from the other side.
  bool is_number = types.is_numeric(type);
  if (is_number) return is_wide_literal(right) ? type : TypeId();
  return types.kind(type) == Kind::Var ? TypeId() : type;
}

Expr* BodyChecker::make_hash(Expr* value, Span span) {
  if (is_poison(value)) return value;
  value = c.kind(thawed_type(c, value->type)) == Kind::Any ? thaw(*this, value) : thaw_copied(*this, value);
  TypeId type = require_known(value->type, span, "this value");
  Kind k = types.kind(type);
  if (k == Kind::Error) return poison(span);
  if (k == Kind::Any) return call_any_function(AnyFunction::Hash, {value}, types.int_, span);
  if (k == Kind::Optional) {
    return make_seq([&]() -> Expr* {
      VariableId temp = new_temp(type, span);
      emit_assign(variable_ref(temp, span), value);
      auto* test = make<IsNull>(types.bool_, span);
      test->operand = variable_ref(temp, span);
      auto* choice = make<Ternary>(types.int_, span);
      choice->condition = test;
      choice->then_value = make_int(0, span);
      choice->else_value = make_hash(make_unwrap(variable_ref(temp, span), span, false), span);
      return choice;
    }, span);
  }
  Member method = c.find_member(type, c.name("__hash__"));
  if (method.kind != Member::Methods && k == Kind::Dyn) return make_hash(coerce(value, types.any, span), span);
  if (method.kind == Member::Methods) return call_overloads(*method.methods, method.subst, value, type, {}, span, TypeId(), c.name("__hash__"));
  bool has_equality = c.find_member(type, c.name("__eq__")).kind == Member::Methods;
  if (TypeId seen = thawed_type(c, type); c.kind(seen) == Kind::Class && !has_equality)
    return call_method(call_intrinsic(Intrinsic::Address, seen, types.int_, {thaw(*this, value)}, span), "__hash__", {}, span);
  auto& d = c.error(Code::TraitNotImplemented, span, "`" + c.text(type) + "` can't be hashed, so it can't be a dict key or in a set");
  NominalInfo* nominal = c.nominal_info(type);
  if (nominal && !nominal->module->is_std) d.help = "write `@derive(Eq, Hash)` above it, or give it `__hash__`";
  // A derived `__hash__` asks each field for its own: say whose field it is.
  if (NominalInfo* owner = info && info->is_derived ? info->owner : nullptr; owner && (!nominal || nominal->module->is_std)) {
    auto has_it = [&](FieldInfo& field) { return c.resolve(field.type) == c.resolve(type); };
    auto tell = [&](std::vector<FieldInfo>& fields, const std::string& path) {
      auto found = std::ranges::find_if(fields, has_it);
      if (found == fields.end()) return false;
      d.labels.push_back({found->span, "`" + path + "." + found->name.str() + "` is one, so `" + owner->name.str() + "` can't be hashed"});
      d.help = "make it something that can be hashed, or give `" + owner->name.str() + "` a `__hash__`";
      return true;
    };
    bool is_told = tell(owner->fields, owner->name.str());
    for (size_t i = 0; i < owner->cases.size() && !is_told; ++i) is_told = tell(owner->cases[i].fields, owner->cases[i].name.str());
  }
  return poison(span);
}

}  // namespace meteor::typed
