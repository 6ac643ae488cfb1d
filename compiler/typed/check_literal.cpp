// Literals, f-strings and displays of lists, dicts, sets and tuples.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/common_trait.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {

Expr* BodyChecker::check_literal(ast::Expr* expr, TypeId expected) {
  Span span = expr->span;
  switch (expr->kind) {
    case ast::ExprKind::Int: {
      auto* literal = expr->as<ast::IntExpr>();
      TypeId hint = expected.valid() ? c.unifier.shallow(expected) : TypeId();
      if (hint.valid() && types.kind(hint) == Kind::Optional) hint = c.unifier.shallow(types.arg(hint));
      bool unsigned64 = hint.valid() && hint == types.uint64;
      if (literal->too_big || (literal->value > static_cast<uint64_t>(INT64_MAX) && !unsigned64)) {
        if (hint.valid() && types.kind(hint) == Kind::Float && !literal->too_big) {
          auto* number = make<FloatConst>(hint, span);
          number->value = static_cast<double>(literal->value);
          return number;
        }
        auto& d = c.error(Code::LiteralOutOfRange, span, "this number does not fit in `int`");
        d.notes.push_back("`int` holds -9223372036854775808 to 9223372036854775807");
        d.help = "write it as a float, `" + std::string(c.input.sources.text(span)) + ".0`, if it need not be exact";
        return poison(span);
      }
      auto* constant = make<IntConst>(unsigned64 ? types.uint64 : types.int_, span);
      constant->bits = literal->value;
      constant->is_literal = !unsigned64;
      return constant;
    }
    case ast::ExprKind::Float: {
      auto* number = make<FloatConst>(types.float_, span);
      number->value = expr->as<ast::FloatExpr>()->value;
      return number;
    }
    case ast::ExprKind::Bool: return make_bool(expr->as<ast::BoolExpr>()->value, span);
    case ast::ExprKind::Null: return make<NullConst>(types.null, span);
    case ast::ExprKind::Str: {
      auto* text = make<StrConst>(types.str, span);
      text->value = expr->as<ast::StrExpr>()->value;
      return text;
    }
    case ast::ExprKind::Bytes: {
      auto* data = make<BytesConst>(types.bytes, span);
      data->value = expr->as<ast::BytesExpr>()->value;
      return data;
    }
    case ast::ExprKind::Duration: {
      auto* made = make<New>(c.core_type("Duration"), span);
      made->fields = keep(std::vector<Expr*>{make_int(expr->as<ast::DurationExpr>()->ns, span)});
      return made;
    }
    default: break;
  }
  return poison(span);
}

Expr* BodyChecker::check_fstring(ast::FStringExpr* expr) {
  std::function<Expr*(std::span<ast::FStringPart>, Span)> build = [&](std::span<ast::FStringPart> parts, Span span) -> Expr* {
    std::vector<Expr*> pieces;
    bool failed = false;
    for (ast::FStringPart& part : parts) {
      if (!part.value) {
        pieces.push_back(make_text(part.text, span));
        continue;
      }
      if (part.debug) pieces.push_back(make_text(part.text, span));
      Expr* value = check(part.value);
      if (is_poison(value)) { failed = true; continue; }
      bool quoted = part.conversion == 'r' || (part.debug && !part.conversion && part.spec.empty());
      NominalInfo* nominal = c.nominal_info(c.resolve(known(value->type)));
      bool own_format = nominal && !nominal->module->is_std && !part.conversion && !part.debug && c.has_method(value->type, "__format__");
      if (part.spec.empty() && own_format) {
        value = make_format(value, make_text("", span), part.value->span);
      } else if (part.spec.empty()) {
        value = make_str(value, part.value->span, quoted);
      } else {
        Expr* spec = build(part.spec, span);
        if (part.conversion) value = make_str(value, part.value->span, quoted);
        value = is_poison(value) || is_poison(spec) ? poison(span) : make_format(value, spec, part.value->span);
      }
      if (is_poison(value)) { failed = true; continue; }
      pieces.push_back(value);
    }
    if (failed) return poison(span);
    if (pieces.empty()) return make_text("", span);
    if (pieces.size() == 1) return pieces[0];
    auto* concat = make<Concat>(types.str, span);
    concat->parts = keep(pieces);
    return concat;
  };
  return build(expr->parts, expr->span);
}

