// The whole run: collect, check module bodies, then everything reachable from
// them and every function that needs no instantiation; finally the tables that
// lowering needs (nominal types, vtables, trait tables, entry).
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/checker.h"
#include "compiler/typed/crossing.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/own_self.h"
#include "compiler/typed/program_check.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

Checker::Checker(const CheckInput& in, types::TypeStore& type_store, Program& out, diagnostics::Sink& errors)
    : input(in), types(type_store), program(out), sink(errors), names(in.names), unifier(type_store) {}

Checker::~Checker() = default;

bool check(const CheckInput& input, types::TypeStore& types, Program& program, diagnostics::Sink& sink) {
  Checker checker(input, types, program, sink);
  return checker.run();
}

bool Checker::run() {
  collect();
  NominalInfo* raisable = core_nominal("Raisable");
  NominalInfo* error_class = core_nominal("Error");
  if (!raisable || !error_class) {
    error(Code::UnknownType, {}, "the core library is incomplete");
    return false;
  }
  program.raisable = raisable->self_type;
  program.error = error_class->self_type;
  for (NominalInfo* info : nominal_list_) ensure_fields(info);
  check_coherence();
  for (size_t i = 0; i < functions_.size(); ++i) {   // used or not; special methods are checked with their signatures
    FunctionInfo& f = functions_[i];
    bool is_known = f.owner || (f.impl && f.impl->target.valid() && types.kind(f.impl->target) != Kind::Error);
    if (is_known && !f.module->is_std) ensure_signature(&f);
  }
  for (NominalInfo* info : nominal_list_) {
    check_trait_conformance(info);
    check_overrides(*this, info);
    check_member_names(*this, info);
    check_derived_order(*this, info);
  }
  for (size_t i = 0; i < impls_.size(); ++i) check_impl_conformance(&impls_[i]);
  for (size_t i = 0; i < functions_.size(); ++i)
    if (FunctionInfo& f = functions_[i]; !f.extern_symbol.empty() && !f.module->is_std) check_c_types(*this, &f);
  check_struct_recursion(*this);
  keys_checkable_ = true;
  for (auto& [key, span] : unchecked_keys_) check_key_type(key, span);
  find_early_names(*this);
  for (ModuleInfo& module : modules_) {
    // Their functions are checked after the module's statements, which tell the types of its variables.
    for (GlobalInfo& global : globals_)
      if ((global.is_const || global.is_local) && global.module == &module && !module.is_std) ensure_global(&global, global.span);
    check_module_body(&module);
    run_queue();
  }
  for (ModuleInfo& module : modules_)
    if (!module.is_std) check_declared_functions(&module);
  run_queue();
  if (sink.has_errors()) return false;
  check_isolate_reach(*this);
  make_entry();
  run_queue();
  finish_program();
  order_initializers();
  return !sink.has_errors();
}

// Consts run before module bodies, a module's after those of the modules it imports. Bodies that are checked late may
// use consts that nothing before them did, so this is settled at the end.
void Checker::order_initializers() {
  std::vector<FunctionId> ordered;
  for (ModuleInfo& module : modules_)
    for (auto& [id, home] : const_initializers_)
      if (home == &module) ordered.push_back(id);
  ordered = order_consts(*this, ordered);
  for (ModuleInfo& module : modules_)
    if (module.initializer.valid()) ordered.push_back(module.initializer);
  program.initializers = std::move(ordered);
}

namespace {

// Is it a function, a method or a class of the program, as a value or to be called?
bool names_own_function(Checker& c, ModuleInfo* module, ast::Expr* e) {
  if (auto* member = e->as<ast::MemberExpr>()) return c.written_names().bodies.contains(member->name);
  auto* name = e->as<ast::NameExpr>();
  SymbolKind kind = name ? c.find_symbol(module, name->name).kind : SymbolKind::None;
  return (kind == SymbolKind::Functions || kind == SymbolKind::Nominal || kind == SymbolKind::Alias) && module->names.contains(name->name);
}

// Does it call anything but the library, or make a value of a function, which the library may call then and later?
bool lets_own_code_run(Checker& c, ModuleInfo* module, ast::Stmt* stmt) {
  bool found = false;
  const ast::Expr* qualifier = nullptr;   // what stands before the dot of the member around it
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    found |= e->kind == ast::ExprKind::Lambda || e->kind == ast::ExprKind::AnonDef;
    found |= e != qualifier && names_own_function(c, module, e);
    if (auto* member = e->as<ast::MemberExpr>()) qualifier = member->object;
    auto* call = e->as<ast::CallExpr>();
    auto* callee = call ? call->callee->as<ast::NameExpr>() : nullptr;
    found |= call && (!callee || module->names.contains(callee->name));
  };
  visitor.visit(stmt);
  return found;
}

