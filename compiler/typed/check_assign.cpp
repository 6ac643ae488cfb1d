// Assignments: `x = v`, `x: T = v`, `a, *b = v`, `x += v`. The value is evaluated
// before the targets, once.
#include <algorithm>

#include "compiler/typed/assign_target.h"
#include "compiler/typed/construction.h"
#include "compiler/typed/lifted_locals.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

bool is_constant(Expr* e) {
  switch (e->kind) {
    case ExprKind::Int: case ExprKind::Float: case ExprKind::Bool: case ExprKind::Null: case ExprKind::Str: case ExprKind::Bytes: case ExprKind::Unreachable: return true;
    default: return false;
  }
}

namespace {

bool is_literal(ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Int: case ast::ExprKind::Float: case ast::ExprKind::Bool: case ast::ExprKind::Null: case ast::ExprKind::Str: return true;
    case ast::ExprKind::Unary: return is_literal(e->as<ast::UnaryExpr>()->operand);
    default: return false;
  }
}

std::span<ast::Expr*> parts_of(ast::Expr* target) {
  if (auto* tuple = target->as<ast::TupleExpr>()) return tuple->items;
  if (auto* list = target->as<ast::ListExpr>()) return list->items;
  return {};
}

bool has_star(std::span<ast::Expr*> items) {
  for (ast::Expr* item : items)
    if (item->kind == ast::ExprKind::Star) return true;
  return false;
}

}  // namespace

// ---- Values and hints -------------------------------------------------------

Expr* BodyChecker::usable_value(Expr* value, Span span) {
  if (c.kind(value->type) != Kind::Void) return value;
  c.error(Code::NotAValue, span, "this gives no value").label = "the function has no result";
  return poison(span);
}

TypeId BodyChecker::hint_for_key(TypeId collection) {
  TypeId type = c.resolve(collection);
  NominalInfo* info = c.nominal_info(type);
  return info && info->module->is_core && info->name.text() == "dict" ? types.arg(type) : TypeId();
}

TypeId BodyChecker::hint_for(ast::Expr* target) {
  if (auto* name = target->as<ast::NameExpr>()) {
    Binding binding = lookup(name->name);
    if (binding.kind == BindingKind::Variable) return binding.variable.valid() ? var(binding.variable).type : TypeId();
    if (binding.kind != BindingKind::None) return {};
    Symbol symbol = find_symbol(name->name);
    return symbol.kind == SymbolKind::Global && !symbol.global->is_const ? symbol.global->type : TypeId();
  }
  auto object_type = [&](ast::Expr* object) {
    TypeId type = hint_for(object);
    if (!type.valid()) return type;
    PlaceKey key = place_key(object);
    const Known* fact = flow.find(key);
    return c.resolve(fact ? fact->type : type);
  };
  if (auto* member = target->as<ast::MemberExpr>()) {
    TypeId object = object_type(member->object);
    if (!object.valid() || (c.kind(object) != Kind::Class && c.kind(object) != Kind::Struct)) return {};
    Member found = c.find_member(object, member->name);
    return found.kind == Member::Field ? found.field_type : TypeId();
  }
  if (auto* index = target->as<ast::IndexExpr>()) {
    TypeId object = object_type(index->object);
    NominalInfo* info = object.valid() ? c.nominal_info(object) : nullptr;
    if (!info || !info->module->is_core) return {};
    if (index->index->kind == ast::ExprKind::Slice) return info->name.text() == "list" ? object : TypeId();
    return info->name.text() == "list" || info->name.text() == "dict" ? types.get(object).args.back() : TypeId();
  }
  return {};
}

void BodyChecker::remember_value(Expr* place, Expr* value) {
  TypeId type = c.resolve(place->type);
  TypeId given = c.resolve(value->type);
  Kind kind = c.kind(given);
  bool may_be_null = c.kind(type) != Kind::Optional || given == type || kind == Kind::Null || kind == Kind::Var ||
                     kind == Kind::Error || kind == Kind::Void;
  TypeId present = may_be_null ? TypeId() : types.arg(type);
  if (auto* field = place->as<FieldRef>()) {
    TypeId object = c.resolve(field->object->type);
    if (c.kind(object) == Kind::Class || c.kind(object) == Kind::Struct)
      flow.field_written(c.flat_fields(object)[field->index].info->name.text(), place->span, present);
  }
  PlaceKey key = place_key(place);
  if (key.empty()) return forget_place(key);
  auto noted = flow.ended.find(key);
  bool was_known = flow.find(key) || (noted != flow.ended.end() && noted->second.span.start == place->span.start);
  forget_place(key);
  if (present.valid())
    flow.know(key, present);
  else if (was_known)
    flow.ended[key] = {place->span, EndedBy::Assignment};
}

