// Conditions: and, or, not, is, ternaries, ?? and !, with what they tell about
// the values they test.
#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/common_trait.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/has_trait.h"
#include "compiler/typed/hidden_types.h"

namespace meteor::typed {

// Checks a part that may not run: what it emits runs only with it.
Expr* BodyChecker::check_isolated(ast::Expr* expr, TypeId expected) {
  return make_seq([&]() -> Expr* { return check(expr, expected); }, expr->span);
}

// The flows after a test that tells these facts, reads of `flow` being over.
void BodyChecker::branch_on(Branches& out, const Facts& when_true, const Facts& when_false) {
  out.yes = flow;
  out.yes.add(when_true);
  out.no = std::move(flow);
  out.no.add(when_false);
  values_dropped(out.yes);   // temporaries of the condition
  values_dropped(out.no);
}

// A condition where only its value counts: the code after it runs either way.
Expr* BodyChecker::check_truth(ast::Expr* expr) {
  Branches branches;
  Expr* value = check_condition(expr, branches);
  flow = merge(branches.yes, branches.no);
  return value;
}

static Expr* make_logic(BodyChecker& b, bool is_and, Expr* left, Expr* right, Span span) {
  auto fill = [&](auto* node) -> Expr* {
    node->left = left;
    node->right = right;
    return node;
  };
  return is_and ? fill(b.make<And>(b.types.bool_, span)) : fill(b.make<Or>(b.types.bool_, span));
}

// Whether it can be left out: whoever knows what a condition gives does not evaluate it.
static bool is_quiet(const Expr* value) { return value->kind <= ExprKind::Global; }

// `and` and `or`: the right side runs where the left one was `goes_on`, with what holds there.
Expr* BodyChecker::check_short_circuit(ast::Expr* left_ast, ast::Expr* right_ast, bool goes_on, Span span, Branches& out) {
  Branches left_out, right_out;
  Expr* left = check_condition(left_ast, left_out);
  if (left_out.decided && *left_out.decided != goes_on) {
    out = std::move(left_out);
    return left;
  }
  flow = std::move(goes_on ? left_out.yes : left_out.no);
  Flow& stopped = goes_on ? left_out.no : left_out.yes;
  Expr* right = nullptr;
  Expr* wrapped = make_seq([&]() -> Expr* { right = check_condition(right_ast, right_out); return right; }, right_ast->span);
  Flow& ended = goes_on ? right_out.no : right_out.yes;
  Flow both_ways = left_out.decided ? std::move(ended) : merge(stopped, ended);
  (goes_on ? out.yes : out.no) = std::move(goes_on ? right_out.yes : right_out.no);
  (goes_on ? out.no : out.yes) = std::move(both_ways);
  if (left_out.decided) out.decided = right_out.decided;
  if (right_out.decided && *right_out.decided != goes_on && is_quiet(left)) out.decided = !goes_on;
  if (is_poison(left)) return left;
  if (is_poison(right)) return right;
  if (left_out.decided) return wrapped;
  return make_logic(*this, goes_on, left, wrapped, span);
}

Expr* BodyChecker::check_condition(ast::Expr* expr, Branches& out) {
  Span span = expr->span;
  if (auto* unary = expr->as<ast::UnaryExpr>(); unary && unary->op == ast::UnaryOp::Not && !replaced_.count(expr)) {
    Expr* inner = check_condition(unary->operand, out);
    std::swap(out.yes, out.no);
    if (out.decided) out.decided = !*out.decided;
    return is_poison(inner) ? inner : make_not(inner);
  }
  if (auto* both = expr->as<ast::AndExpr>(); both && !replaced_.count(expr)) return check_short_circuit(both->left, both->right, true, span, out);
  if (auto* either = expr->as<ast::OrExpr>(); either && !replaced_.count(expr)) return check_short_circuit(either->left, either->right, false, span, out);
  Facts when_true, when_false;
  Expr* value = check_test(expr, when_true, when_false, out.decided);
  branch_on(out, when_true, when_false);
  return value;
}

// A condition that is no `and`, `or` or `not`, with what its truth and its falsehood tell.
Expr* BodyChecker::check_test(ast::Expr* expr, Facts& when_true, Facts& when_false, std::optional<bool>& decided) {
  Span span = expr->span;
  if (replaced_.count(expr)) return truth(check(expr), span);
  if (auto* literal = expr->as<ast::BoolExpr>()) {
    decided = literal->value;
    return make_bool(literal->value, span);
  }
  if (auto* test = expr->as<ast::IsExpr>()) return check_is(test, when_true, when_false, decided);
  if (auto* compare = expr->as<ast::CompareExpr>(); compare && compare->operands.size() == 2) {
    ast::CompareOp op = compare->ops[0];
    ast::Expr* other = compare->operands[1]->kind == ast::ExprKind::Null ? compare->operands[0] : compare->operands[0]->kind == ast::ExprKind::Null ? compare->operands[1] : nullptr;
    if (other && (op == ast::CompareOp::Eq || op == ast::CompareOp::Ne)) return null_test(other, op == ast::CompareOp::Eq, span, when_true, when_false, decided);
  }
  if (auto* call = expr->as<ast::CallExpr>()) {
    if (auto* m = call->callee->as<ast::MemberExpr>(); m && m->name.text() == "is_plain" && m->object->kind == ast::ExprKind::Name && m->object->as<ast::NameExpr>()->name.text() == "_intrinsic") return check(expr);
  }
  Expr* value = check_anew(expr);
  if (is_poison(value)) return value;
  TypeId type = known(value->type);
  if (types.kind(type) == Kind::Optional) {
    TypeId inner = c.unifier.shallow(types.arg(type));
    HeldPlace held(*this, tested_place(value));  // `__bool__` or `__len__` of what is inside may change the place
    Expr* test = truth(value, span);
    held.tell(when_true, inner);
    return test;
  }
  if (types.kind(type) == Kind::Null && has_no_effect(value)) decided = false;
  return truth(value, span);
}

// A place or a constant, also one of another type (`0 as T`): what nobody notices when it is not evaluated.
bool BodyChecker::has_no_effect(Expr* value) {
  if (!place_key(value).empty()) return true;
  if (auto* convert = value->as<Convert>()) value = convert->operand;
  switch (value->kind) {
    case ExprKind::Null: case ExprKind::Int: case ExprKind::Float: case ExprKind::Bool: case ExprKind::Str: case ExprKind::Bytes: return true;
    default: return false;
  }
}

// An answer that is known before the value: it is evaluated all the same.
Expr* BodyChecker::after(Expr* value, bool answer, Span span) {
  return make_seq([&]() -> Expr* { emit_expr(value); return make_bool(answer, span); }, span);
}

Expr* BodyChecker::null_test(ast::Expr* operand, bool is_null, Span span, Facts& when_true, Facts& when_false, std::optional<bool>& decided) {
  // The declared type is tested, not the narrowed one, so that a second test is still fine.
  Expr* value = check_anew(operand);
  if (is_poison(value)) return value;
  TypeId type = known(value->type);
  Kind k = types.kind(type);
  Facts& not_null = is_null ? when_false : when_true;
  if (k == Kind::Null) {
    if (!has_no_effect(value)) return after(value, is_null, span);
    decided = is_null;
    return make_bool(is_null, span);
  }
  if (k == Kind::Optional) {
    PlaceKey key = tested_place(value);
    if (!key.empty()) not_null.push_back({key, c.unifier.shallow(types.arg(type))});
  } else if (k == Kind::Var) {
    TypeId inner = c.unifier.fresh(span);
    c.unifier.unify(type, types.optional(inner));
    PlaceKey key = tested_place(value);
    if (!key.empty()) not_null.push_back({key, inner});
  } else if (k != Kind::Any) {
    if (types.kind(type) == Kind::Class && value->kind != ExprKind::Unwrap && refuse_compared_future(value, "a future is never null, whatever it will give")) return poison(span);
    // Known not to be null: in generic code this decides a branch.
    if (!has_no_effect(value)) return after(value, !is_null, span);
    if (value->kind == ExprKind::Variable) decided = !is_null;
    return make_bool(!is_null, span);
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
  Expr* value = check_anew(expr->value);
  if (is_poison(value)) return value;
  TypeId type = require_known(value->type, span, "this value");
  if (types.kind(type) == Kind::Error) return poison(span);
  PlaceKey key = tested_place(value);
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
      if (entity.kind == SymbolKind::EnumCase &&
          c.nominal_info(types.kind(type) == Kind::Optional ? types.arg(type) : type) != entity.symbol.nominal)
        if (Entity hidden = find_hidden_type(*this, path))
          entity = hidden;  // of a value of another type, the type is asked for
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
  if (decided && !has_no_effect(value)) test = after(value, *std::exchange(decided, std::nullopt), span);
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
  if (c.kind(tested) == Kind::Optional) return optional_test(value, type, c.unifier.shallow(tested), span, key, yes, no, decided);
  if (k == Kind::Frozen) {   // as what it is; of what an `any` or `dyn` holds that is known to be frozen, nobody asks it again
    Expr* test = type_test(thaw(*this, value), types.arg(type), thawed_type(c, tested), span, key, yes, no, decided);
    if (auto* asked = test->as<IsType>()) asked->operand = value;
    return test;
  }
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
      if (key.empty()) return both;
      if (types.kind(tested) == Kind::Dyn) yes.push_back({key, inner});
      if (types.kind(tested) == Kind::Dyn) yes.insert(yes.end(), inner_yes.begin(), inner_yes.end());
      else yes.push_back({key, tested});
      return both;
    }, span);
  }
  bool dynamic = k == Kind::Any || k == Kind::Dyn || (k == Kind::Class && types.kind(tested) == Kind::Class);
  if (types.kind(tested) == Kind::Dyn) return test_trait(*this, value, type, tested, span, key, yes, decided);
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
  if (refuses_open_type(c, tested, span, [](const std::string& full) { return "is " + full; })) return poison(span);
  tested = c.resolve(tested);
  if (!types.has_var(tested)) c.note_type(tested);
  auto* test = make<IsType>(types.bool_, span);
  test->operand = value;
  test->tested = tested;
  if (!key.empty()) yes.push_back({key, tested});
  (void)no;
  return test;
}