// The element type a display should have: from what is wanted, else from its elements together.
namespace {

// What is wanted of the items, frozen where they are: who wants it may take frozen values too.
TypeId with_frozen_items(BodyChecker& b, TypeId wanted, const std::vector<Expr*>& items) {
  TypeId frozen = wanted;
  for (Expr* item : items)
    if (mentions_frozen(b.c, item->type)) frozen = with_frozen_parts(b.c, frozen, item->type);
  bool fits = frozen != wanted && std::ranges::all_of(items, [&](Expr* item) { return b.is_poison(item) || b.can_convert(item, frozen); });
  return fits ? frozen : wanted;
}

// A number that is written beside values of a numeric type, which it takes if it fits.
bool fits_beside(BodyChecker& b, const IntConst* literal, TypeId type) {
  if (!type.valid()) return false;
  type = b.c.resolve(type);
  if (b.types.kind(type) == Kind::Optional) type = b.types.arg(type);
  if (b.types.kind(type) != Kind::Int) return b.types.kind(type) == Kind::Float;
  const types::Type& wanted = b.types.get(type);
  auto value = static_cast<int64_t>(literal->bits);
  unsigned bits = wanted.width - (wanted.is_signed ? 1 : 0);
  bool is_small = bits >= 63 || (value >> bits) == (value < 0 ? -1 : 0);
  return is_small && (wanted.is_signed || value >= 0);
}

IntConst* as_literal(Expr* item) {
  auto* number = item->as<IntConst>();
  return number && number->is_literal ? number : nullptr;
}

// What is wanted of elements that no one type but a trait of theirs holds; else what was wanted before. Keys need a hash, which a `dyn` lacks.
TypeId shared_hint(BodyChecker& b, const std::vector<Expr*>& items, TypeId hint, Span span) {
  if (hint.valid() && b.c.kind(hint) != Kind::Var) return hint;
  TypeId so_far;
  for (Expr* item : items) {
    if (b.is_poison(item) || as_literal(item)) return hint;
    so_far = so_far.valid() ? b.join(so_far, item->type) : item->type;
    if (!so_far.valid()) break;
  }
  TypeId shared = so_far.valid() || items.empty() ? TypeId() : common_trait(b, items, span);
  if (shared.valid() && hint.valid()) b.c.unifier.unify(hint, shared);
  return shared.valid() ? shared : hint;
}

}  // namespace

TypeId BodyChecker::element_type(std::vector<Expr*>& items, TypeId hint, Span span) {
  if (hint.valid() && c.kind(hint) != Kind::Var) return with_frozen_items(*this, hint, items);
  TypeId result = hint.valid() ? hint : c.unifier.fresh(span);
  TypeId so_far;
  auto take = [&](TypeId type) {
    TypeId both = so_far.valid() ? join(so_far, type) : type;
    so_far = both.valid() ? both : types.any;  // [1, "a"]: of any type
  };
  for (Expr* e : items) {
    if (is_poison(e)) return types.error;
    if (!as_literal(e)) take(c.bounds_behind(e->type) ? e->type : known(e->type));
  }
  for (Expr* e : items)
    if (IntConst* number = as_literal(e); number && !fits_beside(*this, number, so_far)) take(known(e->type));
  if (so_far.valid()) {
    if (c.kind(so_far) == Kind::Null) so_far = types.any;
    if (c.kind(so_far) == Kind::Void) {
      c.error(Code::TypeMismatch, items[0]->span, "this gives no value");
      return types.error;
    }
    c.unifier.unify(result, so_far);
  }
  return result;
}

TypeId BodyChecker::hint_argument(TypeId expected, std::string_view nominal, size_t index) {
  if (!expected.valid()) return TypeId();
  TypeId type = c.unifier.shallow(expected);
  if (types.kind(type) == Kind::Optional) type = c.unifier.shallow(types.arg(type));
  NominalInfo* info = c.nominal_info(type);
  if (!info || info != c.core_nominal(nominal)) return TypeId();
  return c.unifier.shallow(types.arg(type, index));
}

