// Patterns: the parser's paths become bindings, constants, enum cases or type
// tests, depending on what the names mean and on the type of the value.
// Invariant: every alternative of an Or binds the same variables.
#include "compiler/typed/hidden_types.h"
#include "compiler/typed/pattern_checker.h"

#include <utility>

#include "compiler/typed/frozen.h"
#include "compiler/typed/has_trait.h"

namespace meteor::typed {

// ---- Binding ----------------------------------------------------------------

Pattern* PatternChecker::bind(Name name, TypeId type, Span span, Pattern* inner) {
  if (frozen_) type = frozen_type(c, type);
  for (const Bound& known : bound_) {
    if (known.name != name) continue;
    c.error(Code::InvalidPattern, span, "`" + name.str() + "` is bound twice in this pattern").labels.push_back({known.span, "first here"});
    return wildcard(type, span);
  }
  VariableId variable;
  if (shared_) {
    for (const Bound& first : *shared_) {
      if (first.name != name) continue;
      variable = first.variable;
      if (c.kind(type) != Kind::Error && c.kind(b.var(variable).type) != Kind::Error && !c.unifier.unify(b.var(variable).type, type)) {
        Diagnostic& d = c.error(Code::InvalidPattern, span, "`" + name.str() + "` has different types in the alternatives");
        d.expected = c.text(b.var(variable).type);
        d.found = c.text(type);
        d.labels.push_back({first.span, "the other one"});
        return wildcard(type, span);
      }
    }
    if (!variable.valid()) {
      c.error(Code::InvalidPattern, span, "`" + name.str() + "` is not bound by every alternative").help = "bind the same names in all of them, or use `_`";
      b.bind_name(name, type, span);
      return wildcard(type, span);
    }
  } else {
    variable = b.bind_name(name, type, span);
  }
  bound_.push_back({name, variable, span});
  Pattern* out = b.make_pattern(PatternKind::Bind, type, span);
  out->variable = variable;
  if (inner) out->items = b.keep(std::vector<Pattern*>{inner});
  return out;
}

Pattern* PatternChecker::alias(const Alias* as, TypeId type, Pattern* inner, Span span) {
  if (!as || !as->name) return inner ? inner : wildcard(type, span);
  return bind(as->name, type, as->span, inner && inner->kind != PatternKind::Wildcard ? inner : nullptr);
}

Pattern* PatternChecker::lift(TypeId type, Span span, TypeId& matched, const std::function<Pattern*(TypeId)>& make) {
  TypeId inner = c.resolve_parts(types.arg(type));
  matched = inner;
  Pattern* out = b.make_pattern(PatternKind::NotNull, type, span);
  Pattern* item = make(inner);
  if (item->kind != PatternKind::Wildcard) out->items = b.keep(std::vector<Pattern*>{item});
  return out;
}

Pattern* PatternChecker::impossible(TypeId type, Span span, const std::string& wanted) {
  if (b.is_generic_instance()) {
    never_ = true;
  } else {
    Diagnostic& d = c.error(Code::TypeMismatch, span, "this pattern can never match");
    d.expected = c.text(type);
    d.found = wanted;
  }
  return wildcard(type, span);
}

void PatternChecker::poison_names(ast::Pattern* pattern) {
  if (!pattern) return;
  if (pattern->name) b.bind_name(pattern->name, types.error, pattern->span);
  if (pattern->kind == ast::PatternKind::Path && pattern->path.size() == 1 && !b.find_symbol(pattern->path[0])) b.bind_name(pattern->path[0], types.error, pattern->span);
  poison_names(pattern->inner);
  for (ast::Pattern* item : pattern->items) poison_names(item);
  for (ast::PatternArg& arg : pattern->args) poison_names(arg.pattern);
}

// ---- What a path means ------------------------------------------------------

PatternChecker::Reference PatternChecker::classify(ast::Pattern* pattern, TypeId type, bool is_call) {
  Reference ref;
  TypeId base = c.kind(type) == Kind::Optional ? c.resolve(types.arg(type)) : type;
  Name last = pattern->path.back();
  bool is_derived = b.info && b.info->is_derived;  // its names bind, whatever the user calls so
  if (pattern->path.size() == 1 && c.kind(base) == Kind::Enum && !is_derived) {
    NominalInfo* info = c.nominal_info(base);
    for (uint32_t i = 0; i < info->decl->cases.size(); ++i) {
      if (info->decl->cases[i].name != last) continue;
      ref.meaning = Meaning::Case;
      ref.nominal = info;
      ref.case_index = i;
      return ref;
    }
  }
  bool is_bare = pattern->path.size() == 1 && !is_call;
  if (is_bare && (is_derived || b.find_local(last).kind == BindingKind::Variable || b.is_outer_variable(last))) {
    ref.meaning = Meaning::Bind;
    return ref;
  }
  base::Arena& arena = c.program.arena;
  ast::Expr* expr = nullptr;
  for (Name part : pattern->path) {
    if (!expr) {
      auto* name = arena.make<ast::NameExpr>();
      name->name = part;
      expr = name;
    } else {
      auto* member = arena.make<ast::MemberExpr>();
      member->object = expr;
      member->name = part;
      member->name_span = pattern->span;
      expr = member;
    }
    expr->span = pattern->span;
  }
  auto entity = b.find_entity(expr);
  if (entity.kind == SymbolKind::EnumCase && (!is_call || is_plain_case(entity.symbol)))
    if (auto hidden = find_hidden_type(b, expr)) entity = hidden;  // the value is of another type than the case
  switch (entity.kind) {
    case SymbolKind::EnumCase:
      ref.meaning = Meaning::Case;
      ref.nominal = entity.symbol.nominal;
      ref.case_index = entity.symbol.case_index;
      return ref;
    case SymbolKind::Nominal: case SymbolKind::Alias: case SymbolKind::BuiltinType:
      ref.type = c.resolve(b.entity_type(entity, {}, pattern->span));
      ref.meaning = c.kind(ref.type) == Kind::Error ? Meaning::Bad : Meaning::Type;
      return ref;
    default: break;
  }
  if (is_call) {
    if (c.kind(base) == Kind::Enum) {
      NominalInfo* info = c.nominal_info(base);
      Diagnostic& d = c.error(Code::InvalidPattern, pattern->span, "`" + info->name.str() + "` has no case `" + last.str() + "`");
      d.labels.push_back({info->decl->name_span, "declared here"});
    } else {
      c.error(Code::InvalidPattern, pattern->span, "`" + last.str() + "` is neither an enum case nor a type");
    }
    return ref;
  }
  if (pattern->path.size() == 1) {
    Symbol symbol = b.find_symbol(last);
    bool is_const = symbol.kind == SymbolKind::Global && symbol.global->is_const;
    ref.meaning = is_const ? Meaning::Value : Meaning::Bind;
    if (is_const) ref.value = b.read_global(symbol.global, pattern->span);
    return ref;
  }
  ref.value = b.check(expr);
  if (!b.is_poison(ref.value)) ref.meaning = Meaning::Value;
  return ref;
}

// ---- Kinds ------------------------------------------------------------------

// A frozen value is matched as what it is; its parts are bound as frozen.
Pattern* PatternChecker::check_frozen(ast::Pattern* pattern, TypeId type, const Alias* as, TypeId& matched) {
  bool outer = std::exchange(frozen_, true);
  Pattern* out = check(pattern, types.arg(type), as, matched);
  frozen_ = outer;
  matched = frozen_type(c, matched);
  return out;
}

Pattern* PatternChecker::check(ast::Pattern* pattern, TypeId unresolved, const Alias* as, TypeId& matched) {
  TypeId type = c.resolve_parts(unresolved);
  TypeId whole = c.bounds_behind(unresolved) ? unresolved : type;   // what a name is bound as
  if (c.kind(type) == Kind::Frozen) return check_frozen(pattern, type, as, matched);
  matched = type;
  Span span = pattern->span;
  if (c.kind(type) == Kind::Error || pattern->kind == ast::PatternKind::Error) {
    poison_names(pattern);
    if (as && as->name) b.bind_name(as->name, types.error, as->span);
    return wildcard(type, span);
  }
  switch (pattern->kind) {
    case ast::PatternKind::Error: break;
    case ast::PatternKind::Wildcard: return alias(as, whole, nullptr, span);
    case ast::PatternKind::As: {
      Alias own{pattern->name, span};
      if (!as || !as->name) return check(pattern->inner, whole, &own, matched);
      Pattern* inner = check(pattern->inner, whole, &own, matched);
      return alias(as, whole, inner, span);
    }
    case ast::PatternKind::Or: return alternatives(pattern, c.kind(type) == Kind::Optional ? type : whole, as, matched);
    case ast::PatternKind::Literal: return literal(pattern, type, as, matched);
    case ast::PatternKind::Type: return type_test(pattern, c.resolve(b.type_of(pattern->type)), type, as, matched);
    case ast::PatternKind::Tuple: case ast::PatternKind::List: {
      auto make = [&](TypeId inner) {
        // As in Python, either form takes either value.
        if (c.kind(inner) == Kind::Any && pattern->kind == ast::PatternKind::List && !frozen_) return boxed_list(pattern, inner, as);
        if (c.kind(inner) == Kind::Any)
          if (TypeId written = written_type(pattern); written.valid()) {
            Pattern* out = b.make_pattern(PatternKind::Type, frozen_ ? frozen_type(c, inner) : inner, span);
            out->tested = matched = written;
            c.note_type(written);
            out->items = b.keep(std::vector<Pattern*>{c.kind(written) == Kind::Tuple ? tuple(pattern, written, as) : list(pattern, written, as)});
            return out;
          }
        return c.kind(inner) == Kind::Tuple ? tuple(pattern, inner, as) : list(pattern, inner, as);
      };
      return c.kind(type) == Kind::Optional ? lift(type, span, matched, make) : make(type);
    }
    case ast::PatternKind::Dict: {
      auto make = [&](TypeId inner) { return c.kind(inner) == Kind::Any ? boxed_dict(pattern, inner, as) : dict(pattern, inner, as); };
      return c.kind(type) == Kind::Optional ? lift(type, span, matched, make) : make(type);
    }
    case ast::PatternKind::Entry: break;   // part of a Dict
    case ast::PatternKind::Star:
      c.error(Code::InvalidPattern, span, "a starred pattern belongs inside a list pattern").help = "write `[first, *rest]`";
      return wildcard(type, span);
    case ast::PatternKind::Path: case ast::PatternKind::Call: {
      bool is_call = pattern->kind == ast::PatternKind::Call;
      Reference ref = classify(pattern, type, is_call);
      switch (ref.meaning) {
        case Meaning::Bad:
          for (ast::PatternArg& arg : pattern->args) poison_names(arg.pattern);
          if (as && as->name) b.bind_name(as->name, types.error, as->span);
          return wildcard(type, span);
        case Meaning::Bind: return alias(as, whole, bind(pattern->path[0], whole, span, nullptr), span);
        case Meaning::Case: return enum_case(pattern, ref, type, as, matched);
        case Meaning::Type: return type_test(pattern, ref.type, type, as, matched);
        case Meaning::Value:
          if (c.kind(type) == Kind::Optional && c.kind(ref.value->type) != Kind::Optional)
            return lift(type, span, matched, [&](TypeId inner) { return equality(ref.value, inner, as, span); });
          if (c.kind(type) == Kind::Any) {
            Pattern* out = b.make_pattern(PatternKind::Type, type, span);
            out->tested = matched = c.resolve(ref.value->type);
            c.note_type(matched);
            out->items = b.keep(std::vector<Pattern*>{equality(ref.value, matched, as, span)});
            return out;
          }
          return equality(ref.value, type, as, span);
      }
      break;
    }
  }
  return wildcard(type, span);
}

// The type that a pattern speaks of by itself, for one that looks into an `any`: `(int, str)`, `[1, x]`, `[first, *rest]`.
TypeId PatternChecker::written_type(ast::Pattern* pattern) {
  switch (pattern->kind) {
    case ast::PatternKind::As: return written_type(pattern->inner);
    case ast::PatternKind::Type: return c.resolve(b.type_of(pattern->type));
    case ast::PatternKind::Path: {
      Reference ref = classify(pattern, types.any, false);
      if (ref.meaning == Meaning::Value) return c.resolve(ref.value->type);
      return ref.meaning == Meaning::Type ? c.resolve(ref.type) : TypeId();
    }
    case ast::PatternKind::Literal: {
      ast::Expr* value = pattern->literal;
      if (auto* negated = value->as<ast::UnaryExpr>()) value = negated->operand;
      switch (value->kind) {
        case ast::ExprKind::Int: return types.int_;
        case ast::ExprKind::Float: return types.float_;
        case ast::ExprKind::Bool: return types.bool_;
        case ast::ExprKind::Str: return types.str;
        default: return TypeId();
      }
    }
    case ast::PatternKind::Tuple: {
      std::vector<TypeId> parts;
      for (ast::Pattern* item : pattern->items) {
        TypeId part = written_type(item);
        if (!part.valid()) return TypeId();
        parts.push_back(part);
      }
      return types.tuple(parts);
    }
    case ast::PatternKind::List: {
      TypeId element;
      for (ast::Pattern* item : pattern->items) {
        TypeId part = item->kind == ast::PatternKind::Star ? TypeId() : written_type(item);
        if (!part.valid()) continue;
        if (element.valid() && element != part) return c.core_type("list", {types.any});
        element = part;
      }
      return c.core_type("list", {element.valid() ? element : types.any});
    }
    default: return TypeId();
  }
}

Pattern* PatternChecker::enum_case(ast::Pattern* pattern, const Reference& ref, TypeId type, const Alias* as, TypeId& matched) {
  Span span = pattern->span;
  if (c.kind(type) == Kind::Optional) return lift(type, span, matched, [&](TypeId inner) { TypeId same; return enum_case(pattern, ref, inner, as, same); });
  if ((c.kind(type) == Kind::Any || c.kind(type) == Kind::Dyn) && ref.nominal->type_params.empty()) {
    Pattern* out = b.make_pattern(PatternKind::Type, type, span);
    TypeId inner = types.nominal(Kind::Enum, ref.nominal->id);
    out->tested = matched = inner;
    c.note_type(inner);
    TypeId same;
    out->items = b.keep(std::vector<Pattern*>{enum_case(pattern, ref, inner, as, same)});
    return out;
  }
  matched = type;
  if (c.kind(type) != Kind::Enum || c.nominal_info(type) != ref.nominal) {
    for (ast::PatternArg& arg : pattern->args) poison_names(arg.pattern);
    return impossible(type, span, "a case of `" + ref.nominal->name.str() + "`");
  }
  c.ensure_fields(ref.nominal);
  CaseInfo& info = ref.nominal->cases[ref.case_index];
  Subst subst = b.subst_of(type);
  std::vector<Pattern*> items(info.fields.size());
  auto field_type = [&](size_t i) { return c.apply(info.fields[i].type, subst); };
  size_t position = 0;
  bool by_name = false;
  for (ast::PatternArg& arg : pattern->args) {
    size_t at = position;
    if (arg.name) {
      by_name = true;
      for (at = 0; at < info.fields.size(); ++at)
        if (info.fields[at].name == arg.name) break;
      if (at == info.fields.size()) {
        Diagnostic& d = c.error(Code::InvalidPattern, arg.pattern->span, "`" + info.name.str() + "` has no field `" + arg.name.str() + "`");
        d.labels.push_back({info.span, "declared here"});
        poison_names(arg.pattern);
        continue;
      }
    } else {
      ++position;
    }
    if (at >= items.size() || items[at]) {
      poison_names(arg.pattern);
      continue;
    }
    TypeId part;
    items[at] = check(arg.pattern, field_type(at), nullptr, part);
  }
  size_t given = pattern->args.size();
  if (pattern->kind == ast::PatternKind::Call && (by_name ? position > items.size() : given != items.size())) {
    Diagnostic& d = c.error(Code::InvalidPattern, span, "`" + info.name.str() + "` has " + std::to_string(items.size()) + (items.size() == 1 ? " field" : " fields") + ", but the pattern has " + std::to_string(given));
    d.labels.push_back({info.span, "declared here"});
    d.help = items.empty() ? "write `" + info.name.str() + "` without parentheses" : "use `_` for fields that do not matter, or `" + info.name.str() + "` alone";
  }
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i]) items[i] = wildcard(field_type(i), span);
  Pattern* out = b.make_pattern(PatternKind::Case, type, span);
  out->case_index = ref.case_index;
  out->items = b.keep(items);
  return alias(as, type, out, span);
}

