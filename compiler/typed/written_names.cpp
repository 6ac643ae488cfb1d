// Walks of the syntax trees for written_names.h.
#include "compiler/typed/written_names.h"

#include "compiler/typed/checker.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

bool is_function_like(ast::Expr* expr, const WrittenNames& names) {
  if (expr->kind == ast::ExprKind::Lambda || expr->kind == ast::ExprKind::AnonDef) return true;
  if (auto* name = expr->as<ast::NameExpr>()) return names.functions.contains(name->name);
  if (auto* member = expr->as<ast::MemberExpr>()) return names.functions.contains(member->name);
  return false;
}

bool is_plain_protocol(std::string_view name) {
  return name == "__init__" || name == "__str__" || name == "__repr__" || name == "__del__" || name == "__enter__" || name == "__exit__";
}

}  // namespace

bool may_run_user_code(ast::Expr* expr, const WrittenNames& names) {
  switch (expr->kind) {
    case ast::ExprKind::Call: {
      auto* call = expr->as<ast::CallExpr>();
      for (ast::Arg& arg : call->args)
        if (is_function_like(arg.value, names)) return true;
      if (auto* name = call->callee->as<ast::NameExpr>()) return names.functions.contains(name->name) || names.overloads_operators;
      if (auto* member = call->callee->as<ast::MemberExpr>()) return names.functions.contains(member->name) || names.overloads_operators;
      return true;
    }
    case ast::ExprKind::Member: return names.functions.contains(expr->as<ast::MemberExpr>()->name);
    case ast::ExprKind::Binary: case ast::ExprKind::Unary: case ast::ExprKind::Compare: case ast::ExprKind::Index: case ast::ExprKind::Comprehension:
      return names.overloads_operators;
    case ast::ExprKind::Await: case ast::ExprKind::Yield: case ast::ExprKind::Spawn: case ast::ExprKind::TakeOver: return true;
    case ast::ExprKind::Walrus: return true;  // it changes a variable as code elsewhere would
    default: return false;
  }
}

namespace {

// One walk over a body: what it assigns and what it calls.
class BodyScan {
 public:
  BodyScan(const WrittenNames& names, Name own_object) : names_(names), own_object_(own_object) {
    visitor_.on_expr = [this](ast::Expr* expr) { look_at(expr); };
    visitor_.on_stmt = [this](ast::Stmt* stmt) { look_at(stmt); };
  }
  void visit(ast::Block body) { visitor_.visit(body); }
  void visit(ast::Expr* expr) { visitor_.visit(expr); }
  BodyWrites out;
  bool is_whole_function = false;            // who calls it goes on at a `yield`