// ---- Targets ----------------------------------------------------------------

// A function or method of the module, not one made by its statements, that means the module's variable by this name.
static bool is_used_by_functions(ModuleInfo* module, Name name) {
  bool found = false;
  auto look_into = [&](ast::FunctionDecl* function) {
    std::unordered_set<Name> globals, outer;
    scan_outer_names(function->body, globals, outer);
    bool is_own = std::ranges::any_of(function->params, [&](const ast::Param& p) { return p.name == name; });
    scan_assigned(function->body, [&](const AssignedName& assigned) { is_own |= assigned.name == name; });
    if (is_own && !globals.contains(name)) return;
    bool is_mentioned = false, is_bound_inside = false;   // by a comprehension or a lambda: most likely it means that
    TreeVisitor visitor;
    visitor.on_expr = [&](ast::Expr* e) {
      auto* used = e->as<ast::NameExpr>();
      is_mentioned |= used && used->name == name;
      auto* lambda = e->as<ast::LambdaExpr>();
      if (lambda) is_bound_inside |= std::ranges::any_of(lambda->function->params, [&](const ast::Param& p) { return p.name == name; });
      auto* comprehension = e->as<ast::ComprehensionExpr>();
      if (!comprehension) return;
      for (ast::ComprehensionClause& clause : comprehension->clauses)
        if (clause.target) scan_target(clause.target, [&](const AssignedName& bound) { is_bound_inside |= bound.name == name; }, true);
    };
    visitor.visit(function->body);
    found |= is_mentioned && !is_bound_inside;
  };
  for (ast::Module* tree : module->trees)
    for (ast::Stmt* stmt : tree->body) {
      if (auto* f = stmt->as<ast::FunctionDecl>()) look_into(f);
      if (auto* decl = stmt->as<ast::ClassDecl>()) std::ranges::for_each(decl->methods, look_into);
      if (auto* impl = stmt->as<ast::ImplDecl>()) std::ranges::for_each(impl->methods, look_into);
    }
  return found;
}

// Whether the name is free for a value of another type: no value of its variable can be seen from here on, or a `for`, a
// `with` or a `select` gives it a value and nobody else may look at what it had.
bool BodyChecker::may_be_another(Expr* place) {
  if (!flow.reachable) return false;
  if (auto* global = place->as<GlobalRef>()) {
    GlobalInfo* info = c.global_of(global->global);
    return may_rebind_ && this == root && is_module_body && info && !info->is_const && !info->is_local && !is_used_by_functions(module, info->name);
  }
  auto* ref = place->as<VariableRef>();
  if (!ref || var(ref->variable).kind != VariableKind::Local || (!may_rebind_ && flow.is_assigned(ref->variable))) return false;
  const VariableFacts& f = facts(ref->variable);
  return (!f.captured || (begins_pass_ && !flow.is_assigned(ref->variable))) && !f.annotated && !f.is_const;
}

static Span type_decided_at(BodyChecker& b, Expr* place) {
  if (auto* variable = place->as<VariableRef>()) return b.facts(variable->variable).type_decided_at;
  return b.c.global_of(place->as<GlobalRef>()->global)->span;
}

static Expr* refuse_another_type(BodyChecker& b, ast::NameExpr* target, Expr* place, Expr* value) {
  std::string name = "`" + target->name.str() + "`";
  Diagnostic& d = b.c.error(Code::TypeMismatch, target->span, name + " has another type already, and a variable keeps its type");
  d.expected = b.c.text(place->type);
  d.found = b.c.text(value->type);
  d.labels.push_back({type_decided_at(b, place), name + " has its type since here"});
  d.help = "choose another name here";
  return b.poison(value->span);
}

