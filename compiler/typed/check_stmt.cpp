// Statements to typed statements: blocks, branches, results and the small ones.
// Invariant: temps made while a statement is checked end with that statement.
#include "compiler/typed/suggest.h"
#include "compiler/typed/body.h"
#include "compiler/typed/closure_moves.h"
#include "compiler/typed/lifted_locals.h"
#include "compiler/typed/program_check.h"

namespace meteor::typed {

// ---- Emission ---------------------------------------------------------------

Block BodyChecker::collect(const std::function<void()>& build) {
  std::vector<Stmt*> stmts;
  std::vector<Stmt*>* outer = out_;
  out_ = &stmts;
  build();
  out_ = outer;
  return keep(stmts);
}

void BodyChecker::emit_expr(Expr* value) {
  auto* stmt = make_stmt<ExprStmt>(value->span);
  stmt->value = value;
  emit(stmt);
}

void BodyChecker::emit_assign(Expr* target, Expr* value, bool initializes) {
  auto* stmt = make_stmt<Assign>(target->span.to(value->span));
  stmt->target = target;
  stmt->value = value;
  stmt->initializes = initializes;
  emit(stmt);
  if (auto* global = target->as<GlobalRef>()) note_global_assigned(global);
  values_dropped(flow);
  note_functions_held(*this, target, value);
  if (auto* variable = target->as<VariableRef>(); variable && !is_constant(value) && !types.is_numeric(c.unifier.shallow(value->type)))
    c.reach.assigned.push_back({fn.id, variable->variable, value});
}

void BodyChecker::as_statement(const std::function<void()>& build) {
  std::vector<VariableId> temps;
  std::vector<VariableId>* outer = temps_;
  temps_ = &temps;
  Block stmts = collect(build);
  temps_ = outer;
  if (temps.empty()) {
    for (Stmt* stmt : stmts) emit(stmt);
    return;
  }
  auto* block = make_stmt<BlockStmt>(stmts.empty() ? Span() : stmts.front()->span);
  block->body = stmts;
  block->temps = keep(temps);
  emit(block);
}

VariableId BodyChecker::hold(Expr* value, Span span) {
  VariableId temp = new_temp(value->type, span);
  emit_assign(variable_ref(temp, span), value);
  flow.set_assigned(temp);
  return temp;
}

namespace {

bool is_stable(Expr* e) {
  switch (e->kind) {
    case ExprKind::Int: case ExprKind::Float: case ExprKind::Bool: case ExprKind::Null: case ExprKind::Str: case ExprKind::Bytes:
    case ExprKind::Variable: case ExprKind::Global: case ExprKind::Unreachable: return true;
    case ExprKind::Field: return is_stable(e->as<FieldRef>()->object);
    case ExprKind::Unwrap: return !e->as<Unwrap>()->checked && is_stable(e->as<Unwrap>()->operand);
    case ExprKind::Convert: return !e->as<Convert>()->checked && is_stable(e->as<Convert>()->operand);
    default: return false;
  }
}

}  // namespace

Expr* BodyChecker::as_stable(Expr* value, Span span) {
  return is_stable(value) ? value : variable_ref(hold(value, span), span);
}

void BodyChecker::raise_new(std::string_view error_class, Expr* message, Span span) {
  CallArg arg;
  arg.value = message;
  auto* raise = make_stmt<Raise>(span);
  raise->value = construct(c.core_type(error_class), {arg}, span, TypeId());
  emit(raise);
}

// ---- Blocks -----------------------------------------------------------------

Block BodyChecker::check_block(ast::Block body) {
  if (function_body_.empty()) function_body_ = body;
  return collect([&] {
    for (ast::Stmt* stmt : body) {
      if (flow.reachable) check_stmt(stmt);
      else collect([&] { check_stmt(stmt); });   // for its mistakes; nobody runs it
    }
  });
}

bool BodyChecker::is_declared_at_top(ast::Stmt* stmt) {
  if (!is_module_body) return false;
  for (ast::Module* tree : module->trees)
    for (ast::Stmt* top : tree->body)
      if (top == stmt) return true;
  return false;
}

void BodyChecker::check_unsupported(Span span, const char* what) {
  c.error(Code::NotYetSupported, span, std::string(what) + " is not supported yet");
  flow.reachable = false;
}

void BodyChecker::check_stmt(ast::Stmt* stmt) {
  using ast::StmtKind;
  if (is_given_up(*this)) return;
  if (!flow.lost.empty()) refuse_deleted_before(stmt);
  as_statement([&] {
    switch (stmt->kind) {
      case StmtKind::Error: case StmtKind::Pass: case StmtKind::Global: case StmtKind::Nonlocal: break;
      case StmtKind::Expr: {
        Expr* value = check(stmt->as<ast::ExprStmt>()->value);
        check_discarded(value);
        emit_expr(value);
        if (c.kind(value->type) == Kind::Never) flow.reachable = false;
        break;
      }
      case StmtKind::Assign: check_assign(stmt->as<ast::AssignStmt>()); break;
      case StmtKind::AugAssign: check_aug_assign(stmt->as<ast::AugAssignStmt>()); break;
      case StmtKind::If: check_if(stmt->as<ast::IfStmt>()); break;
      case StmtKind::While: check_while(stmt->as<ast::WhileStmt>()); break;
      case StmtKind::For: check_for(stmt->as<ast::ForStmt>()); break;
      case StmtKind::Break: case StmtKind::Continue: {
        bool is_break = stmt->kind == StmtKind::Break;
        if (loops_.empty()) {
          Diagnostic& d = c.error(Code::BreakOutsideLoop, stmt->span, std::string(is_break ? "`break`" : "`continue`") + (in_defer_ ? " cannot leave a `defer`" : " outside a loop"));
          if (!in_defer_) d.help = "it belongs in the body of a `for` or `while`";
          if (is_break && !in_defer_ && is_within(*this, ast::StmtKind::Switch, stmt->span)) d.help = "leave it out: a `case` ends before the next one";
        } else {
          LoopContext& loop = loops_.back();
          Flow* to = is_break ? loop.break_flow : loop.continue_flow;
          bool* has = is_break ? loop.has_break : loop.has_continue;
          if (flow.reachable) {
            *to = *has ? merge(*to, flow) : flow;
            *has = true;
          }
          if (is_break) {
            auto* out = make_stmt<Break>(stmt->span);
            out->label = loop.label;
            emit(out);
          } else {
            auto* out = make_stmt<Continue>(stmt->span);
            out->label = loop.label;
            emit(out);
          }
        }
        flow.reachable = false;
        break;
      }
      case StmtKind::Return: check_return(stmt->as<ast::ReturnStmt>()); break;
      case StmtKind::Raise: check_raise(stmt->as<ast::RaiseStmt>()); break;
      case StmtKind::Try: check_try(stmt->as<ast::TryStmt>()); break;
      case StmtKind::With: check_with(stmt->as<ast::WithStmt>()); break;
      case StmtKind::Switch: check_switch(stmt->as<ast::SwitchStmt>()); break;
      case StmtKind::Defer: check_defer(stmt->as<ast::DeferStmt>()); break;
      case StmtKind::Del: check_del(stmt->as<ast::DelStmt>()); break;
      case StmtKind::Assert: check_assert(stmt->as<ast::AssertStmt>()); break;
      case StmtKind::Unsafe: {
        for (Stmt* inner : check_block(stmt->as<ast::UnsafeStmt>()->body)) emit(inner);
        break;
      }
      case StmtKind::Function:
        if (!is_declared_at_top(stmt)) check_nested_function(stmt->as<ast::FunctionDecl>());
        break;
      case StmtKind::Class:
        if (!is_declared_at_top(stmt)) {
          auto* decl = stmt->as<ast::ClassDecl>();
          Binding binding;
          binding.kind = BindingKind::Class;
          binding.nominal = c.declare_class(decl, module, false);
          scopes_.front()[decl->name] = binding;
          local_classes_[decl->name] = binding.nominal;
          auto known = std::make_shared<std::unordered_map<Name, NominalInfo*>>();
          for (BodyChecker* at = this; at; at = at->parent)
            for (auto& [n, nominal] : at->local_classes_) known->emplace(n, nominal);
          binding.nominal->locals = std::move(known);
          for (size_t i = 0; i < type_scope.count; ++i)
            for (const TypeParamInfo& p : *type_scope.params[i]) binding.nominal->outer_types.push_back({p.name, c.resolve(applied(p.type)), {}, {}, true});
          for (uint32_t i = 0; i < decl->cases.size(); ++i) {
            Symbol one;
            one.kind = SymbolKind::EnumCase;
            one.nominal = binding.nominal;
            one.case_index = i;
            one.span = decl->cases[i].span;
            local_imports_.insert_or_assign(decl->cases[i].name, one);
          }
          c.ensure_fields(binding.nominal);
          for (FunctionInfo* method : binding.nominal->method_order) c.ensure_signature(method);
          c.check_trait_conformance(binding.nominal);
          check_overrides(c, binding.nominal);
          check_member_names(c, binding.nominal);
          check_derived_order(c, binding.nominal);
        }
        break;
      case StmtKind::Const:
        if (!is_declared_at_top(stmt)) check_const(stmt->as<ast::ConstDecl>());
        break;
      case StmtKind::Import:
        if (!is_module_body) c.for_each_imported(module, stmt->as<ast::ImportStmt>(), [&](Name n, Symbol symbol, Span) { local_imports_.insert_or_assign(n, symbol); });
        break;
      case StmtKind::ImportC:
        if (!is_declared_at_top(stmt)) {
          c.error(Code::NotYetSupported, stmt->span, "an `import c` inside a block is not supported").help = "move it to the top of the file";
          flow.reachable = false;
        }
        break;
      case StmtKind::TypeAlias:
        if (!is_declared_at_top(stmt)) check_unsupported(stmt->span, "a `type` inside a block");
        break;
      case StmtKind::Impl:
        if (!is_declared_at_top(stmt)) check_unsupported(stmt->span, "an `impl` inside a block");
        break;
      case StmtKind::Local:
        if (!is_declared_at_top(stmt)) check_unsupported(stmt->span, "a `local` inside a block");
        break;
      case StmtKind::Scope: check_scope(stmt->as<ast::ScopeStmt>()); break;
      case StmtKind::Select: check_select(stmt->as<ast::SelectStmt>()); break;
      case StmtKind::Shield: check_shield(stmt->as<ast::ShieldStmt>()); break;
    }
    values_dropped(flow);
  });
}

// ---- if ---------------------------------------------------------------------

void BodyChecker::check_if(ast::IfStmt* stmt) {
  struct Arm { Expr* condition; Block body; };
  std::vector<Arm> arms;
  std::optional<Flow> end;
  auto meet = [&] { end = end ? merge(*end, flow) : flow; };
  Block rest;
  bool always = false;   // a branch whose condition is known to hold ends the chain
  for (ast::IfBranch& branch : stmt->branches) {
    Branches branches;
    Expr* condition = arms.empty() ? check_condition(branch.condition, branches)
                                   : make_seq([&] { return check_condition(branch.condition, branches); }, branch.condition->span);
    if (branches.decided && !*branches.decided) {
      flow = std::move(branches.no);
      continue;
    }
    flow = std::move(branches.yes);
    Block body = check_block(branch.body);
    if (branches.decided) {
      rest = body;
      always = true;
      break;
    }
    meet();
    arms.push_back({condition, body});
    flow = std::move(branches.no);
  }
  if (!always && stmt->has_else) rest = check_block(stmt->else_body);
  meet();
  flow = std::move(*end);
  for (size_t i = arms.size(); i-- > 0;) {
    auto* out = make_stmt<If>(arms[i].condition->span);
    out->condition = arms[i].condition;
    out->then_body = arms[i].body;
    out->else_body = rest;
    rest = keep(std::vector<Stmt*>{out});
  }
  for (Stmt* out : rest) emit(out);
}

// ---- del, assert, const ----------------------------------------

void BodyChecker::check_del(ast::DelStmt* stmt) {
  std::function<void(ast::Expr*)> one = [&](ast::Expr* target) {
    if (auto* tuple = target->as<ast::TupleExpr>()) {
      for (ast::Expr* item : tuple->items) one(item);
      return;
    }
    if (auto* name = target->as<ast::NameExpr>()) {
      Binding binding = find_local(name->name);
      if (binding.kind == BindingKind::Variable && var(binding.variable).kind != VariableKind::Capture) {
        VariableId v = binding.variable;
        read_variable(v, target->span);   // it must be there
        if (var(v).kind != VariableKind::Param || var(v).mode == ParamMode::Owned) {
          auto* drop = make_stmt<Drop>(target->span);
          drop->place = variable_ref(v, target->span);
          emit(drop);
        }
        if (flow.is_assigned(v)) flow.assigned[v.index] = false;
        flow.lose(v, target->span);
        forget_place(variable_key(v));
        return;
      }
      Symbol symbol = binding.kind == BindingKind::None ? find_symbol(name->name) : Symbol();
      bool own_global = symbol.kind == SymbolKind::Global && symbol.global->module == module && !symbol.global->is_const && !symbol.global->is_local;
      if (own_global && (is_module_body || global_names_.count(name->name))) return delete_global(symbol.global, target->span);
      Expr* value = check(target);
      if (is_poison(value)) return;
      bool captured = binding.kind == BindingKind::Variable || lookup(name->name).kind == BindingKind::Variable;
      Diagnostic& d = c.error(Code::InvalidAssignmentTarget, target->span,
                              "`" + name->name.str() + "` cannot be deleted here");
      d.label = captured ? "a variable of the enclosing function" : value->kind == ExprKind::Global ? "a module variable" : "not a variable";
      if (value->kind == ExprKind::Global) d.help = "write `global " + name->name.str() + "` at the start of the function";
      return;
    }
    if (auto* index = target->as<ast::IndexExpr>()) {
      Expr* object = check(index->object);
      Expr* at = index->index->kind == ast::ExprKind::Slice ? make_slice(index->index->as<ast::SliceExpr>()) : check(index->index);
      if (is_poison(object) || is_poison(at)) return;
      if (Expr* call = try_call_method(object, "__delitem__", {at}, target->span)) emit_expr(call);
      else c.error(Code::InvalidAssignmentTarget, target->span, "elements of `" + c.text(object->type) + "` cannot be deleted").label = "there is no `__delitem__`";
      return;
    }
    if (auto* member = target->as<ast::MemberExpr>()) {
      Diagnostic& d = c.error(Code::InvalidAssignmentTarget, target->span, "a field cannot be deleted");
      d.help = "make `" + member->name.str() + "` optional and assign `null`";
      return;
    }
    if (target->kind != ast::ExprKind::Error) c.error(Code::InvalidAssignmentTarget, target->span, "this cannot be deleted").help = "`del` takes variables and elements: `del x`, `del d[k]`";
  };
  for (ast::Expr* target : stmt->targets) one(target);
}

void BodyChecker::check_assert(ast::AssertStmt* stmt) {
  Branches branches;
  Expr* condition = check_condition(stmt->condition, branches);
  flow = std::move(branches.no);
  Flow& holds = branches.yes;
  if (branches.decided && *branches.decided) {
    flow = std::move(holds);
    return;
  }
  Block fail = collect([&] {
    as_statement([&] {
      Expr* message = stmt->message ? make_str(check(stmt->message), stmt->message->span, false)
                                    : make_text(c.input.sources.text(stmt->condition->span), stmt->span);
      raise_new("AssertionError", message, stmt->span);
    });
  });
  flow = std::move(holds);
  if (branches.decided) {
    for (Stmt* s : fail) emit(s);
    flow.reachable = false;
    return;
  }
  auto* out = make_stmt<If>(stmt->span);
  out->condition = make_not(condition);
  out->then_body = fail;
  emit(out);
}

void BodyChecker::check_const(ast::ConstDecl* stmt) {
  c.refuse_decorators(module, stmt);
  Binding known = find_local(stmt->name);
  if (known.kind != BindingKind::None) {
    c.error(Code::DuplicateDefinition, stmt->name_span, "`" + stmt->name.str() + "` already has a meaning in this function");
    return;
  }
  TypeId type = stmt->type ? type_of(stmt->type) : TypeId();
  Expr* value = type.valid() ? check_to(stmt->value, type, "its type is given here", stmt->type->span) : usable_value(check(stmt->value), stmt->value->span);
  VariableId v = declare(stmt->name, value->type, stmt->name_span);
  facts(v).is_const = true;
  emit_assign(variable_ref(v, stmt->name_span), value);
  note_assigned(v, stmt->name_span);
}

}  // namespace meteor::typed
