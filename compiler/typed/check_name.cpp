// Variables: declaration on first assignment, scoping as in Python, captures,
// and reading with assignment, move and narrowing taken into account.
#include <algorithm>

#include "compiler/ast/foreign_names.h"
#include "compiler/base/check.h"
#include "compiler/typed/assign_target.h"
#include "compiler/typed/closure_moves.h"
#include "compiler/typed/construction.h"
#include "compiler/typed/did_you_mean.h"
#include "compiler/typed/hidden_types.h"
#include "compiler/typed/scan_names.h"
#include "compiler/typed/suggest.h"

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
    NameUse& use = name_uses_[found.name];
    use.by_pattern |= found.in_pattern;
    if (found.in_pattern) return;   // the checker decides; a binding is declared when it is met
    ++use.sites;
    use.passes += found.begins_pass;
    use.in_loop |= found.in_loop;
    use.again_in_loop |= found.in_loop && !found.begins_pass;
    local_names_.insert(found.name);
  });
  // Names that nested functions assign through `nonlocal`.
  TreeVisitor visitor;
  std::unordered_set<Name> outer_globals, by_closures;
  auto look_into = [&](ast::FunctionDecl* f) {
    TreeVisitor names;
    names.on_expr = [&](ast::Expr* e) {
      if (auto* n = e->as<ast::NameExpr>()) closure_names_.insert(n->name);
    };
    names.visit(f->body);
    scan_outer_names(f->body, outer_globals, by_closures);
    scan_lent_names(f->body, c.lending_functions(), by_closures);
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
  std::unordered_set<Name> lent;
  if (!module->is_core && !module->is_std) scan_lent_names(body, c.lending_functions(), lent);
  for (Name n : lent) name_uses_[n].by_call = true;
  if (is_module_body) return;
  // Nested functions are known from the start, so that they can call each other.
  TreeVisitor own_defs;
  own_defs.into_functions = false;
  own_defs.on_stmt = [&](ast::Stmt* s) {
    if (auto* f = s->as<ast::FunctionDecl>()) defs.emplace_back(f->name, f);
  };
  own_defs.visit(body);
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

bool BodyChecker::is_outer_variable(Name n) {
  for (BodyChecker* outer = parent; outer; outer = outer->parent) {
    Binding own = outer->find_local(n);
    if (own.kind != BindingKind::None) return own.kind == BindingKind::Variable;
    if (outer->local_names_.count(n) && !outer->is_module_body) return true;
  }
  return false;
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
    if (auto pass = parent->pass_variables_.find(n); pass != parent->pass_variables_.end() && outer.kind == BindingKind::None) {
      outer.kind = BindingKind::Variable;
      outer.variable = pass->second;
    }
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
  uint32_t again = use.sites - use.passes;   // assigned by other statements than a `for`, which makes a new variable
  bool changes = again + (is_param ? 1 : 0) > 1 || (again > 0 && (use.again_in_loop || use.passes > 0)) || outer_facts.assigned_in_loop;
  changes |= use.by_call || (use.by_pattern && use.sites > 0);
  if (outer_facts.is_pass_variable) changes = false;
  if (from.kind != VariableKind::Capture) from.boxed = use.by_closure || changes_itself(from.type) || changes;
  VariableId id(static_cast<uint32_t>(fn.variables.size()));
  Variable v;
  v.name = from.name;
  v.type = from.type;
  v.span = from.span;
  v.kind = VariableKind::Capture;
  v.boxed = from.boxed;
  if (from.mode == ParamMode::Ref) v.mode = ParamMode::Ref;
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
    const Known* fact = is_by_reference(from) ? nullptr : outer_flow_.find(parent->variable_key(outer));
    if (fact) flow.know(variable_key(id), fact->type, fact->in_doubt);
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
    facts(variable).told_moved = true;
    return poison(span);
  }
  // A variable of the enclosing function stays assigned, on whichever path it was captured first.
  bool from_outside = v.kind == VariableKind::Capture && !facts(variable).captured_unassigned;
  if (!flow.is_assigned(variable) && !from_outside && flow.reachable && c.kind(v.type) != Kind::Error) {
    flow.set_assigned(variable);
    if (const VariableFacts& f = facts(variable); f.other_value && !f.is_rebound) {
      std::string why = "`" + v.name.str() + "` has its type since here";
      coerce(f.other_value, f.type_before, f.other_value->span, why.c_str(), f.before_decided_at);
      return poison(span);
    } else if (f.other_value) {
      auto& d = c.error(Code::TypeMismatch, span, "`" + v.name.str() + "` may have either of two types here");
      d.labels.push_back({f.before_decided_at, "`" + c.text(f.type_before) + "` since here"});
      d.labels.push_back({v.span, "`" + c.text(v.type) + "` since here"});
      d.help = "give one of them another name";
      return poison(span);
    }
    auto& d = c.error(Code::UnassignedVariable, span, "`" + v.name.str() + "` may not have been assigned here");
    d.labels.push_back({v.span, "it is assigned here"});
    d.help = "assign it on every path that leads here, for instance before the `if` or the loop";
    if (is_within(*this, ast::StmtKind::Try, v.span) && !is_within(*this, ast::StmtKind::Try, span)) d.help = "assign it before the `try`: an error may come before this assignment";
    return poison(span);
  }
  guard_scope_variable(variable, span);
  Expr* place = variable_ref(variable, span);
  note_function_read(*this, place);
  return apply_narrowing(place);
}