// Class and struct patterns: `Point(x, 0)`, `Dog(name="Rex")`.
Pattern* PatternChecker::fields(ast::Pattern* pattern, TypeId type) {
  Kind kind = c.kind(type);
  if (kind != Kind::Class && kind != Kind::Struct) {
    if (pattern->args.size() == 1 && !pattern->args[0].name) {   // `int(n)`
      TypeId same;
      return check(pattern->args[0].pattern, type, nullptr, same);
    }
    if (!pattern->args.empty()) {
      c.error(Code::InvalidPattern, pattern->span, "`" + c.text(type) + "` has no fields to match").help = "write `" + c.text(type) + " as x`";
      for (ast::PatternArg& arg : pattern->args) poison_names(arg.pattern);
    }
    return nullptr;
  }
  auto& all = c.flat_fields(type);
  std::vector<Pattern*> items(all.size());
  size_t position = 0;
  bool any = false;
  for (ast::PatternArg& arg : pattern->args) {
    size_t at = position;
    if (arg.name) {
      for (at = 0; at < all.size(); ++at)
        if (all[at].info->name == arg.name) break;
    } else {
      ++position;
    }
    if (at >= all.size() || items[at]) {
      c.error(Code::InvalidPattern, arg.pattern->span, arg.name ? "`" + c.text(type) + "` has no field `" + arg.name.str() + "`" : "`" + c.text(type) + "` has " + std::to_string(all.size()) + (all.size() == 1 ? " field" : " fields"));
      poison_names(arg.pattern);
      continue;
    }
    if (all[at].info->is_weak) {
      c.error(Code::InvalidPattern, arg.pattern->span, "a weak field can't be matched").help = "test it in the body of the case";
      poison_names(arg.pattern);
      continue;
    }
    TypeId part;
    items[at] = check(arg.pattern, all[at].type, nullptr, part);
    any = any || items[at]->kind != PatternKind::Wildcard;
  }
  if (!any) return nullptr;
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i]) items[i] = wildcard(all[i].type, pattern->span);
  Pattern* out = b.make_pattern(PatternKind::Tuple, type, pattern->span);
  out->items = b.keep(items);
  return out;
}

