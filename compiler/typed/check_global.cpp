// Module variables and consts in expressions: reading, moving and deleting them. One that may not have been assigned yet has a flag beside it
// that reads look at, unless the module's own statements prove that it has a value.
#include "compiler/typed/assign_target.h"
#include "compiler/typed/closure_moves.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

// A const that is a plain literal is as good as the literal itself.
bool is_plain_literal(ast::Expr* e) {
  if (!e) return false;
  if (auto* u = e->as<ast::UnaryExpr>()) return u->op == ast::UnaryOp::Neg && (u->operand->kind == ast::ExprKind::Int || u->operand->kind == ast::ExprKind::Float);
  return e->kind == ast::ExprKind::Int || e->kind == ast::ExprKind::Float || e->kind == ast::ExprKind::Bool || e->kind == ast::ExprKind::Str || e->kind == ast::ExprKind::Bytes;
}

// Numbers, text and displays of them: making such a value calls nothing.
bool is_made_of_literals(ast::Expr* value) {
  bool found_other = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    bool is_display = e->kind == ast::ExprKind::List || e->kind == ast::ExprKind::Tuple || e->kind == ast::ExprKind::Null;
    found_other |= !is_display && !is_plain_literal(e);
  };
  if (value) visitor.visit(value);
  return !found_other;
}

}  // namespace

void use_local(BodyChecker& b, GlobalInfo* global, Span span) {
  b.c.ensure_global(global, span);
  if (!b.flow.narrowed.empty() && !is_made_of_literals(global->value)) b.code_ran(writes_of({}, global->value, b.c.written_names()), span);
}

Expr* BodyChecker::read_global(GlobalInfo* global, Span span) {
  if (global->is_const) c.ensure_global(global, span);
  if (global->is_local) use_local(*this, global, span);
  if (global->is_const && is_plain_literal(global->value) && !c.unifier.has_unbound(global->type)) {
    size_t errors = c.sink.error_count();
    Expr* value = check(global->value, global->type);
    if (c.sink.error_count() == errors) value = coerce(value, global->type, span);
    // Of the declared type, not a literal that could still adapt.
    if (auto* number = value->as<IntConst>()) number->is_literal = false;
    value->span = span;
    return value;
  }
  if (refuse_global_read(global, span)) return poison(span);
  guard_global(global, span);
  c.reach.uses.push_back({fn.id, global, span});
  auto* ref = make<GlobalRef>(global->type, span);
  ref->global = global->id;
  if (this == root && is_module_body) note_function_read(*this, ref);
  return apply_narrowing(ref);
}

namespace {

GlobalId flag_of(Checker& c, GlobalInfo* global) {
  if (global->assigned_flag.valid()) return global->assigned_flag;
  global->assigned_flag = GlobalId(static_cast<uint32_t>(c.program.globals.size()));
  c.program.globals.emplace_back();
  Global& flag = c.program.globals.back();
  flag.name = global->name;
  flag.symbol = c.unique_symbol(global->module->name + "." + global->name.str() + " is assigned");
  flag.type = c.types.bool_;
  flag.span = global->span;
  flag.is_const = global->is_const;   // every isolate may look
  return global->assigned_flag;
}

}  // namespace

// The module's own statements know what they have assigned and moved; reading what is not there is reported once.
bool BodyChecker::refuse_global_read(GlobalInfo* global, Span span) {
  if (this != root || !is_module_body || global->module != module || global->is_const || global->is_local || module->is_std || !flow.reachable) return false;
  if (auto moved = flow.moved_globals.find(global->id.index); moved != flow.moved_globals.end()) {
    report_use_after_move(global->name, span, moved->second);
    flow.moved_globals.erase(moved);
    return true;
  }
  if (flow.is_assigned(global->id) || flow.narrowed.count("?g" + std::to_string(global->id.index))) return false;
  if (!global->is_safe && c.written_names().globals.contains(global->name)) return false;   // a function may have assigned it
  auto& d = c.error(Code::UnassignedVariable, span, "`" + global->name.str() + "` may not have been assigned here");
  d.labels.push_back({global->span, "it is assigned here"});
  d.help = "assign it on every path that leads here, for instance before the `if` or the loop";
  flow.set_assigned(global->id);
  return true;
}

void BodyChecker::guard_global(GlobalInfo* global, Span span) {
  if (global->is_local || global->is_safe || global->module->is_std || !out_) return;
  if (this == root && is_module_body && !global->is_deleted && flow.is_assigned(global->id)) return;
  auto* is_set = make<GlobalRef>(types.bool_, span);
  is_set->global = flag_of(c, global);
  auto* check_it = make_stmt<If>(span);
  check_it->condition = make_not(is_set);
  check_it->then_body = collect([&]() {
    Flow before = flow;
    raise_new("StateError", make_text("`" + global->name.str() + (global->is_const ? "` is read before it has its value" : "` is used before it is assigned"), span), span);
    flow = before;
  });
  emit(check_it);
}

void BodyChecker::delete_global(GlobalInfo* global, Span span) {
  if (refuse_global_read(global, span)) return;
  guard_global(global, span);
  c.reach.uses.push_back({fn.id, global, span});
  auto* place = make<GlobalRef>(global->type, span);
  place->global = global->id;
  auto* drop = make_stmt<Drop>(span);
  drop->place = place;
  emit(drop);
  auto* flag = make<GlobalRef>(types.bool_, span);
  flag->global = flag_of(c, global);
  auto* clear = make_stmt<Assign>(span);
  clear->target = flag;
  clear->value = make_bool(false, span);
  emit(clear);
  forget_place(place_key(place));
  flow.set_assigned(global->id, false);
}

void BodyChecker::note_global_assigned(GlobalRef* target) {
  GlobalInfo* global = c.global_of(target->global);
  if (!global || global->is_local || global->module->is_std) return;
  if (this == root && is_module_body) {
    flow.set_assigned(global->id);
    flow.moved_globals.erase(global->id.index);
  }
  if (global->is_safe) return;
  auto* flag = make<GlobalRef>(types.bool_, target->span);
  flag->global = flag_of(c, global);
  auto* set = make_stmt<Assign>(target->span);
  set->target = flag;
  set->value = make_bool(true, target->span);
  emit(set);
}

}  // namespace meteor::typed