// A name whose variable has another type than the value: where it is free, a new variable gets the name.
static Expr* place_for_another_type(BodyChecker& b, ast::NameExpr* target, Expr* place, Expr*& value) {
  bool is_free = target->name.text() == "_";
  if (!is_free && b.may_be_another(place)) {
    if (b.c.kind(value->type) == Kind::Null) return place;
    is_free = true;
  }
  if (!is_free) value = refuse_another_type(b, target, place, value);
  auto* global = place->as<GlobalRef>();
  bool has_value = global ? b.flow.is_assigned(global->global) : b.flow.is_assigned(place->as<VariableRef>()->variable);
  Expr* fresh = b.variable_ref(b.declare(target->name, value->type, target->span), target->span);
  if (b.is_poison(value) || (b.begins_pass_ && !has_value)) return fresh;
  // Two branches may use one name for two things. Who reads it where both may have come by hears of the second type.
  VariableFacts& f = b.facts(fresh->as<VariableRef>()->variable);
  f.type_before = place->type;
  f.before_decided_at = type_decided_at(b, place);
  f.is_rebound = b.may_rebind_;
  f.other_value = value;
  return fresh;
}

void BodyChecker::assign_name(ast::NameExpr* target, Expr* value, Span span) {
  Name name = target->name;
  Binding own = find_local(name);
  if (own.kind == BindingKind::Class) {
    c.error(Code::InvalidAssignmentTarget, target->span, "`" + name.str() + "` can't be assigned: it names a class").help = "choose another name for the variable";
    return;
  }
  Expr* place = nullptr;
  if (binds_comprehension_) {
    auto known = scopes_.back().find(name);
    bool is_new = known == scopes_.back().end();
    VariableId v = is_new ? declare(name, value->type, target->span, VariableKind::Temp) : known->second.variable;
    if (is_new) comprehension_temps_->push_back(v);   // it ends with the statement around
    facts(v).assigned_in_loop = false;
    place = variable_ref(v, target->span);
  } else if (is_module_body && own.kind == BindingKind::Variable) {
    place = variable_ref(own.variable, target->span);   // bound by a pattern
  } else {
    place = target_for_name(name, target->span, value->type);
  }
  if (place->kind == ExprKind::Unreachable) return;
  bool may_differ = !is_poison(value) && !is_poison(place) && !c.unifier.is_var(place->type) && c.resolve(place->type) != c.resolve(value->type);
  if (may_differ && (may_rebind_ || name.text() == "_" || may_be_another(place)) && !try_coerce(value, place->type, span)) place = place_for_another_type(*this, target, place, value);
  auto* ref = place->as<VariableRef>();
  if (ref && facts(ref->variable).is_const) {
    Diagnostic& d = c.error(Code::AssignToConst, target->span, "`" + name.str() + "` is a const and can't be assigned");
    d.labels.push_back({var(ref->variable).span, "declared here"});
    d.help = "declare it without `const` to make it a variable";
    return;
  }
  if (ref && refuse_assigning_self(*this, ref->variable, target->span)) return;
  if (is_poison(value) && c.unifier.is_var(place->type)) c.unifier.unify(place->type, types.error);
  if (c.kind(value->type) == Kind::Null && c.unifier.is_var(place->type)) c.unifier.unify(place->type, types.optional(c.unifier.fresh(target->span)));
  std::string why = "`" + name.str() + "` has its type since here";
  Span why_span = ref ? facts(ref->variable).type_decided_at : Span();
  auto* global_ref = place->as<GlobalRef>();
  GlobalInfo* global = global_ref ? c.global_of(global_ref->global) : nullptr;
  if (global) why_span = global->span;
  if (c.kind(value->type) == Kind::Null) {
    if (ref) facts(ref->variable).null_at = value->span;
    if (global) global->null_at = value->span;
  }
  if (why_span.valid() && why_span.start == target->span.start) why_span = Span();
  FillsAnnotation filling(*this, annotation_of(*this, place));
  Expr* converted = coerce(value, place->type, span, why_span.valid() ? why.c_str() : nullptr, why_span);
  emit_assign(place, converted);
  auto* assign = out_->back()->as<Assign>();
  assign->begins_pass = begins_pass_ || binds_comprehension_;
  assign->ends_with_pass = assign->begins_pass || binds_case_;
  if (ref) {
    note_assigned(ref->variable, target->span);
    flag_assigned(ref->variable, target->span);
  }
  remember_value(place, value);
  bool was_refused = is_poison(converted) && !is_poison(value);
  if (PlaceKey key = place_key(place); was_refused && !key.empty()) flow.know(key, types.error);   // its uses were meant for the new type
}

