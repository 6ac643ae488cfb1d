// Variables: declaration on first assignment, scoping as in Python, captures,
// and reading with assignment, move and narrowing taken into account.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/did_you_mean.h"
#include "compiler/typed/later_use.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

BodyChecker::BodyChecker(Checker& checker, Function& function, ModuleInfo* in_module, BodyChecker* enclosing)
    : c(checker), types(checker.types), fn(function), module(in_module), parent(enclosing), root(enclosing ? enclosing->root : this) {
  flow.checker = &checker;
  scopes_.emplace_back();
  for (uint32_t i = 0; i < fn.variables.size(); ++i) {
    Variable& v = fn.variables[i];
    Binding binding;
    binding.kind = BindingKind::Variable;
    binding.variable = VariableId(i);
    if (v.name) scopes_[0][v.name] = binding;
    VariableFacts& f = facts(VariableId(i));
    f.assignments = 1;
    f.type_known = true;
    f.type_decided_at = v.span;
    flow.set_assigned(VariableId(i));
  }
  if (enclosing) {
    info = enclosing->info;
    type_scope = enclosing->type_scope;
    self_type = enclosing->self_type;
  }
}

VariableFacts& BodyChecker::facts(VariableId v) {
  while (variable_facts_.size() <= v.index) variable_facts_.emplace_back();
  return variable_facts_[v.index];
}

void BodyChecker::prescan(ast::Block body) {
  scan_outer_names(body, global_names_, nonlocal_names_);
  std::vector<std::pair<Name, ast::FunctionDecl*>> defs;
  scan_assigned(body, [&](const AssignedName& found) {
    if (global_names_.count(found.name) || nonlocal_names_.count(found.name)) return;
    if (found.in_pattern) return;   // the checker decides; a binding is declared when it is met
    NameUse& use = name_uses_[found.name];
    ++use.sites;
    use.in_loop |= found.in_loop;
    local_names_.insert(found.name);
  });
  // Names that nested functions assign through `nonlocal`.
  TreeVisitor visitor;
  std::unordered_set<Name> outer_globals, by_closures;
  auto look_into = [&](ast::FunctionDecl* f) {
    scan_outer_names(f->body, outer_globals, by_closures);
    scan_lent_names(f->body, c.functions_with_ref(), by_closures);
  };
  visitor.on_stmt = [&](ast::Stmt* s) {
    if (auto* f = s->as<ast::FunctionDecl>()) look_into(f);
  };
  visitor.on_expr = [&](ast::Expr* e) {
    if (auto* f = e->as<ast::AnonDefExpr>()) look_into(f->function);
    if (auto* f = e->as<ast::LambdaExpr>()) look_into(f->function);
  };
  visitor.visit(body);
  for (Name n : by_closures) name_uses_[n].by_closure = true;
  if (is_module_body) return;
  // Nested functions are known from the start, so that they can call each other.
  std::function<void(ast::Block)> find_defs = [&](ast::Block block) {
    for (ast::Stmt* stmt : block) {
      if (auto* f = stmt->as<ast::FunctionDecl>()) defs.emplace_back(f->name, f);
      if (auto* s = stmt->as<ast::IfStmt>()) {
        for (ast::IfBranch& b : s->branches) find_defs(b.body);
        find_defs(s->else_body);
      }
      if (auto* s = stmt->as<ast::ForStmt>()) find_defs(s->body);
      if (auto* s = stmt->as<ast::WhileStmt>()) find_defs(s->body);
      if (auto* s = stmt->as<ast::TryStmt>()) find_defs(s->body);
      if (auto* s = stmt->as<ast::WithStmt>()) find_defs(s->body);
    }
  };
  find_defs(body);
  for (auto& [n, decl] : defs) {
    nested_.emplace_back();
    NestedFunction& nested = nested_.back();
    nested.decl = decl;
    nested.home = this;
    nested.is_variable = name_uses_[n].sites > 1 || name_uses_[n].by_closure;
    if (nested.is_variable) continue;
    Binding binding;
    binding.kind = BindingKind::Nested;
    binding.nested = &nested;
    scopes_[0][n] = binding;
  }
}

