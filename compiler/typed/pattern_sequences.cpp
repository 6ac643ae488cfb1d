// Patterns of several parts in order: tuples and lists, with at most one `*rest`.
#include "compiler/typed/frozen.h"
#include "compiler/typed/pattern_checker.h"

namespace meteor::typed {

namespace {

TypeId boxed_list_type(Checker& c) { return c.types.wrap(Kind::Dyn, c.core_type("_BoxedList")); }

}  // namespace

Pattern* PatternChecker::tuple(ast::Pattern* pattern, TypeId type, const Alias* as) {
  Span span = pattern->span;
  std::vector<TypeId> parts = types.get(type).args;
  size_t star = pattern->items.size();
  for (size_t i = 0; i < pattern->items.size(); ++i)
    if (pattern->items[i]->kind == ast::PatternKind::Star) star = i;
  bool has_star = star != pattern->items.size();
  size_t fixed = pattern->items.size() - (has_star ? 1 : 0);
  if (has_star ? fixed > parts.size() : fixed != parts.size()) {
    Diagnostic& d = c.error(Code::InvalidPattern, span, "this pattern has " + std::to_string(fixed) + (fixed == 1 ? " part" : " parts") + ", but the tuple has " + std::to_string(parts.size()));
    d.expected = c.text(type);
    for (ast::Pattern* item : pattern->items) poison_names(item);
    return wildcard(type, span);
  }
  if (has_star && pattern->items[star]->name) {
    c.error(Code::InvalidPattern, pattern->items[star]->span, "the rest of a tuple can't be bound").help = "name its parts, or write `*_`";
    poison_names(pattern->items[star]);
  }
  std::vector<Pattern*> items;
  for (size_t i = 0; i < parts.size(); ++i) {
    TypeId same;
    if (!has_star || i < star) items.push_back(check(pattern->items[i], parts[i], nullptr, same));
    else if (i >= parts.size() - (fixed - star)) items.push_back(check(pattern->items[pattern->items.size() - (parts.size() - i)], parts[i], nullptr, same));
    else items.push_back(wildcard(parts[i], span));
  }
  Pattern* out = b.make_pattern(PatternKind::Tuple, type, span);
  out->items = b.keep(items);
  return alias(as, type, out, span);
}

Pattern* PatternChecker::list(ast::Pattern* pattern, TypeId type, const Alias* as) {
  Span span = pattern->span;
  auto refuse = [&] {
    for (ast::Pattern* item : pattern->items) poison_names(item);
    if (as && as->name) b.bind_name(as->name, types.error, as->span);
    return wildcard(type, span);
  };
  TypeId whole = type;
  bool outer_frozen = frozen_;
  NominalInfo* info = c.nominal_info(type);
  bool is_list = info && info->module->is_core && info->name.text() == "list";
  bool is_boxed = c.kind(type) == Kind::Dyn && type == boxed_list_type(c);
  bool is_sequence = is_list || is_boxed || (types.is_nominal(type) && c.has_method(type, "__len__") && c.has_method(type, "__getitem__"));
  if (!is_sequence) {
    if (c.kind(type) == Kind::Any) {
      c.error(Code::InvalidPattern, span, "the types of the parts are not known here").help = "name them: `case (int, str) as pair`";
      return refuse();
    }
    Pattern* out = impossible(type, span, pattern->kind == ast::PatternKind::List ? "a list" : "a tuple");
    refuse();
    return out;
  }
  size_t star = pattern->items.size();
  for (size_t i = 0; i < pattern->items.size(); ++i) {
    if (pattern->items[i]->kind != ast::PatternKind::Star) continue;
    if (star != pattern->items.size()) {
      c.error(Code::InvalidPattern, pattern->items[i]->span, "only one part can be starred").labels.push_back({pattern->items[star]->span, "the first is here"});
      return refuse();
    }
    star = i;
  }
  bool has_star = star != pattern->items.size();
  size_t fixed = pattern->items.size() - (has_star ? 1 : 0);
  Pattern* out = b.make_pattern(PatternKind::List, type, span);
  if (frozen_) whole = frozen_type(c, type);
  frozen_ = false;   // the elements' own types say it
  out->subject = b.new_temp(whole, span);
  auto seen = [&] { return b.variable_ref(out->subject, span); };
  if (!has_star || fixed > 0) {
    auto* length = b.make<Compare>(types.bool_, span);
    length->op = has_star ? CompareOp::Ge : CompareOp::Eq;
    length->left = b.make_seq([&] { return b.call_method(seen(), is_boxed ? "_boxed_len" : "__len__", {}, span); }, span);
    length->right = b.make_int(static_cast<int64_t>(fixed), span);
    out->length_test = length;
  } else {
    out->length_test = b.make_bool(true, span);
  }
  std::vector<Expr*> elements;
  std::vector<Pattern*> items;
  BodyChecker::ListShape shape;
  shape.has_rest = has_star;
  shape.front.resize(has_star ? star : fixed);
  shape.back.resize(fixed - shape.front.size());
  for (size_t i = 0; i < pattern->items.size(); ++i) {
    ast::Pattern* item = pattern->items[i];
    if (item->kind == ast::PatternKind::Wildcard || (i == star && !item->name && !item->inner)) continue;
    Expr* element;
    if (i == star) {
      size_t after = pattern->items.size() - i - 1;
      element = b.make_seq([&] { return is_boxed ? b.call_method(seen(), "_boxed_rest", {b.make_int(static_cast<int64_t>(i), item->span), b.make_int(static_cast<int64_t>(after), item->span)}, item->span) : b.slice_from(seen(), i, after, item->span); }, item->span);
    } else {
      int64_t at = i < star ? static_cast<int64_t>(i) : -static_cast<int64_t>(pattern->items.size() - i);
      element = b.make_seq([&] { return b.call_method(seen(), is_boxed ? "_boxed_item" : "__getitem__", {b.make_int(at, item->span)}, item->span); }, item->span);
    }
    if (b.is_poison(element)) {
      frozen_ = outer_frozen;
      return refuse();
    }
    TypeId same;
    Pattern* sub;
    if (i == star && item->name) sub = bind(item->name, element->type, item->span, nullptr);
    else if (i == star) sub = check(item->inner, element->type, nullptr, same);
    else sub = check(item, element->type, nullptr, same);
    if (sub->kind == PatternKind::Wildcard) continue;
    elements.push_back(element);
    items.push_back(sub);
    if (i < star) shape.front[i] = sub;
    else if (i > star) shape.back[i - star - 1] = sub;
  }
  frozen_ = outer_frozen;
  b.root->list_shapes_[out] = std::move(shape);
  out->elements = b.keep(elements);
  out->items = b.keep(items);
  return alias(as, type, out, span);
}

// A list in an `any`: whatever its elements are, they are matched as `any`.
Pattern* PatternChecker::boxed_list(ast::Pattern* pattern, TypeId type, const Alias* as) {
  Pattern* out = b.make_pattern(PatternKind::Type, type, pattern->span);
  out->tested = boxed_list_type(c);
  out->items = b.keep(std::vector<Pattern*>{list(pattern, out->tested, nullptr)});
  return alias(as, type, out, pattern->span);
}

}  // namespace meteor::typed
