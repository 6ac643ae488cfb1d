// Statements that wait: `await scope`, `shield`, `async for`, `async with`. Each becomes calls of core
// (std/core/scope.met) around the statements of its body.
#include "compiler/typed/body.h"
#include "compiler/typed/loop_facts.h"

namespace meteor::typed {

// What `build` emits, with cancellation kept out: clean-up code may wait.
void BodyChecker::shielded(Span span, const std::function<void()>& build) {
  TypeId type = c.core_type("_Shield");
  VariableId shield = hold(construct(type, {}, span, TypeId()), span);
  emit_expr(call_core("_region_enter", {variable_ref(shield, span), make_bool(false, span)}, span));
  auto* out = make_stmt<Cleanup>(span);
  out->body = collect(build);
  out->cleanup = collect([&] { emit_expr(call_core("_region_leave", {variable_ref(shield, span)}, span)); });
  emit(out);
}

// A finally, defer or with exit that awaits, in a body that can be cancelled.
void BodyChecker::emit_cleanup(ast::Block body, Span span) {
  auto run = [&] {
    for (Stmt* s : check_block(body)) emit(s);
  };
  if (may_suspend() && awaits(body)) as_statement([&] { shielded(span, run); });
  else run();
}

void BodyChecker::check_shield(ast::ShieldStmt* stmt) {
  auto body = [&] {
    for (Stmt* s : check_block(stmt->body)) emit(s);
  };
  if (require_async(stmt->span, "`shield`")) shielded(stmt->span, body);
  else body();
}

void BodyChecker::flag_assigned(VariableId variable, Span span) {
  if (var(variable).kind != VariableKind::Local) return;
  auto known = assigned_flags_.find(variable.index);
  bool fresh_in_scope = !scope_entries_.empty() && !scope_entries_.front()->is_assigned(variable);
  if (known == assigned_flags_.end()) {
    if (!fresh_in_scope) return;
    VariableId flag = declare({}, types.bool_, span, VariableKind::Local);
    flow.set_assigned(flag);
    known = assigned_flags_.emplace(variable.index, flag).first;
  }
  emit_assign(variable_ref(known->second, span), make_bool(true, span));
}

void BodyChecker::guard_scope_variable(VariableId variable, Span span) {
  if (!guarded_.contains(variable.index) || !out_) return;
  auto* test = make_stmt<If>(span);
  test->condition = make_not(variable_ref(assigned_flags_.at(variable.index), span));
  test->then_body = collect([&] {
    Flow before = flow;
    raise_new("StateError", make_text("`" + var(variable).name.str() + "` was not assigned: its scope was cancelled before", span), span);
    flow = before;
  });
  emit(test);
}

void BodyChecker::check_scope(ast::ScopeStmt* stmt) {
  bool allowed = require_async(stmt->span, "`await scope`");
  Span span = stmt->span;
  Overloads* make = c.core_function("_make_scope");
  Expr* made = allowed ? call_overloads(*make, {}, nullptr, TypeId(), call_args(stmt->args), span, TypeId(), c.name("scope")) : poison(span);
  if (is_poison(made)) made = make_error_of(c.core_type("Scope"), span);
  VariableId scope = hold(made, span);
  assign_variable(stmt->name, span, variable_ref(scope, span));
  auto* out = make_stmt<Cleanup>(span);
  Flow before = flow;
  size_t moves_before = moves_.size();
  scope_entries_.push_back(&before);
  out->body = check_block(stmt->body);
  scope_entries_.pop_back();
  Flow end = flow;
  flow = after_part_of(before, moves_before, stmt->body);
  Flow cut = flow;
  out->error = new_temp(c.optional_of(c.core_type("Raisable")), span);
  out->suppress = new_temp(types.bool_, span);
  if (allowed) {
    out->cleanup = collect([&] {
      Expr* closed = make_await(call_method(variable_ref(scope, span), "_close", {variable_ref(out->error, span)}, span), span, false);
      emit_assign(variable_ref(out->suppress, span), closed);
    });
  }
  flow = merge(end, cut);   // `s.cancel()` may have ended the body anywhere
  // Module variables too: reading them looks at their flags.
  for (uint32_t i = 0; i < end.assigned_globals.size() && end.reachable; ++i)
    if (end.assigned_globals[i] && !flow.is_assigned(GlobalId(i))) flow.know("?g" + std::to_string(i), types.bool_);
  for (auto& [index, flag] : assigned_flags_) {
    VariableId variable(index);
    if (before.is_assigned(variable) || !end.is_assigned(variable) || !end.reachable) continue;
    emit_assign(variable_ref(flag, span), make_bool(false, span));
    flow.set_assigned(variable);
    guarded_.insert(index);
  }
  call_may_write(nullptr, span);
  emit(out);
  if (end.reachable) return;
  // The body always leaves by itself, unless it was cancelled quietly.
  raise_new("TaskCancelled", make_text("the scope was cancelled", span), span);
  flow.reachable = false;
}

// for each element: `it.next()` is awaited; null ends the loop.
void BodyChecker::build_async_for(ast::Expr* iterable_ast, Span span, const std::function<void(Expr*)>& bind_and_body,
                                  const std::function<void()>& else_body, ast::ForStmt* loop) {
  bool takes = std::exchange(takes_elements_, false);
  Span at = iterable_ast->span;
  bool allowed = require_async(span, "`async for`");
  Expr* iterable = check(iterable_ast);
  TypeId type = is_poison(iterable) || !allowed ? types.error : c.resolve(require_known(iterable->type, at, "what is iterated over"));
  if (c.kind(type) != Kind::Error && c.has_method(type, "__aiter__")) {
    iterable = call_method(iterable, "__aiter__", {}, at);
    type = is_poison(iterable) ? types.error : c.resolve(known(iterable->type));
    if (c.kind(type) != Kind::Error && c.future_value(type).valid()) {
      iterable = make_await(iterable, at);
      type = c.resolve(known(iterable->type));
    }
  }
  bool was_future = c.kind(type) != Kind::Error && !c.has_method(type, "next") && c.future_value(type).valid();
  if (was_future) {   // of a stream, it is hoped: waited for first
    iterable = make_await(iterable, at);
    type = is_poison(iterable) ? types.error : c.resolve(known(iterable->type));
  }
  const char* method = c.kind(type) != Kind::Error && !c.has_method(type, "next") && c.has_method(type, "__anext__") ? "__anext__" : "next";
  bool fits = c.kind(type) != Kind::Error && c.has_method(type, method);
  if (c.kind(type) != Kind::Error && !fits) {
    Diagnostic& d = c.error(Code::NotIterable, at, "`" + c.text(type) + "` can't be iterated over with `async for`");
    d.help = c.has_method(type, "__iter__") ? was_future ? "write `for x in await …`: its elements are there at once" : "leave `async` out: its elements are there at once" : "it needs `async def next(self) -> T?`, null at the end";
  }
  LoopParts parts;
  parts.of(loop);
  parts.else_body = else_body;
  VariableId it, next;
  if (fits) it = hold(iterable, at);
  if (fits) parts.element = element_given_by(*this, type);
  parts.next = [&]() -> Expr* {
    if (!fits) return make_bool(false, at);
    return make_seq([&]() -> Expr* {
      Expr* item = call_method(variable_ref(it, at), method, {}, at);
      if (!is_poison(item) && c.future_value(known(item->type)).valid()) item = make_await(item, at);
      TypeId result = is_poison(item) ? types.error : c.resolve(known(item->type));
      if (c.kind(result) != Kind::Optional) {
        if (c.kind(result) != Kind::Error) {
          Diagnostic& d = c.error(Code::NotIterable, at, "`" + std::string(method) + "` of `" + c.text(var(it).type) + "` must give an optional, null at the end");
          d.found = c.text(result);
        }
        return make_bool(false, at);
      }
      next = takes ? declare(c.name("element " + std::to_string(++hidden_names_)), result, at) : new_temp(result, at);   // a temporary can't be moved from
      emit_assign(variable_ref(next, at), item);
      out_->back()->as<Assign>()->ends_with_pass = true;
      auto* ended = make<IsNull>(types.bool_, at);
      ended->operand = variable_ref(next, at);
      return make_not(ended);
    }, at);
  };
  parts.body = [&] { bind_and_body(next.valid() ? make_unwrap(variable_ref(next, at), at, false, takes) : poison(at)); };
  bool is_fresh_stream = fits && iterable_ast->kind == ast::ExprKind::Call && c.nominal_info(type) == c.core_nominal("Stream");
  if (!is_fresh_stream) return build_loop(parts, span);
  auto* out = make_stmt<Cleanup>(span);   // nobody else has it: it ends with the loop
  out->body = collect([&] { build_loop(parts, span); });
  Flow end = flow;
  out->cleanup = collect([&] {
    as_statement([&] {
      shielded(span, [&] { emit_expr(make_await(call_method(variable_ref(it, at), "_close", {}, at), at)); });
    });
  });
  flow = end;
  emit(out);
}

}  // namespace meteor::typed