Binding BodyChecker::find_local(Name n) {
  for (size_t i = scopes_.size(); i-- > 0;) {
    auto at = scopes_[i].find(n);
    if (at != scopes_[i].end()) return at->second;
  }
  return {};
}

Binding BodyChecker::lookup(Name n) {
  if (!global_names_.count(n) && !nonlocal_names_.count(n)) {
    Binding own = find_local(n);
    if (own.kind != BindingKind::None) return own;
    if (local_names_.count(n) && !is_module_body) {
      // Assigned somewhere in this function, but not yet: reading it now is reported by the caller.
      Binding binding;
      binding.kind = BindingKind::Variable;
      return binding;
    }
  }
  if (parent && !global_names_.count(n)) {
    Binding outer = parent->lookup(n);
    if (outer.kind == BindingKind::Variable) {
      if (!outer.variable.valid()) {
        // Assigned later in the enclosing function.
        outer.variable = parent->declare(n, c.unifier.fresh(), {});
      }
      Binding mine;
      mine.kind = BindingKind::Variable;
      mine.variable = reach(parent, outer.variable, {});
      return mine;
    }
    if (outer.kind != BindingKind::None) return outer;
  }
  if (!parent && info && info->owner && info->owner->locals)   // a method of a class that a function declares
    if (auto found = info->owner->locals->find(n); found != info->owner->locals->end()) {
      Binding binding;
      binding.kind = BindingKind::Class;
      binding.nominal = found->second;
      return binding;
    }
  return {};
}

VariableId BodyChecker::declare(Name n, TypeId type, Span span, VariableKind kind) {
  VariableId id(static_cast<uint32_t>(fn.variables.size()));
  Variable v;
  v.name = n;
  v.type = c.kind(type) == Kind::Null ? types.optional(c.unifier.fresh(span)) : type;
  v.span = span;
  v.kind = kind;
  fn.variables.push_back(v);
  VariableFacts& f = facts(id);
  f.type_decided_at = span;
  f.assigned_in_loop = scopes_.size() > 1;   // comprehension variables
  if (n) {
    Binding binding;
    binding.kind = BindingKind::Variable;
    binding.variable = id;
    scopes_.back()[n] = binding;
  }
  return id;
}

VariableId BodyChecker::new_temp(TypeId type, Span span) {
  VariableId id(static_cast<uint32_t>(fn.variables.size()));
  Variable v;
  v.type = c.kind(type) == Kind::Null ? types.optional(c.unifier.fresh(span)) : type;
  v.span = span;
  v.kind = VariableKind::Temp;
  fn.variables.push_back(v);
  facts(id).assignments = 1;
  flow.set_assigned(id);
  CHECK(temps_);
  temps_->push_back(id);
  return id;
}

// A struct with a method that assigns to `self`: whoever calls it changes the variable.
bool BodyChecker::changes_itself(TypeId type) {
  type = c.unifier.shallow(type);
  if (types.kind(type) == Kind::Optional) type = c.unifier.shallow(types.arg(type));
  if (types.kind(type) != Kind::Struct) return false;
  return std::ranges::any_of(c.nominal_info(type)->method_order, [&](FunctionInfo* method) { return method->has_self && c.mutates_self(method); });
}

VariableId BodyChecker::reach(BodyChecker* owner, VariableId variable, Span span) {
  if (this == owner) return variable;
  CHECK(parent);
  VariableId outer = parent->reach(owner, variable, span);
  for (VariableId have : fn.captures)
    if (facts(have).outer == outer) return have;
  Variable& from = parent->var(outer);
  VariableFacts& outer_facts = parent->facts(outer);
  outer_facts.captured = true;
  NameUse use = from.name ? parent->name_uses_[from.name] : NameUse();
  bool is_param = from.kind == VariableKind::Param;
  if (from.kind != VariableKind::Capture)
    from.boxed = use.by_closure || changes_itself(from.type) || use.sites + (is_param ? 1 : 0) > 1 || (use.sites > 0 && use.in_loop) || outer_facts.assigned_in_loop;
  VariableId id(static_cast<uint32_t>(fn.variables.size()));
  Variable v;
  v.name = from.name;
  v.type = from.type;
  v.span = from.span;
  v.kind = VariableKind::Capture;
  v.boxed = from.boxed;
  fn.variables.push_back(v);
  VariableFacts& f = facts(id);
  f.outer = outer;
  f.type_known = true;
  f.assigned_by_closure = from.boxed;
  f.captured_unassigned = from.kind != VariableKind::Capture && !outer_flow_.is_assigned(outer);
  fn.captures.push_back(id);
  if (v.name) {
    Binding binding;
    binding.kind = BindingKind::Variable;
    binding.variable = id;
    scopes_[0].emplace(v.name, binding);
  }
  if (!f.captured_unassigned) flow.set_assigned(id);
  if (auto moved = outer_flow_.moved.find(outer.index); moved != outer_flow_.moved.end() && !from.boxed) flow.moved.emplace(id.index, moved->second);
  // What was known of a variable that nobody assigns again is known inside too.
  if (!from.boxed) {
    auto known_type = outer_flow_.narrowed.find("v" + std::to_string(outer.index));
    if (known_type != outer_flow_.narrowed.end()) flow.narrowed["v" + std::to_string(id.index)] = known_type->second;
  }
  return id;
}

