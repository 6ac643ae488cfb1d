// Conditions: and, or, not, is, ternaries, ?? and !, with what they tell about
// the values they test.
#include "compiler/base/check.h"
#include "compiler/typed/body.h"

namespace meteor::typed {

namespace {

// What was assumed for one side only does not hold after it; what was known before does, unless it was forgotten meanwhile.
void take_back(Flow& after, const Flow& before, const Facts& assumed) {
  for (const Fact& fact : assumed) {
    auto at = after.narrowed.find(fact.place);
    if (at == after.narrowed.end() || at->second != fact.type) continue;
    auto known = before.narrowed.find(fact.place);
    if (known != before.narrowed.end()) at->second = known->second;
    else after.narrowed.erase(at);
  }
}

}  // namespace

// Checks a part that may not run: what it emits runs only with it.
Expr* BodyChecker::check_isolated(ast::Expr* expr, TypeId expected) {
  return make_seq([&]() -> Expr* { return check(expr, expected); }, expr->span);
}

// Whether it can be left out: whoever knows what a condition gives does not evaluate it.
static bool is_quiet(const Expr* value) { return value->kind <= ExprKind::Global; }

Expr* BodyChecker::check_condition(ast::Expr* expr, Facts& when_true, Facts& when_false, std::optional<bool>& decided) {
  Span span = expr->span;
  if (replaced_.count(expr)) return truth(check(expr), span);
  if (auto* literal = expr->as<ast::BoolExpr>()) {
    decided = literal->value;
    return make_bool(literal->value, span);
  }
  if (auto* unary = expr->as<ast::UnaryExpr>(); unary && unary->op == ast::UnaryOp::Not) {
    Expr* inner = check_condition(unary->operand, when_false, when_true, decided);
    if (decided) decided = !*decided;
    return is_poison(inner) ? inner : make_not(inner);
  }
  if (auto* both = expr->as<ast::AndExpr>()) {
    Facts left_true, left_false, right_true, right_false;
    std::optional<bool> left_decided, right_decided;
    Expr* left = check_condition(both->left, left_true, left_false, left_decided);
    if (left_decided && !*left_decided) { decided = false; return left; }
    Flow before = flow;
    flow.add(left_true);
    Expr* right = nullptr;
    Expr* wrapped = make_seq([&]() -> Expr* { right = check_condition(both->right, right_true, right_false, right_decided); return right; }, both->right->span);
    Flow after = flow;
    take_back(after, before, left_true);
    flow = merge(before, after);
    when_true = left_true;
    when_true.insert(when_true.end(), right_true.begin(), right_true.end());
    if (left_decided) { decided = right_decided; when_false = right_false; }
    if (right_decided && !*right_decided && is_quiet(left)) decided = false;
    if (is_poison(left)) return left;
    if (is_poison(right)) return right;
    if (left_decided && *left_decided) return wrapped;
    auto* out = make<And>(types.bool_, span);
    out->left = left;
    out->right = wrapped;
    return out;
  }
  if (auto* either = expr->as<ast::OrExpr>()) {
    Facts left_true, left_false, right_true, right_false;
    std::optional<bool> left_decided, right_decided;
    Expr* left = check_condition(either->left, left_true, left_false, left_decided);
    if (left_decided && *left_decided) { decided = true; return left; }
    Flow before = flow;
    flow.add(left_false);
    Expr* right = nullptr;
    Expr* wrapped = make_seq([&]() -> Expr* { right = check_condition(either->right, right_true, right_false, right_decided); return right; }, either->right->span);
    Flow after = flow;
    take_back(after, before, left_false);
    flow = merge(before, after);
    when_false = left_false;
    when_false.insert(when_false.end(), right_false.begin(), right_false.end());
    if (left_decided) { decided = right_decided; when_true = right_true; }
    if (right_decided && *right_decided && is_quiet(left)) decided = true;
    if (is_poison(left)) return left;
    if (is_poison(right)) return right;
    if (left_decided && !*left_decided) return wrapped;
    auto* out = make<Or>(types.bool_, span);
    out->left = left;
    out->right = wrapped;
    return out;
  }
  if (auto* test = expr->as<ast::IsExpr>()) return check_is(test, when_true, when_false, decided);
  if (auto* compare = expr->as<ast::CompareExpr>(); compare && compare->operands.size() == 2) {
    ast::CompareOp op = compare->ops[0];
    ast::Expr* other = compare->operands[1]->kind == ast::ExprKind::Null ? compare->operands[0] : compare->operands[0]->kind == ast::ExprKind::Null ? compare->operands[1] : nullptr;
    if (other && (op == ast::CompareOp::Eq || op == ast::CompareOp::Ne)) return null_test(other, op == ast::CompareOp::Eq, span, when_true, when_false, decided);
  }
  if (auto* call = expr->as<ast::CallExpr>()) {
    if (auto* m = call->callee->as<ast::MemberExpr>(); m && m->name.text() == "is_plain" && m->object->kind == ast::ExprKind::Name && m->object->as<ast::NameExpr>()->name.text() == "_intrinsic") {
      Expr* value = check(expr);
      return value;
    }
  }
  Expr* value = check(expr);
  if (is_poison(value)) return value;
  TypeId type = known(value->type);
  if (types.kind(type) == Kind::Optional) {
    PlaceKey key = place_key(value);
    if (!key.empty()) {
      when_true.push_back({key, c.unifier.shallow(types.arg(type))});
    }
  }
  if (types.kind(type) == Kind::Null) decided = false;
  return truth(value, span);
}

Expr* BodyChecker::null_test(ast::Expr* operand, bool is_null, Span span, Facts& when_true, Facts& when_false, std::optional<bool>& decided) {
  // The declared type is tested, not the narrowed one, so that a second test is still fine.
  Expr* value = check_maybe_null(operand);
  if (is_poison(value)) return value;
  TypeId type = known(value->type);
  Kind k = types.kind(type);
  Facts& not_null = is_null ? when_false : when_true;
  if (k == Kind::Null) {
    decided = is_null;
    return make_bool(is_null, span);
  }
  if (k == Kind::Optional) {
    PlaceKey key = place_key(value);
    if (!key.empty()) not_null.push_back({key, c.unifier.shallow(types.arg(type))});
  } else if (k == Kind::Var) {
    TypeId inner = c.unifier.fresh(span);
    c.unifier.unify(type, types.optional(inner));
    PlaceKey key = place_key(value);
    if (!key.empty()) not_null.push_back({key, inner});
  } else if (k != Kind::Any) {
    // Known not to be null: in generic code this decides a branch.
    if (value->kind == ExprKind::Variable || value->kind == ExprKind::Unwrap || value->kind == ExprKind::Convert) {
      if (value->kind == ExprKind::Variable) decided = !is_null;
      return make_bool(!is_null, span);
    }
    return make_seq([&]() -> Expr* { emit_expr(value); return make_bool(!is_null, span); }, span);
  }
  auto* test = make<IsNull>(types.bool_, span);
  test->operand = value;
  return is_null ? static_cast<Expr*>(test) : make_not(test);
}

Expr* BodyChecker::check_is(ast::IsExpr* expr, Facts& when_true, Facts& when_false, std::optional<bool>& decided) {
  Span span = expr->span;
  ast::Pattern* pattern = expr->pattern;
  if (pattern->kind == ast::PatternKind::Literal && pattern->literal && pattern->literal->kind == ast::ExprKind::Null) {
    return null_test(expr->value, !expr->negated, span, when_true, when_false, decided);
  }
  Expr* value = check(expr->value);
  if (is_poison(value)) return value;
  TypeId type = require_known(value->type, span, "this value");
  if (types.kind(type) == Kind::Error) return poison(span);
  PlaceKey key = place_key(value);
  Facts yes_facts, no_facts;
  Expr* test = nullptr;
  TypeId tested;
  // `x is T` for a type known by name; enum cases by path.
  bool is_case = false;
  if (pattern->kind == ast::PatternKind::Path || pattern->kind == ast::PatternKind::Type) {
    if (pattern->kind == ast::PatternKind::Type) tested = type_of(pattern->type);
    else {
      ast::Expr* path = path_expr(pattern->path, pattern->span);
      Entity entity = find_entity(path);
      if (entity.kind == SymbolKind::EnumCase) is_case = true;
      else if (entity.kind == SymbolKind::Nominal || entity.kind == SymbolKind::Alias || entity.kind == SymbolKind::BuiltinType) {
        if (entity.kind == SymbolKind::Nominal && entity.symbol.nominal->kind == Kind::Trait) {
          tested = types.wrap(Kind::Dyn, entity_type(entity, {}, span));
        } else tested = entity_type(entity, {}, span);
      }
      TypeId inner = types.kind(type) == Kind::Optional ? c.unifier.shallow(types.arg(type)) : type;
      if (!is_case && types.kind(inner) == Kind::Enum && pattern->path.size() == 1) {
        NominalInfo* nominal = c.nominal_info(inner);
        for (ast::EnumCaseDecl& one : nominal->decl->cases) is_case |= one.name == pattern->path[0];
      }
      if (!is_case && !tested.valid()) {
        auto& d = c.error(Code::UnknownType, pattern->span, "`is` tests a type, an enum case or `null`, and this is none of them");
        d.help = "compare values with `==`, identity with `same(a, b)`";
        return poison(span);
      }
    }
  }
  if (tested.valid()) {
    if (types.kind(tested) == Kind::Error) return poison(span);
    test = type_test(value, type, tested, span, key, yes_facts, no_facts, decided);
  } else {
    test = case_test(value, type, pattern, span, key, yes_facts, no_facts);
  }
  if (is_poison(test)) return test;
  when_true = expr->negated ? no_facts : yes_facts;
  when_false = expr->negated ? yes_facts : no_facts;
  if (!expr->negated) return test;
  if (decided) decided = !*decided;
  return make_not(test);
}

ast::Expr* BodyChecker::path_expr(std::span<Name> path, Span span) {
  ast::Expr* at = nullptr;
  for (Name n : path) {
    if (!at) {
      auto* name = c.program.arena.make<ast::NameExpr>();
      name->name = n;
      name->span = span;
      at = name;
    } else {
      auto* member = c.program.arena.make<ast::MemberExpr>();
      member->object = at;
      member->name = n;
      member->name_span = span;
      member->span = span;
      at = member;
    }
  }
  return at;
}

Expr* BodyChecker::type_test(Expr* value, TypeId type, TypeId tested, Span span, const PlaceKey& key, Facts& yes, Facts& no, std::optional<bool>& decided) {
  Kind k = types.kind(type);
  if (k == Kind::Optional) {
    // x is T for an optional x: not null, and the value inside is a T.
    TypeId inner = c.unifier.shallow(types.arg(type));
    auto* null = make<IsNull>(types.bool_, span);
    if (c.unifier.could_unify(inner, tested)) {
      null->operand = value;
      if (!key.empty()) yes.push_back({key, inner});
      return make_not(null);
    }
    return make_seq([&]() -> Expr* {
      VariableId temp = new_temp(type, span);
      emit_assign(variable_ref(temp, span), value);
      null->operand = variable_ref(temp, span);
      Facts inner_yes, inner_no;
      std::optional<bool> inner_decided;
      auto* both = make<And>(types.bool_, span);
      both->left = make_not(null);
      both->right = type_test(make_unwrap(variable_ref(temp, span), span, false), inner, tested, span, key, inner_yes, inner_no, inner_decided);
      if (!key.empty()) yes.push_back({key, tested});
      return both;
    }, span);
  }
  bool dynamic = k == Kind::Any || k == Kind::Dyn || (k == Kind::Class && types.kind(tested) == Kind::Class);
  if (types.kind(tested) == Kind::Dyn) {   // `x is Trait`: known statically
    bool holds = k != Kind::Any && c.implements(type, types.arg(tested));
    decided = holds;
    return make_bool(holds, span);
  }
  if (dynamic && k == Kind::Class) {
    if (c.could_be_subclass(type, tested)) {   // always true
      decided = true;
      return make_bool(true, span);
    }
    if (!c.is_subclass(tested, type)) {
      decided = false;
      return make_bool(false, span);
    }
  }
  if (!dynamic) {
    bool same_family = c.nominal_info(type) && c.nominal_info(type) == c.nominal_info(tested);
    bool holds = type == tested || (same_family && c.unifier.unify(type, tested));
    decided = holds;
    return make_bool(holds, span);
  }
  if (k == Kind::Any || k == Kind::Dyn) {
    if (types.kind(tested) == Kind::Any) { decided = true; return make_bool(true, span); }
  }
  tested = c.resolve(tested);
  if (!types.has_var(tested)) c.note_type(tested);
  auto* test = make<IsType>(types.bool_, span);
  test->operand = value;
  test->tested = tested;
  if (!key.empty()) yes.push_back({key, tested});
  (void)no;
  return test;
}

Expr* BodyChecker::case_test(Expr* value, TypeId type, ast::Pattern* pattern, Span span, const PlaceKey& key, Facts& yes, Facts& no) {
  // General patterns: matched like one case of a switch that gives a bool.
  bool optional = types.kind(type) == Kind::Optional;
  TypeId inner = optional ? c.unifier.shallow(types.arg(type)) : type;
  if (types.kind(inner) == Kind::Enum && pattern->kind == ast::PatternKind::Path) {
    NominalInfo* nominal = c.nominal_info(inner);
    for (uint32_t i = 0; i < nominal->decl->cases.size(); ++i) {
      if (nominal->decl->cases[i].name != pattern->path.back()) continue;
      if (!key.empty()) {
        TypeId marker(i);
        yes.push_back({key + "#case", marker});
        no.push_back({key + "#not" + std::to_string(i), marker});
        if (optional) yes.push_back({key, inner});
      }
      auto make_test = [&](Expr* operand) {
        auto* test = make<IsCase>(types.bool_, span);
        test->operand = operand;
        test->case_index = i;
        return test;
      };
      if (!optional) return make_test(value);
      return make_seq([&]() -> Expr* {
        VariableId temp = new_temp(type, span);
        emit_assign(variable_ref(temp, span), value);
        auto* null = make<IsNull>(types.bool_, span);
        null->operand = variable_ref(temp, span);
        auto* both = make<And>(types.bool_, span);
        both->left = make_not(null);
        both->right = make_test(make_unwrap(variable_ref(temp, span), span, false));
        return both;
      }, span);
    }
  }
  return make_seq([&]() -> Expr* {
    VariableId subject = new_temp(type, span);
    VariableId result = new_temp(types.bool_, span);
    emit_assign(variable_ref(subject, span), value);
    Facts facts;
    Pattern* typed_pattern = check_pattern(pattern, type, key, facts);
    yes.insert(yes.end(), facts.begin(), facts.end());
    auto* sw = make_stmt<Switch>(span);
    sw->subject = subject;
    auto set = [&](bool matched) {
      return collect([&]() { emit_assign(variable_ref(result, span), make_bool(matched, span)); });
    };
    SwitchCase match, other;
    match.pattern = typed_pattern;
    match.body = set(true);
    match.span = span;
    other.body = set(false);
    other.span = span;
    sw->cases = keep(std::vector<SwitchCase>{match, other});
    emit(sw);
    return variable_ref(result, span);
  }, span);
}

// ---- Values of and, or -------------------------------------------------------

Expr* BodyChecker::check_and_or(ast::Expr* expr, TypeId expected) {
  bool is_and = expr->kind == ast::ExprKind::And;
  ast::Expr* left_ast = is_and ? expr->as<ast::AndExpr>()->left : expr->as<ast::OrExpr>()->left;
  ast::Expr* right_ast = is_and ? expr->as<ast::AndExpr>()->right : expr->as<ast::OrExpr>()->right;
  Span span = expr->span;
  // Plain truth values, the usual case, go through conditions so that narrowing works inside.
  auto is_bool_like = [&](ast::Expr* e, auto& self) -> bool {
    switch (e->kind) {
      case ast::ExprKind::Compare: case ast::ExprKind::Is: case ast::ExprKind::Bool: return true;
      case ast::ExprKind::Unary: return e->as<ast::UnaryExpr>()->op == ast::UnaryOp::Not;
      case ast::ExprKind::And: return self(e->as<ast::AndExpr>()->left, self);
      case ast::ExprKind::Or: return self(e->as<ast::OrExpr>()->left, self);
      default: return false;
    }
  };
  bool wants_bool = expected.valid() && c.kind(expected) == Kind::Bool;
  if (wants_bool || is_bool_like(left_ast, is_bool_like)) {
    Facts yes, no;
    std::optional<bool> decided;
    return check_condition(expr, yes, no, decided);
  }
  Expr* left = check(left_ast, expected);
  if (is_poison(left)) { check(right_ast); return left; }
  TypeId left_type = known(left->type);
  if (types.kind(left_type) == Kind::Bool) {
    Flow before = flow;
    Expr* right = check_isolated(right_ast, types.bool_);
    flow = merge(before, flow);
    if (is_poison(right)) return right;
    right = truth(right, right_ast->span);
    if (is_and) {
      auto* out = make<And>(types.bool_, span);
      out->left = left;
      out->right = right;
      return out;
    }
    auto* out = make<Or>(types.bool_, span);
    out->left = left;
    out->right = right;
    return out;
  }
  return make_seq([&]() -> Expr* {
    VariableId temp = new_temp(left_type, span);
    emit_assign(variable_ref(temp, span), left);
    Flow before = flow;
    if (is_and) {
      PlaceKey key = place_key(left);
      if (!key.empty() && types.kind(left_type) == Kind::Optional) flow.narrowed[key] = types.arg(left_type);
    }
    Expr* right = check_isolated(right_ast, left_type);
    flow = merge(before, flow);
    if (is_poison(right)) return right;
    Expr* held = variable_ref(temp, span);
    // After `x or …` a non-null x is known on the left side.
    if (!is_and && types.kind(left_type) == Kind::Optional && c.kind(right->type) != Kind::Optional && c.kind(right->type) != Kind::Null) held = make_unwrap(held, span, false);
    TypeId both = join(held->type, right->type);
    if (!both.valid()) {
      auto& d = c.error(Code::TypeMismatch, span, std::string("the two sides of `") + (is_and ? "and" : "or") + "` have different types");
      d.labels.push_back({left_ast->span, "`" + c.text(held->type) + "`"});
      d.labels.push_back({right_ast->span, "`" + c.text(right->type) + "`"});
      return poison(span);
    }
    auto* choice = make<Ternary>(both, span);
    choice->condition = truth(variable_ref(temp, span), left_ast->span);
    Expr* left_value = coerce(held, both, span);
    Expr* right_value = coerce(right, both, span);
    choice->then_value = is_and ? right_value : left_value;
    choice->else_value = is_and ? left_value : right_value;
    return choice;
  }, span);
}

Expr* BodyChecker::check_ternary(ast::TernaryExpr* expr, TypeId expected) {
  Span span = expr->span;
  Facts yes, no;
  std::optional<bool> decided;
  Expr* condition = check_condition(expr->condition, yes, no, decided);
  Flow before = flow;
  bool decides = decided && expr->condition->kind != ast::ExprKind::Bool;
  if (decides) {
    flow.add(*decided ? yes : no);
    Expr* live = check(*decided ? expr->then_value : expr->else_value, expected);
    flow = before;
    return live;
  }
  flow.add(yes);
  Expr* a = check_isolated(expr->then_value, expected);
  Flow after_then = flow;
  flow = before;
  flow.add(no);
  TypeId hint = expected.valid() ? expected : literal_hint(a);
  Expr* b = check_isolated(expr->else_value, hint);
  flow = merge(after_then, flow);
  if (is_poison(condition)) return condition;
  if (is_poison(a)) return a;
  if (is_poison(b)) return b;
  TypeId target;
  if (expected.valid() && c.kind(expected) != Kind::Var && can_convert(a, expected) && can_convert(b, expected)) target = expected;
  else {
    auto literal = [](Expr* e) { auto* k = e->as<IntConst>(); return k && k->is_literal; };
    if (literal(a) && types.is_numeric(known(b->type))) target = b->type;
    else if (literal(b) && types.is_numeric(known(a->type))) target = a->type;
    else target = join(a->type, b->type);
  }
  if (!target.valid()) {
    auto& d = c.error(Code::TypeMismatch, span, "the two values of this choice have different types");
    d.labels.push_back({expr->then_value->span, "`" + c.text(a->type) + "`"});
    d.labels.push_back({expr->else_value->span, "`" + c.text(b->type) + "`"});
    return poison(span);
  }
  if (c.kind(a->type) == Kind::Void) {
    // Two calls without a value: allowed as a statement.
    auto* branch = make_stmt<If>(span);
    branch->condition = condition;
    branch->then_body = collect([&]() { emit_expr(a); });
    branch->else_body = collect([&]() { emit_expr(b); });
    emit(branch);
    return make<VoidConst>(types.void_, span);
  }
  auto* choice = make<Ternary>(target, span);
  choice->condition = condition;
  choice->then_value = make_seq([&]() -> Expr* { return coerce(a, target, expr->then_value->span); }, span);
  choice->else_value = make_seq([&]() -> Expr* { return coerce(b, target, expr->else_value->span); }, span);
  return choice;
}

TypeId BodyChecker::literal_hint(Expr* value) {
  TypeId type = known(value->type);
  Kind k = types.kind(type);
  return k == Kind::Class || k == Kind::Enum || k == Kind::Func ? type : TypeId();
}

Expr* BodyChecker::check_coalesce(ast::CoalesceExpr* expr, TypeId expected) {
  Span span = expr->span;
  TypeId left_hint = expected.valid() && c.kind(expected) != Kind::Optional && c.kind(expected) != Kind::Var ? types.optional(expected) : expected;
  Expr* left = check_maybe_null(expr->left, left_hint);
  Flow before = flow;
  if (is_poison(left)) { check_isolated(expr->right, expected); flow = before; return left; }
  TypeId type = require_known(left->type, expr->left->span, "this value");
  if (types.kind(type) == Kind::Null) return check(expr->right, expected);
  if (types.kind(type) != Kind::Optional && types.kind(type) != Kind::Any) {
    if (types.kind(type) == Kind::Error) return poison(span);
    check_isolated(expr->right, type);
    flow = before;
    return left;   // never null: in generic code this is fine
  }
  TypeId inner = types.kind(type) == Kind::Any ? types.any : c.unifier.shallow(types.arg(type));
  Expr* right = check_isolated(expr->right, inner);
  flow = merge(before, flow);
  if (is_poison(right)) return right;
  if (c.kind(right->type) == Kind::Never) right->type = inner;
  TypeId right_type = known(right->type);
  TypeId result = types.kind(right_type) == Kind::Optional || types.kind(right_type) == Kind::Null ? type : inner;
  if (types.kind(right_type) == Kind::Optional) {
    TypeId j = join(type, right_type);
    if (j.valid()) result = j;
  } else if (!can_convert(right, result)) {
    TypeId j = join(inner, right_type);
    if (j.valid()) result = j;
  }
  if (result != type && result != inner) {
    TypeId inner_result = types.kind(result) == Kind::Optional ? types.optional(c.unifier.shallow(types.arg(result))) : types.optional(result);
    left = coerce(left, inner_result, span);
  }
  right = make_seq([&]() -> Expr* { return coerce(right, result, expr->right->span, "the default has another type than the value"); }, span);
  if (is_poison(right)) return right;
  auto* out = make<Coalesce>(result, span);
  out->left = left;
  out->right = right;
  return out;
}

Expr* BodyChecker::check_unwrap(ast::UnwrapExpr* expr) {
  Expr* value = check(expr->operand);
  if (is_poison(value)) return value;
  TypeId type = require_known(value->type, expr->operand->span, "this value");
  if (types.kind(type) == Kind::Error) return poison(expr->span);
  if (types.kind(type) != Kind::Optional) return value;   // it can't be null: nothing to do
  PlaceKey key = value->kind == ExprKind::WeakGet ? PlaceKey() : place_key(value);
  Expr* out = nullptr;
  if (std::string_view source = c.input.sources.text(expr->operand->span); out_ && !module->is_std && source.size() <= 60 && source.find('\n') == std::string_view::npos) {
    // The error says what was null.
    value = as_stable(value, expr->span);
    auto* missing = make<IsNull>(types.bool_, expr->span);
    missing->operand = value;
    auto* check_it = make_stmt<If>(expr->span);
    check_it->condition = missing;
    check_it->then_body = collect([&] {
      Flow before = flow;
      raise_new("NullError", make_text("`" + std::string(source) + "` is null", expr->span), expr->span);
      flow = before;
    });
    emit(check_it);
    out = make_unwrap(value, expr->span, false);
  } else {
    out = make_unwrap(value, expr->span, true);
  }
  if (!key.empty()) flow.narrowed[key] = types.arg(type);
  return out;
}

}  // namespace meteor::typed