Diagnostic& BodyChecker::report_use_after_move(Name n, Span used, Span moved) {
  auto& d = c.error(Code::UseAfterMove, used, "`" + n.str() + "` was moved away and can't be used any more");
  d.label = "used here";
  d.labels.push_back({moved, "moved here"});
  d.help = "assign it again before this use, or pass it on only after its last use";
  Binding binding = lookup(n);
  Symbol symbol = binding.kind == BindingKind::None ? find_symbol(n) : Symbol();
  TypeId type;
  if (binding.kind == BindingKind::Variable && binding.variable.valid())
    type = var(binding.variable).type;
  else if (symbol.kind == SymbolKind::Global)
    type = symbol.global->type;
  if (type.valid() && c.has_method(c.resolve(type), "copy")) d.help += "; or move a copy: `" + n.str() + ".copy()`";
  return d;
}

void BodyChecker::note_assigned(VariableId variable, Span span) {
  flow.set_assigned(variable);
  PlaceKey key = variable_key(variable);
  bool was_known = flow.find(key) || flow.find(key + "#case");
  forget_place(key);
  if (was_known) flow.ended[key] = {span, EndedBy::Assignment};
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
    if (global->is_local) use_local(*this, global, span);
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
    forget_place(place_key(target));
  }
}

namespace {

// The edit that puts a line before the first statement of the function; none where that has no line of its own.
void add_at_start(BodyChecker& b, Diagnostic& d, const std::string& line) {
  if (b.function_body_.empty()) return;
  Span first = b.function_body_.front()->span;
  std::string_view source = b.c.input.sources.text(first.file);
  size_t start = source.rfind('\n', first.start) + 1;
  std::string_view indent = source.substr(start, first.start - start);
  if (indent.empty() || indent.find_first_not_of(" \t") != std::string_view::npos) return;
  d.edits.push_back({{first.file, first.start, first.start}, line + "\n" + std::string(indent)});
}

// The edit that writes another name. The span of a decorator's name has its `@`, and its arguments, where it has some.
void replace_name(BodyChecker& b, Diagnostic& d, const ast::NameExpr* name, std::string_view instead) {
  std::string_view written = b.c.input.sources.text(name->span);
  Span place = name->span;
  if (written.starts_with('@')) place.start++, written.remove_prefix(1);
  if (!instead.empty() && written == name->name.text()) d.edits.push_back({place, std::string(instead)});
}

}  // namespace