Expr* BodyChecker::variable_ref(VariableId variable, Span span) {
  auto* ref = make<VariableRef>(var(variable).type, span);
  ref->variable = variable;
  return ref;
}

Expr* BodyChecker::read_variable(VariableId variable, Span span) {
  Variable& v = var(variable);
  if (auto moved = flow.moved.find(variable.index); moved != flow.moved.end() && flow.reachable) {
    report_use_after_move(v.name, span, moved->second);
    return poison(span);
  }
  // A variable of the enclosing function stays assigned, on whichever path it was captured first.
  bool from_outside = v.kind == VariableKind::Capture && !facts(variable).captured_unassigned;
  if (!flow.is_assigned(variable) && !from_outside && flow.reachable) {
    flow.set_assigned(variable);
    if (const VariableFacts& f = facts(variable); f.other_value) {
      std::string why = "`" + v.name.str() + "` has its type since here";
      coerce(f.other_value, var(f.before).type, f.other_value->span, why.c_str(), facts(f.before).type_decided_at);
      return poison(span);
    }
    auto& d = c.error(Code::UnassignedVariable, span, "`" + v.name.str() + "` may not have been assigned here");
    d.labels.push_back({v.span, "it is assigned here"});
    d.help = "assign it on every path that leads here, for instance before the `if` or the loop";
    return poison(span);
  }
  guard_scope_variable(variable, span);
  return apply_narrowing(variable_ref(variable, span));
}

void BodyChecker::note_assigned(VariableId variable, Span) {
  flow.set_assigned(variable);
  flow.forget("v" + std::to_string(variable.index));
  facts(variable).assignments++;
}

Expr* BodyChecker::target_for_name(Name n, Span span, TypeId type) {
  auto global_place = [&](GlobalInfo* global) -> Expr* {
    if (global->is_const) {
      auto& d = c.error(Code::AssignToConst, span, "`" + n.str() + "` is a const and can't be assigned");
      d.labels.push_back({global->span, "declared here"});
      d.help = "declare it without `const` to make it a variable";
      return poison(span);
    }
    if (global->is_local) c.ensure_global(global, span);
    c.reach.uses.push_back({fn.id, global, span});
    auto* ref = make<GlobalRef>(global->type, span);
    ref->global = global->id;
    return ref;
  };
  if (scopes_.size() == 1 && (is_module_body || global_names_.count(n))) {
    Symbol symbol = find_symbol(n);
    if (symbol.kind == SymbolKind::Global && symbol.global->module == module) return global_place(symbol.global);
    if (symbol && symbol.kind != SymbolKind::EnumCase && module->names.count(n)) {
      bool is_module = symbol.kind == SymbolKind::Module;
      auto& d = c.error(Code::InvalidAssignmentTarget, span, "`" + n.str() + "` can't be assigned: it names " + (is_module ? "the imported module" : "a declaration"));
      d.labels.push_back({symbol.span, is_module ? "imported here" : "declared here"});
      d.help = "choose another name for the variable";
      return poison(span);
    }
    if (global_names_.count(n)) {
      auto& d = c.error(Code::UnknownName, span, "the module has no variable `" + n.str() + "`");
      d.help = "assign it at the top level of the module first";
      return poison(span);
    }
    // A pattern or comprehension name at the top level: declared now.
    GlobalInfo* global = c.make_global(module, n, span);
    Symbol fresh;
    fresh.kind = SymbolKind::Global;
    fresh.global = global;
    fresh.span = span;
    module->names[n] = fresh;
    return global_place(global);
  }
  if (nonlocal_names_.count(n)) {
    Binding outer = parent ? parent->lookup(n) : Binding();
    if (outer.kind != BindingKind::Variable) {
      auto& d = c.error(Code::UnknownName, span, "no enclosing function has a variable `" + n.str() + "`");
      d.help = "assign it in the enclosing function, or write `global " + n.str() + "` for a module variable";
      return poison(span);
    }
    if (!outer.variable.valid()) outer.variable = parent->declare(n, c.unifier.fresh(span), span);
    VariableId mine = reach(parent, outer.variable, span);
    return variable_ref(mine, span);
  }
  Binding own = find_local(n);
  if (own.kind == BindingKind::Variable && own.variable.valid() && var(own.variable).kind == VariableKind::Capture) own = {};
  if (own.kind == BindingKind::Variable && own.variable.valid()) return variable_ref(own.variable, span);
  return variable_ref(declare(n, type, span), span);
}

