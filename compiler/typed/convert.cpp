// Conversions: what happens by itself (literals, widening, wrapping, upcasts)
// and what is written (`int(x)`, `x as T`).
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/later_use.h"
#include "compiler/typed/has_trait.h"
#include "compiler/typed/lifted_locals.h"

namespace meteor::typed {

TypeId BodyChecker::known(TypeId type) {
  type = c.unifier.shallow(type);
  while (types.kind(type) == Kind::Var && c.run_ready_lambdas()) type = c.unifier.shallow(type);
  return type;
}

TypeId BodyChecker::require_known(TypeId type, Span span, const char* what) {
  type = known(type);
  if (types.kind(type) != Kind::Var) return type;
  if (TypeId later = type_by_later_use(*this, type); later.valid() && c.unifier.could_unify(type, later)) {
    c.unifier.unify(type, later);
    return known(type);
  }
  if (module->is_std && c.sink.has_errors()) {   // most likely a consequence
    c.unifier.unify(type, types.error);
    return types.error;
  }
  // The mistake is where the value comes from, not where its type is needed first.
  Span origin = c.unifier.origin(c.unifier.root(types.get(type).var));
  bool elsewhere = origin.valid() && origin.file == span.file && origin.start != span.start;
  auto& d = c.error(Code::CannotInfer, elsewhere ? origin : span, "the type of " + std::string(elsewhere ? "this" : what) + " is not known");
  if (elsewhere) d.labels.push_back({span, "it is needed here"});
  d.help = "annotate it where it is declared, for instance `xs: list<int> = []`";
  c.unifier.unify(type, types.error);
  return types.error;
}

namespace {

// Does the constant fit the integer type?
bool fits(uint64_t bits, bool negative, const types::Type& type) {
  if (type.is_signed) {
    int64_t value = static_cast<int64_t>(bits);
    if (!negative && value < 0) return false;
    int64_t max = type.width == 64 ? INT64_MAX : (int64_t{1} << (type.width - 1)) - 1;
    return value <= max && value >= -max - 1;
  }
  if (negative && bits != 0) return false;
  return type.width == 64 || bits < (uint64_t{1} << type.width);
}

}  // namespace

namespace {

// `xs[len(xs) / 2]`: of two whole numbers `/` gives a fraction.
bool suggest_whole_division(BodyChecker& b, Diagnostic& d, Expr* value) {
  auto* division = value->as<Binary>();
  if (!division || division->op != BinaryOp::Div) return false;
  auto is_whole = [&](Expr* operand) {
    auto* made = operand->as<Convert>();
    return made && b.c.kind(made->operand->type) == Kind::Int;
  };
  if (!is_whole(division->left) && !is_whole(division->right)) return false;
  d.help = "`/` gives a float: write `//` for the whole part";
  Span left = division->left->span, right = division->right->span;
  if (!left.valid() || !right.valid() || left.end > right.start) return true;
  size_t sign = b.c.input.sources.text(left.file).substr(0, right.start).find('/', left.end);
  if (sign != std::string_view::npos) d.edits.push_back({{left.file, uint32_t(sign), uint32_t(sign) + 1}, "//"});
  return true;
}

}  // namespace

Expr* BodyChecker::make_some(Expr* value) {
  auto* some = make<Convert>(types.optional(value->type), value->span);
  some->convert = ConvertKind::WrapOptional;
  some->operand = value;
  return some;
}

Expr* BodyChecker::make_convert(ConvertKind kind, Expr* value, TypeId to, bool checked) {
  auto* convert = make<Convert>(to, value->span);
  convert->convert = kind;
  convert->operand = value;
  convert->checked = checked;
  return convert;
}

Expr* BodyChecker::try_coerce(Expr* value, TypeId target, Span span) {
  target = c.unifier.shallow(target);
  TypeId from = known(value->type);
  if (from == target) return value;
  Kind to_kind = types.kind(target), from_kind = types.kind(from);
  if (to_kind == Kind::Error || from_kind == Kind::Error) return poison(span);
  if (from_kind == Kind::Never) { value->type = target; return value; }
  if (to_kind == Kind::Var) {
    if (from_kind == Kind::Null) {
      TypeId optional = types.optional(c.unifier.fresh(span));
      c.unifier.unify(target, optional);
      auto* null = make<NullConst>(optional, value->span);
      return null;
    }
    return c.unifier.unify(target, value->type) ? value : nullptr;
  }
  if (from_kind == Kind::Null) {
    if (to_kind != Kind::Optional && to_kind != Kind::Any) return nullptr;
    return make<NullConst>(target, value->span);
  }
  // Literals take the type that is wanted.
  if (auto* constant = value->as<IntConst>(); constant && from == types.int_ && constant->is_literal) {
    if (to_kind == Kind::Float) {
      auto* number = make<FloatConst>(target, value->span);
      number->value = static_cast<double>(static_cast<int64_t>(constant->bits));
      return number;
    }
    if (to_kind == Kind::Int) {
      const types::Type& t = types.get(target);
      bool negative = static_cast<int64_t>(constant->bits) < 0;
      if (!fits(constant->bits, negative, t)) {
        auto& d = c.error(Code::LiteralOutOfRange, value->span, "this number does not fit in `" + c.text(target) + "`");
        if (t.is_signed) d.notes.push_back("`" + c.text(target) + "` holds " + std::to_string(-(int64_t{1} << (t.width - 1))) + " to " + std::to_string((int64_t{1} << (t.width - 1)) - 1));
        else if (t.width < 64) d.notes.push_back("`" + c.text(target) + "` holds 0 to " + std::to_string((uint64_t{1} << t.width) - 1));
        d.help = "use a wider type, such as `int`";
        return poison(span);
      }
      auto* number = make<IntConst>(target, value->span);
      number->bits = constant->bits;   // it fits, so these are the bits of its sign extension too
      return number;
    }
  }
  if (auto* number = value->as<FloatConst>(); number && to_kind == Kind::Float) {
    auto* out = make<FloatConst>(target, value->span);
    out->value = number->value;
    return out;
  }
  if (to_kind == Kind::Optional) {
    TypeId inner = c.unifier.shallow(types.arg(target));
    if (from_kind == Kind::Optional) {
      if (from == inner) return make_convert(ConvertKind::WrapOptional, value, target);
      TypeId have = c.unifier.shallow(types.arg(from));
      if (c.unifier.could_unify(have, inner)) { c.unifier.unify(have, inner); return value; }
      if (types.kind(have) == Kind::Class && types.kind(inner) == Kind::Class && c.is_subclass(have, inner)) return make_convert(ConvertKind::Upcast, value, target);
      // T? to U? where T converts to U: look inside.
      VariableId temp = new_temp(from, span);
      emit_assign(variable_ref(temp, span), value);
      Expr* inside = try_coerce(make_unwrap(variable_ref(temp, span), span, false), inner, span);
      if (inside) {
        auto* choice = make<Ternary>(target, span);
        auto* test = make<IsNull>(types.bool_, span);
        test->operand = variable_ref(temp, span);
        choice->condition = test;
        choice->then_value = make<NullConst>(target, span);
        auto* some = make_convert(ConvertKind::WrapOptional, inside, target);
        choice->else_value = some;
        return choice;
      }
    }
    Expr* inside = try_coerce(value, inner, span);
    if (!inside) return nullptr;
    return make_convert(ConvertKind::WrapOptional, inside, target);
  }
  if (to_kind == Kind::Any) {
    if (from_kind == Kind::Void) return nullptr;
    if (holds_frozen(c, from)) value = call_core("_mark_frozen", {value}, span);   // from here on only the value itself can tell
    if (from_kind == Kind::Frozen && types.kind(types.arg(from)) == Kind::Any) return thaw(*this, value);
    root->boxed_.push_back(value->type);
    return make_convert(ConvertKind::ToAny, value, target);
  }
  if (to_kind == Kind::Int && from_kind == Kind::Int) {
    const types::Type& a = types.get(from);
    const types::Type& b = types.get(target);
    if (a.is_signed == b.is_signed && a.width < b.width) return make_convert(ConvertKind::Numeric, value, target);
    return nullptr;
  }
  if (to_kind == Kind::Float && from_kind == Kind::Float) return types.get(from).width < types.get(target).width ? make_convert(ConvertKind::Numeric, value, target) : nullptr;
  if (to_kind == Kind::Class && from_kind == Kind::Class) {
    if (c.nominal_info(from) == c.nominal_info(target)) return c.unifier.unify(from, target) ? value : nullptr;
    return c.is_subclass(from, target) ? make_convert(ConvertKind::Upcast, value, target) : nullptr;
  }
  if (to_kind == Kind::Dyn) {
    TypeId trait = types.arg(target);
    if (from_kind == Kind::Dyn && c.unifier.could_unify(from, target)) { c.unifier.unify(from, target); return value; }
    if (from_kind == Kind::Frozen) return nullptr;
    if (from_kind == Kind::Dyn || !c.implements(from, trait)) return as_supertrait(*this, value, target);
    root->boxed_.push_back(value->type);
    return make_convert(ConvertKind::ToDyn, value, target);
  }
  if (to_kind == Kind::Frozen && module->is_core && info && info->name().text() == "freeze" && c.unifier.could_unify(from, types.arg(target)) && c.unifier.unify(from, types.arg(target)))
    return make_convert(ConvertKind::Reinterpret, value, target);
  if (to_kind == Kind::Frozen && from_kind != Kind::Frozen && is_copied_type(from)) {
    Expr* inside = try_coerce(value, types.arg(target), span);
    return inside ? make_convert(ConvertKind::Reinterpret, inside, target) : nullptr;
  }
  if (from_kind == Kind::Frozen && (is_copied_type(types.arg(from)) || c.kind(types.arg(from)) == Kind::Func)) {   // as what it is
    if (Expr* inside = try_coerce(thaw(*this, value), target, span)) return inside;
  }
  if (to_kind == Kind::Frozen && from_kind == Kind::Frozen && !c.unifier.could_unify(from, target)) {   // as a base class or `dyn`
    TypeId have = types.arg(from), want = c.unifier.shallow(types.arg(target));
    if (have != want && types.kind(want) != Kind::Dyn && types.kind(want) != Kind::Class) return nullptr;
    if (is_collection(c, have)) return nullptr;
    if (types.kind(want) == Kind::Dyn) {
      root->boxed_.push_back(from);
      value = call_core("_mark_frozen", {value}, span);
    }
    Expr* seen = try_coerce(thaw(*this, value), want, span);
    return seen ? make_convert(ConvertKind::Reinterpret, seen, target) : nullptr;
  }
  if (to_kind == Kind::Tuple && from_kind == Kind::Tuple && types.get(from).args.size() == types.get(target).args.size()) {
    if (c.unifier.could_unify(from, target)) { c.unifier.unify(from, target); return value; }
    if (auto* literal = value->as<MakeTuple>()) {
      std::vector<Expr*> items;
      for (size_t i = 0; i < literal->items.size(); ++i) {
        Expr* item = try_coerce(literal->items[i], types.arg(target, i), literal->items[i]->span);
        if (!item) return nullptr;
        items.push_back(item);
      }
      auto* out = make<MakeTuple>(target, value->span);
      out->items = keep(items);
      return out;
    }
    for (size_t i = 0; i < types.get(target).args.size(); ++i) {
      auto* probe = make<Unreachable>(types.arg(from, i), span);
      if (!can_convert(probe, types.arg(target, i))) return nullptr;
    }
    return make_seq([&]() -> Expr* {
      VariableId temp = new_temp(from, span);
      emit_assign(variable_ref(temp, span), value);
      std::vector<Expr*> items;
      for (uint32_t i = 0; i < types.get(target).args.size(); ++i)
        items.push_back(coerce(make_field(variable_ref(temp, span), i, types.arg(from, i), span), types.arg(target, i), span));
      auto* out = make<MakeTuple>(target, span);
      out->items = keep(items);
      return out;
    }, span);
  }
  if (to_kind == Kind::Func && from_kind == Kind::Func) {
    auto want = types.func_params(target), have = types.func_params(from);
    if (want.size() != have.size()) return nullptr;
    if (c.unifier.could_unify(from, target)) { c.unifier.unify(from, target); return value; }
    bool params_fit = true;
    for (size_t i = 0; i < want.size(); ++i) params_fit &= c.unifier.could_unify(want[i], have[i]) || (c.kind(want[i]) == Kind::Class && c.kind(have[i]) == Kind::Class && c.is_subclass(want[i], have[i]));
    // What a `ref` parameter is assigned would be lost where the caller passes a value.
    for (size_t i = 0; i < want.size(); ++i) params_fit &= types.get(from).modes[i] != ParamMode::Ref || types.get(target).modes[i] == ParamMode::Ref;
    if (!params_fit) return nullptr;
    TypeId want_result = c.unifier.shallow(types.func_result(target)), have_result = known(types.func_result(from));
    bool waits = types.get(target).is_async, is_async = types.get(from).is_async;
    if (is_async && !waits) have_result = c.core_type("Future", {have_result});
    if (waits && !is_async) {
      have_result = c.future_value(have_result);
      if (!have_result.valid()) return nullptr;
    }
    bool result_fits = (types.kind(want_result) == Kind::Void && waits == is_async) || c.unifier.could_unify(want_result, have_result);
    if (!result_fits) {
      auto* probe = make<Unreachable>(have_result, span);
      result_fits = can_convert(probe, want_result);
    }
    if (!result_fits) return nullptr;
    for (size_t i = 0; i < want.size(); ++i)  // what is given besides learns it
      if (c.unifier.could_unify(want[i], have[i])) c.unifier.unify(want[i], have[i]);
    // Another representation of result or parameters: call it from a small function of the wanted type.
    std::string hidden = "$f" + std::to_string(fn.variables.size());
    VariableId held = declare(c.name(hidden), from, span);
    flow.set_assigned(held);
    emit_assign(variable_ref(held, span), value);
    local_names_.insert(c.name(hidden));
    auto* callee = c.program.arena.make<ast::NameExpr>();
    callee->name = c.name(hidden);
    callee->span = span;
    return wrap_as_lambda(callee, want.size(), span, target, nullptr, waits);
  }
  return c.unifier.could_unify(from, target) && c.unifier.unify(from, target) ? value : nullptr;
}

bool BodyChecker::can_convert(Expr* value, TypeId target) {
  target = c.unifier.shallow(target);
  TypeId from = known(value->type);
  if (from == target) return true;
  Kind to = types.kind(target), have = types.kind(from);
  if (to == Kind::Error || have == Kind::Error || to == Kind::Var || have == Kind::Var) return true;
  if (have == Kind::Null) return to == Kind::Optional || to == Kind::Any;
  if (auto* constant = value->as<IntConst>(); constant && constant->is_literal && (to == Kind::Float || to == Kind::Int)) return true;
  if (to == Kind::Any) return have != Kind::Void;
  if (to == Kind::Optional) {
    if (have == Kind::Optional) {
      auto* inner = make<Unreachable>(types.arg(from), value->span);
      return can_convert(inner, types.arg(target));
    }
    return can_convert(value, types.arg(target));
  }
  if (to == Kind::Int && have == Kind::Int) return types.get(from).is_signed == types.get(target).is_signed && types.get(from).width < types.get(target).width;
  if (to == Kind::Float && have == Kind::Float) return types.get(from).width < types.get(target).width;
  if (to == Kind::Class && have == Kind::Class) {
    NominalInfo* wanted = c.nominal_info(target);
    for (TypeId at = from; at.valid(); at = c.base_of(at))
      if (c.nominal_info(at) == wanted) return c.unifier.could_unify(at, target);
    return false;
  }
  if (have == Kind::Frozen && (is_copied_type(types.arg(from)) || c.kind(types.arg(from)) == Kind::Func)) {
    auto* inner = make<Unreachable>(types.arg(from), value->span);
    return can_convert(inner, target);
  }
  if (to == Kind::Frozen && is_copied_type(from)) {
    auto* inner = make<Unreachable>(types.arg(target), value->span);
    return c.unifier.could_unify(from, inner->type);
  }
  if (to == Kind::Frozen && have == Kind::Frozen && !c.unifier.could_unify(from, target)) {
    TypeId inside = types.arg(from), want = c.unifier.shallow(types.arg(target));
    if (is_collection(c, inside) || (types.kind(want) != Kind::Dyn && types.kind(want) != Kind::Class)) return false;
    auto* inner = make<Unreachable>(inside, value->span);
    return can_convert(inner, want);
  }
  if (have == Kind::Frozen && to == Kind::Dyn) return false;
  if (to == Kind::Dyn && have != Kind::Dyn) return c.implements(from, types.arg(target));
  if (to == Kind::Dyn && always_has_trait(c, from, target)) return true;
  if (to == Kind::Func && have == Kind::Func) return types.func_params(target).size() == types.func_params(from).size();
  return c.unifier.could_unify(from, target);
}

// `() -> f()` gives a future, where `async () -> await f()` is one that waits for it.
static std::string make_async_help(BodyChecker& b, Expr* function, TypeId result) {
  std::string plain = "make it async: `async x -> …`, `async def`";
  if (!function->span.valid() || !b.c.future_value(b.c.resolve(result)).valid()) return plain;
  std::string written(b.c.input.sources.text(function->span));
  size_t arrow = written.find("->");
  if (arrow == std::string::npos || written.find('\n') != std::string::npos || written.starts_with("def")) return plain;
  size_t body = written.find_first_not_of(' ', arrow + 2);
  if (body == std::string::npos) return plain;
  return "make it async: `async " + written.substr(0, body) + "await " + written.substr(body) + "`";
}

Expr* BodyChecker::coerce(Expr* value, TypeId target, Span span, const char* why, Span why_span) {
  if (!target.valid()) return value;
  if (Expr* done = try_coerce(value, target, span)) return done;
  TypeId from = c.resolve(value->type);
  TypeId to = c.resolve(target);
  if (Expr* frozen = freeze_new(*this, value, to)) return coerce(frozen, to, span, why, why_span);
  if (refine_annotation(*this, filled_annotation_, to, from)) return poison(span);
  Kind from_kind = types.kind(from), to_kind = types.kind(to);
  if (from_kind == Kind::Optional && to_kind != Kind::Optional && c.unifier.could_unify(types.arg(from), to)) {
    auto& d = c.error(Code::OptionalNotUnwrapped, span, "this may be null, but a `" + c.text(to) + "` is needed");
    show_null_origin(d, value);
    d.expected = c.text(to);
    d.found = c.text(from);
    d.help = "test it with `is not null` first, give a default with `?? …`, or write `!` after it";
    return poison(span);
  }
  if (from_kind == Kind::Frozen && to_kind != Kind::Frozen) {
    auto& d = c.error(Code::TypeMismatch, span, "this is frozen, and a `" + c.text(to) + "` could be changed");
    d.expected = c.text(to);
    d.found = c.text(from);
    if (why_span.valid()) d.labels.push_back({why_span, why ? why : "`" + c.text(to) + "` because of this"});
    d.help = std::string(is_collection(c, types.arg(from)) ? "take a copy with `.copy()`" : "make a new one of its parts") + ", or say `frozen " + c.text(to) + "` where it goes";
    return poison(span);
  }
  if (mentions_frozen(c, from) && from_kind == to_kind && with_frozen_parts(c, to, from) == from) {
    auto& d = c.error(Code::TypeMismatch, span, "what this holds is frozen, and could be changed through a `" + c.text(to) + "`");
    d.expected = c.text(to);
    d.found = c.text(from);
    if (why_span.valid()) d.labels.push_back({why_span, why ? why : "`" + c.text(to) + "` because of this"});
    d.help = "say `" + c.text(from) + "` where it goes, or make new ones";
    return poison(span);
  }
  if (to_kind == Kind::Dyn && from_kind != Kind::Void && from_kind != Kind::Null && from_kind != Kind::Any) {
    auto& d = c.error(Code::TraitNotImplemented, span, "`" + c.text(from) + "` does not have the trait `" + c.text(types.arg(to)) + "`");
    if (why_span.valid()) d.labels.push_back({why_span, why ? why : "it is wanted here"});
    d.help = "write `impl " + c.text(types.arg(to)) + " for " + c.text(from) + ": …`";
    return poison(span);
  }
  std::string message = from_kind == Kind::Void ? "this gives no value, but a `" + c.text(to) + "` is needed" : "expected `" + c.text(to) + "`, found `" + c.text(from) + "`";
  if (why && !why_span.valid()) message = std::string(why) + ": " + message;
  auto& d = c.error(Code::TypeMismatch, span, message);
  d.expected = c.text(to);
  d.found = from_kind == Kind::Void ? "nothing" : c.text(from);
  if (why_span.valid()) d.labels.push_back({why_span, why ? why : "`" + c.text(to) + "` because of this"});
  if (c.future_value(from).valid() && !c.future_value(to).valid() && value->span.valid()) {
    suggest_await(d, value, "a future gives its value when it is awaited: ");
  } else if (from_kind == Kind::Int && to_kind == Kind::Float) d.help = "convert it: `float(…)`";
  else if (from_kind == Kind::Float && to_kind == Kind::Int && suggest_whole_division(*this, d, value)) return poison(span);
  else if (from_kind == Kind::Float && to_kind == Kind::Int) d.help = "convert it: `int(…)` cuts off the fraction, `round(…)` rounds";
  else if (to_kind == Kind::Str && (d.found == "bytes" || d.found == "Buffer")) d.help = "read it as UTF-8: `….decode()`";
  else if (to_kind == Kind::Str) d.help = "convert it: `str(…)`";
  else if (from_kind == Kind::Str && d.expected == "bytes") d.help = "convert it: `….encode()`";
  else if ((from_kind == Kind::Int || from_kind == Kind::Float) &&
           (d.expected == "Duration" || d.expected == "Duration?"))
    d.help = "a duration has a unit: `5s`, `250ms`; of a number of seconds it is `… * 1s`";
  else if (from_kind == Kind::Str && (to_kind == Kind::Int || to_kind == Kind::Float)) d.help = "convert it: `" + c.text(to) + "(…)`";
  else if (from_kind == Kind::Null) d.help = "make the type optional: `" + c.text(to) + "?`";
  else if (from_kind == Kind::Int && to_kind == Kind::Int) d.help = "convert it: `… as " + c.text(to) + "`";
  else if (from_kind == Kind::Func && to_kind == Kind::Func && types.get(to).is_async && !types.get(from).is_async)
    d.help = make_async_help(*this, value, types.func_result(from));
  else if (from_kind == Kind::Func && to_kind == Kind::Func && std::ranges::count(types.get(from).modes, ParamMode::Ref) > 0) d.help = "it assigns the variable that it is given, and a `" + c.text(to) + "` is given values: let it return the new one";
  else if (from_kind == Kind::Func && types.get(from).is_async && c.future_value(to).valid()) d.help = types.func_params(from).empty() ? "call it: `…()` gives the future" : "call it with its arguments: `…(…)` gives the future";
  else if (from_kind == Kind::Any) d.help = "say what it holds: `… as " + c.text(to) + "`";
  return poison(span);
}

Expr* BodyChecker::check_to(ast::Expr* expr, TypeId target, const char* why, Span why_span) {
  Expr* value = check(expr, target);
  return coerce(value, target, expr->span, why, why_span);
}

TypeId BodyChecker::join(TypeId a, TypeId b) {
  TypeId written_a = a, written_b = b;   // one of them may stand for a type parameter with bounds
  a = known(a);
  b = known(b);
  if (a == b) return c.bounds_behind(written_a) ? written_a : c.bounds_behind(written_b) ? written_b : a;
  Kind ka = types.kind(a), kb = types.kind(b);
  if (ka == Kind::Error || kb == Kind::Never) return a;
  if (kb == Kind::Error || ka == Kind::Never) return b;
  if (ka == Kind::Null) return kb == Kind::Optional || kb == Kind::Any ? b : types.optional(c.bounds_behind(written_b) ? written_b : b);
  if (kb == Kind::Null) return ka == Kind::Optional || ka == Kind::Any ? a : types.optional(c.bounds_behind(written_a) ? written_a : a);
  if (c.unifier.could_unify(a, b)) { c.unifier.unify(a, b); return a; }
  if (ka == Kind::Any || kb == Kind::Any) return types.any;
  if (ka == Kind::Optional || kb == Kind::Optional) {
    TypeId inner = join(ka == Kind::Optional ? types.arg(a) : a, kb == Kind::Optional ? types.arg(b) : b);
    return inner.valid() ? types.optional(inner) : inner;
  }
  if (ka == Kind::Frozen && kb == Kind::Frozen) {
    TypeId inner = join(types.arg(a), types.arg(b));
    return inner.valid() ? types.wrap(Kind::Frozen, inner) : inner;
  }
  if (ka == Kind::Class && kb == Kind::Class) {
    for (TypeId at = a; at.valid(); at = c.base_of(at)) {
      NominalInfo* base = c.nominal_info(at);
      for (TypeId other = b; other.valid(); other = c.base_of(other))
        if (c.nominal_info(other) == base && !(base->module->is_std && base->name.text().starts_with("_")) && c.unifier.could_unify(at, other)) return at;
    }
  }
  if (ka == Kind::Int && kb == Kind::Int && types.get(a).is_signed == types.get(b).is_signed) return types.get(a).width > types.get(b).width ? a : b;
  if (ka == Kind::Float && kb == Kind::Float) return types.float_;
  if (ka == Kind::Tuple && kb == Kind::Tuple && types.get(a).args.size() == types.get(b).args.size()) {
    std::vector<TypeId> items;
    for (size_t i = 0; i < types.get(a).args.size(); ++i) {
      TypeId item = join(types.arg(a, i), types.arg(b, i));
      if (!item.valid()) return TypeId();
      items.push_back(item);
    }
    return types.tuple(items);
  }
  return TypeId();
}

Expr* BodyChecker::convert_call(TypeId type, std::vector<CallArg> args, Span span) {
  auto core_call = [&](const char* function) -> Expr* {
    Overloads* found = c.core_function(function);
    if (!found) {
      c.error(Code::UnknownName, span, std::string("the core library has no function `") + function + "`");
      return poison(span);
    }
    return call_overloads(*found, {}, nullptr, TypeId(), std::move(args), span, TypeId(), c.name(function));
  };
  auto one = [&]() -> Expr* {
    if (args.size() == 1 && !args[0].name && !args[0].star) return args[0].value ? args[0].value : check(args[0].ast);
    c.error(Code::WrongArgumentCount, span, "`" + c.text(type) + "(…)` takes one argument");
    return poison(span);
  };
  // `int(x)` of an object is what its `__int__` gives; null: the library does it.
  auto by_method = [&](const char* method) -> Expr* {
    if (args.size() != 1 || args[0].name || args[0].star) return nullptr;
    if (!args[0].value) args[0].value = check(args[0].ast);
    Expr* value = args[0].value;
    if (is_poison(value)) return value;
    TypeId given = known(value->type);
    switch (types.kind(given)) {
      case Kind::Class: case Kind::Struct: case Kind::Tuple: case Kind::Optional: case Kind::Func: break;
      default: return nullptr;
    }
    if (c.nominal_info(given) && c.has_method(given, method)) return call_method(value, method, {}, span);
    auto& d = c.error(Code::InvalidConversion, span, c.text_with_article(given) + " can't become " + c.text_with_article(type));
    if (types.kind(given) == Kind::Optional) d.help = "it may be null: test it with `is not null` first, or give a default with `??`";
    else if (NominalInfo* info = c.nominal_info(given); info && !info->module->is_std) d.help = "give `" + info->name.str() + "` a `" + method + "`";
    return poison(span);
  };
  switch (types.kind(type)) {
    case Kind::Int: {
      if (args.empty()) return coerce(make_int(0, span), type, span);
      Expr* made = by_method("__int__");
      Expr* given = args.size() == 1 ? args[0].value : nullptr;
      Kind from = given ? types.kind(known(given->type)) : Kind::Error;
      if (!made && type != types.int_ && (from == Kind::Int || from == Kind::Float))
        made = known(given->type) == types.float_ ? call_core("_not_nan", {given}, span) : given;  // an `int` may be too narrow on the way
      if (!made) made = core_call("_make_int");
      if (type == types.int_ || made->type == type || is_poison(made)) return made;
      Expr* number = make_convert(ConvertKind::Numeric, made, type, true);
      number->span = span;   // what has this type is the call, not its argument
      return number;
    }
    case Kind::Float: {
      if (args.empty()) return make<FloatConst>(type, span);
      Expr* made = by_method("__float__");
      if (!made) made = core_call("_make_float");
      if (type == types.float_ || is_poison(made)) return made;
      Expr* number = make_convert(ConvertKind::Numeric, made, type);
      number->span = span;
      return number;
    }
    case Kind::Bool: {
      if (args.empty()) return make_bool(false, span);
      Expr* value = one();
      return is_poison(value) ? value : truth(value, span);
    }
    case Kind::Str: {
      if (args.empty()) return make_text("", span);
      if (args.size() > 1) return core_call("_make_str");
      Expr* value = one();
      return is_poison(value) ? value : make_str(value, span, false);
    }
    case Kind::Bytes: return core_call("_make_bytes");
    case Kind::Any: {
      Expr* value = one();
      return coerce(value, types.any, span);
    }
    default: break;
  }
  auto& d = c.error(Code::NotCallable, span, "`" + c.text(type) + "` can't be called");
  (void)d;
  return poison(span);
}

namespace {

// Only literals: they are what the target says. With a variable among them, they are like that.
bool is_literal_number(ast::Expr* expr) {
  if (expr->kind == ast::ExprKind::Int || expr->kind == ast::ExprKind::Float) return true;
  if (auto* unary = expr->as<ast::UnaryExpr>()) return is_literal_number(unary->operand);
  auto* binary = expr->as<ast::BinaryExpr>();
  return binary && is_literal_number(binary->right) && is_literal_number(binary->left);
}

}  // namespace

Expr* BodyChecker::check_as(ast::AsExpr* expr) {
  TypeId target = type_of(expr->type);
  bool number = types.kind(target) == Kind::Int || types.kind(target) == Kind::Float;
  Expr* value = check(expr->value, types.kind(target) == Kind::Any || (number && !is_literal_number(expr->value)) ? TypeId() : target);
  Span span = expr->span;
  if (is_poison(value) || types.kind(target) == Kind::Error) return poison(span);
  if (c.kind(thawed_type(c, value->type)) == Kind::Any) value = coerce(value, types.any, span);
  TypeId from = require_known(value->type, span, "this value");
  Kind to = types.kind(target), have = types.kind(from);
  if ((have == Kind::Int || have == Kind::Float) && (to == Kind::Int || to == Kind::Float)) {
    if (from == target) return value;
    return make_convert(ConvertKind::Numeric, value, target, true);
  }
  if (have == Kind::Bool && (to == Kind::Int)) return make_convert(ConvertKind::Numeric, make_bool_int(value), target, true);
  if (have == Kind::Any || (have == Kind::Dyn && to != Kind::Dyn)) {
    if (to == Kind::Optional && have == Kind::Any) {
      // null stays null, anything else must be the type inside.
      return make_seq([&]() -> Expr* {
        VariableId temp = new_temp(from, span);
        emit_assign(variable_ref(temp, span), value);
        auto* choice = make<Ternary>(target, span);
        auto* test = make<IsNull>(types.bool_, span);
        test->operand = variable_ref(temp, span);
        choice->condition = test;
        choice->then_value = make<NullConst>(target, span);
        choice->else_value = make_convert(ConvertKind::WrapOptional, make_convert(ConvertKind::FromAny, variable_ref(temp, span), types.arg(target), true), target);
        return choice;
      }, span);
    }
    if (to == Kind::Any) return value;
    return make_convert(ConvertKind::FromAny, value, target, true);
  }
  if (have == Kind::Class && from == c.unifier.shallow(target)) return value;
  if (have == Kind::Class && to == Kind::Class && c.is_subclass(target, from)) return make_convert(ConvertKind::Downcast, value, target, true);
  if (have == Kind::Optional) {
    TypeId inner = c.unifier.shallow(types.arg(from));
    if (types.kind(inner) == Kind::Class && to == Kind::Class && c.is_subclass(target, inner)) return make_convert(ConvertKind::Downcast, make_unwrap(value, span, true), target, true);
    bool is_inside =
        to != Kind::Optional || inner == c.unifier.shallow(target);  // `T?` as `T`, whose `T` may be an optional itself
    if (is_inside && c.unifier.could_unify(inner, target)) return make_unwrap(value, span, true);
  }
  if (Expr* done = try_coerce(value, target, span)) return done;
  auto& d = c.error(Code::InvalidConversion, span, c.text_with_article(from) + " can't become " + c.text_with_article(target));
  if (types.kind(c.resolve(value->type)) == Kind::Frozen && try_coerce(value, types.wrap(Kind::Frozen, target), span)) d.help = "it is frozen and stays so: write `as frozen " + c.text(target) + "`";
  else if (to == Kind::Str) d.help = "write `str(…)`";
  else if (have == Kind::Str && (to == Kind::Int || to == Kind::Float)) d.help = "write `" + c.text(target) + "(…)`, which reads the number from the text";
  return poison(span);
}

Expr* BodyChecker::make_bool_int(Expr* value) {
  auto* choice = make<Ternary>(types.int_, value->span);
  choice->condition = value;
  choice->then_value = make_int(1, value->span);
  choice->else_value = make_int(0, value->span);
  return choice;
}

Expr* BodyChecker::make_unwrap(Expr* optional, Span span, bool checked, bool takes) {
  TypeId type = c.unifier.shallow(optional->type);
  auto* out = make<Unwrap>(types.kind(type) == Kind::Optional ? types.arg(type) : type, span);
  out->operand = optional;
  out->checked = checked;
  out->takes = takes;
  return out;
}

Expr* BodyChecker::make_seq(const std::function<Expr*()>& build, Span span) {
  Expr* value = nullptr;
  Block stmts = collect([&]() { value = build(); });
  if (stmts.empty()) return value;
  auto* seq = make<Seq>(value->type, span);
  seq->stmts = stmts;
  seq->value = value;
  return seq;
}

}  // namespace meteor::typed