bool is_hook(const FunctionInfo& method) {
  std::string_view name = method.name().text();
  return method.is_property || (name.starts_with("__") && name != "__init__");
}

// Can operators, printing or reading a member run code of the module?
bool has_hooks(Checker& c, ModuleInfo* module) {
  for (auto& [n, symbol] : module->names)
    if (symbol.kind == SymbolKind::Nominal && !symbol.nominal->module->is_std)
      for (FunctionInfo* method : symbol.nominal->method_order)
        if (is_hook(*method)) return true;
  for (const ImplInfo& impl : c.all_impls())
    if (impl.module == module)
      for (auto& [n, methods] : impl.methods)
        if (is_hook(*methods.front())) return true;
  return false;
}

}  // namespace

// Reading a module variable from a function tests whether it has been assigned, unless nothing of the module's own code
// can have run before its assignment.
void Checker::find_safe_globals(ModuleInfo* module) {
  std::unordered_set<Name> deleted;
  TreeVisitor deletions;
  deletions.on_stmt = [&](ast::Stmt* stmt) {
    if (auto* del = stmt->as<ast::DelStmt>())
      for (ast::Expr* target : del->targets)
        if (auto* n = target->as<ast::NameExpr>()) deleted.insert(n->name);
  };
  for (ast::Module* tree : module->trees) deletions.visit(tree->body);
  for (Name n : deleted)
    if (Symbol symbol = find_symbol(module, n); symbol.kind == SymbolKind::Global && symbol.global->module == module) symbol.global->is_deleted = true;
  if (has_hooks(*this, module)) return;
  for (ast::Module* tree : module->trees)
    for (ast::Stmt* stmt : tree->body) {
      if (stmt->kind == ast::StmtKind::Function || stmt->kind == ast::StmtKind::Class || stmt->kind == ast::StmtKind::Impl) continue;
      if (stmt->kind == ast::StmtKind::Const || stmt->kind == ast::StmtKind::Local) continue;   // see early_names
      if (lets_own_code_run(*this, module, stmt)) return;
      auto* assign = stmt->as<ast::AssignStmt>();
      if (!assign || !assign->value) continue;
      for (ast::Expr* target : assign->targets)
        if (auto* n = target->as<ast::NameExpr>())
          if (Symbol symbol = find_symbol(module, n->name); symbol.kind == SymbolKind::Global && symbol.global->module == module)
            symbol.global->is_safe = !deleted.contains(n->name) && !early_names.contains(n->name);
    }
}

bool Checker::functions_mention(ModuleInfo* module, Name n) {
  bool found = false;
  auto look_into = [&](auto* body_of) {
    TreeVisitor visitor;
    visitor.on_expr = [&](ast::Expr* e) {
      if (auto* name = e->as<ast::NameExpr>()) found = found || name->name == n;
    };
    if constexpr (requires { body_of->params; }) {
      for (const ast::Param& p : body_of->params)
        if (p.name == n) return;
    }
    visitor.visit(body_of);
  };
  TreeVisitor closures;
  closures.on_expr = [&](ast::Expr* e) {
    if (e->kind == ast::ExprKind::Lambda || e->kind == ast::ExprKind::AnonDef) look_into(e);
  };
  for (ast::Module* tree : module->trees)
    for (ast::Stmt* stmt : tree->body) {
      if (auto* f = stmt->as<ast::FunctionDecl>()) look_into(f);
      else if (auto* decl = stmt->as<ast::ClassDecl>()) for (ast::FunctionDecl* method : decl->methods) look_into(method);
      else if (auto* impl = stmt->as<ast::ImplDecl>()) for (ast::FunctionDecl* method : impl->methods) look_into(method);
      else closures.visit(stmt);
    }
  return found;
}