void BodyChecker::assign_variable(Name n, Span span, Expr* value) {
  Expr* target = target_for_name(n, span, value->type);
  if (is_poison(target)) return;
  value = coerce(value, target->type, value->span);
  emit_assign(target, value);
  if (auto* ref = target->as<VariableRef>()) {
    note_assigned(ref->variable, span);
    flag_assigned(ref->variable, span);
  } else {
    flow.forget(place_key(target));
  }
}

namespace {

// A const that is a plain literal is as good as the literal itself.
bool is_plain_literal(ast::Expr* e) {
  if (!e) return false;
  if (auto* u = e->as<ast::UnaryExpr>()) return u->op == ast::UnaryOp::Neg && (u->operand->kind == ast::ExprKind::Int || u->operand->kind == ast::ExprKind::Float);
  return e->kind == ast::ExprKind::Int || e->kind == ast::ExprKind::Float || e->kind == ast::ExprKind::Bool || e->kind == ast::ExprKind::Str || e->kind == ast::ExprKind::Bytes;
}

}  // namespace

Expr* BodyChecker::read_global(GlobalInfo* global, Span span) {
  if (global->is_const || global->is_local) c.ensure_global(global, span);
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
  if (flow.narrowed.count(assigned_key(global->id)) || flow.narrowed.count("?g" + std::to_string(global->id.index))) return false;
  if (!global->is_safe && c.written_names().globals.contains(global->name)) return false;   // a function may have assigned it
  auto& d = c.error(Code::UnassignedVariable, span, "`" + global->name.str() + "` may not have been assigned here");
  d.labels.push_back({global->span, "it is assigned here"});
  d.help = "assign it on every path that leads here, for instance before the `if` or the loop";
  flow.narrowed[assigned_key(global->id)] = types.bool_;
  return true;
}

void BodyChecker::report_use_after_move(Name n, Span used, Span moved) {
  auto& d = c.error(Code::UseAfterMove, used, "`" + n.str() + "` was moved away and can't be used any more");
  d.label = "used here";
  d.labels.push_back({moved, "moved here"});
  d.help = "assign it again before this use, or pass it on only after its last use";
}

void BodyChecker::guard_global(GlobalInfo* global, Span span) {
  if (global->is_const || global->is_local || global->is_safe || global->module->is_std || !out_) return;
  if (this == root && is_module_body && !global->is_deleted && flow.narrowed.count(assigned_key(global->id))) return;
  auto* is_set = make<GlobalRef>(types.bool_, span);
  is_set->global = flag_of(c, global);
  auto* check_it = make_stmt<If>(span);
  check_it->condition = make_not(is_set);
  check_it->then_body = collect([&]() {
    Flow before = flow;
    raise_new("StateError", make_text("`" + global->name.str() + "` is used before it is assigned", span), span);
    flow = before;
  });
  emit(check_it);
}

void BodyChecker::delete_global(GlobalInfo* global, Span span) {
  if (refuse_global_read(global, span)) return;
  guard_global(global, span);
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
  flow.forget(place_key(place));
  flow.narrowed.erase(assigned_key(global->id));
}