void BodyChecker::assign_to(ast::Expr* target, Expr* value, Span span) {
  switch (target->kind) {
    case ast::ExprKind::Error: return;
    case ast::ExprKind::Name: assign_name(target->as<ast::NameExpr>(), value, span); return;
    case ast::ExprKind::Tuple: case ast::ExprKind::List: unpack_to(parts_of(target), value, span, target->span); return;
    case ast::ExprKind::Member: case ast::ExprKind::Index: {
      Target resolved = resolve_target(*this, target, Until::Written);
      store(*this, resolved, value, span);
      return;
    }
    case ast::ExprKind::Star:
      c.error(Code::InvalidAssignmentTarget, target->span, "a starred target needs others beside it").help = "write `*xs, = …`, or assign without the star";
      return;
    default:
      c.error(Code::InvalidAssignmentTarget, target->span, "this can't be assigned").help = "a target is a variable, a field or an element";
  }
}

namespace {

bool is_sum_of(ast::Expr* target, ast::Expr* value) {
  auto* name = target->as<ast::NameExpr>();
  auto* sum = value->as<ast::BinaryExpr>();
  auto* left = sum && sum->op == ast::BinaryOp::Add ? sum->left->as<ast::NameExpr>() : nullptr;
  return name && left && name->name == left->name;
}

// `xs = xs + more` of lists, as it was emitted; gives the variable and what is added.
std::pair<VariableRef*, Expr*> find_list_sum(BodyChecker& b, Stmt* stmt) {
  auto* assign = stmt->as<Assign>();
  auto* target = assign ? assign->target->as<VariableRef>() : nullptr;
  auto* call = target ? assign->value->as<Call>() : nullptr;
  if (!call || call->call != CallKind::Direct || call->args.size() != 2 || b.var(target->variable).kind != VariableKind::Local) return {};
  auto* left = call->args[0]->as<VariableRef>();
  NominalInfo* info = b.c.nominal_info(b.c.resolve(target->type));
  bool is_list = info && info == b.c.core_nominal("list") && b.c.resolve(call->args[1]->type) == b.c.resolve(target->type);
  if (!left || left->variable != target->variable || !is_list) return {};
  return {target, call->args[1]};
}

}  // namespace

void BodyChecker::assign_value(ast::Expr* target, ast::Expr* value) {
  std::span<ast::Expr*> targets = parts_of(target);
  auto* tuple = value->as<ast::TupleExpr>();
  if (tuple && targets.size() == tuple->items.size() && !has_star(targets) && !has_star(tuple->items) && targets.size() > 0) {
    assign_pairs(targets, tuple->items);
    return;
  }
  auto* named = target->as<ast::NameExpr>();
  Binding binding = named ? lookup(named->name) : Binding();
  bool is_variable = binding.kind == BindingKind::Variable && binding.variable.valid();
  FillsAnnotation filling(*this, is_variable ? annotation_of(*this, variable_ref(binding.variable, target->span)) : nullptr);
  Expr* checked = usable_value(check(value, targets.empty() ? hint_for(target) : TypeId()), value->span);
  // The value comes first: code it runs may change what the target is made of.
  bool moves_target = target->kind == ast::ExprKind::Index || (target->kind == ast::ExprKind::Member && target->as<ast::MemberExpr>()->object->kind != ast::ExprKind::Name);
  if (moves_target && !is_constant(checked)) {
    bool runs = may_run_code(*this, value) || may_run_code(*this, target);
    if (runs && c.kind(checked->type) != Kind::Null) checked = variable_ref(hold(checked, value->span), value->span);
  }
  assign_to(target, checked, value->span);
  if (!is_sum_of(target, value) || !out_ || out_->empty()) return;
  auto [variable, added] = find_list_sum(*this, out_->back());
  if (!variable) return;
  // A list that only this variable has need not be copied.
  out_->pop_back();
  emit_expr(call_static(variable->type, "_add_to", {variable, added}, value->span));
}

void BodyChecker::assign_pairs(std::span<ast::Expr*> targets, std::span<ast::Expr*> values) {
  std::vector<Expr*> held;
  for (size_t i = 0; i < values.size(); ++i) {
    Expr* value = usable_value(check(values[i], hint_for(targets[i])), values[i]->span);
    held.push_back(is_constant(value) ? value : variable_ref(hold(value, values[i]->span), values[i]->span));
  }
  for (size_t i = 0; i < targets.size(); ++i) assign_to(targets[i], held[i], values[i]->span);
}