// A function that runs the `async` one in an event loop: for top-level statements that await.
FunctionId Checker::run_by_loop(const Function& waiting, ModuleInfo* module) {
  Function& fn = make_typed_function("start " + waiting.name, waiting.span);
  fn.has_body = true;
  auto body = std::make_unique<BodyChecker>(*this, fn, module, nullptr);
  BodyChecker* b = body.get();
  b->type_scope.module = module;
  b->declared_result = types.void_;
  std::vector<Stmt*> stmts;
  std::vector<VariableId> temps;
  b->out_ = &stmts;
  b->temps_ = &temps;
  auto* call = b->make<Call>(waiting.result, waiting.span);
  call->call = CallKind::Direct;
  call->function = waiting.id;
  b->emit_expr(b->call_core("_run_main", {call}, waiting.span));
  auto* block = b->make_stmt<BlockStmt>(waiting.span);
  block->body = b->keep(stmts);
  block->temps = b->keep(temps);
  fn.body = b->keep(std::vector<Stmt*>{block});
  b->out_ = nullptr;
  b->temps_ = nullptr;
  add_unfinished(std::move(body));
  return fn.id;
}

void Checker::check_module_body(ModuleInfo* module) {
  bool any = false;
  for (ast::Module* tree : module->trees)
    for (ast::Stmt* stmt : tree->body) {
      switch (stmt->kind) {
        case ast::StmtKind::Function: case ast::StmtKind::Class: case ast::StmtKind::Impl: case ast::StmtKind::TypeAlias:
        case ast::StmtKind::Const: case ast::StmtKind::Local: case ast::StmtKind::Import: case ast::StmtKind::Pass: break;
        default: any = true;
      }
    }
  if (!any) return;
  find_safe_globals(module);
  check_depth_enter();
  Function& fn = make_typed_function(module->is_main ? "module" : "module " + module->name, {});
  fn.span = module->trees[0]->body.empty() ? Span{module->trees[0]->file, 0, 0} : module->trees[0]->body[0]->span;
  fn.has_body = true;
  module->initializer = fn.id;
  bool waits = false;
  for (ast::Module* tree : module->trees) waits |= awaits(tree->body);
  auto body = std::make_unique<BodyChecker>(*this, fn, module, nullptr);
  BodyChecker* b = body.get();
  b->is_module_body = true;
  b->type_scope.module = module;
  b->declared_result = types.void_;
  if (waits) b->start_frame(FrameKind::Async, core_type("Future", {types.void_}));
  add_unfinished(std::move(body));
  if (waits) module->initializer = run_by_loop(fn, module);
  for (ast::Module* tree : module->trees) b->check_function_body(tree->body);
  check_depth_leave();
}

// Every function that needs no instantiation is checked, used or not.
void Checker::check_declared_functions(ModuleInfo* module) {
  auto check_one = [&](FunctionInfo* info, const Subst& subst, TypeId self) {
    ensure_signature(info);
    if (info->is_refused || !info->type_params.empty() || info->is_unannotated() || !info->decl->has_body) return;
    std::vector<TypeId> params;
    for (ParamInfo& p : info->params) params.push_back(apply(p.type, subst));
    function_of(instantiate(info, subst, info->has_self ? self : TypeId(), std::move(params)));
  };
  for (auto& [n, symbol] : module->names)
    if (symbol.kind == SymbolKind::Functions && !symbol.imported)
      for (FunctionInfo* info : *symbol.functions) check_one(info, {}, TypeId());
  for (size_t i = 0; i < nominal_list_.size(); ++i) {
    NominalInfo* info = nominal_list_[i];
    if (info->module != module || !info->type_params.empty() || info->kind == Kind::Trait) continue;
    for (FunctionInfo* method : info->method_order) check_one(method, {}, info->self_type);
  }
  for (size_t i = 0; i < impls_.size(); ++i) {
    ImplInfo* impl = &impls_[i];
    if (impl->module != module || !impl->type_params.empty() || !impl->target.valid() || types.kind(impl->target) == Kind::Error || !impl->decl) continue;
    for (auto& [n, list] : impl->methods)
      for (FunctionInfo* method : list) check_one(method, {}, impl->target);
  }
  run_queue();
}

// ---- Globals -----------------------------------------------------------------