namespace {

constexpr size_t FEWEST_IN_AN_ARRAY = 24;   // fewer are better stored one by one, where LLVM sees them

// Puts the constants that it is made of behind `leaves`; false: it is made of something else as well.
bool take_leaves(BodyChecker& b, Expr* value, TypeId type, std::vector<Expr*>& leaves) {
  type = b.c.unifier.shallow(type);
  if (auto* tuple = value->as<MakeTuple>()) {
    if (b.types.kind(type) != Kind::Tuple) return false;
    for (size_t i = 0; i < tuple->items.size(); ++i)
      if (!take_leaves(b, tuple->items[i], b.types.arg(type, i), leaves)) return false;
    return true;
  }
  Kind wanted = b.types.kind(type);
  bool fits = (value->kind == ExprKind::Int && wanted == Kind::Int) || (value->kind == ExprKind::Float && wanted == Kind::Float) || (value->kind == ExprKind::Bool && wanted == Kind::Bool) ||
              (value->kind == ExprKind::Str && wanted == Kind::Str) || (value->kind == ExprKind::Bytes && wanted == Kind::Bytes);
  if (!fits || !(b.c.unifier.shallow(value->type) == type)) return false;
  leaves.push_back(value);
  return true;
}

bool is_made_of_constants(BodyChecker& b, Expr* value, TypeId type) {
  std::vector<Expr*> leaves;
  return take_leaves(b, value, type, leaves);
}

}  // namespace

Expr* BodyChecker::constant_array(std::span<Expr* const> items, TypeId element, Span span) {
  if (items.size() < FEWEST_IN_AN_ARRAY) return nullptr;
  element = c.resolve(element);
  if (types.has_var(element) || (types.kind(element) == Kind::Tuple && types.get(element).args.empty())) return nullptr;
  std::vector<Expr*> leaves;
  for (Expr* item : items)
    if (!take_leaves(*this, item, element, leaves)) return nullptr;
  return call_intrinsic(Intrinsic::ConstantArray, element, types.wrap(Kind::RawPtr, element), std::move(leaves), span);
}

// Long runs of constants lie in the program's data and are copied at once.
Expr* BodyChecker::build_collection(TypeId type, std::vector<std::pair<Expr*, bool>> items, Span span) {
  TypeId element = types.get(c.unifier.shallow(type)).args[0];
  auto constants_from = [&](size_t first) {
    std::vector<Expr*> run;
    for (size_t i = first; i < items.size() && !items[i].second && is_made_of_constants(*this, items[i].first, element); ++i) run.push_back(items[i].first);
    return run;
  };
  return make_seq([&]() -> Expr* {
    VariableId list = new_temp(type, span);
    emit_assign(variable_ref(list, span), call_static(type, "_with_capacity", {make_int(static_cast<int64_t>(items.size()), span)}, span));
    bool is_list = c.nominal_info(type) == c.core_nominal("list"), starred = false;
    for (auto& [item, star] : items) starred |= star;
    size_t looked_at = 0;   // up to here no run is long enough
    for (size_t i = 0; i < items.size(); ++i) {
      auto& [item, star] = items[i];
      if (i >= looked_at) {
        std::vector<Expr*> run = constants_from(i);
        looked_at = i + std::max<size_t>(run.size(), 1);
        if (Expr* array = constant_array(run, element, span)) {
          emit_expr(call_method(variable_ref(list, span), "_put_constants", {array, make_int(static_cast<int64_t>(run.size()), span)}, span));
          i += run.size() - 1;
          continue;
        }
      }
      if (star) emit_expr(call_method(variable_ref(list, span), is_list ? "extend" : "update", {item}, item->span));
      else if (is_list && !starred) emit_expr(add_to(list, "_push_unchecked", "_push_made", {item}, item->span));
      else emit_expr(add_to(list, is_list ? "append" : "add", "_put", {item}, item->span));
    }
    return variable_ref(list, span);
  }, span);
}