bool BodyChecker::declare_typed(ast::Expr* target, TypeId type, ast::TypeExpr* written) {
  auto* name = target->as<ast::NameExpr>();
  if (!name) return true;
  Expr* place = target_for_name(name->name, target->span, type);
  if (place->kind == ExprKind::Unreachable || is_poison(place) || c.kind(type) == Kind::Error) return true;
  if (auto* ref = place->as<VariableRef>()) {
    facts(ref->variable).annotated = true;
    facts(ref->variable).annotation = written;
    facts(ref->variable).type_known = true;
  }
  if (c.unifier.unify(place->type, type)) return true;
  Diagnostic& d = c.error(Code::TypeMismatch, written->span, "`" + name->name.str() + "` already has another type");
  d.expected = c.text(place->type);
  d.found = c.text(type);
  if (auto* ref = place->as<VariableRef>()) d.labels.push_back({facts(ref->variable).type_decided_at, "since here"});
  d.help = "leave the type out, or choose another name";
  return false;
}

// `(n := f())` is `n = f()`, then `n`. Whoever tests the value learns about `n`.
Expr* BodyChecker::check_walrus(ast::WalrusExpr* expr, TypeId expected) {
  ast::NameExpr* target = expr->target;
  for (size_t i = 1; i < scopes_.size(); ++i)
    if (scopes_[i].contains(target->name)) {
      c.error(Code::InvalidAssignmentTarget, target->span,
              "`" + target->name.str() + "` is a variable of this comprehension and can't be assigned in it")
          .help = "choose another name";
      check(expr->value);
      return poison(expr->span);
    }
  if (!temps_) {
    c.error(Code::InvalidAssignmentTarget, expr->span, "a variable can't be assigned here").help =
        "write the value alone";
    return check(expr->value, expected);
  }
  PlaceKey key;
  Expr* made = make_seq(
      [&]() -> Expr* {
        TypeId hint = hint_for(target);
        Expr* value = usable_value(check(expr->value, hint.valid() ? hint : expected), expr->value->span);
        // It is a variable of the function, also where it is assigned in a comprehension or beside the target of a
        // loop.
        Scopes inner(std::make_move_iterator(scopes_.begin() + 1), std::make_move_iterator(scopes_.end()));
        scopes_.resize(1);
        bool pass = std::exchange(begins_pass_, false), binds_case = std::exchange(binds_case_, false);
        bool binds = std::exchange(binds_comprehension_, false), rebinds = std::exchange(may_rebind_, false);
        assign_name(target, value, expr->value->span);
        Expr* read = check_name(target, TypeId());
        begins_pass_ = pass, binds_case_ = binds_case, binds_comprehension_ = binds, may_rebind_ = rebinds;
        for (auto& scope : inner) scopes_.push_back(std::move(scope));
        key = place_key(read);
        if (read->kind == ExprKind::Variable || read->kind == ExprKind::Global || is_poison(read)) return read;
        // Seen as what was assigned. Not as a place: assigning a field of it would assign the variable again.
        auto* seen = make<Seq>(read->type, expr->span);
        seen->value = read;
        return seen;
      },
      expr->span);
  if (is_poison(made)) return made;
  root->assigning_[made] = key;
  return made;
}

void BodyChecker::check_assign(ast::AssignStmt* stmt) {
  if (stmt->type) {
    TypeId type = annotated_type(*this, stmt->type);
    ast::Expr* target = stmt->targets[0];
    if (!stmt->value) {
      if (target->kind == ast::ExprKind::Name) declare_typed(target, type, stmt->type);
      else if (target->kind != ast::ExprKind::Error) c.error(Code::InvalidAssignmentTarget, target->span, "only a variable can be declared here").help = "declare fields in the class body";
      return;
    }
    FillsAnnotation filling(*this, stmt->type);
    Expr* value = check_to(stmt->value, type, "because of this type", stmt->type->span);
    if (declare_typed(target, type, stmt->type)) assign_to(target, value, stmt->value->span);
    return;
  }
  if (stmt->targets.size() == 1) return assign_value(stmt->targets[0], stmt->value);
  if (is_literal(stmt->value)) {
    for (ast::Expr* target : stmt->targets) assign_value(target, stmt->value);
    return;
  }
  TypeId hint;
  for (ast::Expr* target : stmt->targets)
    if (!hint.valid()) hint = hint_for(target);
  Expr* value = usable_value(check(stmt->value, hint), stmt->value->span);
  VariableId temp = hold(value, stmt->value->span);
  for (ast::Expr* target : stmt->targets) assign_to(target, is_poison(value) ? value : variable_ref(temp, stmt->value->span), stmt->value->span);
}

// ---- Augmented assignment ---------------------------------------------------