Pattern* PatternChecker::type_test(ast::Pattern* pattern, TypeId tested, TypeId type, const Alias* as, TypeId& matched) {
  Span span = pattern->span;
  auto refuse = [&] {
    for (ast::PatternArg& arg : pattern->args) poison_names(arg.pattern);
    if (as && as->name) b.bind_name(as->name, types.error, as->span);
    return wildcard(type, span);
  };
  if (c.kind(tested) == Kind::Error) return refuse();
  if (c.kind(tested) == Kind::Trait) tested = types.wrap(Kind::Dyn, tested);
  if (c.kind(type) == Kind::Optional && c.kind(tested) != Kind::Optional)
    return lift(type, span, matched, [&](TypeId inner) { return type_test(pattern, tested, inner, as, matched); });
  bool may_be_null = c.kind(type) == Kind::Optional || c.kind(type) == Kind::Any || c.kind(type) == Kind::Null;
  if (c.kind(tested) == Kind::Optional && !may_be_null) return type_test(pattern, types.arg(tested), type, as, matched);
  bool same_declaration = types.is_nominal(type) && types.is_nominal(tested) && types.get(type).nominal == types.get(tested).nominal;
  bool always = (same_declaration || types.has_var(tested)) && c.unifier.could_unify(tested, type) && c.unifier.unify(tested, type);
  tested = c.resolve(tested);
  always = always || tested == type;
  bool possible = always;
  Kind kind = c.kind(type);
  if (!always && kind == Kind::Class && c.kind(tested) == Kind::Class) {
    if (c.is_subclass(type, tested)) {
      always = possible = true;
      tested = type;
    } else {
      possible = c.is_subclass(tested, type);
      tested = c.resolve(tested);
    }
  }
  if (!always && (kind == Kind::Any || kind == Kind::Dyn)) possible = true;
  if (!always && kind == Kind::Optional) {   // null, or what the value inside may be
    TypeId held = c.unifier.shallow(types.arg(type)), wanted = c.unifier.shallow(types.arg(tested));
    Kind inside = c.kind(held);
    bool both_classes = inside == Kind::Class && c.kind(wanted) == Kind::Class;
    always = both_classes ? c.is_subclass(held, wanted) : c.kind(wanted) == Kind::Dyn && always_has_trait(c, held, wanted);
    possible = always || inside == Kind::Dyn || (both_classes && c.is_subclass(wanted, held)) || (c.kind(wanted) == Kind::Dyn && may_have_trait(c, held, wanted));
    if (always) tested = type;
  }
  if (!always && c.kind(tested) == Kind::Dyn) {
    possible = may_have_trait(c, type, tested);
    always = always_has_trait(c, type, tested);
    if (always) tested = type;
  }
  if (!possible) {
    Pattern* out = impossible(type, span, c.text(tested));
    refuse();
    return out;
  }
  if (refuses_open_type(c, tested, span, [](const std::string& full) { return full + " as x"; })) return refuse();
  if (!always && c.kind(tested) == Kind::Any) {
    c.error(Code::InvalidPattern, span, "anything is an `any`: this tests nothing").help = "write `default:`, or name the type";
    return refuse();
  }
  bool by_trait = !always && c.kind(tested) == Kind::Dyn;
  matched = by_trait && kind != Kind::Any ? type : tested;
  Pattern* inner = pattern->kind == ast::PatternKind::Call ? fields(pattern, tested) : nullptr;
  Pattern* seen = alias(as, tested, inner, span);
  if (always) return seen;
  Pattern* out = b.make_pattern(PatternKind::Type, frozen_ && kind != Kind::Class ? frozen_type(c, type) : type, span);
  out->tested = tested;
  if ((kind == Kind::Any || kind == Kind::Dyn) && !by_trait) c.note_type(tested);
  if (seen->kind != PatternKind::Wildcard) out->items = b.keep(std::vector<Pattern*>{seen});
  return out;
}