// `x is T?`: it is null, or a T.
Expr* BodyChecker::optional_test(Expr* value, TypeId type, TypeId tested, Span span, const PlaceKey& key, Facts& yes, Facts& no, std::optional<bool>& decided) {
  Kind k = c.kind(thawed_type(c, type));
  TypeId wanted = c.unifier.shallow(types.arg(tested));
  if (k != Kind::Optional && k != Kind::Any && k != Kind::Null) return type_test(value, type, wanted, span, key, yes, no, decided);
  if (k == Kind::Null || (k == Kind::Optional && c.unifier.could_unify(type, tested) && c.unifier.unify(type, tested))) {
    decided = true;
    return make_bool(true, span);
  }
  if (!key.empty() && k == Kind::Any) yes.push_back({key, tested});
  return make_seq([&]() -> Expr* {
    VariableId temp = new_temp(type, span);
    emit_assign(variable_ref(temp, span), value);
    auto* null = make<IsNull>(types.bool_, span);
    null->operand = thaw(*this, variable_ref(temp, span));
    Facts inner_yes, inner_no;
    std::optional<bool> inner_decided;
    Expr* held = variable_ref(temp, span);
    auto* either = make<Or>(types.bool_, span);
    either->left = null;
    if (k == Kind::Optional) held = make_unwrap(held, span, false);
    either->right = type_test(held, c.unifier.shallow(held->type), wanted, span, {}, inner_yes, inner_no, inner_decided);
    return either;
  }, span);
}