Expr* BodyChecker::check_list(ast::ListExpr* expr, TypeId expected) { return check_display(expr->items, expected, "list", expr->span); }
Expr* BodyChecker::check_set(ast::SetExpr* expr, TypeId expected) { return check_display(expr->items, expected, "set", expr->span); }

Expr* BodyChecker::check_display(std::span<ast::Expr*> elements, TypeId expected, const char* nominal, Span span) {
  TypeId hint = hint_argument(expected, nominal, 0);
  std::vector<Expr*> plain;
  std::vector<std::pair<Expr*, bool>> items;
  for (ast::Expr* e : elements) {
    auto* star = e->as<ast::StarExpr>();
    TypeId item_hint = hint.valid() || plain.empty() ? hint : literal_hint(plain[0]);
    Expr* value = star ? check(star->operand, expected) : check(e, item_hint);
    plain.push_back(star ? make<Unreachable>(iterated_type(value, e->span), e->span) : value);
    items.emplace_back(value, star != nullptr);
  }
  return collection_of(std::move(items), std::move(plain), hint, nominal, span);
}

Expr* BodyChecker::collection_of(std::vector<std::pair<Expr*, bool>> items, std::vector<Expr*> plain, TypeId hint, const char* nominal, Span span) {
  bool is_list = std::string_view(nominal) == "list";
  TypeId element = element_type(plain, is_list ? shared_hint(*this, plain, hint, span) : hint, span);
  if (c.kind(element) == Kind::Error) return poison(span);
  bool failed = false;
  for (auto& [value, star] : items) {
    if (!star) value = coerce(value, element, value->span);
    failed |= is_poison(value);
  }
  if (failed) return poison(span);
  return build_collection(c.core_type(nominal, {element}), std::move(items), span);
}

TypeId BodyChecker::iterated_type(Expr* value, Span span) {
  if (is_poison(value)) return types.error;
  TypeId type = require_known(value->type, span, "this value");
  if (types.kind(type) == Kind::Tuple) return types.get(type).args.empty() ? types.int_ : types.arg(type, 0);
  // Only the type is wanted: what the calls would do is thrown away.
  TypeId element = types.error;
  collect([&] {
    Expr* iterator = make_iterator(make<Unreachable>(type, span), span);
    if (is_poison(iterator)) return;
    Member next = c.find_member(iterator->type, c.name("next"));
    if (next.kind != Member::Methods) return;
    Expr* item = call_overloads(*next.methods, next.subst, make<Unreachable>(iterator->type, span), c.unifier.shallow(iterator->type), {}, span, TypeId(), c.name("next"));
    TypeId result = known(item->type);
    if (types.kind(result) == Kind::Optional) element = types.arg(result);
  });
  return element;
}

