// Dispatch over expressions, and the frame around a body.
#include "compiler/base/check.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/assign_target.h"
#include "compiler/typed/construction.h"
#include "compiler/typed/lifted_locals.h"

namespace meteor::typed {

namespace {

constexpr uint32_t MAX_EXPR_DEPTH = 1500;

}  // namespace

// The type inside, when a list, dict or set is written where a frozen one is wanted; else invalid.
TypeId BodyChecker::frozen_display(ast::Expr* expr, TypeId expected) {
  bool is_display = expr->kind == ast::ExprKind::List || expr->kind == ast::ExprKind::Dict || expr->kind == ast::ExprKind::Set || expr->kind == ast::ExprKind::Comprehension;
  if (!is_display || !expected.valid()) return TypeId();
  TypeId wanted = c.unifier.shallow(expected);
  if (types.kind(wanted) == Kind::Optional) wanted = c.unifier.shallow(types.arg(wanted));
  return types.kind(wanted) == Kind::Frozen && is_collection(c, types.arg(wanted)) ? types.arg(wanted) : TypeId();
}

Expr* BodyChecker::check(ast::Expr* expr, TypeId expected) {
  if (auto replaced = replaced_.find(expr); replaced != replaced_.end()) return replaced->second;
  if (parts_of_spawn_)
    if (auto part = parts_of_spawn_->of.find(expr); part != parts_of_spawn_->of.end())
      return check_part_of_spawn(expr, expected, part->second);
  if (is_given_up(*this)) return poison(expr->span);
  if (depth_ > MAX_EXPR_DEPTH) {
    c.error(Code::NestingTooDeep, expr->span, "this expression is nested too deeply").help = "split it with variables";
    return poison(expr->span);
  }
  struct Depth {
    uint32_t& d;
    explicit Depth(uint32_t& depth) : d(depth) { ++d; }
    ~Depth() { --d; }
  } guard(depth_);
  if (TypeId wanted = frozen_display(expr, expected); wanted.valid()) {   // what is made for a frozen place is frozen there
    Expr* inside = check(expr, wanted);
    return is_poison(inside) ? inside : call_core("freeze", {inside}, expr->span);
  }
  Expr* made = check_form(expr, expected);
  TypeId type = c.unifier.shallow(made->type);
  if (types.has_var(type)) type = c.resolve(type);
  if (!c.is_too_large(type)) return made;
  c.report_too_large(type, expr->span);
  return poison(expr->span);
}

Expr* BodyChecker::check_form(ast::Expr* expr, TypeId expected) {
  switch (expr->kind) {
    case ast::ExprKind::Error: return poison(expr->span);
    case ast::ExprKind::Int: case ast::ExprKind::Float: case ast::ExprKind::Bool: case ast::ExprKind::Null: case ast::ExprKind::Str: case ast::ExprKind::Bytes:
    case ast::ExprKind::Duration: return check_literal(expr, expected);
    case ast::ExprKind::FString: return check_fstring(expr->as<ast::FStringExpr>());
    case ast::ExprKind::Name: {
      auto* n = expr->as<ast::NameExpr>();
      if ((n->name.text() == "inf" || n->name.text() == "nan") && lookup(n->name).kind == BindingKind::None && !module->names.count(n->name)) {
        auto* number = make<FloatConst>(types.float_, expr->span);
        number->value = n->name.text() == "inf" ? __builtin_inf() : __builtin_nan("");
        return number;
      }
      return check_name(n, expected);
    }
    case ast::ExprKind::Super: {
      auto& d = c.error(Code::InvalidSuper, expr->span, "`super` can only be used to call a method");
      d.help = "write `super.method(…)`";
      return poison(expr->span);
    }
    case ast::ExprKind::Member: case ast::ExprKind::Index: case ast::ExprKind::Call: {
      bool handled = false;
      Expr* chained = check_optional_chain(expr, expected, handled);
      if (handled) return chained;
      if (auto* member = expr->as<ast::MemberExpr>()) return check_member(member, expected);
      if (auto* index = expr->as<ast::IndexExpr>()) return check_index(index);
      return check_call(expr->as<ast::CallExpr>(), expected);
    }
    case ast::ExprKind::Slice:
      c.error(Code::ExpectedExpression, expr->span, "a slice can only stand inside `[…]` after a value");
      return poison(expr->span);
    case ast::ExprKind::TypeApply: {
      auto* apply = expr->as<ast::TypeApplyExpr>();
      if (auto* n = apply->callee->as<ast::NameExpr>()) {
        Binding local = lookup(n->name);
        if (local.kind == BindingKind::Nested && is_template(*local.nested)) return template_value(*local.nested, apply->type_args, expr->span);
      }
      Entity entity = find_entity(apply->callee);
      if (entity.kind == SymbolKind::Functions && !entity.is_type_member) {
        FunctionInfo* f = entity.symbol.functions->front();
        Subst subst;
        for (size_t i = 0; i < apply->type_args.size() && i < f->type_params.size(); ++i) subst.add(f->type_params[i].type, type_of(apply->type_args[i]));
        c.ensure_signature(f);
        std::vector<TypeId> params;
        for (ParamInfo& p : f->params) params.push_back(p.type.valid() ? c.apply(p.type, subst) : types.any);
        Instance* instance = c.instantiate(f, subst, TypeId(), params);
        auto* closure = make<MakeClosure>(types.func(params, instance->result), expr->span);
        PendingCall pending;
        pending.closure = closure;
        pending.instance = instance;
        pending.caller = fn.id;
        c.add_pending(pending);
        return closure;
      }
      c.error(Code::NotAValue, expr->span, "this names a type, not a value").help = "call it to make one";
      return poison(expr->span);
    }
    case ast::ExprKind::Unary: return check_unary(expr->as<ast::UnaryExpr>(), expected);
    case ast::ExprKind::Binary: return check_binary(expr->as<ast::BinaryExpr>(), expected);
    case ast::ExprKind::Compare: {
      auto* compare = expr->as<ast::CompareExpr>();
      bool equality = compare->ops[0] == ast::CompareOp::Eq || compare->ops[0] == ast::CompareOp::Ne;
      bool null = compare->operands.size() == 2 && equality && (compare->operands[0]->kind == ast::ExprKind::Null || compare->operands[1]->kind == ast::ExprKind::Null);
      return null ? check_truth(expr) : check_compare(compare);
    }
    case ast::ExprKind::Is: return check_truth(expr);
    case ast::ExprKind::And: case ast::ExprKind::Or: return check_and_or(expr, expected);
    case ast::ExprKind::Coalesce: return check_coalesce(expr->as<ast::CoalesceExpr>(), expected);
    case ast::ExprKind::Unwrap: return check_unwrap(expr->as<ast::UnwrapExpr>());
    case ast::ExprKind::As: return check_as(expr->as<ast::AsExpr>());
    case ast::ExprKind::Ternary: return check_ternary(expr->as<ast::TernaryExpr>(), expected);
    case ast::ExprKind::Lambda: return check_lambda(expr->as<ast::LambdaExpr>()->function, expr->span, expected);
    case ast::ExprKind::AnonDef: return check_lambda(expr->as<ast::AnonDefExpr>()->function, expr->span, expected);
    case ast::ExprKind::List: return check_list(expr->as<ast::ListExpr>(), expected);
    case ast::ExprKind::Dict: return check_dict(expr->as<ast::DictExpr>(), expected);
    case ast::ExprKind::Set: return check_set(expr->as<ast::SetExpr>(), expected);
    case ast::ExprKind::Tuple: return check_tuple(expr->as<ast::TupleExpr>(), expected);
    case ast::ExprKind::Comprehension: return check_comprehension(expr->as<ast::ComprehensionExpr>(), expected);
    case ast::ExprKind::Range: {
      auto* range = expr->as<ast::RangeExpr>();
      std::vector<Expr*> fields = {check_to(range->lower, types.int_), check_to(range->upper, types.int_), make_int(1, expr->span)};
      for (Expr* f : fields)
        if (is_poison(f)) return f;
      auto* made = make<New>(c.core_type("Range"), expr->span);
      made->fields = keep(fields);
      return made;
    }
    case ast::ExprKind::Owned: {
      Expr* value = check(expr->as<ast::OwnedExpr>()->operand, expected);
      note_moved(value, expr->span);
      return move_out(value, ParamMode::Plain, expr->span);
    }
    case ast::ExprKind::Walrus: return check_walrus(expr->as<ast::WalrusExpr>(), expected);
    case ast::ExprKind::DoubleStar:
      c.error(Code::InvalidOperand, expr->span, "`**` spreads a dict only in a dict, or over the named arguments of a call");
      return poison(expr->span);
    case ast::ExprKind::Star:
      c.error(Code::InvalidOperand, expr->span, "`*` spreads values only inside a call, a list or a set");
      return poison(expr->span);
    case ast::ExprKind::Await: return check_await(expr->as<ast::AwaitExpr>(), expected);
    case ast::ExprKind::Yield: return check_yield(expr->as<ast::YieldExpr>());
    case ast::ExprKind::Spawn: return check_spawn(expr->as<ast::SpawnExpr>());
    case ast::ExprKind::TakeOver: return check_take_over(expr->as<ast::TakeOverExpr>());
  }
  return poison(expr->span);
}

Expr* BodyChecker::check_place(ast::Expr* expr, std::function<void()>& put_back) {
  if (auto* n = expr->as<ast::NameExpr>()) {
    Binding binding = lookup(n->name);
    if (binding.kind == BindingKind::Variable && binding.variable.valid()) {
      if (refuse_unfinished_self(*this, binding.variable, expr->span)) return poison(expr->span);
      if (!flow.is_assigned(binding.variable) || flow.moved.contains(binding.variable.index)) return read_variable(binding.variable, expr->span);
      return variable_ref(binding.variable, expr->span);
    }
    Symbol symbol = find_symbol(n->name);
    if (binding.kind == BindingKind::None && symbol.kind == SymbolKind::Global && !symbol.global->is_const) {
      if (symbol.global->is_local) use_local(*this, symbol.global, expr->span);
      if (refuse_global_read(symbol.global, expr->span)) return poison(expr->span);
      guard_global(symbol.global, expr->span);
      auto* ref = make<GlobalRef>(symbol.global->type, expr->span);
      ref->global = symbol.global->id;
      return ref;
    }
  }
  if (expr->kind == ast::ExprKind::Member || expr->kind == ast::ExprKind::Index) {
    auto target = std::make_shared<Target>(resolve_target(*this, expr, Until::CodeRan));
    if (target->kind == Target::None) return nullptr;
    bool is_field = target->kind == Target::Place && !target->is_weak;
    std::vector<Expr*> optionals = is_field ? shared_optionals(*this, target->place) : std::vector<Expr*>();
    if (is_field && target->write_back.empty() && optionals.empty()) return target->place;
    // A collection may grow or shrink while the callee runs, so it gets a variable of its own, whose value is put back.
    VariableId held;
    Expr* place = target->place;
    if (!is_field || !optionals.empty()) {
      Expr* value = load(*this, *target);
      if (is_poison(value)) return nullptr;
      held = hold(value, expr->span);
      place = variable_ref(held, expr->span);
    }
    put_back = [this, target, held, optionals, span = expr->span] {
      if (held.valid()) return emit_unless_null(*this, optionals, span, [&] { store(*this, *target, variable_ref(held, span), span); });
      for (size_t i = target->write_back.size(); i-- > 0;) target->write_back[i]();
    };
    return place;
  }
  auto& d = c.error(Code::InvalidRefArgument, expr->span, "a `ref` parameter needs a variable that it can assign");
  d.help = "put the value into a variable first";
  return nullptr;
}

// Each is closed, also where one before it has failed.
static void end_streams(BodyChecker& b, const std::vector<VariableId>& streams) {
  Span span = b.fn.span;
  VariableId error = b.hold(b.make<NullConst>(b.c.optional_of(b.c.core_type("Error")), span), span);
  for (VariableId stream : streams) {
    b.as_statement([&] {
      auto* last = b.make_stmt<If>(span);
      last->condition = b.call_core("_is_last", {b.variable_ref(stream, span)}, span);
      last->then_body = b.collect([&] {
        b.shielded(span, [&] {
          Expr* closed = b.call_core("_close_next", {b.variable_ref(stream, span), b.variable_ref(error, span)}, span);
          b.emit_assign(b.variable_ref(error, span), b.make_await(closed, span));
        });
      });
      b.emit(last);
    });
  }
  b.as_statement([&] { b.emit_expr(b.call_core("_raise_first", {b.variable_ref(error, span)}, span)); });
}

void BodyChecker::check_function_body(ast::Block body) {
  prescan(body);
  if (is_constructor_body)
    flow.fields_assigned.assign(c.flat_fields(self_type).size() + 1, false);  // the last: note_base_init
  std::vector<Stmt*> stmts(fn.body.begin(), fn.body.end());
  std::vector<VariableId> temps;
  std::vector<Stmt*>* outer_out = out_;
  std::vector<VariableId>* outer_temps = temps_;
  out_ = &stmts;
  temps_ = &temps;
  std::vector<VariableId> streams;   // that may end with this function: their clean-up may wait
  bool is_default = info && info->owner && info->owner->kind == Kind::Trait;
  bool ends_streams = !module->is_core || is_default;   // core itself runs them; but what a trait gives them is made of them
  for (uint32_t i = 0; may_suspend() && ends_streams && i < fn.param_count; ++i) {
    TypeId type = c.unifier.shallow(fn.variables[i].type);
    if (fn.variables[i].mode == ParamMode::Plain && c.kind(type) == Kind::Class && c.nominal_info(type) == c.core_nominal("Stream")) streams.push_back(VariableId(i));
  }
  if (streams.empty()) {
    for (Stmt* s : check_block(body)) stmts.push_back(s);
  } else {
    auto* out = make_stmt<Cleanup>(fn.span);
    out->body = check_block(body);
    Flow end = flow;
    out->cleanup = collect([&] { end_streams(*this, streams); });
    flow = end;
    stmts.push_back(out);
  }
  if (is_given_up(*this)) {
    out_ = outer_out;
    temps_ = outer_temps;
    return;
  }
  finish_returns();
  check_deferred_reads();
  Span end = fn.span;
  if (is_constructor_body && !module->is_std) {
    if (returned_early_) flow = merge(flow, *returned_early_);
    const auto& flat = c.flat_fields(self_type);
    TypeId base = info ? c.base_of(owner_type()) : TypeId();
    size_t inherited = base.valid() ? c.flat_fields(base).size() : 0;
    size_t first = refuse_missing_base_init(*this) ? inherited : 0;  // those before are for the call to give
    for (size_t i = first; i < flat.size(); ++i) {
      FieldInfo* field = flat[i].info;
      if (field->default_value || c.kind(flat[i].type) == Kind::Optional || !flow.reachable || flow.fields_assigned[i]) continue;
      if (field->owner->self_type == c.program.raisable) continue;
      auto& d = c.error(Code::FieldNotAssigned, info->decl->name_span, "this constructor does not assign the field `" + field->name.str() + "` on every path");
      d.labels.push_back({field->span, "declared here"});
      d.help = std::string(i < inherited ? "call `super.__init__(…)`, " : "") + "write `self." + field->name.str() +
               " = …`, or give the field a default";
    }
  }
  // The end of the body is a return without a value.
  TypeId result = c.unifier.shallow(declared_result.valid() ? declared_result : result_var);
  Kind k = types.kind(result);
  if (flow.reachable && k != Kind::Void && k != Kind::Error && k != Kind::Never && k != Kind::Var) missing_return(result);
  if (temps.empty()) {
    fn.body = keep(stmts);
  } else {
    auto* block = make_stmt<BlockStmt>(end);
    block->body = keep(stmts);
    block->temps = keep(temps);
    fn.body = keep(std::vector<Stmt*>{block});
  }
  out_ = outer_out;
  temps_ = outer_temps;
}

void BodyChecker::missing_return(TypeId result) {
  if (types.kind(result) == Kind::Optional) {
    auto* out = make_stmt<Return>(fn.span);
    out->value = make<NullConst>(result, fn.span);
    emit(out);
    return;
  }
  ast::FunctionDecl* decl = info ? info->decl : nullptr;
  Span at = fn.span;
  auto& d = c.error(Code::MissingReturn, at, "not every path through `" + fn.name + "` returns a value");
  d.expected = c.text(result);
  if (decl && decl->return_type && !parent) d.labels.push_back({decl->return_type->span, "promised here"});
  d.help = "add a `return` at the end, or `raise` an error there";
}

}  // namespace meteor::typed