 private:
  void assign(ast::Expr* target) {
    if (!target) return;
    if (auto* member = target->as<ast::MemberExpr>()) {
      auto* object = member->object->as<ast::NameExpr>();
      bool is_new = own_object_ && object && object->name == own_object_;   // nobody knows anything of an object that is being made
      if (is_new) return;
      out.own.fields.insert(member->name);
      if (names_.functions.contains(member->name)) out.calls.insert(member->name);   // a property's setter
    } else if (auto* tuple = target->as<ast::TupleExpr>()) {
      for (ast::Expr* e : tuple->items) assign(e);
    } else if (auto* list = target->as<ast::ListExpr>()) {
      for (ast::Expr* e : list->items) assign(e);
    } else if (auto* star = target->as<ast::StarExpr>()) {
      assign(star->operand);
    } else if (auto* name = target->as<ast::NameExpr>(); name && name->name.text() == "self") {
      out.own.anything = true;   // all fields of a struct at once
    }
  }
  void call(Name callee, std::span<ast::Arg> args, const std::unordered_set<Name>& values) {
    if (names_.functions.contains(callee)) out.calls.insert(callee);
    if (values.contains(callee)) out.own.anything = true;
    if (!names_.takes_reference.contains(callee)) return;
    for (ast::Arg& arg : args) {
      assign(arg.value);
      if (auto* name = arg.value->as<ast::NameExpr>()) out.own.variables.insert(name->name);
    }
  }
  void look_at(ast::Expr* expr) {
    switch (expr->kind) {
      case ast::ExprKind::Call: {
        auto* made = expr->as<ast::CallExpr>();
        ast::Expr* callee = made->callee;
        if (auto* generic = callee->as<ast::TypeApplyExpr>()) callee = generic->callee;
        if (auto* name = callee->as<ast::NameExpr>()) call(name->name, made->args, names_.variables);
        else if (auto* member = callee->as<ast::MemberExpr>()) call(member->name, made->args, names_.fields);
        else out.own.anything = true;
        // A function that is given away may be called.
        for (ast::Arg& arg : made->args) {
          if (auto* name = arg.value->as<ast::NameExpr>(); name && names_.functions.contains(name->name)) out.calls.insert(name->name);
        }
        break;
      }
      case ast::ExprKind::Member:
        if (Name name = expr->as<ast::MemberExpr>()->name; names_.functions.contains(name)) out.calls.insert(name);
        break;
      case ast::ExprKind::Walrus: assign(expr->as<ast::WalrusExpr>()->target); break;
      case ast::ExprKind::Yield: out.own.anything |= !is_whole_function; break;
      case ast::ExprKind::Await: case ast::ExprKind::Spawn: case ast::ExprKind::TakeOver: out.own.anything = true; break;
      default: break;
    }
  }
  void look_at(ast::Stmt* stmt) {
    switch (stmt->kind) {
      case ast::StmtKind::Assign: for (ast::Expr* target : stmt->as<ast::AssignStmt>()->targets) assign(target); break;
      case ast::StmtKind::AugAssign: assign(stmt->as<ast::AugAssignStmt>()->target); break;
      case ast::StmtKind::For:
        assign(stmt->as<ast::ForStmt>()->target);
        if (stmt->as<ast::ForStmt>()->is_async) out.own.anything = true;
        break;
      case ast::StmtKind::With:
        for (ast::WithItem& item : stmt->as<ast::WithStmt>()->items) assign(item.target);
        if (stmt->as<ast::WithStmt>()->is_async) out.own.anything = true;
        break;
      case ast::StmtKind::Select: for (ast::SelectCase& one : stmt->as<ast::SelectStmt>()->cases) assign(one.target); [[fallthrough]];
      case ast::StmtKind::Scope: case ast::StmtKind::Shield: out.own.anything = true; break;
      case ast::StmtKind::Global:
        out.own.variables.insert(stmt->as<ast::GlobalStmt>()->names.begin(), stmt->as<ast::GlobalStmt>()->names.end());
        break;
      case ast::StmtKind::Nonlocal:
        out.own.variables.insert(stmt->as<ast::NonlocalStmt>()->names.begin(),
                                 stmt->as<ast::NonlocalStmt>()->names.end());
        break;
      case ast::StmtKind::Function: case ast::StmtKind::Class: own_object_ = {}; break;   // runs later
      default: break;
    }
  }
  const WrittenNames& names_;
  Name own_object_;                          // `self` of a constructor
  TreeVisitor visitor_;
};

bool is_constructor(const ast::FunctionDecl* decl) { return decl->name && decl->name.text() == "__init__" && !decl->params.empty(); }

const BodyWrites& summary_of(ast::FunctionDecl* decl, const WrittenNames& names) {
  auto [found, is_new] = names.summaries.try_emplace(decl);
  if (is_new && decl->has_body) {
    BodyScan scan(names, is_constructor(decl) ? decl->params[0].name : Name());
    scan.is_whole_function = true;
    scan.visit(decl->body);
    for (ast::Param& param : decl->params)
      if (param.default_value) scan.visit(param.default_value);
    found->second = std::move(scan.out);
  }
  return found->second;
}

void add(FieldWrites& to, const FieldWrites& from) {
  to.fields.insert(from.fields.begin(), from.fields.end());
  to.variables.insert(from.variables.begin(), from.variables.end());
  to.anything |= from.anything;
}

// `start` and everything it can reach.
FieldWrites reached_from(const BodyWrites& start, const WrittenNames& names, bool with_hooks = true) {
  FieldWrites all = start.own;
  if (with_hooks) add(all, names.hooks);
  std::vector<Name> open(start.calls.begin(), start.calls.end());
  std::unordered_set<Name> seen(open.begin(), open.end());
  while (!open.empty() && !all.anything) {
    Name at = open.back();
    open.pop_back();
    auto bodies = names.bodies.find(at);
    if (bodies == names.bodies.end()) continue;
    for (ast::FunctionDecl* decl : bodies->second) {
      const BodyWrites& summary = summary_of(decl, names);
      add(all, summary.own);
      for (Name next : summary.calls)
        if (seen.insert(next).second) open.push_back(next);
    }
  }
  return all;
}

}  // namespace