namespace {

// Does a const's value come from a call of something other than the library?
bool runs_user_code(BodyChecker& b, ast::Expr* value) {
  bool found = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    auto* call = e->as<ast::CallExpr>();
    if (!call || found) return;
    auto entity = b.find_entity(call->callee);
    switch (entity.kind) {
      case SymbolKind::Functions: found = !entity.symbol.functions->front()->module->is_std; break;
      case SymbolKind::Nominal: found = !entity.symbol.nominal->module->is_std && entity.symbol.nominal->find_method(b.c.name("__init__")); break;
      case SymbolKind::EnumCase: case SymbolKind::BuiltinType: break;
      case SymbolKind::None:
        if (auto* member = call->callee->as<ast::MemberExpr>()) found = member->object->kind != ast::ExprKind::Str && member->object->kind != ast::ExprKind::List;
        else found = true;
        break;
      default: found = true; break;
    }
  };
  visitor.visit(value);
  return found;
}

}  // namespace

void Checker::ensure_global(GlobalInfo* global, Span use) {
  if (global->checked || !(global->is_const || global->is_local)) return;
  if (global->checking) {
    auto& d = error(Code::CannotInfer, use, "`" + global->name.str() + "` is defined by itself");
    d.labels.push_back({global->span, "defined here"});
    unifier.unify(global->type, types.error);
    return;
  }
  global->checking = true;
  check_depth_enter();
  Function& fn = make_typed_function((global->is_const ? "const " : "local ") + global->name.str(), global->span);
  fn.has_body = true;
  auto body = std::make_unique<BodyChecker>(*this, fn, global->module, nullptr);
  BodyChecker* b = body.get();
  b->type_scope.module = global->module;
  b->declared_result = types.void_;
  add_unfinished(std::move(body));
  std::vector<Stmt*> stmts;
  std::vector<VariableId> temps;
  b->out_ = &stmts;
  b->temps_ = &temps;
  TypeId declared = global->type_expr ? b->type_of(global->type_expr) : TypeId();
  Expr* value = b->check(global->value, declared);
  if (declared.valid()) value = b->coerce(value, global->is_const && holds_frozen(*this, value->type) ? frozen_type(*this, declared) : declared, global->value->span);
  if (global->is_const && !b->is_poison(value) && !unifier.has_unbound(value->type)) {
    // Code of the user's may have kept what it made: then it is looked at whether anybody else can change it. Where that is what a function captured
    // or a channel holds, only the start of a second isolate fails (met_share_consts).
    bool may_be_kept = !global->module->is_std && !is_copied_type(*this, value->type) && !reaches(*this, value->type, {Kind::Func}) && runs_user_code(*b, global->value);
    if (!can_be_const(*b, value->type, global->value->span))
      value = b->poison(global->span);
    else if (may_be_kept)
      value = b->call_core("freeze", {value}, global->span);
    else
      value = freeze_part(
          *b, may_hold_shareable(*this, value->type) ? b->call_core("_make_const", {value}, global->span) : value);
  }
  unifier.unify(global->type, global->is_const || !declared.valid() ? value->type : declared);
  auto* ref = b->make<GlobalRef>(global->type, global->span);
  ref->global = global->id;
  b->emit_assign(ref, value);
  auto* block = b->make_stmt<BlockStmt>(global->span);
  block->body = b->keep(stmts);
  block->temps = b->keep(temps);
  fn.body = b->keep(std::vector<Stmt*>{block});
  b->out_ = nullptr;
  b->temps_ = nullptr;
  program.globals[global->id.index].type = global->type;
  if (global->is_const) const_initializers_.emplace_back(fn.id, global->module);
  program.globals[global->id.index].initializer = fn.id;
  global->checked = true;
  check_depth_leave();
}

// ---- Entry -------------------------------------------------------------------

