// Dict patterns: `{"kind": "circle", "r": r, **rest}`. Every key must be there; keys that are not named don't matter.
// They are matched like lists: a test that all keys are there, then an expression for each value.
#include "compiler/typed/frozen.h"
#include "compiler/typed/pattern_checker.h"

namespace meteor::typed {

namespace {

TypeId boxed_dict_type(Checker& c) { return c.types.wrap(Kind::Dyn, c.core_type("_BoxedDict")); }

// A name alone must be a constant: a variable's value would be another thing than what the pattern says.
bool refuse_variable_key(BodyChecker& b, ast::Expr* key) {
  auto* name = key->as<ast::NameExpr>();
  if (!name) return false;
  Symbol symbol = b.find_symbol(name->name);
  bool is_const = symbol.kind == SymbolKind::Global && symbol.global->is_const;
  if (b.find_local(name->name).kind != BindingKind::Variable && (is_const || symbol.kind == SymbolKind::EnumCase)) return false;
  b.c.error(Code::InvalidPattern, key->span, "the key of a dict pattern is a literal or a constant").help =
      "declare `const " + name->name.str() + " = …`, or look it up in the body";
  return true;
}

}  // namespace

Pattern* PatternChecker::dict(ast::Pattern* pattern, TypeId type, const Alias* as) {
  Span span = pattern->span;
  bool is_boxed = c.kind(type) == Kind::Dyn && type == boxed_dict_type(c);
  auto refuse = [&] {
    for (ast::Pattern* item : pattern->items) poison_names(item);
    if (as && as->name) b.bind_name(as->name, types.error, as->span);
    return wildcard(type, span);
  };
  if (!is_boxed && c.nominal_info(type) != c.core_nominal("dict")) {
    Pattern* out = impossible(type, span, "a dict");
    refuse();
    return out;
  }
  TypeId key_type = is_boxed ? types.any : c.resolve(types.arg(type));
  Pattern* out = b.make_pattern(PatternKind::List, type, span);
  bool outer_frozen = std::exchange(frozen_, false);   // the values' own types say it
  out->subject = b.new_temp(outer_frozen ? frozen_type(c, type) : type, span);
  auto ask = [&](const char* method, Expr* of, Span at) { return b.make_seq([&] { return b.call_method(b.variable_ref(out->subject, span), method, {of}, at); }, at); };
  std::vector<ast::Expr*> keys;
  std::vector<Pattern*> items;
  std::vector<Expr*> elements;
  Expr* test = nullptr;
  bool failed = false;
  auto match_part = [&](ast::Pattern* part, Expr* value, Name rest) {
    failed |= b.is_poison(value);
    if (b.is_poison(value)) return poison_names(part);
    TypeId same;
    Pattern* sub = rest ? bind(rest, value->type, part->span, nullptr) : check(part, value->type, nullptr, same);
    if (sub->kind == PatternKind::Wildcard) return;
    items.push_back(sub);
    elements.push_back(value);
  };
  for (ast::Pattern* item : pattern->items) {
    if (item->kind == ast::PatternKind::Star) {
      if (item != pattern->items.back()) c.error(Code::InvalidPattern, item->span, "the rest of a dict comes last");
      if (!item->name) continue;
      std::vector<Expr*> named;
      for (ast::Expr* key : keys) named.push_back(b.check_to(key, key_type));
      std::vector<std::pair<Expr*, bool>> parts;
      for (Expr* key : named) parts.emplace_back(key, false);
      match_part(item, ask(is_boxed ? "_boxed_without" : "_without", b.build_collection(c.list_of(key_type), parts, item->span), item->span), item->name);
      continue;
    }
    Expr* key = refuse_variable_key(b, item->literal) ? b.poison(item->span) : b.check_to(item->literal, key_type);
    if (b.is_poison(key)) {
      failed = true;
      poison_names(item);
      continue;
    }
    keys.push_back(item->literal);
    Expr* has = ask(is_boxed ? "_boxed_has" : "__contains__", key, item->literal->span);
    if (auto* both = test ? b.make<And>(types.bool_, span) : nullptr) {
      both->left = test;
      both->right = has;
      test = both;
    } else {
      test = has;
    }
    if (item->inner->kind == ast::PatternKind::Wildcard) continue;
    match_part(item->inner, ask(is_boxed ? "_boxed_value" : "__getitem__", b.check_to(item->literal, key_type), item->span), Name());
  }
  frozen_ = outer_frozen;
  if (failed) {
    if (as && as->name) b.bind_name(as->name, types.error, as->span);
    return wildcard(type, span);
  }
  out->length_test = test ? test : b.make_bool(true, span);
  out->elements = b.keep(elements);
  out->items = b.keep(items);
  return alias(as, type, out, span);
}

// A dict in an `any`, as a parsed JSON object is: whatever its values are, they are matched as `any`.
Pattern* PatternChecker::boxed_dict(ast::Pattern* pattern, TypeId type, const Alias* as) {
  Pattern* out = b.make_pattern(PatternKind::Type, frozen_ ? frozen_type(c, type) : type, pattern->span);
  out->tested = frozen_ ? c.core_type("dict", {types.str, types.any}) : boxed_dict_type(c);
  if (frozen_) c.note_type(out->tested);
  out->items = b.keep(std::vector<Pattern*>{dict(pattern, out->tested, nullptr)});
  return alias(as, type, out, pattern->span);
}

}  // namespace meteor::typed