static const Pattern* find_binding(const Pattern* pattern) {
  if (pattern->kind == PatternKind::Bind) return pattern;
  for (const Pattern* item : pattern->items)
    if (const Pattern* found = find_binding(item)) return found;
  return nullptr;
}

static void refuse_binding(BodyChecker& b, const Pattern& bound, ast::Pattern* whole) {
  std::string written(b.c.input.sources.text(whole->span));
  Diagnostic& d = b.c.error(Code::InvalidPattern, bound.span, "`is` only tests: it binds no names");
  d.help = "bind them in a `switch`: `case " + written + ":`";
  if (whole->path.empty()) return;
  d.help += ", or test `is " + whole->path.back().str() + "` and then read its fields by name, as in `x.field`";
}

Expr* BodyChecker::case_test(Expr* value, TypeId type, ast::Pattern* pattern, Span span, const PlaceKey& key, Facts& yes, Facts& no) {
  if (types.kind(type) == Kind::Frozen && types.kind(types.arg(type)) == Kind::Enum) return case_test(thaw(*this, value), types.arg(type), pattern, span, key, yes, no);
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
    if (const Pattern* bound = find_binding(typed_pattern)) {
      refuse_binding(*this, *bound, pattern);
      return poison(span);
    }
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
    return check_truth(expr);
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
    return make_logic(*this, is_and, left, right, span);
  }
  return make_seq([&]() -> Expr* {
    VariableId temp = new_temp(left_type, span);
    emit_assign(variable_ref(temp, span), left);
    HeldPlace held_place(*this, is_and && types.kind(left_type) == Kind::Optional ? place_key(left) : PlaceKey());
    Expr* is_true = truth(variable_ref(temp, span), left_ast->span, left);
    Flow before = flow;
    Facts left_true;
    held_place.tell(left_true, types.kind(left_type) == Kind::Optional ? types.arg(left_type) : left_type);
    flow.add(left_true);
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
    choice->condition = is_true;
    Expr* left_value = coerce(held, both, span);
    Expr* right_value = coerce(right, both, span);
    choice->then_value = is_and ? right_value : left_value;
    choice->else_value = is_and ? left_value : right_value;
    return choice;
  }, span);
}

