// `while` and `for`. A loop over integers written as a range counts; any other
// asks an iterator for the next element until it gives null.
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/loop_facts.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

void BodyChecker::LoopParts::of(ast::ForStmt* loop) {
  if (!loop) return;
  body_ast = loop->body;
  target = loop->target;
}

void BodyChecker::build_loop(const LoopParts& parts, Span span) {
  auto* loop = make_stmt<Loop>(span);
  loop->iterator = parts.iterator;
  loop->label = root->next_label_++;
  add_deferred(flow, parts.body_ast);   // by an earlier pass
  Facts kept = narrow_in_loop(parts);
  size_t errors = c.sink.error_count();
  Flow entry = flow;
  Branches branches;
  if (parts.next) {
    loop->condition = parts.next();
    branch_on(branches);
  } else {
    loop->condition = parts.head(branches);
  }
  Flow exit = std::move(branches.no);

  Flow break_flow, continue_flow;
  bool has_break = false, has_continue = false;
  loops_.push_back({loop->label, &break_flow, &has_break, &continue_flow, &has_continue});
  ++loop_depth_;
  flow = std::move(branches.yes);
  loop->body = collect(parts.body);
  --loop_depth_;
  loops_.pop_back();
  Flow back = has_continue ? merge(flow, continue_flow) : flow;
  flow = back;
  if (parts.step) loop->step = collect(parts.step);
  check_moved_in_loop(entry, back, parts.body_ast, parts.condition_ast);
  if (c.sink.error_count() == errors) check_kept_facts(kept, back, parts);

  // Left because the condition failed: before the first pass or after any other.
  if (back.reachable) {
    exit.moved.insert(back.moved.begin(), back.moved.end());
    exit.moved_globals.insert(back.moved_globals.begin(), back.moved_globals.end());
    exit.add_functions(back);
    exit.deferred.insert(back.deferred.begin(), back.deferred.end());
    exit.lost.insert(back.lost.begin(), back.lost.end());
    for (size_t i = 0; i < exit.assigned.size(); ++i)
      if (!back.is_assigned(VariableId(static_cast<uint32_t>(i)))) exit.assigned[i] = false;
  }
  flow = std::move(exit);
  if (!loop->condition) flow.reachable = false;
  if (parts.else_body) loop->else_body = collect(parts.else_body);
  if (has_break) flow = merge(flow, break_flow);
  emit(loop);
}

void BodyChecker::check_while(ast::WhileStmt* stmt) {
  LoopParts parts;
  parts.body_ast = stmt->body;
  parts.condition_ast = stmt->condition;
  bool never = false;
  parts.head = [&](Branches& branches) -> Expr* {
    Expr* condition = make_seq([&] { return check_condition(stmt->condition, branches); }, stmt->condition->span);
    const std::optional<bool>& decided = branches.decided;
    auto* constant = condition->as<BoolConst>();
    if ((decided && *decided) || (constant && constant->value)) return nullptr;
    never = decided && !*decided;
    return never ? make_bool(false, condition->span) : condition;
  };
  parts.body = [&] {
    if (never) return;   // a static branch: not looked at
    for (Stmt* s : check_block(stmt->body)) emit(s);
  };
  if (!stmt->else_body.empty()) parts.else_body = [&] {
    for (Stmt* s : check_block(stmt->else_body)) emit(s);
  };
  build_loop(parts, stmt->span);
}

// ---- for --------------------------------------------------------------------

// The variable of a `for` at module level is a module variable. Functions made in the loop that mention it get a copy,
// one in each pass, unless the body assigns it: then they share the module's.
void BodyChecker::bind_pass_variables(ast::ForStmt* stmt) {
  std::unordered_set<Name> assigned;
  scan_assigned(stmt->body, [&](const AssignedName& found) { assigned.insert(found.name); });
  scan_lent_names(stmt->body, c.lending_functions(), assigned);
  scan_target(stmt->target, [&](const AssignedName& found) {
    Symbol symbol = find_symbol(found.name);
    bool is_global = find_local(found.name).kind == BindingKind::None && symbol.kind == SymbolKind::Global;
    if (!is_global || assigned.contains(found.name) || !closure_names_.contains(found.name)) return;
    auto* value = make<GlobalRef>(symbol.global->type, found.span);
    value->global = symbol.global->id;
    VariableId copy = declare({}, value->type, found.span);
    var(copy).name = found.name;
    facts(copy).is_pass_variable = true;
    emit_assign(variable_ref(copy, found.span), value);
    auto* assign = out_->back()->as<Assign>();
    assign->begins_pass = assign->ends_with_pass = true;
    flow.set_assigned(copy);
    pass_variables_[found.name] = copy;
  }, true);
}