Pattern* PatternChecker::equality(Expr* value, TypeId type, const Alias* as, Span span) {
  if (frozen_) type = frozen_type(c, type);
  Expr* converted = b.try_coerce(value, type, span);
  if (!converted) return impossible(type, span, c.text(value->type));
  Pattern* out = b.make_pattern(PatternKind::Test, type, span);
  out->subject = b.new_temp(type, span);
  out->test = b.make_seq([&] { return b.make_equal(b.variable_ref(out->subject, span), converted, span); }, span);
  return alias(as, type, out, span);
}

Pattern* PatternChecker::literal(ast::Pattern* pattern, TypeId type, const Alias* as, TypeId& matched) {
  Span span = pattern->span;
  ast::Expr* value = pattern->literal;
  auto* range = value->as<ast::RangeExpr>();
  ast::Expr* first = range ? range->lower : value;
  while (first && first->kind == ast::ExprKind::Unary) first = first->as<ast::UnaryExpr>()->operand;
  if (!first) return wildcard(type, span);
  if (first->kind == ast::ExprKind::Null) {
    matched = types.null;
    if (c.kind(type) == Kind::Null) return alias(as, type, nullptr, span);
    if (c.kind(type) != Kind::Optional && c.kind(type) != Kind::Any) return impossible(type, span, "null");
    return alias(as, type, b.make_pattern(PatternKind::Null, type, span), span);
  }
  if (c.kind(type) == Kind::Optional) return lift(type, span, matched, [&](TypeId inner) { TypeId same; return literal(pattern, inner, as, same); });
  TypeId own;
  switch (first->kind) {
    case ast::ExprKind::Int: own = types.int_; break;
    case ast::ExprKind::Float: own = types.float_; break;
    case ast::ExprKind::Str: own = types.str; break;
    case ast::ExprKind::Bool: own = types.bool_; break;
    case ast::ExprKind::Bytes: own = types.bytes; break;
    case ast::ExprKind::Duration: own = c.core_type("Duration"); break;
    default:
      if (first->kind != ast::ExprKind::Error) c.error(Code::InvalidPattern, span, "this is not a constant that a pattern can compare with").help = "use a guard: `case x if x == …:`";
      return wildcard(type, span);
  }
  if (c.kind(type) == Kind::Any || c.kind(type) == Kind::Dyn) {
    Pattern* out = b.make_pattern(PatternKind::Type, type, span);
    out->tested = matched = own;
    c.note_type(own);
    TypeId same;
    out->items = b.keep(std::vector<Pattern*>{literal(pattern, own, as, same)});
    return out;
  }
  bool fits = own == type || (c.kind(own) == Kind::Int && types.is_numeric(type)) || (c.kind(own) == Kind::Float && c.kind(type) == Kind::Float);
  if (!fits) return impossible(type, span, c.text(own));
  Pattern* out = b.make_pattern(PatternKind::Test, type, span);
  out->subject = b.new_temp(type, span);
  Expr* seen = b.variable_ref(out->subject, span);
  if (auto* flag = value->as<ast::BoolExpr>()) {
    out->test = flag->value ? seen : b.make_not(seen);   // the form that exhaustiveness knows
  } else if (range) {
    if (!range->upper) return wildcard(type, span);
    auto* both = b.make<And>(types.bool_, span);
    both->left = b.make_compare(ast::CompareOp::Le, b.check_to(range->lower, type), seen, span);
    both->right = b.make_compare(ast::CompareOp::Lt, b.variable_ref(out->subject, span), b.check_to(range->upper, type), span);
    out->test = both;
  } else {
    out->test = b.make_seq([&] { return b.make_equal(seen, b.check_to(value, type), span); }, span);
  }
  return alias(as, type, out, span);
}

