// try, raise, with. `finally` and `with` become Cleanup blocks that run
// on every way out. Where an error may cut a body short, only what held before
// the body is sure.
#include <algorithm>

#include "compiler/typed/body.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

// Breaks and continues that pass through a cleanup see what it changes.
void forget_in_jumps(BodyChecker& b, ast::Block cleanup) {
  for (LoopContext& loop : b.loops_) {
    if (*loop.has_break) b.forget_written(*loop.break_flow, cleanup);
    if (*loop.has_continue) b.forget_written(*loop.continue_flow, cleanup);
  }
}

// The flow after a cleanup that ended with `out` and made `moves`, when the body ended with `end`.
Flow after_cleanup(Flow end, const Flow& out, std::span<const BodyChecker::Move> moves) {
  if (!out.reachable) end.reachable = false;
  if (end.assigned.size() < out.assigned.size()) end.assigned.resize(out.assigned.size());
  for (size_t i = 0; i < out.assigned.size(); ++i)
    if (out.assigned[i]) end.assigned[i] = true;
  if (!end.base_made.valid()) end.base_made = out.base_made;
  for (size_t i = 0; i < out.fields_assigned.size(); ++i) {
    if (!out.fields_assigned[i]) continue;
    if (end.fields_assigned.size() <= i) end.fields_assigned.resize(i + 1);
    end.fields_assigned[i] = true;
  }
  for (const BodyChecker::Move& move : moves) {
    if (move.global.valid() && out.moved_globals.contains(move.global.index)) end.moved_globals.emplace(move.global.index, move.span);
    if (move.variable.valid() && out.moved.contains(move.variable.index)) end.moved.emplace(move.variable.index, move.span);
  }
  return end;
}

// A clause before it catches the same: it never runs.
void warn_of_unreachable_catches(BodyChecker& b, ast::TryStmt* stmt) {
  struct Caught { TypeId type; Span span; };
  std::vector<Caught> caught;
  for (ast::CatchClause& clause : stmt->catches) {
    std::vector<Caught> here;
    for (ast::TypeExpr* written : clause.types)
      if (TypeId type = b.c.resolve(b.type_of(written)); b.c.kind(type) == Kind::Class) here.push_back({type, written->span});
    for (const Caught& one : here) {
      auto before = std::ranges::find_if(caught, [&](const Caught& earlier) { return b.c.is_subclass(one.type, earlier.type); });
      if (before == caught.end()) continue;
      Diagnostic& d = b.c.error(Code::UnreachablePattern, one.span, "`" + b.c.text(one.type) + "` is never caught here: a `catch` before this one catches it");
      d.labels.push_back({before->span, "this one catches every `" + b.c.text(before->type) + "`"});
      d.help = "put the `catch` of the more special error first";
      break;
    }
    if (clause.types.empty()) here.push_back({b.c.core_type("Error"), clause.span});
    caught.insert(caught.end(), here.begin(), here.end());
  }
}

}  // namespace

void BodyChecker::check_try(ast::TryStmt* stmt) {
  TypeId raisable = c.core_type("Raisable");
  Flow before = flow;
  size_t moves_before = moves_.size();
  auto parts = [&] {
    auto* out = make_stmt<Try>(stmt->span);
    out->body = check_block(stmt->body);
    Flow at_catch = after_part_of(before, moves_before, stmt->body);
    if (!stmt->else_body.empty()) out->else_body = check_block(stmt->else_body);
    Flow end = flow;
    std::vector<CatchClause> catches;
    if (!is_generic_instance()) warn_of_unreachable_catches(*this, stmt);
    for (ast::CatchClause& clause : stmt->catches) {
      flow = at_catch;
      CatchClause made;
      made.span = clause.span;
      std::vector<TypeId> tested;
      TypeId type;
      for (ast::TypeExpr* written : clause.types) {
        TypeId one = c.resolve(type_of(written));
        if (c.kind(one) == Kind::Error) {
          type = one;
          continue;
        }
        if (c.kind(one) != Kind::Class || !c.is_subclass(one, raisable)) {
          Diagnostic& d = c.error(Code::TypeMismatch, written->span, "`" + c.text(one) + "` can't be raised, so it can't be caught");
          d.help = "catch `Error` or a class derived from it";
          type = types.error;
          continue;
        }
        tested.push_back(one);
        c.note_type(one);
        if (!type.valid()) type = one;
        while (c.kind(type) == Kind::Class && !c.is_subclass(one, type)) type = c.base_of(type);
      }
      if (!type.valid()) type = c.core_type("Error");
      made.types = keep(tested);
      in_case_scope([&] {
        made.variable = new_temp(type, clause.span);   // a bare `raise` raises it, whatever becomes of the name
        catch_variables_.push_back(made.variable);
        made.body = collect([&] {
          if (clause.name) emit_assign(variable_ref(bind_name(clause.name, type, clause.name_span), clause.name_span), variable_ref(made.variable, clause.name_span));
          for (Stmt* s : check_block(clause.body)) emit(s);
        });
        catch_variables_.pop_back();
      });
      end = merge(end, flow);
      catches.push_back(made);
    }
    flow = std::move(end);
    if (stmt->catches.empty()) {
      for (Stmt* s : out->body) emit(s);
      for (Stmt* s : out->else_body) emit(s);
      return;
    }
    out->catches = keep(catches);
    emit(out);
  };
  if (!stmt->has_finally) return parts();
  auto* cleanup = make_stmt<Cleanup>(stmt->span);
  cleanup->body = collect(parts);
  Flow end = flow;
  flow = after_part_of(before, moves_before, stmt->body);
  for (ast::CatchClause& clause : stmt->catches) flow = after_part_of(flow, moves_before, clause.body);
  flow = after_part_of(flow, moves_before, stmt->else_body);
  size_t moves_of_cleanup = moves_.size();
  cleanup->cleanup = collect([&] { emit_cleanup(stmt->finally_body, stmt->span); });
  forget_written(end, stmt->finally_body);
  forget_in_jumps(*this, stmt->finally_body);
  flow = after_cleanup(std::move(end), flow, std::span(moves_).subspan(moves_of_cleanup));
  emit(cleanup);
}