void BodyChecker::check_for(ast::ForStmt* stmt) {
  scan_target(stmt->target, [&](const AssignedName& name) { flow.forget(name_key(name.name)); }, true);
  auto body = [&](Expr* element) {
    as_statement([&] {
      may_rebind_ = begins_pass_ = true;
      assign_to(stmt->target, element, stmt->iterable->span);
      may_rebind_ = begins_pass_ = false;
    });
    auto outer = pass_variables_;
    if (is_module_body) bind_pass_variables(stmt);
    for (Stmt* s : check_block(stmt->body)) emit(s);
    pass_variables_ = std::move(outer);
  };
  std::function<void()> else_body;
  if (!stmt->else_body.empty()) else_body = [&] {
    for (Stmt* s : check_block(stmt->else_body)) emit(s);
  };
  takes_elements_ = stmt->target->kind == ast::ExprKind::Name || stmt->target->kind == ast::ExprKind::Tuple;
  if (stmt->is_async)
    build_async_for(stmt->iterable, stmt->span, body, else_body, stmt);
  else
    build_for(nullptr, stmt->iterable, stmt->span, body, else_body, stmt);
}

namespace {

std::optional<int64_t> constant_step(ast::Expr* expr) {
  bool negative = false;
  if (auto* unary = expr->as<ast::UnaryExpr>(); unary && unary->op == ast::UnaryOp::Neg) {
    negative = true;
    expr = unary->operand;
  }
  auto* literal = expr->as<ast::IntExpr>();
  if (!literal || literal->too_big || literal->value == 0 || literal->value > (uint64_t(1) << 62)) return std::nullopt;
  int64_t value = static_cast<int64_t>(literal->value);
  return negative ? -value : value;
}

bool is_core_range(BodyChecker& b, ast::Expr* callee) {
  auto* name = callee->as<ast::NameExpr>();
  if (!name || name->name.text() != "range" || b.lookup(name->name).kind != BindingKind::None) return false;
  Symbol symbol = b.find_symbol(name->name);
  if (symbol.kind == SymbolKind::Functions) return symbol.functions->front()->module->is_core;
  return symbol.kind == SymbolKind::Nominal && symbol.nominal->module->is_core;
}

}  // namespace

bool BodyChecker::build_range_for(ast::Expr* iterable, Span span, const std::function<void(Expr*)>& bind_and_body,
                                  const std::function<void()>& else_body, ast::ForStmt* loop) {
  ast::Expr* from = nullptr;
  ast::Expr* to = nullptr;
  int64_t step = 1;
  if (auto* range = iterable->as<ast::RangeExpr>()) {
    if (!range->lower || !range->upper) return false;
    from = range->lower;
    to = range->upper;
  } else {
    auto* call = iterable->as<ast::CallExpr>();
    if (!call || call->args.empty() || call->args.size() > 3 || !call->type_args.empty() || !is_core_range(*this, call->callee)) return false;
    for (ast::Arg& arg : call->args) {
      ast::ExprKind kind = arg.value->kind;
      if (arg.name || kind == ast::ExprKind::Star || kind == ast::ExprKind::DoubleStar || kind == ast::ExprKind::Owned) return false;
    }
    if (call->args.size() == 3) {
      std::optional<int64_t> constant = constant_step(call->args[2].value);
      if (!constant) return false;
      step = *constant;
    }
    to = call->args[call->args.size() == 1 ? 0 : 1].value;
    if (call->args.size() > 1) from = call->args[0].value;
  }
  Span at = iterable->span;
  TypeId type = types.int_;
  Expr* start = from ? check_to(from, type) : make_int(0, at);
  VariableId counter = new_temp(type, at);
  emit_assign(variable_ref(counter, at), start);
  Expr* end = check_to(to, type);
  if (is_poison(start) || is_poison(end)) end = make_int(0, at);
  if (end->kind != ExprKind::Int) end = variable_ref(hold(end, to->span), to->span);
  auto compare = [&](CompareOp op, Expr* left, Expr* right) {
    auto* test = make<Compare>(types.bool_, at);
    test->op = op;
    test->left = left;
    test->right = right;
    return test;
  };
  LoopParts parts;
  parts.of(loop);
  parts.element = type;
  parts.next = [&]() -> Expr* { return compare(step > 0 ? CompareOp::Lt : CompareOp::Gt, variable_ref(counter, at), end); };
  parts.body = [&] { bind_and_body(variable_ref(counter, at)); };
  parts.step = [&] {
    auto* next = make<Binary>(type, at);
    next->op = BinaryOp::WrapAdd;
    next->left = variable_ref(counter, at);
    next->right = make_int(step, at);
    emit_assign(variable_ref(counter, at), next);
    if (step == 1 || step == -1) return;
    // Past the end of the integers: it wrapped, so the loop is over.
    auto* wrapped = make_stmt<If>(at);
    Expr* limit = make_int(step > 0 ? INT64_MIN + step : INT64_MAX + step, at);
    wrapped->condition = compare(step > 0 ? CompareOp::Lt : CompareOp::Gt, variable_ref(counter, at), limit);
    wrapped->then_body = collect([&] { emit_assign(variable_ref(counter, at), end); });
    emit(wrapped);
  };
  parts.else_body = else_body;
  build_loop(parts, span);
  return true;
}