namespace {

std::string_view in_place_method(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::Add: return "__iadd__";
    case ast::BinaryOp::Sub: return "__isub__";
    case ast::BinaryOp::Mul: return "__imul__";
    case ast::BinaryOp::Div: return "__itruediv__";
    case ast::BinaryOp::FloorDiv: return "__ifloordiv__";
    case ast::BinaryOp::Mod: return "__imod__";
    case ast::BinaryOp::Pow: return "__ipow__";
    case ast::BinaryOp::BitAnd: return "__iand__";
    case ast::BinaryOp::BitOr: return "__ior__";
    case ast::BinaryOp::BitXor: return "__ixor__";
    case ast::BinaryOp::Shl: return "__ilshift__";
    case ast::BinaryOp::Shr: return "__irshift__";
    default: return "";
  }
}

}  // namespace

void BodyChecker::check_aug_assign(ast::AugAssignStmt* stmt) {
  Target target;
  Expr* current = nullptr;
  auto* name = stmt->target->as<ast::NameExpr>();
  if (name) {
    current = check(stmt->target);
  } else if (stmt->target->kind == ast::ExprKind::Member || stmt->target->kind == ast::ExprKind::Index) {
    bool code_runs = c.written_names().overloads_operators || may_run_code(*this, stmt->target) || may_run_code(*this, stmt->value);
    target = resolve_target(*this, stmt->target, code_runs ? Until::CodeRan : Until::Updated);
    current = load(*this, target);
  } else {
    if (stmt->target->kind != ast::ExprKind::Error) c.error(Code::InvalidAssignmentTarget, stmt->target->span, "this can't be updated").help = "an update needs a variable, a field or an element";
    current = poison(stmt->target->span);
  }
  auto assign = [&](Expr* value, Span span) {
    if (name) assign_name(name, value, span);
    else if (is_still_there(*this, stmt->target, target)) store(*this, target, value, span);
  };
  if (stmt->op == ast::BinaryOp::Coalesce) {
    Kind kind = is_poison(current) ? Kind::Error : c.kind(known(current->type));
    if (kind == Kind::Error) return void(check(stmt->value));
    if (Expr* again = read_anew(current); again != current) {
      current = again;
      kind = Kind::Optional;
    }
    if (kind != Kind::Optional) {
      // Known not to be null here, by its type or by a test: nothing to do.
      check(stmt->value, current->type);
      return;
    }
    auto* missing = make<IsNull>(types.bool_, stmt->target->span);
    missing->operand = current;
    Flow before = flow;   // it was there: nothing ran
    TypeId inner = types.arg(c.resolve(current->type));
    auto* out = make_stmt<If>(stmt->span);
    out->condition = missing;
    bool fills = false;
    out->then_body = collect([&] {
      as_statement([&] {
        Expr* value = usable_value(check(stmt->value, inner), stmt->value->span);
        fills = c.kind(value->type) != Kind::Optional && c.kind(value->type) != Kind::Null;
        assign(value, stmt->value->span);
      });
    });
    emit(out);
    if (PlaceKey key = name ? name_key(name->name) : target.place ? place_key(target.place) : PlaceKey(); fills && !key.empty()) before.know(key, inner);
    flow = merge(before, flow);
    return;
  }
  FillsAnnotation filling(*this, name && !is_poison(current) ? annotation_of(*this, current) : nullptr);
  Expr* value = usable_value(check(stmt->value, current->type), stmt->value->span);
  if (is_poison(current) || is_poison(value)) return;
  if (awaits(stmt->value)) {   // others may have changed the old value meanwhile: it is read afterwards
    value = variable_ref(hold(value, stmt->value->span), stmt->value->span);
    current = name ? check(stmt->target) : load(*this, target);
    if (is_poison(current)) return;
  }
  Expr* result = nullptr;
  TypeId type = known(current->type);
  std::string_view method = in_place_method(stmt->op);
  Kind kind = c.kind(type);
  bool is_object = kind == Kind::Class || kind == Kind::Struct || kind == Kind::Enum || kind == Kind::Dyn;
  if (is_object && kind != Kind::Class && current->kind == ExprKind::Call) current = variable_ref(hold(current, stmt->target->span), stmt->target->span);   // an element, which the method may change
  if (is_object && !method.empty() && c.has_method(type, method)) result = try_call_method(current, method, {value}, stmt->span);
  if (!result) result = make_binary(stmt->op, current, value, stmt->span, current->type);
  assign(result, stmt->span);
}

}  // namespace meteor::typed
