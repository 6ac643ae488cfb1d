// `switch`: the subject is evaluated once; in a case its variable is seen as
// what the pattern proved. `default` is the last resort wherever it stands.
#include <algorithm>

#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"

namespace meteor::typed {

bool BodyChecker::is_generic_instance() {
  for (BodyChecker* at = this; at; at = at->parent)
    if (at->is_nested_instance_) return true;
  FunctionInfo* of = root->instance ? root->instance->info : nullptr;
  if (!of) return false;
  if (of->is_unannotated() || !of->type_params.empty()) return true;
  if (of->owner && (!of->owner->type_params.empty() || of->owner->kind == Kind::Trait)) return true;
  return of->impl && (!of->impl->type_params.empty() || of->impl->all_integers || of->impl->all_floats);
}

VariableId BodyChecker::bind_name(Name name, TypeId type, Span span) {
  Binding known = find_local(name);
  bool is_own = known.kind == BindingKind::Variable && known.variable.valid() && var(known.variable).kind == VariableKind::Local && !facts(known.variable).is_const;
  if (is_own && !is_module_body && c.resolve(var(known.variable).type) == c.resolve(type)) {
    note_assigned(known.variable, span);
    return known.variable;
  }
  VariableId v = declare(name, type, span);
  note_assigned(v, span);
  if (shadowed_ && (known.kind != BindingKind::None || is_module_body || local_names_.contains(name))) shadowed_->emplace_back(name, known);
  return v;
}

void BodyChecker::in_case_scope(const std::function<void()>& build) {
  std::vector<std::pair<Name, Binding>> hidden;
  auto* outer = shadowed_;
  shadowed_ = &hidden;
  build();
  shadowed_ = outer;
  for (size_t i = hidden.size(); i-- > 0;) {
    auto& [name, binding] = hidden[i];
    if (binding.kind == BindingKind::None) scopes_.back().erase(name);
    else scopes_.back()[name] = binding;
  }
}

namespace {

bool takes_null(const Pattern* pattern) {
  if (pattern->kind == PatternKind::Null) return true;
  if (pattern->kind != PatternKind::Or) return false;
  for (const Pattern* item : pattern->items)
    if (takes_null(item)) return true;
  return false;
}

bool mentions_null(const ast::Pattern* pattern) {
  if (pattern->kind == ast::PatternKind::Literal) return pattern->literal->kind == ast::ExprKind::Null;
  if (pattern->kind == ast::PatternKind::As) return mentions_null(pattern->inner);
  if (pattern->kind == ast::PatternKind::Type) return pattern->type->kind == ast::TypeKind::Optional;
  for (const ast::Pattern* item : pattern->items)
    if (pattern->kind == ast::PatternKind::Or && mentions_null(item)) return true;
  return false;
}

// Types whose values can be listed, so that a `switch` over them must cover all.
bool must_be_covered(Checker& c, TypeId type) {
  switch (c.kind(type)) {
    case Kind::Enum: case Kind::Bool: return true;
    case Kind::Optional: return must_be_covered(c, c.resolve(c.types.arg(type)));
    case Kind::Tuple:
      for (TypeId part : c.types.get(type).args)
        if (!must_be_covered(c, c.resolve(part))) return false;
      return !c.types.get(type).args.empty();
    default: return false;
  }
}

}  // namespace

void BodyChecker::check_switch(ast::SwitchStmt* stmt) {
  Span span = stmt->subject->span;
  Expr* subject = usable_value(check(stmt->subject), span);
  // A case for `null` asks again what is known already, as a second test may.
  bool asks_null = std::ranges::any_of(
      stmt->cases, [](const ast::SwitchCase& one) { return one.pattern && mentions_null(one.pattern); });
  if (auto* seen = subject->as<Unwrap>(); seen && asks_null && !place_key(stmt->subject).empty())
    subject = seen->operand;
  TypeId type = is_poison(subject) ? types.error : c.resolve_parts(require_known(subject->type, span, "what is switched on"));
  bool poisoned = c.kind(type) == Kind::Error;
  PlaceKey place = poisoned ? PlaceKey() : place_key(subject);
  bool in_doubt = false;   // a guard ran other code since the subject was read
  HeldPlace held(*this, place);
  auto* out = make_stmt<Switch>(stmt->span);
  out->subject = hold(subject, span);

  Flow entry = flow;
  std::optional<Flow> end;
  auto meet = [&] { end = end ? merge(*end, flow) : flow; };
  std::vector<SwitchCase> cases;
  ast::SwitchCase* fallback = nullptr;
  bool skipped = false, null_is_done = false, broken = false;
  for (ast::SwitchCase& one : stmt->cases) {
    if (!one.pattern) {
      if (fallback) c.error(Code::InvalidPattern, one.span, "this `switch` has two `default`s").labels.push_back({fallback->span, "the first is here"});
      fallback = &one;
      continue;
    }
    flow = entry;
    in_case_scope([&] {
      SwitchCase made;
      made.span = one.span;
      Facts facts;
      size_t errors = c.sink.error_count();
      if (null_is_done && !mentions_null(one.pattern)) {
        // What is left is not null: a name binds the value itself.
        TypeId inner = types.arg(type);
        made.pattern = make_pattern(PatternKind::NotNull, type, one.pattern->span);
        made.pattern->items = keep(std::vector<Pattern*>{check_pattern(one.pattern, inner, place, facts)});
      } else {
        made.pattern = check_pattern(one.pattern, poisoned ? type : subject->type, place, facts);
      }
      broken = broken || c.sink.error_count() != errors;   // stands for everything, which would be a second mistake
      if (pattern_never_) {
        skipped = true;
        return;
      }
      if (made.pattern->kind == PatternKind::Case && !place.empty())
        facts.push_back({place + "#case", TypeId(made.pattern->case_index)});
      for (Fact& fact : facts) fact.in_doubt = in_doubt;
      flow.add(facts);
      if (one.guard) {
        Branches branches;
        Expr* guard = make_seq([&] { return check_condition(one.guard, branches); }, one.guard->span);
        flow = std::move(branches.yes);
        if (branches.decided && !*branches.decided) return;
        if (!branches.decided) {
          made.guard = guard;
          // The cases after this one run when it did not match, or when its guard was false.
          entry = merge(entry, branches.no);
          if (const Known* still = held.find(entry)) in_doubt = still->in_doubt;
          else place.clear();
        }
      }
      made.body = check_block(one.body);
      meet();
      cases.push_back(made);
      if (!made.guard && c.kind(type) == Kind::Optional && takes_null(made.pattern)) {
        null_is_done = true;
        if (!place.empty()) entry.know(place, types.arg(type), in_doubt);
      }
    });
  }
  if (!skipped && !poisoned && !broken && !is_generic_instance()) report_unreachable_cases(cases, thawed_type(c, type));
  std::string missing;
  bool covered = poisoned || is_exhaustive(cases, thawed_type(c, type), missing);
  flow = entry;
  if (fallback) {
    SwitchCase made;
    made.span = fallback->span;
    made.body = check_block(fallback->body);
    meet();
    cases.push_back(made);
  } else if (!covered && must_be_covered(c, thawed_type(c, type))) {
    Diagnostic& d = c.error(Code::NonExhaustiveSwitch, span, "this `switch` does not cover " + missing);
    d.label = c.text_with_article(type);
    std::string first = missing.substr(0, missing.find("`", 1) + 1);
    bool is_one = first.size() == missing.size() && first.size() > 2;
    d.help = is_one ? "add `case " + first.substr(1, first.size() - 2) + ": …`, or `default: …`" : "add the missing cases, or `default: …`";
  } else if (!covered) {
    meet();
  }
  out->exhaustive = !fallback && covered && !poisoned;
  out->cases = keep(cases);
  if (end) flow = std::move(*end);
  emit(out);
}

}  // namespace meteor::typed