void Checker::make_entry() {
  ModuleInfo* main_module = nullptr;
  for (ModuleInfo& module : modules_)
    if (module.is_main) main_module = &module;
  Function& fn = make_typed_function("entry", main_module && !main_module->trees.empty() && !main_module->trees[0]->body.empty() ? main_module->trees[0]->body[0]->span : Span{});
  fn.has_body = true;
  fn.result = types.int_;
  program.entry = fn.id;
  check_depth_enter();
  auto body = std::make_unique<BodyChecker>(*this, fn, main_module ? main_module : core_, nullptr);
  BodyChecker* b = body.get();
  b->type_scope.module = b->module;
  b->declared_result = types.int_;
  add_unfinished(std::move(body));
  std::vector<Stmt*> stmts;
  std::vector<VariableId> temps;
  b->out_ = &stmts;
  b->temps_ = &temps;
  FunctionInfo* main_function = nullptr;
  if (main_module) {
    auto at = main_module->names.find(name("main"));
    if (at != main_module->names.end() && at->second.kind == SymbolKind::Functions && !at->second.imported) main_function = at->second.functions->front();
  }
  Expr* code = nullptr;
  if (main_function && !calls_main(main_module)) {
    ensure_signature(main_function);
    if (main_function->params.size() > 1 || !main_function->type_params.empty()) {
      auto& d = error(Code::WrongArgumentCount, main_function->decl->name_span, "`main` takes no parameters or one, the program's arguments");
      d.help = "write `def main(args: list<str>):`";
    } else {
      std::vector<BodyChecker::CallArg> args;
      if (main_function->params.size() == 1) {
        BodyChecker::CallArg arg;
        arg.value = b->call_core("_program_args", {}, fn.span);
        args.push_back(arg);
      }
      Expr* call = b->call_function(main_function, {}, nullptr, TypeId(), std::move(args), main_function->decl->name_span, TypeId());
      if (future_value(call->type).valid()) call = b->call_core("_run_main", {call}, fn.span);
      if (kind(call->type) == Kind::Int) code = b->coerce(call, types.int_, fn.span);
      else b->emit_expr(call);
    }
  }
  if (!code) code = b->make_int(0, fn.span);
  auto* result = b->make_stmt<Return>(fn.span);
  result->value = code;
  stmts.push_back(result);
  auto* block = b->make_stmt<BlockStmt>(fn.span);
  block->body = b->keep(stmts);
  block->temps = b->keep(temps);
  fn.body = b->keep(std::vector<Stmt*>{block});
  b->out_ = nullptr;
  b->temps_ = nullptr;
  check_depth_leave();
#define HOOK(hook)                                                                           \
  if (Overloads* found = core_function("_hook_" #hook)) {                                    \
    FunctionInfo* info = found->front();                                                     \
    ensure_signature(info);                                                                  \
    std::vector<TypeId> params;                                                              \
    for (ParamInfo& p : info->params) params.push_back(p.type);                              \
    program.hooks.hook = function_of(instantiate(info, {}, TypeId(), std::move(params)));    \
  } else {                                                                                   \
    error(Code::UnknownName, {}, "the core library lacks `_hook_" #hook "`");                \
  }
#include "compiler/typed/hooks.def"
#undef HOOK
}

bool Program::starts_isolates() const {
  static constexpr std::string_view STARTERS[] = {"met_isolate_start", "met_pool_submit", "met_freeze_begin", "met_mark_begin"};   // what they share is counted as shared
  return std::ranges::any_of(functions, [](const Function& f) { return f.is_extern && std::ranges::find(STARTERS, f.symbol) != std::end(STARTERS); });
}

// ---- Tables ------------------------------------------------------------------

void Checker::note_type(TypeId type) {
  if (!type.valid() || !noted_types_.insert(type).second) return;
  noted_order_.push_back(type);
  const types::Type& t = types.get(type);
  for (TypeId arg : t.args) note_type(arg);
}

bool Checker::is_recursive_enum(TypeId type) {
  std::unordered_set<TypeId> seen;
  std::function<bool(TypeId)> contains = [&](TypeId at) -> bool {
    const types::Type& t = types.get(at);
    switch (t.kind) {
      case Kind::Tuple: case Kind::Optional: case Kind::Frozen:
        for (TypeId arg : t.args)
          if (arg == type || contains(arg)) return true;
        return false;
      case Kind::Struct: case Kind::Enum: {
        if (!seen.insert(at).second) return false;
        NominalInfo* info = nominal_info(at);
        ensure_fields(info);
        Subst subst = arguments_of(at);
        for (FieldInfo& f : info->fields)
          if (TypeId ft = apply(f.type, subst); ft == type || contains(ft)) return true;
        for (CaseInfo& c : info->cases)
          for (FieldInfo& f : c.fields)
            if (TypeId ft = apply(f.type, subst); ft == type || contains(ft)) return true;
        return false;
      }
      default: return false;
    }
  };
  return contains(type);
}

void Checker::build_nominal(TypeId type) {
  if (program.nominals.count(type)) return;
  NominalInfo* info = nominal_info(type);
  ensure_fields(info);
  Nominal& out = program.nominals[type];
  out.type = type;
  out.name = text(type);
  out.module = info->module->name;
  out.span = info->decl->name_span;
  bool framed = info->module->is_core && (info->name.text() == "Task" || info->name.text() == "Generator" || info->name.text() == "Stream");
  out.has_subclasses = hierarchy_.may_grow(*this, info) || framed;   // every function with a frame has its own
  out.has_frame = framed;
  out.is_task = framed && info->name.text() == "Task";
  out.is_stream = framed && info->name.text() == "Stream";
  out.is_pinned = framed || is_pinned(type);
  out.is_shareable = info->is_shareable && !out.is_pinned;
  for (NominalInfo* at = info; at && !out.is_lent; at = at->base.valid() ? nominal_info(at->base) : nullptr) out.is_lent = at->is_lent;
  if (info->kind == Kind::Enum) {
    Subst subst = arguments_of(type);
    for (CaseInfo& c : info->cases) {
      EnumCase ec;
      ec.name = c.name;
      for (FieldInfo& f : c.fields) ec.fields.push_back({f.name, apply(f.type, subst), f.span});
      for (Field& f : ec.fields) note_type(f.type);
      out.cases.push_back(std::move(ec));
    }
    out.is_recursive = is_recursive_enum(type);
    return;
  }
  for (const FlatField& f : flat_fields(type)) {
    TypeId field_type = f.info->is_weak ? types.wrap(Kind::Weak, types.arg(f.type)) : f.type;
    out.fields.push_back({f.info->name, field_type, f.info->span});
    note_type(f.type);
  }
  out.base = base_of(type);
  if (out.base.valid()) note_type(out.base);
  for (const char* destructor : {"__del__", "__drop__"}) {
    Member member = find_member(type, name(destructor));
    if (member.kind != Member::Methods || out.del.valid()) continue;
    FunctionInfo* method = member.methods->front();
    program.nominals[type].del = function_of(instantiate(method, member.subst, type, {}));
    program.nominals[type].del_is_internal = std::string_view(destructor) == "__drop__";
  }
}

void Checker::build_vtables() {
  for (size_t i = 0; i < noted_order_.size(); ++i) {
    TypeId type = noted_order_[i];
    Kind k = types.kind(type);
    if (k == Kind::Tuple) check_value_size(type);
    if (k != Kind::Class && k != Kind::Struct && k != Kind::Enum) continue;
    grows_in = nominal_info(type)->decl->name_span;
    build_nominal(type);
    if (k != Kind::Class) check_value_size(type);
    if (k != Kind::Class) continue;
    std::vector<FunctionId> table;
    for (Name method : std::vector<Name>(virtual_method_names(*this, nominal_info(type)))) {
      Member member = find_virtual_member(type, method);
      FunctionId function;
      if (member.kind == Member::Methods) {
        FunctionInfo* info = member.methods->front();
        ensure_signature(info);
        bool used = !info->is_derived || (method == name("write_json") ? virtual_json_used_ : virtual_text_used_);
        if (used && (info->decl->has_body || !info->extern_symbol.empty())) {
          std::vector<TypeId> params;
          for (ParamInfo& p : info->params) params.push_back(p.type.valid() ? apply(p.type, member.subst) : types.any);
          Instance* instance = instantiate(info, member.subst, type, std::move(params));
          function = function_of(instance);
          check_inferred_result(*this, instance, type);
        }
      }
      table.push_back(function);
    }
    program.nominals[type].vtable = std::move(table);
  }
}

void Checker::finish_program() {
  size_t functions = 0, types_seen = 0, tables = 0;
  note_type(program.raisable);
  note_type(program.error);
  bool again = true;
  while (again || functions != program.functions.size() || types_seen != noted_order_.size() || tables != program.trait_tables.size()) {
    for (; functions < program.functions.size(); ++functions) {
      Function& fn = program.functions[functions];
      fn.result = resolve(fn.result);
      note_type(fn.result);
      for (Variable& v : fn.variables) {
        v.type = resolve(v.type);
        note_type(v.type);
      }
    }
    for (Global& global : program.globals) {
      global.type = resolve(global.type);
      note_type(global.type);
    }
    types_seen = noted_order_.size();
    tables = program.trait_tables.size();
    build_vtables();
    build_trait_tables();
    run_queue();
    again = build_any_functions();   // what they call may need another of them
    again |= check_lifted_calls();
    run_queue();
    if (!again && functions == program.functions.size() && types_seen == noted_order_.size()) again = build_dispatches();
    run_queue();
  }
  report_refused_dispatches();
}

}  // namespace meteor::typed
