// Declares every module-level name (imports.cpp binds the imported ones). Headers (bases, fields,
// signatures) are resolved on demand, so that order in a file does not matter.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/typed/checker.h"
#include "compiler/typed/enum_cases.h"
#include "compiler/typed/known_names.h"
#include "compiler/typed/own_self.h"
#include "compiler/typed/scan_names.h"
#include "compiler/typed/special_methods.h"

namespace meteor::typed {

namespace {

bool has_decorator(std::span<ast::Decorator> decorators, std::string_view name) {
  for (const ast::Decorator& d : decorators)
    if (d.path.size() == 1 && d.path[0].text() == name) return true;
  return false;
}

std::string_view string_argument(std::span<ast::Decorator> decorators, std::string_view name) {
  for (const ast::Decorator& d : decorators)
    if (d.path.size() == 1 && d.path[0].text() == name && d.args.size() == 1)
      if (auto* text = d.args[0].value->as<ast::StrExpr>()) return text->value;
  return {};
}

RegionRole region_role(std::span<ast::Decorator> decorators) {
  static const std::unordered_map<std::string_view, RegionRole> ROLES = {
      {"check", RegionRole::Check}, {"take_over", RegionRole::TakeOver}, {"hand_over", RegionRole::HandOver},
      {"send", RegionRole::Send},   {"pass", RegionRole::Pass},          {"start", RegionRole::Start},
  };
  if (has_decorator(decorators, "crossing")) return RegionRole::Leave;
  auto found = ROLES.find(string_argument(decorators, "region"));
  return found == ROLES.end() ? RegionRole::None : found->second;
}

std::string dotted(std::span<Name> path) {
  std::string out;
  for (Name n : path) out += (out.empty() ? "" : ".") + n.str();
  return out;
}

}  // namespace

void Checker::add_builtin_types() {
  auto add = [&](std::string_view text, TypeId type) {
    Symbol symbol;
    symbol.kind = SymbolKind::BuiltinType;
    symbol.type = type;
    symbol.is_pub = true;
    core_->names[name(text)] = symbol;
  };
  add("int", types.int_);
  add("int8", types.int8);
  add("int16", types.int16);
  add("int32", types.int32);
  add("int64", types.int64);
  add("uint8", types.uint8);
  add("uint16", types.uint16);
  add("uint32", types.uint32);
  add("uint64", types.uint64);
  add("float", types.float_);
  add("double", types.float_);
  add("float64", types.float_);
  add("float32", types.float32);
  add("bool", types.bool_);
  add("str", types.str);
  add("bytes", types.bytes);
  add("any", types.any);
  add("void", types.void_);
  core_->names[name("void")].is_pub = false;   // for what core does with futures that give nothing
}

void Checker::collect() {
  for (ParsedModule& parsed : input.modules) {
    ModuleInfo* module = nullptr;
    if (parsed.is_core && core_) {
      module = core_;
    } else {
      modules_.emplace_back();
      module = &modules_.back();
      module->name = parsed.name;
      module->is_core = parsed.is_core;
      module->is_std = parsed.is_std || parsed.is_core;
      module->is_main = parsed.is_main;
      (module->is_std ? library_modules_ : project_modules_)[parsed.name] = module;
      if (parsed.is_core) {
        core_ = module;
        add_builtin_types();
      }
    }
    module->trees.push_back(parsed.tree);
    module_of_tree_[parsed.tree] = module;
    declare_module(module, parsed.tree);
  }
  CHECK(core_);
  for (ModuleInfo& module : modules_)
    for (ast::Module* tree : module.trees) bind_imports(&module, tree->body);
  // Enum cases are usable without their enum's name unless something else has that name.
  for (ModuleInfo& module : modules_) {
    std::vector<NominalInfo*> enums;
    for (auto& [n, symbol] : module.names)
      if (symbol.kind == SymbolKind::Nominal && symbol.nominal->kind == Kind::Enum) enums.push_back(symbol.nominal);
    std::sort(enums.begin(), enums.end(), [](NominalInfo* a, NominalInfo* b) { return a->id < b->id; });
    for (NominalInfo* info : enums)
      for (uint32_t i = 0; i < info->decl->cases.size(); ++i) {
        Symbol symbol;
        symbol.kind = SymbolKind::EnumCase;
        symbol.nominal = info;
        symbol.case_index = i;
        symbol.is_pub = info->decl->is_pub;
        symbol.span = info->decl->cases[i].span;
        module.names.emplace(info->decl->cases[i].name, symbol);
      }
  }
  for (NominalInfo* info : nominal_list_) ensure_header(info);
  for (ImplInfo& impl : impls_) ensure_header(&impl);
}

bool Checker::bind(ModuleInfo* module, Name n, Symbol symbol, Span span) {
  symbol.span = span;
  auto [at, fresh] = module->names.emplace(n, symbol);
  if (fresh) return true;
  if (module->is_core) return false;
  Symbol& old = at->second;
  if (symbol.imported || old.imported) {      // a declaration and an import of the same name
    if (symbol.imported && old.imported) { old = symbol; return true; }
    // `import math` and `math = 3`: the assignment is the mistake, and is reported when it is checked.
    if (symbol.kind == SymbolKind::Module && old.kind == SymbolKind::Global) { old = symbol; return true; }
  }
  auto& d = error(Code::DuplicateDefinition, span, "`" + n.str() + "` is defined twice in this module");
  d.labels.push_back({old.span, "first defined here"});
  d.help = "give one of them another name";
  return false;
}

void Checker::declare_module(ModuleInfo* module, ast::Module* tree) {
  for (ast::Stmt* stmt : tree->body) declare_statement(module, stmt);
  // Names that top-level statements assign are the module's variables.
  scan_assigned(tree->body, [&](const AssignedName& found) {
    if (found.is_definition || found.in_pattern) return;
    auto existing = module->names.find(found.name);
    if (existing != module->names.end()) return;
    GlobalInfo* global = make_global(module, found.name, found.span);
    Symbol symbol;
    symbol.kind = SymbolKind::Global;
    symbol.global = global;
    bind(module, found.name, symbol, found.span);
  });
  for (ast::Stmt* stmt : tree->body)
    if (auto* assign = stmt->as<ast::AssignStmt>(); assign && assign->is_pub)
      for (ast::Expr* target : assign->targets)
        if (auto* n = target->as<ast::NameExpr>())
          if (auto at = module->names.find(n->name); at != module->names.end()) at->second.is_pub = true;
}

GlobalInfo* Checker::make_global(ModuleInfo* module, Name n, Span span) {
  globals_.emplace_back();
  GlobalInfo* global = &globals_.back();
  global->name = n;
  global->last_name = n;
  global->module = module;
  global->span = span;
  global->type = unifier.fresh(span);
  global->id = GlobalId(static_cast<uint32_t>(program.globals.size()));
  program.globals.emplace_back();
  Global& out = program.globals.back();
  out.name = n;
  out.symbol = unique_symbol(module->name + "." + n.str());
  out.type = global->type;
  out.span = span;
  global_by_id_.resize(program.globals.size());
  global_by_id_[global->id.index] = global;
  return global;
}

GlobalInfo* Checker::make_const(ModuleInfo* module, Name full_name, ast::ConstDecl* decl) {
  GlobalInfo* made = make_global(module, full_name, decl->name_span);
  made->last_name = decl->name;
  made->is_const = true;
  made->value = decl->value;
  made->type_expr = decl->type;
  program.globals[made->id.index].is_const = true;
  return made;
}

FunctionInfo* Checker::make_function(ast::FunctionDecl* decl, ModuleInfo* module) {
  functions_.emplace_back();
  FunctionInfo* info = &functions_.back();
  info->decl = decl;
  info->module = module;
  info->frame = frame_kind(decl);
  // The setter of a property is a method of its own, which assignments call.
  std::string setter = decl->name.str() + ".setter";
  if (std::any_of(decl->decorators.begin(), decl->decorators.end(), [&](const ast::Decorator& d) { return dotted(d.path) == setter; })) decl->name = name(setter);
  info->is_property = has_decorator(decl->decorators, "property");
  info->is_inline = has_decorator(decl->decorators, "inline");
  info->only_reads = module->is_std && has_decorator(decl->decorators, "reads");
  if (module->is_core) info->region = region_role(decl->decorators);
  info->extern_symbol = string_argument(decl->decorators, "extern");
  info->library = string_argument(decl->decorators, "link");
  if (!decl->extern_abi.empty() && info->extern_symbol.empty()) info->extern_symbol = decl->name.str();
  fill_type_params(info->type_params, decl->type_params, next_param_owner_++);
  static const std::unordered_set<std::string_view> KNOWN = {"property", "inline", "extern", "derive", "test", "bench", "link", "staticmethod", "blocking_in_def", "crossing", "region", "reads"};
  for (const ast::Decorator& d : decl->decorators) {
    std::string path = dotted(d.path);
    if (!KNOWN.count(path) && path != setter) {
      auto& e = error(Code::InvalidDecorator, d.span, "there is no decorator `@" + path + "`");
      e.help = path == "classmethod"
                   ? "leave out the decorator and `cls`: a function of a class without `self` is called on the class"
               : path == "abstractmethod" ? "declare it in a trait, without a body"
               : path == "dataclass"
                   ? "leave it out: fields become the constructor's parameters by themselves"
                   : "a method takes only @property, @inline and @staticmethod; let it call a decorated function";
      if (path.ends_with(".setter")) e.help = "a setter has the name of its property: `@name.setter` above `def name(self, value)`";
    }
  }
  return info;
}

// A constant of std may say which one of the runtime it is: dev/boundary.
void Checker::refuse_decorators(const ModuleInfo* module, const ast::ConstDecl* decl) {
  for (const ast::Decorator& d : decl->decorators) {
    std::string path = dotted(d.path);
    if (module->is_std && path == "native") continue;
    error(Code::InvalidDecorator, d.span, "`@" + path + "` can't be used on a constant").help = "leave it out: constants take no decorators";
  }
}

void Checker::fill_type_params(std::vector<TypeParamInfo>& out, std::span<ast::TypeParam> params, uint32_t owner) {
  for (uint32_t i = 0; i < params.size(); ++i) {
    TypeParamInfo p;
    p.name = params[i].name;
    p.type = types.param(p.name, owner, i);
    p.bound_exprs.assign(params[i].bounds.begin(), params[i].bounds.end());
    out.push_back(std::move(p));
  }
}

void Checker::declare_function(ModuleInfo* module, ast::FunctionDecl* decl) {
  FunctionInfo* info = make_function(decl, module);
  auto at = module->names.find(decl->name);
  if (at != module->names.end() && at->second.functions && module->is_std) {
    at->second.functions->push_back(info);
    return;
  }
  module->overloads.emplace_back();
  module->overloads.back().push_back(info);
  if (at != module->names.end() && at->second.kind == SymbolKind::BuiltinType) {   // `any` is a type and a function
    at->second.functions = &module->overloads.back();
    return;
  }
  Symbol symbol;
  symbol.kind = SymbolKind::Functions;
  symbol.functions = &module->overloads.back();
  symbol.is_pub = decl->is_pub;
  bind(module, decl->name, symbol, decl->name_span);
}

NominalInfo* Checker::declare_class(ast::ClassDecl* decl, ModuleInfo* module, bool bind_name) {
  nominals_.emplace_back();
  NominalInfo* info = &nominals_.back();
  switch (decl->form) {
    case ast::ClassKind::Class: info->kind = Kind::Class; break;
    case ast::ClassKind::Struct: info->kind = Kind::Struct; break;
    case ast::ClassKind::Enum: info->kind = Kind::Enum; break;
    case ast::ClassKind::Trait: info->kind = Kind::Trait; break;
  }
  info->decl = decl;
  info->module = module;
  info->name = decl->name;
  info->id = types.add_nominal(info->kind, decl->name.str(), module->is_std);
  nominal_list_.push_back(info);
  hierarchy_.changed();
  fill_type_params(info->type_params, decl->type_params, next_param_owner_++);
  std::vector<TypeId> args;
  for (TypeParamInfo& p : info->type_params) args.push_back(p.type);
  info->self_type = info->kind == Kind::Trait ? types.param(name("Self"), next_param_owner_++, 0) : types.nominal(info->kind, info->id, args);
  for (ast::FunctionDecl* method : decl->methods) {
    FunctionInfo* m = make_function(method, module);
    m->owner = info;
    if (!method->params.empty() && method->params[0].name.text() == "self") {
      m->has_self = true;
      m->self_mode = static_cast<ParamMode>(method->params[0].mode);
    }
    Overloads& list = info->methods[method->name];
    if (!list.empty() && !module->is_std) {
      auto& d = error(Code::DuplicateDefinition, method->name_span, "`" + method->name.str() + "` is defined twice in `" + info->name.str() + "`");
      d.labels.push_back({list[0]->decl->name_span, "first defined here"});
      continue;
    }
    list.push_back(m);
    info->method_order.push_back(m);
  }
  for (ast::Stmt* nested : decl->nested) {
    if (auto* constant = nested->as<ast::ConstDecl>()) {
      refuse_decorators(module, constant);
      info->consts[constant->name] = constant;
      // One for all instances, like a module's; what a generic type's is made of may depend on its arguments.
      if (decl->type_params.empty()) class_consts_[constant] = make_const(module, name(info->name.str() + "." + constant->name.str()), constant);
    }
  }
  for (const ast::Decorator& d : decl->decorators) {
    std::string path = dotted(d.path);
    if (module->is_std && path == "pinned") { info->is_pinned = true; continue; }
    if (module->is_std && path == "shareable") { info->is_shareable = true; continue; }
    if (module->is_std && path == "lent") { info->is_lent = true; continue; }
    if (module->is_std && path == "gives_to_many") { info->is_shareable = info->gives_to_many = true; continue; }
    if (module->is_std && path == "native") continue;   // for the build: dev/boundary
    if (module->is_std && path == "made_by") { info->made_by = string_argument(decl->decorators, path); continue; }
    if (path != "derive") {
      auto& e = error(Code::InvalidDecorator, d.span, "`@" + path + "` can't be used on a type");

      e.help = path == "dataclass" ? "leave it out: fields become the constructor's parameters by themselves" : "types take `@derive(Eq, Hash, Ord, Json, Str)`";
      continue;
    }
    for (const ast::Arg& arg : d.args) {
      auto* n = arg.value->as<ast::NameExpr>();
      static const std::unordered_set<std::string_view> KNOWN = {"Eq", "Hash", "Ord", "Json", "Str"};
      if (!n || !KNOWN.count(n->name.text())) {
        auto& e = error(Code::InvalidDerive, arg.value->span, "`" + (n ? n->name.str() : std::string("this")) + "` can't be derived");
        e.help = "what can be derived: Eq, Hash, Ord, Json, Str";
        continue;
      }
      info->derives.insert(n->name.str());
    }
  }
  if (bind_name) {
    Symbol symbol;
    symbol.kind = SymbolKind::Nominal;
    symbol.nominal = info;
    symbol.is_pub = decl->is_pub;
    bind(module, decl->name, symbol, decl->name_span);
  }
  return info;
}

void Checker::declare_impl(ModuleInfo* module, ast::ImplDecl* decl) {
  impls_.emplace_back();
  ImplInfo* impl = &impls_.back();
  impl->decl = decl;
  impl->module = module;
  fill_type_params(impl->type_params, decl->type_params, next_param_owner_++);
  for (ast::FunctionDecl* method : decl->methods) {
    FunctionInfo* m = make_function(method, module);
    m->impl = impl;
    if (!method->params.empty() && method->params[0].name.text() == "self") {
      m->has_self = true;
      m->self_mode = static_cast<ParamMode>(method->params[0].mode);
    }
    impl->methods[method->name].push_back(m);
  }
  if (!decl->trait && !module->is_std) {
    auto& d = error(Code::InvalidBase, decl->span, "`impl` needs a trait");
    d.help = "write `impl Trait for Type:`";
  }
}

void Checker::declare_statement(ModuleInfo* module, ast::Stmt* stmt) {
  switch (stmt->kind) {
    case ast::StmtKind::Function: declare_function(module, stmt->as<ast::FunctionDecl>()); break;
    case ast::StmtKind::Class: declare_class(stmt->as<ast::ClassDecl>(), module, true); break;
    case ast::StmtKind::Impl: declare_impl(module, stmt->as<ast::ImplDecl>()); break;
    case ast::StmtKind::TypeAlias: {
      auto* decl = stmt->as<ast::TypeAliasDecl>();
      aliases_.emplace_back();
      AliasInfo* alias = &aliases_.back();
      alias->decl = decl;
      alias->module = module;
      fill_type_params(alias->type_params, decl->type_params, next_param_owner_++);
      Symbol symbol;
      symbol.kind = SymbolKind::Alias;
      symbol.alias = alias;
      symbol.is_pub = decl->is_pub;
      bind(module, decl->name, symbol, decl->name_span);
      break;
    }
    case ast::StmtKind::Const: {
      auto* decl = stmt->as<ast::ConstDecl>();
      refuse_decorators(module, decl);
      Symbol symbol;
      symbol.kind = SymbolKind::Global;
      symbol.global = make_const(module, decl->name, decl);
      symbol.is_pub = decl->is_pub;
      bind(module, decl->name, symbol, decl->name_span);
      break;
    }
    case ast::StmtKind::Local: {
      auto* decl = stmt->as<ast::LocalDecl>();
      GlobalInfo* global = make_global(module, decl->name, decl->name_span);
      global->is_local = true;
      global->value = decl->value;
      global->type_expr = decl->type;
      program.globals[global->id.index].is_local = true;
      Symbol symbol;
      symbol.kind = SymbolKind::Global;
      symbol.global = global;
      symbol.is_pub = decl->is_pub;
      bind(module, decl->name, symbol, decl->name_span);
      break;
    }
    default: break;
  }
}

Symbol Checker::find_symbol(ModuleInfo* module, Name n) {
  auto at = module->names.find(n);
  if (at != module->names.end()) return at->second;
  if (module != core_) {
    at = core_->names.find(n);
    if (at != core_->names.end() && (at->second.is_pub || module->is_std) && !at->second.imported) return at->second;
  }
  if (std::ranges::find(KNOWN_NAMES, n.text()) != std::end(KNOWN_NAMES)) {
    auto home = library_modules_.find(n.str());
    if (home != library_modules_.end() && home->second != module) {
      at = home->second->names.find(n);
      if (at != home->second->names.end() && at->second.is_pub) return at->second;
    }
  }
  return {};
}

NominalInfo* Checker::nominal_info(TypeId type) {
  const types::Type& t = types.get(unifier.shallow(type));
  if (t.kind == Kind::Class || t.kind == Kind::Struct || t.kind == Kind::Enum || t.kind == Kind::Trait) return nominal_list_[t.nominal.index];
  return nullptr;
}

NominalInfo* Checker::core_nominal(std::string_view text) {
  auto at = core_->names.find(name(text));
  return at != core_->names.end() && at->second.kind == SymbolKind::Nominal ? at->second.nominal : nullptr;
}

TypeId Checker::core_type(std::string_view text, std::vector<TypeId> args) {
  NominalInfo* info = core_nominal(text);
  if (!info) {
    error(Code::UnknownType, {}, "the core library has no type `" + std::string(text) + "`");
    return types.error;
  }
  return types.nominal(info->kind, info->id, std::move(args));
}

Overloads* Checker::core_function(std::string_view text) {
  auto at = core_->names.find(name(text));
  return at != core_->names.end() && at->second.kind == SymbolKind::Functions ? at->second.functions : nullptr;
}

// ---- Headers -----------------------------------------------------------------

TypeScope Checker::scope_of(NominalInfo* info) {
  TypeScope scope;
  scope.module = info->module;
  scope.push(info->outer_types);
  scope.push(info->type_params);
  scope.self = info->self_type;
  scope.locals = info->locals.get();
  return scope;
}

TypeScope Checker::scope_of(FunctionInfo* info) {
  TypeScope scope;
  scope.module = info->module;
  if (info->owner) {
    if (!info->is_derived) {  // what the compiler writes means the library's names, and its own
      scope.push(info->owner->outer_types);
      scope.push(info->owner->type_params);
      scope.locals = info->owner->locals.get();
    }
    scope.self = info->owner->self_type;
  }
  if (info->is_derived) scope.imports = [this](Name n) { return find_symbol(core_, n); };
  if (info->impl) {
    scope.push(info->impl->type_params);
    scope.self = info->impl->self_param.valid() ? info->impl->self_param : info->impl->target;
  }
  scope.push(info->type_params);
  scope.push(info->type_names);
  return scope;
}

void Checker::ensure_bounds(std::vector<TypeParamInfo>& params, const TypeScope& scope) {
  for (TypeParamInfo& p : params) {
    if (p.bounds_ready) continue;
    p.bounds_ready = true;
    for (ast::TypeExpr* expr : p.bound_exprs) {
      TypeId bound = resolve_type(expr, scope);
      if (types.kind(bound) == Kind::Dyn) bound = types.arg(bound);
      if (types.kind(bound) == Kind::Trait) p.bounds.push_back(bound);
      else if (types.kind(bound) != Kind::Error) {
        auto& d = error(Code::InvalidTypeArgument, expr->span, "a bound must be a trait, and `" + text(bound) + "` is not one");
        d.help = "declare it with `trait`, or remove the bound";
      }
    }
  }
}

namespace {

// Classes of core that the runtime works on, or that several isolates use at once: what a subclass adds would be reached without the
// checks that its own type has.
bool refuse_core_base(Checker& c, TypeId base, Span span) {
  NominalInfo* parent = c.nominal_info(base);
  auto refuse = [&](const std::string& why) -> Diagnostic& { return c.error(Code::InvalidBase, span, "`" + c.text(base) + "` can't be a base: " + why); };
  if (parent == c.core_nominal("Stream") || parent == c.core_nominal("Generator")) {
    bool waits = parent == c.core_nominal("Stream");
    refuse("only a function with `yield` makes one").help = std::string("leave it out: a class with `") + (waits ? "async " : "") + "def next(self) -> " + c.text(c.types.arg(base)) + "?` can be used in `" + (waits ? "async for`" : "for`");
    return true;
  }
  if (parent == c.core_nominal("Future")) return false;   // made for it
  c.ensure_header(parent);
  bool is_made_by_runtime = parent->base.valid() && c.nominal_info(parent->base) == c.core_nominal("Future");
  if (!parent->is_shareable && !parent->is_pinned && !is_made_by_runtime) return false;
  std::string field = parent->name.str();
  field[0] = static_cast<char>(field[0] | 0x20);
  refuse(parent->is_shareable ? "several isolates may use one at the same time" : "the runtime works on it").help = "put it into a field: `" + field + ": " + c.text(base) + "`";
  return true;
}

}  // namespace

void Checker::ensure_header(NominalInfo* info) {
  if (info->header_ready) return;
  if (info->header_running) return;
  info->header_running = true;
  TypeScope scope = scope_of(info);
  for (ast::TypeExpr* expr : info->decl->bases) {
    TypeId base = resolve_type(expr, scope);
    if (types.kind(base) == Kind::Dyn) base = types.arg(base);
    switch (types.kind(base)) {
      case Kind::Error: info->has_unknown_base = true; break;
      case Kind::Trait: info->traits.push_back(base); break;
      case Kind::Class: {
        NominalInfo* parent = nominal_info(base);
        if (info->kind != Kind::Class) {
          auto& d = error(Code::InvalidBase, expr->span, "only a class can have a base class");
          d.help = "a struct, enum or trait can only list traits here";
          break;
        }
        if (parent->module->is_core && !info->module->is_std && refuse_core_base(*this, base, expr->span)) break;
        ensure_header(parent);
        bool cycle = false;
        for (NominalInfo* up = parent; up; up = up->base.valid() ? nominal_info(up->base) : nullptr)
          if (up == info) { cycle = true; break; }
        if (parent->header_running && !parent->header_ready) cycle = true;
        if (cycle) {
          error(Code::InvalidBase, expr->span, "class `" + info->name.str() + "` inherits from itself");
          break;
        }
        if (info->base.valid()) {
          auto& d = error(Code::InvalidBase, expr->span, "a class can have only one base class");
          d.help = "make the others traits";
          break;
        }
        info->base = base;
        info->has_unknown_base |= parent->has_unknown_base;
        parent->subclasses.push_back(info);
        hierarchy_.changed();
        break;
      }
      default: {
        auto& d = error(Code::InvalidBase, expr->span, "`" + text(base) + "` can't be a base");
        d.help = "a base is a class or a trait";
      }
    }
  }
  ensure_bounds(info->type_params, scope);
  info->header_ready = true;
  info->header_running = false;
}

namespace {

FieldInfo* find_inherited_field(Checker& c, NominalInfo* info, Name n) {
  std::unordered_set<NominalInfo*> seen{info};   // a class may be its own base, which is reported elsewhere
  for (TypeId base = info->base; base.valid() && c.kind(base) == Kind::Class;) {
    NominalInfo* above = c.nominal_info(base);
    if (!seen.insert(above).second) return nullptr;
    c.ensure_fields(above);
    for (FieldInfo& field : above->fields)
      if (field.name == n) return &field;
    base = above->base;
  }
  return nullptr;
}

}  // namespace

void Checker::ensure_fields(NominalInfo* info) {
  if (info->fields_ready) return;
  info->fields_ready = true;
  ensure_header(info);
  TypeScope scope = scope_of(info);
  std::unordered_map<Name, Span> seen;
  auto add_field = [&](std::vector<FieldInfo>& out, Name n, ast::TypeExpr* type, ast::Expr* value, bool weak, Span span) {
    FieldInfo field;
    field.name = n;
    field.default_value = value;
    field.span = span;
    field.is_weak = weak;
    field.owner = info;
    if (type) {
      field.type = resolve_type(type, scope);
      if (types.kind(field.type) == Kind::Trait) field.type = types.wrap(Kind::Dyn, field.type);
    } else if (value) {
      switch (value->kind) {   // an unannotated field has the type of a simple default
        case ast::ExprKind::Int: field.type = types.int_; break;
        case ast::ExprKind::Float: field.type = types.float_; break;
        case ast::ExprKind::Bool: field.type = types.bool_; break;
        case ast::ExprKind::Str: case ast::ExprKind::FString: field.type = types.str; break;
        default:
          error(Code::CannotInfer, span, "the field `" + n.str() + "` needs a type").help = "write `" + n.str() + ": Type = …`";
          field.type = types.error;
      }
    } else {
      error(Code::CannotInfer, span, "the field `" + n.str() + "` needs a type").help = "write `" + n.str() + ": Type`";
      field.type = types.error;
    }
    if (weak) {
      TypeId inner = types.kind(field.type) == Kind::Optional ? types.arg(field.type) : field.type;
      Kind k = types.kind(inner);
      if (k != Kind::Class && k != Kind::Error && k != Kind::Param) {
        auto& d = error(Code::InvalidWeak, span, "only references to class instances can be weak, not `" + text(field.type) + "`");
        d.help = "remove `weak`";
        field.is_weak = false;
      } else if (k == Kind::Error) {
        field.is_weak = false;   // a weak field's type is optional
      } else {
        field.type = types.optional(inner);
      }
    }
    if (types.kind(field.type) == Kind::Void) field.type = types.error;
    out.push_back(field);
  };
  for (ast::FieldDecl& f : info->decl->fields) {
    if (auto [at, fresh] = seen.emplace(f.name, f.span); !fresh) {
      auto& d = error(Code::DuplicateDefinition, f.span, "field `" + f.name.str() + "` is declared twice");
      d.labels.push_back({at->second, "first declared here"});
      continue;
    }
    if (FieldInfo* inherited = find_inherited_field(*this, info, f.name)) {
      auto& d = error(Code::DuplicateDefinition, f.span, "`" + inherited->owner->name.str() + "` has a field `" + f.name.str() + "` already");
      if (inherited->span.valid() && !inherited->owner->module->is_std) d.labels.push_back({inherited->span, "declared here"});
      d.help = "a subclass has its base's fields: leave this out, or give it another name";
      continue;
    }
    add_field(info->fields, f.name, f.type, f.default_value, f.is_weak, f.span);
  }
  std::unordered_map<Name, Span> case_names;
  for (ast::EnumCaseDecl& c : info->decl->cases) {
    if (auto [at, fresh] = case_names.emplace(c.name, c.span); !fresh) {
      auto& d = error(Code::DuplicateDefinition, c.span, "case `" + c.name.str() + "` is declared twice");
      d.labels.push_back({at->second, "first declared here"});
    }
    CaseInfo out;
    out.name = c.name;
    out.span = c.span;
    uint32_t index = 0;
    for (ast::Param& p : c.fields) {
      Name n = p.name ? p.name : name("_" + std::to_string(index));
      add_field(out.fields, n, p.type, p.default_value, false, p.span);
      ++index;
    }
    info->cases.push_back(std::move(out));
  }
  check_case_values(*this, info);
}

std::string Checker::impl_key(TypeId type) {
  const types::Type& t = types.get(type);
  switch (t.kind) {
    case Kind::Class: case Kind::Struct: case Kind::Enum: case Kind::Trait: return "n" + std::to_string(t.nominal.index);
    case Kind::Int: return "int";
    case Kind::Float: return "float";
    case Kind::Tuple: return "tuple" + std::to_string(t.args.size());
    case Kind::Param: return "any";
    default: return "k" + std::to_string(static_cast<int>(t.kind));
  }
}

void Checker::ensure_header(ImplInfo* impl) {
  if (impl->header_ready) return;
  impl->header_ready = true;
  TypeScope scope;
  scope.module = impl->module;
  scope.push(impl->type_params);
  impl->target = resolve_type(impl->decl->target, scope);
  scope.self = impl->target;
  if (types.kind(impl->target) == Kind::Error) return;
  if (impl->decl->trait) {
    TypeId trait = resolve_type(impl->decl->trait, scope);
    if (types.kind(trait) == Kind::Dyn) trait = types.arg(trait);
    if (types.kind(trait) != Kind::Trait) {
      if (types.kind(trait) != Kind::Error)
        error(Code::InvalidBase, impl->decl->trait->span, "`" + text(trait) + "` is not a trait").help = "`impl` gives a type the methods of a trait";
      return;
    }
    impl->trait = trait;
  }
  if (impl->module->is_std && !impl->decl->trait) {
    impl->all_integers = impl->target == types.int_;
    impl->all_floats = impl->target == types.float_;
    if (impl->all_integers || impl->all_floats) impl->self_param = types.param(name("Self"), next_param_owner_++, 0);
  }
  ensure_bounds(impl->type_params, scope);
  impls_by_target_[impl_key(impl->target)].push_back(impl);
}

void Checker::ensure_signature(FunctionInfo* info) {
  if (info->signature_ready) return;
  info->signature_ready = true;
  TypeScope scope = scope_of(info);
  ensure_bounds(info->type_params, scope);
  std::span<ast::Param> params = info->decl->params;
  if (info->has_self) params = params.subspan(1);
  std::unordered_set<Name> seen;
  for (ast::Param& p : params) {
    ParamInfo out;
    out.name = p.name;
    out.default_value = p.default_value;
    out.default_function = info;
    out.mode = static_cast<ParamMode>(p.mode);
    out.kind = p.kind;
    out.span = p.span;
    if (p.type) {
      out.type = resolve_type(p.type, scope);
      if (types.kind(out.type) == Kind::Trait) out.type = types.wrap(Kind::Dyn, out.type);
      if (p.kind == ast::ParamKind::VarArgs) out.type = list_of(out.type);
      if (p.kind == ast::ParamKind::KwArgs) out.type = core_type("dict", {types.str, out.type});
      if (types.kind(out.type) == Kind::Void) out.type = types.error;
    }
    if (!seen.insert(p.name).second)
      error(Code::DuplicateDefinition, p.span, "parameter `" + p.name.str() + "` is declared twice");
    info->params.push_back(out);
  }
  if (may_name_own_self(info)) declare_own_self(*this, info, types.param(name("Self"), next_param_owner_++, 0));
  if (info->decl->return_type) {
    info->result = resolve_own_result(*this, info, scope);
    if (types.kind(info->result) == Kind::Trait) info->result = types.wrap(Kind::Dyn, info->result);
    if (info->frame != FrameKind::None) info->result = framed_result(info->frame, info->result, info->decl->return_type->span);
  } else if (!info->decl->has_body) {
    info->result = info->frame == FrameKind::None ? types.void_ : framed_result(info->frame, types.void_, info->decl->name_span);
  }
  check_special_method(*this, info);
}

}  // namespace meteor::typed