Expr* BodyChecker::check_ternary(ast::TernaryExpr* expr, TypeId expected) {
  Span span = expr->span;
  Branches branches;
  Expr* condition = check_condition(expr->condition, branches);
  bool decides = branches.decided && expr->condition->kind != ast::ExprKind::Bool;
  if (decides) {
    flow = std::move(*branches.decided ? branches.yes : branches.no);
    return check(*branches.decided ? expr->then_value : expr->else_value, expected);
  }
  flow = std::move(branches.yes);
  Expr* a = check_isolated(expr->then_value, expected);
  Flow after_then = std::move(flow);
  flow = std::move(branches.no);
  TypeId hint = expected.valid() ? expected : literal_hint(a);
  Expr* b = check_isolated(expr->else_value, hint);
  flow = merge(after_then, flow);
  if (is_poison(condition)) return condition;
  if (is_poison(a)) return a;
  if (is_poison(b)) return b;
  TypeId target;
  // Two values that are there stay so: whoever wants an optional makes one of the result.
  TypeId wanted = expected.valid() ? c.unifier.shallow(expected) : expected;
  auto may_be_null = [&](Expr* e) { return c.kind(e->type) == Kind::Optional || c.kind(e->type) == Kind::Null; };
  if (wanted.valid() && types.kind(wanted) == Kind::Optional && !may_be_null(a) && !may_be_null(b))
    wanted = types.arg(wanted);
  if (wanted.valid() && c.kind(wanted) != Kind::Var && can_convert(a, wanted) && can_convert(b, wanted))
    target = wanted;
  else {
    auto literal = [](Expr* e) { auto* k = e->as<IntConst>(); return k && k->is_literal; };
    if (literal(a) && types.is_numeric(known(b->type))) target = b->type;
    else if (literal(b) && types.is_numeric(known(a->type))) target = a->type;
    else target = join(a->type, b->type);
  }
  if (!target.valid()) target = common_trait(*this, {a, b}, span);
  if (target.valid() && c.kind(target) == Kind::Error) return poison(span);
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
  Expr* left = check_anew(expr->left, left_hint);
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
  // `T? ?? T`, where `T` stands for an optional: the default is like what may be inside.
  bool is_inside = types.kind(inner) == Kind::Optional && c.resolve(inner) == c.resolve(right_type);
  if (is_inside) {
    result = inner;
  } else if (types.kind(right_type) == Kind::Optional) {
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
  bool is_bounded = result == inner && types.kind(type) == Kind::Optional && c.bounds_behind(types.arg(type));
  auto* out = make<Coalesce>(is_bounded ? types.arg(type) : result, span);
  out->left = left;
  out->right = right;
  return out;
}

Expr* BodyChecker::check_unwrap(ast::UnwrapExpr* expr) { return unwrap_or_raise(check_anew(expr->operand), expr); }

Expr* BodyChecker::unwrap_or_raise(Expr* value, ast::UnwrapExpr* expr) {
  if (is_poison(value)) return value;
  TypeId type = require_known(value->type, expr->operand->span, "this value");
  if (types.kind(type) == Kind::Error) return poison(expr->span);
  if (types.kind(type) != Kind::Optional) return value;   // it can't be null: nothing to do
  PlaceKey key = value->kind == ExprKind::WeakGet ? PlaceKey() : tested_place(value);
  Expr* out = nullptr;
  if (std::string_view source = c.input.sources.text(expr->operand->span); out_ && !module->is_std && source.size() <= 60 && source.find('\n') == std::string_view::npos) {
    // The error says what was null. The test runs where the value is used, after what stands before it.
    out = make_seq([&]() -> Expr* {
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
      return make_unwrap(value, expr->span, false);
    }, expr->span);
  } else {
    out = make_unwrap(value, expr->span, true);
  }
  if (!key.empty()) flow.know(key, types.arg(type));
  return out;
}

}  // namespace meteor::typed
