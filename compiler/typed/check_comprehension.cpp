// `[x for y in ys if c]` and its kin: a loop that fills a new collection.
// A generator expression that is the argument of a call makes a list; in brackets of its own it is a generator.
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

// `(e for x in xs if c)` is a nested function that yields, called at once.
Expr* BodyChecker::check_generator_expression(ast::ComprehensionExpr* expr) {
  std::optional<AssignedName> assigned;
  scan_walruses(expr, [&](const AssignedName& found) { assigned = found; });
  if (assigned) {
    Diagnostic& d = c.error(Code::InvalidAssignmentTarget, assigned->span,
                            "a generator can't assign a variable of the function it stands in");
    d.label = "it runs later, when its elements are asked for";
    d.help = "write a list, `[… for …]`, or a loop";
    return poison(expr->span);
  }
  base::Arena& arena = c.program.arena;
  auto one = [&](ast::Stmt* stmt) {
    stmt->span = expr->span;
    return arena.copy(std::vector<ast::Stmt*>{stmt});
  };
  auto* yield = arena.make<ast::YieldExpr>();
  yield->value = expr->element;
  yield->span = expr->element->span;
  auto* give = arena.make<ast::ExprStmt>();
  give->value = yield;
  ast::Block body = one(give);
  bool waits = false;
  for (size_t i = expr->clauses.size(); i-- > 0;) {
    ast::ComprehensionClause& clause = expr->clauses[i];
    if (!clause.target) {
      auto* test = arena.make<ast::IfStmt>();
      ast::IfBranch branch;
      branch.condition = clause.condition;
      branch.body = body;
      test->branches = arena.copy(std::vector<ast::IfBranch>{branch});
      body = one(test);
      continue;
    }
    auto* loop = arena.make<ast::ForStmt>();
    loop->target = clause.target;
    loop->iterable = clause.iterable;
    loop->body = body;
    loop->is_async = clause.is_async;
    waits |= clause.is_async;
    body = one(loop);
  }
  auto* decl = arena.make<ast::FunctionDecl>();
  decl->body = body;
  decl->is_async = waits || awaits(body);
  decl->span = expr->span;
  auto* function = arena.make<ast::AnonDefExpr>();
  function->function = decl;
  function->span = expr->span;
  auto* call = arena.make<ast::CallExpr>();
  call->callee = function;
  call->span = expr->span;
  return check_call(call, TypeId());
}

namespace {

// How often a loop over a range or a list will run, where that can be read off the loop; else null.
Expr* count_of(BodyChecker& b, Block made) {
  auto* loop = made.back()->as<Loop>();
  if (!loop || made.size() < 2) return nullptr;
  Span at = loop->span;
  if (auto* test = loop->condition->as<Compare>()) {
    auto* counter = test->left->as<VariableRef>();
    bool one_by_one = counter && test->op == CompareOp::Lt && loop->step.size() == 1;   // another step tests for the end of the integers too
    if (!one_by_one) return nullptr;
    auto* left = b.make<Binary>(b.types.int_, at);
    left->op = BinaryOp::WrapSub;
    left->left = test->right;
    left->right = counter;
    return left;
  }
  auto* held = made[made.size() - 2]->as<Assign>();
  auto* iterator = held ? held->target->as<VariableRef>() : nullptr;
  NominalInfo* info = iterator ? b.c.nominal_info(b.c.resolve(iterator->type)) : nullptr;
  if (!info || info != b.c.core_nominal("_ListIter")) return nullptr;
  return b.call_method(iterator, "_left", {}, at);
}

}  // namespace

Expr* BodyChecker::check_comprehension(ast::ComprehensionExpr* expr, TypeId expected) {
  if (expr->form == ast::ComprehensionKind::Generator && expr->parenthesized) return check_generator_expression(expr);
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
  for (TypeId type : wanted) elements.push_back(type.valid() && is_copied_type(type) ? type : c.unifier.fresh(expr->span));

  // A later pass sees what an earlier one changed.
  forget_written(flow, {}, expr);

  bool failed = false;
  auto item = [&](ast::Expr* source, size_t which) -> Expr* {
    Expr* value = usable_value(check(source, wanted[which]), source->span);
    if (is_poison(value)) {
      failed = true;
      return value;
    }
    if (wanted[which].valid() && c.unifier.is_var(elements[which])) c.unifier.unify(elements[which], with_frozen_parts(c, wanted[which], value->type));
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
          Branches branches;
          Expr* condition = check_condition(clause.condition, branches);
          flow = std::move(branches.yes);
          // What is never made says all the same what the elements would be.
          bool says_type = false;
          for (size_t i = 0; i < elements.size(); ++i) says_type |= !wanted[i].valid() && c.unifier.has_unbound(elements[i]);
          if (branches.decided && !*branches.decided && !says_type) return;
          if (branches.decided && !*branches.decided) branches.decided.reset();
          Block then = collect([&] { from(at + 1); });
          flow = merge(branches.no, flow);
          if (branches.decided) {
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
      auto bind = [&](Expr* element) {
        as_statement([&] {
          binds_comprehension_ = true;
          assign_to(clause.target, element, clause.iterable->span);
          binds_comprehension_ = false;
        });
        from(at + 1);
      };
      if (clause.is_async)
        build_async_for(clause.iterable, clause.iterable->span, bind, nullptr, nullptr);
      else
        build_for(nullptr, clause.iterable, clause.iterable->span, bind, nullptr, nullptr);
    };
    Block loop = collect([&] { from(0); });
    for (size_t i = 0; i < elements.size(); ++i)
      if (wanted[i].valid() && c.unifier.is_var(elements[i])) c.unifier.unify(elements[i], wanted[i]);
    bool appends_each = std::string_view(collection) == "list" && expr->clauses.size() == 1 && !expr->clauses[0].is_async && !failed;
    for (Stmt* stmt : loop) {
      if (appends_each && stmt == loop.back())
        if (Expr* count = count_of(*this, loop)) emit_expr(call_method(variable_ref(result, expr->span), "_expect", {count}, expr->span));
      emit(stmt);
    }
    scopes_.pop_back();
    comprehension_temps_ = outer_temps;
    flow = merge(before, flow);
    return variable_ref(result, expr->span);
  }, expr->span);
  return failed ? poison(expr->span) : made;
}

}  // namespace meteor::typed