void BodyChecker::check_raise(ast::RaiseStmt* stmt) {
  auto raise = [&](Expr* value) {
    auto* out = make_stmt<Raise>(stmt->span);
    out->value = value;
    emit(out);
    flow.reachable = false;
  };
  if (!stmt->value) {
    if (!catch_variables_.empty()) return raise(variable_ref(catch_variables_.back(), stmt->span));
    c.error(Code::InvalidRaise, stmt->span, "a bare `raise` works only inside a `catch`").help = "say what to raise: `raise Error(\"…\")`";
    flow.reachable = false;
    return;
  }
  TypeId raisable = c.core_type("Raisable");
  Expr* value = nullptr;
  auto entity = find_entity(stmt->value);
  if (entity.kind == SymbolKind::Nominal || entity.kind == SymbolKind::Alias) value = construct(entity_type(entity, {}, stmt->value->span), {}, stmt->value->span, TypeId());
  else value = check(stmt->value);
  TypeId type = is_poison(value) ? types.error : c.resolve(known(value->type));
  if (c.kind(type) == Kind::Optional && c.kind(types.arg(type)) == Kind::Class) {
    value = coerce(value, raisable, stmt->value->span);   // says that it may be null
    type = types.error;
  }
  if (c.kind(type) != Kind::Error && (c.kind(type) != Kind::Class || !c.is_subclass(type, raisable))) {
    Diagnostic& d = c.error(Code::InvalidRaise, stmt->value->span, "`" + c.text(type) + "` can't be raised");
    d.label = "not an error";
    if (c.kind(type) == Kind::Str) d.edits.push_back({stmt->value->span, "Error(" + std::string(c.input.sources.text(stmt->value->span)) + ")"});
    if (c.kind(type) == Kind::Str) d.help = "raise an error with this text: `raise Error(" + std::string(c.input.sources.text(stmt->value->span)) + ")`";
    else if (c.kind(type) == Kind::Class) d.help = "derive its class from `Error`: `class " + c.text(type) + "(Error):`";
    else d.help = "raise an instance of `Error` or of a class derived from it";
    type = types.error;
  }
  if (stmt->cause) {
    Member field = c.kind(type) == Kind::Class ? c.find_member(type, c.name("cause")) : Member();
    Expr* cause = check_to(stmt->cause, field.kind == Member::Field ? field.field_type : c.optional_of(raisable));
    if (field.kind == Member::Field && !is_poison(cause)) {
      VariableId error = hold(value, stmt->value->span);
      emit_assign(make_field(variable_ref(error, stmt->value->span), field.field_index, field.field_type, stmt->cause->span), cause);
      value = variable_ref(error, stmt->value->span);
    }
  }
  raise(value);
}

// ---- with -------------------------------------------------------------------

void BodyChecker::check_with(ast::WithStmt* stmt) {
  if (stmt->is_async) require_async(stmt->span, "`async with`");
  check_with_item(stmt, 0);
}