FieldWrites writes_of(ast::Block body, ast::Expr* condition, const WrittenNames& names) {
  BodyScan scan(names, {});
  scan.visit(body);
  if (condition) scan.visit(condition);
  return reached_from(scan.out, names);
}

FieldWrites writes_of(ast::FunctionDecl* function, const WrittenNames& names) {
  FieldWrites all = reached_from(summary_of(function, names), names);
  names.summaries[function] = {all, {}};   // who calls it need not look further
  return all;
}

FieldWrites writes_of(Name function, const WrittenNames& names) {
  BodyWrites start;
  start.calls.insert(function);
  return reached_from(start, names);
}

namespace {

// A generator runs where its elements are asked for, so one that changes more than its own variables does so in the middle of a loop.
bool reaches_outside(ast::FunctionDecl* generator, const WrittenNames& names) {
  bool found = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    auto* call = e->as<ast::CallExpr>();
    if (!call) return;
    auto* name = call->callee->as<ast::NameExpr>();
    found |= !name || names.functions.contains(name->name);
  };
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    if (auto* assign = stmt->as<ast::AssignStmt>()) for (ast::Expr* target : assign->targets) found |= target->kind == ast::ExprKind::Member || target->kind == ast::ExprKind::Index;
    if (auto* assign = stmt->as<ast::AugAssignStmt>()) found |= assign->target->kind != ast::ExprKind::Name;
    found |= stmt->kind == ast::StmtKind::Global || stmt->kind == ast::StmtKind::Nonlocal || stmt->kind == ast::StmtKind::With || stmt->kind == ast::StmtKind::Del;
  };
  visitor.visit(generator->body);
  return found;
}

// Dropping a frame before its end runs what its function has left to clean up.
bool cleans_up(ast::FunctionDecl* decl) {
  bool found = false;
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    if (auto* attempt = stmt->as<ast::TryStmt>()) found |= attempt->has_finally;
    found |= stmt->kind == ast::StmtKind::With || stmt->kind == ast::StmtKind::Defer;
  };
  visitor.visit(decl->body);
  return found;
}

}  // namespace