Expr* BodyChecker::check_dict(ast::DictExpr* expr, TypeId expected) {
  Span span = expr->span;
  TypeId key_hint = hint_argument(expected, "dict", 0), value_hint = hint_argument(expected, "dict", 1);
  if (!key_hint.valid() && hint_argument(expected, "set", 0).valid() && expr->items.empty()) return build_collection(c.unifier.shallow(expected), {}, span);
  std::vector<Expr*> keys, values;
  for (ast::DictItem& item : expr->items) {
    if (!item.key) {
      Expr* other = check(item.value, expected);
      keys.push_back(nullptr);
      values.push_back(other);
      continue;
    }
    keys.push_back(check(item.key, key_hint));
    values.push_back(check(item.value, value_hint.valid() ? value_hint : values.empty() || !keys[0] ? TypeId() : literal_hint(values[0])));
  }
  std::vector<Expr*> plain_keys, plain_values;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i]) {
      plain_keys.push_back(keys[i]);
      plain_values.push_back(values[i]);
    } else {
      TypeId spread = is_frozen(*this, values[i]) ? read_as(c, values[i]->type) : values[i]->type;
      TypeId k = hint_argument(spread, "dict", 0), v = hint_argument(spread, "dict", 1);
      if (!k.valid()) {
        if (!is_poison(values[i])) c.error(Code::TypeMismatch, values[i]->span, "`**` needs a dict here");
        return poison(span);
      }
      plain_keys.push_back(make<Unreachable>(k, span));
      plain_values.push_back(make<Unreachable>(v, span));
    }
  }
  TypeId key = element_type(plain_keys, key_hint, span);
  TypeId value = element_type(plain_values, shared_hint(*this, plain_values, value_hint, span), span);
  if (c.kind(key) == Kind::Error || c.kind(value) == Kind::Error) return poison(span);
  TypeId type = c.core_type("dict", {key, value});
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] || !is_frozen(*this, values[i])) continue;
    TypeId held = hint_argument(read_as(c, values[i]->type), "dict", 1);
    if (!holds_frozen(c, held) || c.unifier.could_unify(held, value)) continue;
    auto& d = c.error(Code::TypeMismatch, values[i]->span, "the values of this dict are frozen, and could be changed through the new one");
    d.found = c.text(values[i]->type);
    d.help = "put copies of them in, or freeze the other values too";
    return poison(span);
  }
  return make_seq([&]() -> Expr* {
    VariableId dict = new_temp(type, span);
    emit_assign(variable_ref(dict, span), call_static(type, "_with_capacity", {make_int(static_cast<int64_t>(keys.size()), span)}, span));
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!keys[i]) continue;
      keys[i] = coerce(keys[i], key, keys[i]->span);
      values[i] = coerce(values[i], value, values[i]->span);
      if (is_poison(keys[i]) || is_poison(values[i])) return poison(span);
    }
    Expr* key_array = std::ranges::find(keys, nullptr) == keys.end() ? constant_array(keys, key, span) : nullptr;
    if (Expr* value_array = key_array ? constant_array(values, value, span) : nullptr) {
      Expr* step = call_method(variable_ref(dict, span), "_put_constants", {key_array, value_array, make_int(static_cast<int64_t>(keys.size()), span)}, span);
      if (is_poison(step)) return step;
      emit_expr(step);
      return variable_ref(dict, span);
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      Expr* step = !keys[i] ? call_method(variable_ref(dict, span), "update", {values[i]}, span) : add_to(dict, "__setitem__", "_put", {keys[i], values[i]}, keys[i]->span);
      if (is_poison(step)) return step;
      emit_expr(step);
    }
    return variable_ref(dict, span);
  }, span);
}

Expr* BodyChecker::check_tuple(ast::TupleExpr* expr, TypeId expected) {
  TypeId hint = expected.valid() ? c.unifier.shallow(expected) : TypeId();
  if (hint.valid() && types.kind(hint) == Kind::Optional) hint = c.unifier.shallow(types.arg(hint));
  bool fits = hint.valid() && types.kind(hint) == Kind::Tuple && types.get(hint).args.size() == expr->items.size();
  std::vector<Expr*> items;
  std::vector<TypeId> item_types;
  for (size_t i = 0; i < expr->items.size(); ++i) {
    if (expr->items[i]->kind == ast::ExprKind::Star) {
      c.error(Code::InvalidOperand, expr->items[i]->span, "a tuple has a fixed number of elements, so nothing can be spread into it").help = "use a list: `[…]`";
      return poison(expr->span);
    }
    TypeId wanted = fits ? types.arg(hint, i) : TypeId();
    Expr* item = check(expr->items[i], wanted);
    if (wanted.valid() && c.kind(wanted) != Kind::Var)
      if (Expr* converted = can_convert(item, wanted) ? try_coerce(item, wanted, item->span) : nullptr) item = converted;
    if (is_poison(item)) return item;
    if (c.kind(item->type) == Kind::Void) {
      c.error(Code::TypeMismatch, item->span, "this gives no value");
      return poison(expr->span);
    }
    if (c.kind(item->type) == Kind::Null) item = coerce(item, types.optional(c.unifier.fresh(item->span)), item->span);
    items.push_back(item);
    item_types.push_back(item->type);
  }
  auto* tuple = make<MakeTuple>(types.tuple(item_types), expr->span);
  tuple->items = keep(items);
  return tuple;
}

}  // namespace meteor::typed