bool PatternChecker::takes_null(ast::Pattern* pattern, TypeId type) {
  switch (pattern->kind) {
    case ast::PatternKind::Literal: return pattern->literal->kind == ast::ExprKind::Null;
    case ast::PatternKind::Wildcard: case ast::PatternKind::Error: return true;
    case ast::PatternKind::As: return takes_null(pattern->inner, type);
    case ast::PatternKind::Type: return pattern->type->kind == ast::TypeKind::Optional;
    case ast::PatternKind::Path: return classify(pattern, type, false).meaning == Meaning::Bind;
    case ast::PatternKind::Or:
      for (ast::Pattern* item : pattern->items)
        if (takes_null(item, type)) return true;
      return false;
    default: return false;
  }
}

Pattern* PatternChecker::alternatives(ast::Pattern* pattern, TypeId type, const Alias* as, TypeId& matched) {
  Span span = pattern->span;
  if (c.kind(type) == Kind::Optional && !takes_null(pattern, type))
    return lift(type, span, matched, [&](TypeId) { return alternatives(pattern, types.arg(type), as, matched); });
  std::vector<Pattern*> items;
  std::vector<Bound> outer = bound_;
  const std::vector<Bound>* outer_shared = shared_;
  std::vector<Bound> first;
  TypeId all;
  bool outer_never = never_;
  for (size_t i = 0; i < pattern->items.size(); ++i) {
    bound_ = outer;
    never_ = false;
    // Names of a first alternative that can't match are still the ones to bind.
    if (i > 0) shared_ = &first;
    TypeId one;
    Pattern* item = check(pattern->items[i], type, nullptr, one);
    std::vector<Bound> own(bound_.begin() + static_cast<ptrdiff_t>(outer.size()), bound_.end());
    if (i == 0) {
      first = own;
    } else if (!never_) {
      for (const Bound& wanted : first) {
        bool found = false;
        for (const Bound& have : own) found = found || have.name == wanted.name;
        if (!found) c.error(Code::InvalidPattern, pattern->items[i]->span, "this alternative does not bind `" + wanted.name.str() + "`").labels.push_back({wanted.span, "the other one does"});
      }
    }
    if (never_) continue;
    items.push_back(item);
    if (!all.valid()) all = one;
    else if (c.resolve(all) != c.resolve(one)) all = type;
  }
  shared_ = outer_shared;
  bound_ = outer;
  bound_.insert(bound_.end(), first.begin(), first.end());
  never_ = outer_never || items.empty();
  matched = all.valid() ? all : type;
  if (items.empty()) return wildcard(type, span);
  Pattern* out = items[0];
  if (items.size() > 1) {
    out = b.make_pattern(PatternKind::Or, type, span);
    out->items = b.keep(items);
  }
  return alias(as, type, out, span);
}

Pattern* BodyChecker::check_pattern(ast::Pattern* pattern, TypeId value_type, const PlaceKey& place, Facts& found) {
  PatternChecker checker(*this);
  TypeId matched;
  Pattern* out = checker.check(pattern, value_type, nullptr, matched);
  pattern_never_ = checker.never();
  if (!place.empty() && matched.valid() && c.kind(matched) != Kind::Null && c.resolve(matched) != c.resolve(value_type)) found.push_back({place, c.resolve(matched)});
  return out;
}

}  // namespace meteor::typed
