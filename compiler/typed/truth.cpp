// What a value is as a condition: the one place that decides what may be one. A value that is always true is refused,
// with what was meant.
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {
namespace {

// `x` where a test told what it holds: its declared type is that of a condition, and a second test is as good as the
// first.
bool is_narrowed(BodyChecker& b, Expr* value) {
  while (auto* view = value->as<Convert>()) {
    if (view->convert == ConvertKind::FromAny) return !b.place_key(view->operand).empty();
    value = view->operand;
  }
  auto* seen = value->as<Unwrap>();
  return seen && !b.place_key(seen->operand).empty();
}

void refuse_future(BodyChecker& b, Expr* value, TypeId type) {
  Checker& c = b.c;
  Diagnostic& d = c.error(Code::UnawaitedFuture, value->span, "a future is always true, whatever it will give");
  d.found = c.text(type);
  if (b.module->is_std) {  // `any(futures)`: shown at the call
    d.help = "a future gives its value when it is awaited: `await gather(…)` gives the values of a list of them";
    return;
  }
  bool is_optional = c.kind(type) == Kind::Optional;
  bool runs = !is_optional && c.nominal_info(type) != c.core_nominal("Future") && c.has_method(type, "done");
  b.suggest_await(d, value,
                  runs ? "`.done` tells whether it has ended; for what it gives: "
                       : "a future gives its value when it is awaited: ");
}

void refuse_function(BodyChecker& b, TypeId type, Span span) {
  Diagnostic& d = b.c.error(Code::AlwaysTrue, span, "a function is always true here; did you mean to call it?");
  d.found = b.c.text(type);
  d.help = "call it: write `()` after it";
  if (span.valid()) d.edits.push_back({{span.file, span.end, span.end}, "()"});
}

std::string what_to_test(BodyChecker& b, TypeId type) {
  switch (b.types.kind(type)) {
    case Kind::Enum: return "compare it with one of its cases: `is` or `==`";
    case Kind::Tuple: return "test one of its elements";
    case Kind::RawPtr: return "compare it with another pointer";
    default: break;
  }
  NominalInfo* info = b.c.nominal_info(type);
  if (!info || info->module->is_std) return "test something that it holds";
  return "test one of its fields, or give `" + info->name.str() +
         "` a `__bool__` or a `__len__`; only an optional can be null";
}

void refuse_object(BodyChecker& b, TypeId type, Span span) {
  Diagnostic& d =
      b.c.error(Code::AlwaysTrue, span, b.c.text_with_article(type) + " is always true, so it decides nothing");
  d.found = b.c.text(type);
  d.help = what_to_test(b, type);
}

// A value that is there and has neither `__bool__` nor `__len__`.
Expr* always_true(BodyChecker& b, Expr* value, Expr* written, TypeId type, Span span) {
  bool nobody_wrote_it =
      b.info ? b.info->is_derived : b.module->is_core;  // the functions behind `any` test whatever it may hold
  if (nobody_wrote_it || b.types.kind(type) == Kind::Never || is_narrowed(b, written))
    return b.after(value, true, span);
  TypeId seen = thawed_type(b.c, type);
  if (b.c.future_value(seen).valid())
    refuse_future(b, written, seen);
  else if (b.c.kind(seen) == Kind::Func)
    refuse_function(b, type, span);
  else
    refuse_object(b, seen, span);
  return b.poison(span);
}

Expr* not_null(BodyChecker& b, Expr* value, Span span) {
  auto* test = b.make<IsNull>(b.types.bool_, span);
  test->operand = value;
  return b.make_not(test);
}

Expr* truth_of_optional(BodyChecker& b, Expr* value, TypeId type, Span span) {
  Checker& c = b.c;
  TypeId inner = c.unifier.shallow(b.types.arg(type));
  // Nobody can await a future that only its condition has seen.
  if (!b.module->is_std && b.place_key(value).empty() && c.is_unrun_future(inner)) {
    refuse_future(b, value, type);
    return b.poison(span);
  }
  bool plain = c.kind(inner) == Kind::Class && !c.has_method(inner, "__bool__") && !c.has_method(inner, "__len__");
  if (plain || c.kind(inner) == Kind::Func || c.kind(inner) == Kind::Dyn || c.kind(inner) == Kind::Enum)
    return not_null(b, value, span);
  return b.make_seq(
      [&]() -> Expr* {
        VariableId temp = b.new_temp(type, span);
        b.emit_assign(b.variable_ref(temp, span), value);
        auto* both = b.make<And>(b.types.bool_, span);
        both->left = not_null(b, b.variable_ref(temp, span), span);
        both->right = b.truth(b.make_unwrap(b.variable_ref(temp, span), span, false), span);
        return both;
      },
      span);
}

}  // namespace

Expr* BodyChecker::truth(Expr* value, Span span, Expr* written) {
  if (!written) written = value;
  if (!is_poison(value))
    value = c.kind(thawed_type(c, value->type)) == Kind::Any ? thaw(*this, value) : thaw_copied(*this, value);
  TypeId type = require_known(value->type, span, "this condition");
  auto differs_from = [&](Expr* zero) {
    auto* test = make<Compare>(types.bool_, span);
    test->op = CompareOp::Ne;
    test->left = value;
    test->right = zero;
    return test;
  };
  switch (types.kind(type)) {
    case Kind::Bool:
    case Kind::Error: return value;
    case Kind::Int: return differs_from(make<IntConst>(type, span));
    case Kind::Float: return differs_from(make<FloatConst>(type, span));
    case Kind::Str: return differs_from(make_text("", span));
    case Kind::Bytes: return differs_from(make<BytesConst>(type, span));
    case Kind::Null: return make_bool(false, span);
    case Kind::Any: return call_any_function(AnyFunction::Truth, {value}, types.bool_, span);
    case Kind::Optional: return truth_of_optional(*this, value, type, span);
    case Kind::Void:
      c.error(Code::TypeMismatch, span, "this gives no value, so it can't be a condition");
      return poison(span);
    default: break;
  }
  if (c.has_method(type, "__bool__")) return call_method(value, "__bool__", {}, span);
  bool is_filled_tuple = types.kind(type) == Kind::Tuple && !types.get(type).args.empty();
  if (is_filled_tuple || !c.has_method(type, "__len__")) return always_true(*this, value, written, type, span);
  auto* test = make<Compare>(types.bool_, span);
  test->op = CompareOp::Ne;
  test->left = call_method(value, "__len__", {}, span);
  test->right = make_int(0, span);
  return test;
}

}  // namespace meteor::typed