// Containers keep what they hold; what an iterator of this kind gives is the loop's alone.
bool BodyChecker::gives_elements_away(TypeId iterator) {
  NominalInfo* info = c.nominal_info(c.resolve(iterator));
  return info && (!info->module->is_core || info == c.core_nominal("_ChannelItems") || info == c.core_nominal("Generator"));
}

void BodyChecker::build_for(Expr* iterable, ast::Expr* iterable_ast, Span span,
                            const std::function<void(Expr* element)>& bind_and_body,
                            const std::function<void()>& else_body, ast::ForStmt* loop) {
  bool takes = std::exchange(takes_elements_, false);
  if (!iterable && build_range_for(iterable_ast, span, bind_and_body, else_body, loop)) return;
  if (!iterable) offer_cases(iterable_ast);
  if (!iterable) iterable = check(iterable_ast);
  Span at = iterable_ast ? iterable_ast->span : span;
  iterable = thaw_copied(*this, iterable);
  TypeId type = is_poison(iterable) ? types.error : c.resolve_parts(require_known(iterable->type, at, "what is iterated over"));
  if (c.kind(type) == Kind::Tuple) {
    std::vector<TypeId> parts = types.get(type).args;
    TypeId element = parts.empty() ? c.unifier.fresh(at) : parts[0];
    for (TypeId part : parts) {
      TypeId both = join(element, part);
      if (!both.valid()) {
        Diagnostic& d = c.error(Code::NotIterable, at, "a tuple of different types can't be iterated over");
        d.found = c.text(type);
        d.help = "unpack it: `a, b = …`";
        element = types.error;
        break;
      }
      element = both;
    }
    if (c.kind(element) == Kind::Error) {
      type = types.error;
    } else {
      Expr* tuple = variable_ref(hold(iterable, at), at);
      std::vector<Expr*> items;
      for (size_t i = 0; i < parts.size(); ++i) items.push_back(make_field(tuple, static_cast<uint32_t>(i), parts[i], at));
      iterable = list_from(items, element, at);
      type = c.resolve(iterable->type);
    }
  }
  Expr* iterator = c.kind(type) == Kind::Error ? poison(at) : make_iterator(iterable, at);
  LoopParts parts;
  parts.of(loop);
  parts.else_body = else_body;
  if (is_poison(iterator)) {
    parts.next = [&]() -> Expr* { return make_bool(false, at); };
    parts.body = [&] { bind_and_body(poison(at)); };
    build_loop(parts, span);
    return;
  }
  VariableId it = hold(iterator, at);
  VariableId next;
  parts.element = element_given_by(*this, c.resolve(iterator->type));
  takes = takes && gives_elements_away(iterator->type);
  parts.iterator = it;
  parts.next = [&]() -> Expr* {
    return make_seq([&]() -> Expr* {
      bool python = !c.has_method(known(var(it).type), "next") && c.has_method(known(var(it).type), "__next__");
      Expr* call = call_method(variable_ref(it, at), python ? "__next__" : "next", {}, at);
      TypeId result = is_poison(call) ? types.error : known(call->type);
      if (c.kind(result) != Kind::Optional) {
        if (c.kind(result) != Kind::Error) {
          bool is_stream = c.future_value(result).valid();
          Diagnostic& d = c.error(Code::NotIterable, at, is_stream ? "the elements of a `" + c.text(var(it).type) + "` have to be waited for" : "`next` of `" + c.text(var(it).type) + "` must give an optional, null at the end");
          d.found = c.text(result);
          if (is_stream) d.help = may_suspend() ? "write `async for`" : "write `async for` in an `async def`";
        }
        return make_bool(false, at);
      }
      next = takes ? declare(c.name("element " + std::to_string(++hidden_names_)), result, at) : new_temp(result, at);   // a temporary can't be moved from
      emit_assign(variable_ref(next, at), call);
      out_->back()->as<Assign>()->ends_with_pass = true;
      auto* ended = make<IsNull>(types.bool_, at);
      ended->operand = variable_ref(next, at);
      return make_not(ended);
    }, at);
  };
  parts.body = [&] {
    Expr* element = next.valid() ? make_unwrap(variable_ref(next, at), at, false, takes) : poison(at);
    bind_and_body(element);
  };
  build_loop(parts, span);
}

}  // namespace meteor::typed