void BodyChecker::note_global_assigned(GlobalRef* target) {
  GlobalInfo* global = c.global_of(target->global);
  if (!global || global->is_const || global->is_local || global->module->is_std) return;
  if (this == root && is_module_body) {
    flow.narrowed[assigned_key(global->id)] = types.bool_;
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

Expr* BodyChecker::check_name(ast::NameExpr* expr, TypeId expected) {
  Name n = expr->name;
  Binding binding = lookup(n);
  switch (binding.kind) {
    case BindingKind::Variable: {
      if (!binding.variable.valid()) {
        // A name this function assigns only later.
        auto& d = c.error(Code::UnassignedVariable, expr->span, "`" + n.str() + "` is used before it is assigned");
        d.help = "assign it first; a name that a function assigns is local to that function";
        Symbol symbol = find_symbol(n);
        bool is_outer = false;
        for (BodyChecker* at = parent; at && !is_outer; at = at->parent) is_outer = !at->is_module_body && at->find_local(n).kind == BindingKind::Variable;
        if (is_outer) d.help = "write `nonlocal " + n.str() + "` at the start of the function to use the variable of the function around it";
        else if (symbol.kind == SymbolKind::Global) d.help = "write `global " + n.str() + "` at the start of the function to use the module's variable";
        return poison(expr->span);
      }
      return read_variable(binding.variable, expr->span);
    }
    case BindingKind::Nested: return nested_value(*binding.nested, expr->span, expected);
    case BindingKind::Class: {
      auto& d = c.error(Code::NotAValue, expr->span, "`" + n.str() + "` is a type, not a value");
      d.help = "call it to make one: `" + n.str() + "(…)`";
      return poison(expr->span);
    }
    default: break;
  }
  Symbol symbol = find_symbol(n);
  if (!symbol && info && info->is_derived) symbol = c.find_symbol(c.core_module(), n);
  switch (symbol.kind) {
    case SymbolKind::Global: return read_global(symbol.global, expr->span);
    case SymbolKind::Functions: return function_value(*symbol.functions, {}, nullptr, TypeId(), expr->span, expected);
    case SymbolKind::EnumCase: return make_case(symbol.nominal, symbol.case_index, std::nullopt, TypeId(), expr->span, expected);
    case SymbolKind::Module: {
      auto& d = c.error(Code::NotAValue, expr->span, "`" + n.str() + "` is a module, not a value");
      d.help = "name something in it: `" + n.str() + ".…`";
      return poison(expr->span);
    }
    case SymbolKind::Nominal: case SymbolKind::Alias: case SymbolKind::BuiltinType: {
      if (c.kind(expected.valid() ? expected : types.error) == Kind::Func || wants_function_) return wrap_as_lambda(expr, 1, expr->span, expected);
      auto& d = c.error(Code::NotAValue, expr->span, "`" + n.str() + "` is a type, not a value");
      d.help = "call it to make one: `" + n.str() + "(…)`";
      return poison(expr->span);
    }
    default: break;
  }
  if (n.text() == "__name__") return make_text(module->is_main ? "__main__" : module->name, expr->span);
  static const std::unordered_set<std::string_view> BUILTINS = {"str", "repr", "len", "hash", "print", "id", "type", "same"};
  if (BUILTINS.count(n.text())) return wrap_as_lambda(expr, n.text() == "same" ? 2 : 1, expr->span, expected);
  if (module->broken_imports.count(n)) return poison(expr->span);
  if (n.text() == "self" && report_missing_self(expr->span)) return poison(expr->span);
  auto& d = c.error(Code::UnknownName, expr->span, "there is no `" + n.str() + "` here");
  static const std::pair<const char*, const char*> HABITS[] = {{"True", "true"}, {"False", "false"}, {"None", "null"}, {"nil", "null"}, {"undefined", "null"}, {"NULL", "null"}, {"this", "self"}, {"isinstance", "x is Type"}, {"console", "print(…)"}, {"println", "print"}, {"printf", "print"}, {"echo", "print"}};
  for (auto [foreign, ours] : HABITS)
    if (n.text() == foreign) {
      d.help = "write `" + std::string(ours) + "`";
      if (std::string_view(ours).find_first_of(" (") == std::string_view::npos) d.edits.push_back({expr->span, ours});
      return poison(expr->span);
    }
  if (self_type.valid() && !is_poison_type(self_type) && c.find_member(self_type, n)) {
    d.help = "inside a method its object's members are written `self." + n.str() + "`";
    d.edits.push_back({expr->span, "self." + n.str()});
    return poison(expr->span);
  }
  std::vector<std::string> known;
  for (BodyChecker* at = this; at; at = at->parent)
    for (auto& scope : at->scopes_)
      for (auto& [name, b] : scope) known.push_back(name.str());
  for (auto& [name, s] : module->names) known.push_back(name.str());
  for (auto& [name, s] : c.core_module()->names)
    if (s.is_pub) known.push_back(name.str());
  for (std::string_view b : BUILTINS) known.push_back(std::string(b));
  if (auto guess = did_you_mean(n.text(), known, [&](const std::string& name) { return fits_use(c.name(name)); }); !guess.empty()) {
    d.help = "did you mean `" + guess + "`?";
    d.edits.push_back({expr->span, guess});
  }
  return poison(expr->span);
}

// Where a variable became one that may be null, and where null was assigned to it.
void BodyChecker::show_null_origin(Diagnostic& d, Expr* value) {
  Span decided, null_at;
  Name name;
  if (auto* call = value->as<Call>(); call && call->function.valid()) {
    const Function& callee = c.program.function(call->function);
    if (callee.span.valid() && callee.span.file == d.span.file) d.labels.push_back({callee.span, "`" + callee.name + "` may give null"});
    return;
  }
  if (auto* field = value->as<FieldRef>(); field && c.kind(field->object->type) != Kind::Tuple && c.nominal_info(c.resolve(field->object->type)) && c.kind(field->object->type) != Kind::Enum) {
    const auto& flat = c.flat_fields(c.resolve(field->object->type));
    FieldInfo* declared = field->index < flat.size() ? flat[field->index].info : nullptr;
    if (declared && declared->span.valid() && declared->span.file == d.span.file) d.labels.push_back({declared->span, "this field may be null"});
    return;
  }
  if (auto* ref = value->as<VariableRef>()) {
    decided = facts(ref->variable).type_decided_at, null_at = facts(ref->variable).null_at;
    name = var(ref->variable).name;
  } else if (auto* global = value->as<GlobalRef>(); global && c.global_of(global->global)) {
    decided = c.global_of(global->global)->span, null_at = c.global_of(global->global)->null_at;
    name = c.global_of(global->global)->name;
  }
  if (!name || !decided.valid() || !(decided.file == d.span.file)) return;
  bool is_here = decided.start == d.span.start;
  if (null_at.valid()) d.labels.push_back({null_at, "null comes from here"});
  else if (!is_here) d.labels.push_back({decided, "`" + name.str() + "` may be null since here"});
}

// Could this name stand where an unknown one is used? One that is called must take as many arguments.
bool BodyChecker::fits_use(Name n) {
  if (called_with_ < 0) return true;
  Symbol symbol = c.find_symbol(module, n);
  if (symbol.kind == SymbolKind::Nominal || symbol.kind == SymbolKind::BuiltinType) return true;
  if (symbol.kind != SymbolKind::Functions) return symbol.kind == SymbolKind::None;
  for (FunctionInfo* f : *symbol.functions) {
    size_t required = 0, normal = 0;
    bool takes_any = false;
    for (const ast::Param& p : f->decl->params) {
      takes_any |= p.kind != ast::ParamKind::Normal;
      normal++;
      required += p.default_value == nullptr && p.kind == ast::ParamKind::Normal;
    }
    if (size_t(called_with_) >= required && (takes_any || size_t(called_with_) <= normal)) return true;
  }
  return false;
}

// `self` in a method that was written without it.
bool BodyChecker::report_missing_self(Span span) {
  if (!info || !info->owner || info->has_self || !info->decl) return false;
  const ast::FunctionDecl& decl = *info->decl;
  std::string method = decl.name.str();
  auto& d = c.error(Code::UnknownName, span, "`" + method + "` has no parameter `self`");
  d.labels.push_back({decl.name_span, "a method of `" + info->owner->decl->name.str() + "`"});
  d.help = "write `def " + method + (decl.params.empty() ? "(self)`" : "(self, …)`");
  std::string_view text = c.input.sources.text(decl.name_span.file);
  size_t open = text.find('(', decl.name_span.end);
  uint32_t at = uint32_t(open) + 1;
  if (open != std::string_view::npos) d.edits.push_back({{decl.name_span.file, at, at}, decl.params.empty() ? "self" : "self, "});
  return true;
}

// ---- After the body ----------------------------------------------------------

void BodyChecker::finish() {
  if (finished_) return;
  finished_ = true;
  if (is_module_body) settle_module_variables(*this);
  report_lent();
  for (size_t i = 0; i < nested_.size(); ++i)
    if (!nested_[i].started && !is_template(nested_[i])) start_nested(nested_[i]);
  for (auto& closure : closures_) closure->finish();
  complete_nested();
}

void BodyChecker::resolve_types() {
  auto fix = [&](TypeId& type) {
    if (!type.valid()) return;
    type = c.resolve(type);
    if (types.kind(type) == Kind::Null) type = types.any;   // a parameter that was left out: only ever null
  };
  auto report = [&](TypeId type, Span span, const std::string& what) {
    if (c.sink.has_errors()) return;   // most likely a consequence
    auto& d = c.error(Code::CannotInfer, span, "the type of " + what + " can't be inferred");
    d.help = "say what it holds, for instance `xs: list<int> = []`";
    (void)type;
  };
  // What an empty collection in an `any` holds, nobody has said: it may hold anything.
  std::function<void(TypeId, TypeId)> settle = [&](TypeId type, TypeId value) {
    type = c.unifier.shallow(type);
    if (types.kind(type) == Kind::Var) {
      c.unifier.unify(type, value);
      return;
    }
    NominalInfo* nominal = c.nominal_info(type);
    if (!nominal || !nominal->module->is_core) return;
    std::vector<TypeId> args = types.get(type).args;
    bool keyed = nominal->name.text() == "dict" || nominal->name.text() == "set";
    if (!keyed && nominal->name.text() != "list") return;
    for (size_t i = 0; i < args.size(); ++i) settle(args[i], keyed && i == 0 ? types.str : types.any);
  };
  for (TypeId boxed : boxed_)
    if (types.kind(c.unifier.shallow(boxed)) != Kind::Var) settle(boxed, types.any);
  std::function<void(BodyChecker&)> variables = [&](BodyChecker& b) {
    for (Variable& v : b.fn.variables) {
      fix(v.type);
      if (types.has_var(v.type) && v.name) {
        report(v.type, v.span, "`" + v.name.str() + "`");
        v.type = types.error;
      }
    }
    fix(b.fn.result);
    if (b.fn.frame != FrameKind::None) {
      fix(b.fn.produced);
      if (b.fn.frame == FrameKind::Async) c.note_type(c.core_type("Task", {b.fn.produced}));
    }
    for (auto& closure : b.closures_) variables(*closure);
    for (NestedFunction& nested : b.nested_)
      if (nested.body) variables(*nested.body);
  };
  variables(*this);
  for (Expr* e : created_) {
    fix(e->type);
    if (auto* call = e->as<Call>()) fix(call->type_arg);
    if (auto* test = e->as<IsType>()) fix(test->tested);
    if (types.has_var(e->type)) {
      if (e->span.valid()) report(e->type, e->span, "this expression");
      e->type = types.error;
    }
    c.note_type(e->type);
    if (auto* convert = e->as<Convert>(); convert && convert->convert == ConvertKind::ToDyn && types.kind(e->type) == Kind::Dyn)
      convert->vtable = c.trait_table(c.resolve(convert->operand->type), types.arg(e->type));
  }
  for (Pattern* p : patterns_) {
    fix(p->type);
    fix(p->tested);
  }
  for (TypeId boxed : boxed_) {
    TypeId type = c.resolve(boxed);
    if (!types.has_var(type) && c.boxed_types_.insert(type).second) c.boxed_order_.push_back(type);
  }
  boxed_.clear();
  created_.clear();
  patterns_.clear();
}

}  // namespace meteor::typed
