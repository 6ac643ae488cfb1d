// `[x for y in ys if c]` and its kin: a loop that fills a new collection.
// Generator expressions make a list.
#include "compiler/typed/body.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

Expr* BodyChecker::check_comprehension(ast::ComprehensionExpr* expr, TypeId expected) {
  for (ast::ComprehensionClause& clause : expr->clauses) {
    if (!clause.is_async) continue;
    c.error(Code::NotYetSupported, expr->span, "`async for` in a comprehension is not supported yet");
    return poison(expr->span);
  }
  const char* collection = expr->form == ast::ComprehensionKind::Dict ? "dict" : expr->form == ast::ComprehensionKind::Set ? "set" : "list";
  bool is_dict = expr->form == ast::ComprehensionKind::Dict;
  // What the surroundings want of the elements.
  std::vector<TypeId> wanted(is_dict ? 2 : 1);
  if (expected.valid()) {
    TypeId hint = c.resolve(expected);
    if (c.kind(hint) == Kind::Optional) hint = types.arg(hint);
    NominalInfo* info = c.nominal_info(hint);
    if (info && info->module->is_core && info->name.text() == collection) wanted = types.get(hint).args;
  }
  for (TypeId& type : wanted)
    if (type.valid() && c.unifier.has_unbound(type)) type = TypeId();
  std::vector<TypeId> elements;
  for (TypeId type : wanted) elements.push_back(type.valid() ? type : c.unifier.fresh(expr->span));

  // A later pass sees what an earlier one changed.
  bool runs_user_code = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) { runs_user_code = runs_user_code || may_run_user_code(e, c.written_names()); };
  visitor.visit(expr);
  if (runs_user_code) call_may_write(nullptr);

  bool failed = false;
  auto item = [&](ast::Expr* source, size_t which) -> Expr* {
    Expr* value = usable_value(check(source, wanted[which]), source->span);
    if (is_poison(value)) {
      failed = true;
      return value;
    }
    if (wanted[which].valid())
      if (Expr* fitting = try_coerce(value, elements[which], source->span)) return fitting;
    if (c.kind(value->type) == Kind::Null && c.unifier.is_var(elements[which])) c.unifier.unify(elements[which], types.optional(c.unifier.fresh(source->span)));
    Expr* converted = coerce(value, elements[which], source->span);
    failed = failed || is_poison(converted);
    return converted;
  };
  Expr* made = make_seq([&]() -> Expr* {
    TypeId type = c.core_type(collection, elements);
    VariableId result = hold(call_static(type, "_with_capacity", {make_int(0, expr->span)}, expr->span), expr->span);
    Flow before = flow;
    std::vector<VariableId>* outer_temps = comprehension_temps_;
    comprehension_temps_ = temps_;
    scopes_.emplace_back();
    std::function<void(size_t)> from = [&](size_t at) {
      if (at == expr->clauses.size()) {
        as_statement([&] {
          Expr* into = variable_ref(result, expr->span);
          if (is_dict) {
            Expr* key = item(expr->key, 0);
            Expr* value = item(expr->element, 1);
            if (!failed) emit_expr(call_method(into, "__setitem__", {key, value}, expr->element->span));
          } else {
            Expr* value = item(expr->element, 0);
            if (!failed) emit_expr(call_method(into, expr->form == ast::ComprehensionKind::Set ? "add" : "append", {value}, expr->element->span));
          }
        });
        return;
      }
      ast::ComprehensionClause& clause = expr->clauses[at];
      if (!clause.target) {
        as_statement([&] {
          Facts when_true, when_false;
          std::optional<bool> decided;
          Expr* condition = check_condition(clause.condition, when_true, when_false, decided);
          if (decided && !*decided) return;
          Flow outer = flow;
          flow.add(when_true);
          Block then = collect([&] { from(at + 1); });
          flow = outer;
          if (decided) {
            for (Stmt* s : then) emit(s);
            return;
          }
          auto* test = make_stmt<If>(clause.condition->span);
          test->condition = condition;
          test->then_body = then;
          emit(test);
        });
        return;
      }
      build_for(nullptr, clause.iterable, clause.iterable->span, [&](Expr* element) {
        as_statement([&] {
          binds_comprehension_ = true;
          assign_to(clause.target, element, clause.iterable->span);
          binds_comprehension_ = false;
        });
        from(at + 1);
      }, nullptr, {});
    };
    from(0);
    scopes_.pop_back();
    comprehension_temps_ = outer_temps;
    before.moved.insert(flow.moved.begin(), flow.moved.end());
    flow = std::move(before);
    return variable_ref(result, expr->span);
  }, expr->span);
  return failed ? poison(expr->span) : made;
}

}  // namespace meteor::typed