static std::string make_one_of(Name type, const NominalInfo* nominal) {
  if (!nominal || nominal->kind != Kind::Enum || nominal->decl->cases.empty())
    return "call it to make one: `" + type.str() + "(…)`";
  std::string one = "name a case: `" + type.str() + "." + nominal->decl->cases[0].name.str() + "`";
  bool holds = std::ranges::any_of(nominal->decl->cases, [](const ast::EnumCaseDecl& c) { return !c.fields.empty(); });
  return holds ? one : one + ", or all of them: `list(" + type.str() + ")`";
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
        bool is_lambda = std::ranges::any_of(c.lambdas, [&](const PendingLambda& lambda) { return lambda.decl->is_lambda && lambda.decl->body.data() == function_body_.data(); });
        bool is_named = is_outer || symbol.kind == SymbolKind::Global;
        if (is_named && is_lambda)
          d.help = std::string("a lambda can't assign a variable outside of it: write a nested `def` that says `") + (is_outer ? "nonlocal " : "global ") + n.str() + "`";
        else if (is_named)
          add_at_start(*this, d, (is_outer ? "nonlocal " : "global ") + n.str());
        return poison(expr->span);
      }
      if (refuse_unfinished_self(*this, binding.variable, expr->span)) return poison(expr->span);
      return read_variable(binding.variable, expr->span);
    }
    case BindingKind::Nested: return nested_value(*binding.nested, expr->span, expected);
    case BindingKind::Class: {
      auto& d = c.error(Code::NotAValue, expr->span, "`" + n.str() + "` is a type, not a value");
      d.help = make_one_of(n, binding.nominal);
      return poison(expr->span);
    }
    default: break;
  }
  Symbol symbol = find_symbol(n);
  bool wants_function = wants_function_ || (expected.valid() && c.kind(expected) == Kind::Func);
  if (wants_function && is_plain_case(symbol))
    if (Symbol past = find_past_cases(*this, n)) symbol = past;
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
      if (wants_function) return wrap_as_lambda(expr, 1, expr->span, expected);
      auto& d = c.error(Code::NotAValue, expr->span, "`" + n.str() + "` is a type, not a value");
      d.help = make_one_of(n, symbol.kind == SymbolKind::Nominal ? symbol.nominal : nullptr);
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
  if (const ast::ForeignName* foreign = ast::find_foreign_value(n.text())) {
    d.help = help_for(*foreign);
    replace_name(*this, d, expr, foreign->instead);
    return poison(expr->span);
  }
  if (self_type.valid() && !is_poison_type(self_type) && c.find_member(self_type, n)) {
    d.help = "inside a method its object's members are written `self." + n.str() + "`";
    d.edits.push_back({expr->span, "self." + n.str()});
    return poison(expr->span);
  }
  constexpr size_t MOST_GUESSES = 100;  // nobody reads more, and each compares all names there are
  if (c.sink.error_count() > MOST_GUESSES) return poison(expr->span);
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
    replace_name(*this, d, expr, guess);
  }
  return poison(expr->span);
}

// Where a variable became one that may be null, and where null was assigned to it.
bool BodyChecker::show_ended_fact(Diagnostic& d, Expr* value) {
  PlaceKey key = place_key(value);
  auto found = flow.ended.find(key + "#case");   // of an enum: which case it is
  if (found == flow.ended.end()) found = flow.ended.find(key);
  if (found == flow.ended.end() || !(found->second.span.file == d.span.file)) return false;
  const Ended& ended = found->second;
  std::string place(c.input.sources.text(value->span));
  std::string name = place.substr(place.rfind('.') + 1);
  std::string advice = name == place ? "test a copy of it" : "put it into a variable first, `" + name + " = " + place + "`, and test that";
  std::string_view by = c.input.sources.text(ended.span);
  bool waits = by.starts_with("await ") || by.starts_with("yield");
  switch (ended.by) {
    case EndedBy::Code:
      d.labels.push_back(
          {ended.span, (waits ? "other code runs here and may change `" + place + "`, which was tested before; "
                              : "this may have changed `" + place + "` since it was tested; ") +
                           advice});
      break;
    case EndedBy::Assignment:
      d.labels.push_back({ended.span, "`" + place + "` was assigned here, after it was tested"});
      break;
    case EndedBy::EarlierPass:
      d.labels.push_back({ended.span, "an earlier pass of the loop may have assigned `" + place + "` here"});
      break;
    case EndedBy::SameField:
      d.labels.push_back(
          {ended.span, "this may be the same field as `" + place + "`, which was tested before; " + advice});
      break;
  }
  return true;
}

// A function that was made where something was known of a variable may run after that has been assigned again.
bool BodyChecker::show_outer_fact(Diagnostic& d, Expr* value) {
  auto* ref = value->as<VariableRef>();
  if (!ref || !parent || var(ref->variable).kind != VariableKind::Capture || !var(ref->variable).boxed) return false;
  if (!outer_flow_.find(parent->variable_key(facts(ref->variable).outer))) return false;
  std::string name = "`" + var(ref->variable).name.str() + "`";
  d.notes.push_back(name + " was tested outside this function, which may run after " + name +
                    " has been assigned again: test it inside, or use a variable that is assigned once");
  return true;
}

// An element is looked up each time: what a test told of it does not hold for the next look.
bool BodyChecker::show_element(Diagnostic& d, Expr* value) {
  if (value->kind != ExprKind::Call || !value->span.valid()) return false;
  std::string_view text = c.input.sources.text(value->span);
  bool is_element =
      text.ends_with("]") && text.find('\n') == std::string_view::npos;  // a call of `__getitem__`, written as an index
  if (is_element)
    d.notes.push_back(
        "a test of an element does not hold for the next look at it: put it into a variable first, `item = " +
        std::string(text) + "`, and test that");
  return is_element;
}

void BodyChecker::show_null_origin(Diagnostic& d, Expr* value) {
  if (show_ended_fact(d, value) || show_outer_fact(d, value) || show_element(d, value)) return;
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

}  // namespace meteor::typed