const WrittenNames& Checker::written_names() {
  if (written_names_) return *written_names_;
  written_names_ = std::make_unique<WrittenNames>();
  WrittenNames& out = *written_names_;
  std::vector<ast::FunctionDecl*> generators, hooks;
  auto add_variable = [&](const AssignedName& found) {
    if (!found.is_definition) out.variables.insert(found.name);
  };
  auto add = [&](ast::FunctionDecl* decl) {
    scan_assigned(decl->body, add_variable);
    for (ast::Param& param : decl->params) {
      out.variables.insert(param.name);
      if (decl->name && param.mode == ast::ParamMode::Ref) out.takes_reference.insert(decl->name);
    }
    if (!out.has_destructors && frame_kind(decl) != FrameKind::None) out.has_destructors = cleans_up(decl);
    if (!decl->name) return;
    out.functions.insert(decl->name);
    out.bodies[decl->name].push_back(decl);
    if (frame_kind(decl) == FrameKind::Generator || frame_kind(decl) == FrameKind::AsyncGenerator) generators.push_back(decl);
    std::string_view text = decl->name.text();
    if (text == "__del__") out.has_destructors = true;
    bool is_protocol = text == "next" || (text.starts_with("__") && text.ends_with("__"));
    if (is_protocol && !is_plain_protocol(text)) out.overloads_operators = true;
    if (is_protocol && text != "__init__" && text != "__call__") hooks.push_back(decl);
  };
  TreeVisitor visitor;
  auto add_class = [&](ast::ClassDecl* decl) {
    for (ast::FieldDecl& field : decl->fields) out.fields.insert(field.name);
    for (ast::FunctionDecl* method : decl->methods) add(method);
    out.functions.insert(decl->name);
    // Making one runs some constructor: its own or an inherited one, and the defaults of its fields.
    auto* made = program.arena.make<ast::FunctionDecl>();
    std::vector<ast::Stmt*> body;
    auto run = [&](ast::Expr* value) {
      auto* stmt = program.arena.make<ast::ExprStmt>();
      stmt->value = value;
      body.push_back(stmt);
    };
    for (ast::FieldDecl& field : decl->fields)
      if (field.default_value) run(field.default_value);
    auto* init = program.arena.make<ast::NameExpr>();
    init->name = name("__init__");
    auto* call = program.arena.make<ast::CallExpr>();
    call->callee = init;
    run(call);
    made->body = program.arena.copy(body);
    out.bodies[decl->name].push_back(made);
  };
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    if (auto* function = stmt->as<ast::FunctionDecl>()) add(function);
    if (auto* decl = stmt->as<ast::ClassDecl>()) add_class(decl);
    if (auto* impl = stmt->as<ast::ImplDecl>())
      for (ast::FunctionDecl* method : impl->methods) add(method);
    if (auto* global = stmt->as<ast::GlobalStmt>()) out.globals.insert(global->names.begin(), global->names.end());
    if (auto* constant = stmt->as<ast::ConstDecl>()) out.variables.insert(constant->name);
    if (auto* local = stmt->as<ast::LocalDecl>()) out.variables.insert(local->name);
    if (auto* import = stmt->as<ast::ImportStmt>())
      for (ast::ImportedName& imported : import->names)
        if (imported.alias) out.variables.insert(imported.alias);
  };
  visitor.on_expr = [&](ast::Expr* expr) {
    if (auto* lambda = expr->as<ast::LambdaExpr>()) add(lambda->function);
    if (auto* function = expr->as<ast::AnonDefExpr>()) add(function->function);
    if (auto* comprehension = expr->as<ast::ComprehensionExpr>())
      for (ast::ComprehensionClause& clause : comprehension->clauses) scan_target(clause.target, add_variable, false);
  };
  for (ModuleInfo& module : modules_) {
    if (module.is_core || module.is_std) continue;
    for (ast::Module* tree : module.trees) {
      scan_assigned(tree->body, add_variable);
      visitor.visit(tree->body);
    }
  }
  for (ast::FunctionDecl* generator : generators) out.overloads_operators |= reaches_outside(generator, out);
  // A generator goes on where its next element is asked for.
  BodyWrites started;
  for (ast::FunctionDecl* decl : hooks) started.calls.insert(decl->name);
  for (ast::FunctionDecl* decl : generators) {
    BodyWrites summary = summary_of(decl, out);
    summary.own.anything = false;   // a function value that it calls: what is known is looked at again
    typed::add(started.own, summary.own);
    started.calls.insert(summary.calls.begin(), summary.calls.end());
  }
  out.hooks = reached_from(started, out, false);
  return out;
}

const FieldWrites& Checker::field_writes(FunctionInfo* info) {
  auto [found, is_new] = field_writes_.try_emplace(info);
  if (is_new) {
    bool is_dispatched = !info->decl->has_body || (info->owner && (info->owner->kind == Kind::Trait || is_overridden(info->owner, info->name())));
    found->second = is_dispatched ? writes_of(info->name(), written_names()) : writes_of(info->decl, written_names());
  }
  return found->second;
}

}  // namespace meteor::typed