void BodyChecker::check_with_item(ast::WithStmt* stmt, size_t index) {
  if (index == stmt->items.size()) {
    for (Stmt* s : check_block(stmt->body)) emit(s);
    return;
  }
  ast::WithItem& item = stmt->items[index];
  Span span = item.value->span;
  Expr* value = usable_value(check(item.value), span);
  TypeId type = is_poison(value) ? types.error : c.resolve(require_known(value->type, span, "the value of `with`"));
  auto method = [&](std::string_view name) { return c.find_member(type, c.name(name)); };
  bool waits = stmt->is_async;
  std::string enter = waits ? "__aenter__" : "__enter__", leave = waits ? "__aexit__" : "__exit__";
  if (waits && c.kind(type) != Kind::Error && method(enter).kind != Member::Methods && c.future_value(type).valid() && may_suspend()) {
    value = make_await(value, span);
    type = is_poison(value) ? types.error : c.resolve(known(value->type));
  }
  if (c.kind(type) != Kind::Error && (method(enter).kind != Member::Methods || method(leave).kind != Member::Methods)) {
    std::string with = waits ? "async with" : "with", def = waits ? "async def" : "def";
    Diagnostic& d = c.error(Code::TypeMismatch, span, "`" + c.text(type) + "` can't be used in `" + with + "`");
    d.label = "there is no `" + (method(enter).kind != Member::Methods ? enter : leave) + "`";
    d.help = "give it `" + def + " " + enter + "(self)` and `" + def + " " + leave + "(self, error: Error?)`";
    if (!waits && method("__aenter__").kind == Member::Methods) d.help = "write `async with`";
    else if (!waits && c.future_value(type).valid()) suggest_await(d, value, "a future gives its value when it is awaited: ");
    else if (waits && method("__enter__").kind == Member::Methods) d.help = "write `with`";
    type = types.error;
  }
  if (waits && !may_suspend()) type = types.error;
  auto awaited = [&](Expr* value) { return waits && !is_poison(value) && c.future_value(known(value->type)).valid() ? make_await(value, span) : value; };
  if (c.kind(type) == Kind::Error) {
    if (item.target) assign_to(item.target, poison(span), span);
    check_with_item(stmt, index + 1);
    return;
  }
  VariableId manager = hold(value, span);
  Expr* entered = awaited(call_method(variable_ref(manager, span), enter, {}, span));
  if (item.target) {
    may_rebind_ = true;
    assign_to(item.target, usable_value(entered, span), span);
    may_rebind_ = false;
  } else {
    emit_expr(entered);
  }
  TypeId raisable = c.core_type("Raisable");
  TypeId error_class = c.core_type("Error");
  auto* out = make_stmt<Cleanup>(stmt->span);
  Flow before = flow;
  size_t moves_before = moves_.size();
  out->body = collect([&] { check_with_item(stmt, index + 1); });
  refuse_deleted_before(nullptr);   // leaving it may raise
  Flow end = flow;
  flow = after_part_of(before, moves_before, stmt->body);
  Flow cut = flow;
  bool suppresses = false;
  FunctionInfo* exit = method(leave).methods->front();
  c.ensure_signature(exit);
  if (!exit->params.empty()) out->error = new_temp(c.optional_of(raisable), span);   // here: it comes in from outside the clean-up
  auto run_exit = [&] {
    std::vector<Expr*> args;
    if (!exit->params.empty()) {
      TypeId wanted = exit->params[0].type;
      Expr* in_flight = variable_ref(out->error, span);
      bool takes_all = wanted.valid() && c.kind(wanted) == Kind::Optional && c.resolve(types.arg(c.resolve(wanted))) == raisable;
      if (takes_all) {
        args.push_back(in_flight);
      } else {
        // `Cancelled` is no Error: for `__exit__` nothing went wrong then.
        auto* missing = make<IsNull>(types.bool_, span);
        missing->operand = in_flight;
        auto* is_error = make<IsType>(types.bool_, span);
        is_error->operand = make_unwrap(in_flight, span, false);
        is_error->tested = error_class;
        auto* both = make<And>(types.bool_, span);
        both->left = make_not(missing);
        both->right = is_error;
        auto* as_error = make<Convert>(error_class, span);
        as_error->convert = ConvertKind::Downcast;
        as_error->operand = make_unwrap(in_flight, span, false);
        auto* chosen = make<Ternary>(c.optional_of(error_class), span);
        chosen->condition = both;
        chosen->then_value = make_some(as_error);
        chosen->else_value = make<NullConst>(chosen->type, span);
        args.push_back(chosen);
      }
    }
    Expr* exited = awaited(call_method(variable_ref(manager, span), leave, args, span));
    Kind kind = is_poison(exited) ? Kind::Error : c.kind(known(exited->type));
    if (kind == Kind::Bool) {
      suppresses = true;
      out->suppress = new_temp(types.bool_, span);
      emit_assign(variable_ref(out->suppress, span), exited);
    } else {
      emit_expr(exited);
    }
  };
  out->cleanup = collect([&] {
    if (waits) as_statement([&] { shielded(span, run_exit); });
    else run_exit();
  });
  // An error that `__exit__` swallows may have cut the body short anywhere.
  flow = suppresses ? merge(end, cut) : std::move(end);
  call_may_write(waits ? nullptr : exit, span);
  emit(out);
}

}  // namespace meteor::typed
