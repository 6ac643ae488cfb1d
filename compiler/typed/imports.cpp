// `import` and `from … import`: the names they bind, at the top of a module and
// inside functions. Modules themselves were found by the module graph.
#include "compiler/typed/checker.h"
#include "compiler/typed/scan_names.h"
#include "compiler/typed/suggest.h"

namespace meteor::typed {

namespace {

std::string dotted(std::span<Name> path) {
  std::string out;
  for (Name n : path) out += (out.empty() ? "" : ".") + n.str();
  return out;
}

// A case of one of the module's public enums.
Symbol find_case(ModuleInfo* module, Name name) {
  for (auto& [n, symbol] : module->names) {
    if (symbol.kind != SymbolKind::Nominal || !symbol.is_pub || symbol.nominal->kind != Kind::Enum) continue;
    auto cases = symbol.nominal->decl->cases;
    for (uint32_t i = 0; i < cases.size(); ++i) {
      if (cases[i].name != name) continue;
      Symbol found;
      found.kind = SymbolKind::EnumCase;
      found.nominal = symbol.nominal;
      found.case_index = i;
      found.span = cases[i].span;
      return found;
    }
  }
  return {};
}

}  // namespace

// In a block of the module's own statements an import means the same as at its top.
void Checker::bind_imports(ModuleInfo* module, ast::Block block) {
  TreeVisitor visitor;
  visitor.into_functions = false;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    if (auto* import = stmt->as<ast::ImportStmt>()) bind_import(module, import);
  };
  visitor.visit(block);
}

void Checker::bind_import(ModuleInfo* module, ast::ImportStmt* import) {
  // What is not found has been reported; uses of it say nothing more.
  if (!import->is_from) module->broken_imports.insert(import->alias ? import->alias : import->path.back());
  for (const ast::ImportedName& item : import->names) module->broken_imports.insert(item.alias ? item.alias : item.name);
  // A library module shows what it takes from its own parts, `db` from `db.rows`, as its own.
  bool shows_part = module->is_std && import->is_from && dotted(import->path).starts_with(module->name + ".");
  for_each_imported(module, import, [&](Name n, Symbol symbol, Span span) {
    module->broken_imports.erase(n);
    if (shows_part && !n.text().starts_with('_')) symbol.imported = false;
    if (import->is_star || !span.valid()) module->names.emplace(n, symbol);
    else bind(module, n, symbol, span);
  });
}

ModuleInfo* Checker::find_module(const ModuleInfo* importer, const std::string& path) const {
  if (!importer->is_std)
    if (auto own = project_modules_.find(path); own != project_modules_.end()) return own->second;
  auto library = library_modules_.find(path);
  return library != library_modules_.end() ? library->second : nullptr;
}

// The folder `a` of modules `a.b`, or the module of that name.
ModuleInfo* Checker::package(const ModuleInfo* importer, const std::string& path) {
  if (ModuleInfo* known = find_module(importer, path)) return known;
  ModuleInfo& made = packages_[(importer->is_std ? "std " : "") + path];
  made.name = path;
  return &made;
}

void Checker::for_each_imported(const ModuleInfo* importer, ast::ImportStmt* import, const std::function<void(Name, Symbol, Span)>& found) {
  std::string path = dotted(import->path);
  ModuleInfo* target = find_module(importer, path);
  bool shows_core = target && target == core_;     // a library module shows built-in names as its own
  if (!target && !import->is_from) return;         // a folder: the module graph has reported it
  auto as_module = [](ModuleInfo* of) {
    Symbol symbol;
    symbol.kind = SymbolKind::Module;
    symbol.module = of;
    symbol.imported = true;
    return symbol;
  };
  if (!import->is_from) {
    found(import->alias ? import->alias : import->path.back(), as_module(target), import->path_span);
    // `import a.b` makes `a.b.x` readable too.
    if (import->alias || import->path.size() < 2) return;
    std::string prefix;
    ModuleInfo* outer = nullptr;
    for (size_t i = 0; i < import->path.size(); ++i) {
      prefix += (i ? "." : "") + import->path[i].str();
      ModuleInfo* step = i + 1 == import->path.size() ? target : package(importer, prefix);
      Symbol symbol = as_module(step);
      symbol.is_pub = true;
      if (!outer) found(import->path[0], symbol, Span());
      symbol.imported = false;
      if (outer) outer->names.emplace(import->path[i], symbol);
      outer = step;
    }
    return;
  }
  auto give = [&](Name n, Symbol symbol, Span span) {
    symbol.imported = !shows_core;
    found(n, symbol, span);
  };
  if (import->is_star) {
    if (!target) return;
    for (auto& [n, symbol] : target->names)
      if (symbol.is_pub && !symbol.imported) give(n, symbol, import->path_span);
    return;
  }
  for (const ast::ImportedName& item : import->names) {
    Symbol* own = nullptr;
    if (target) if (auto at = target->names.find(item.name); at != target->names.end() && !at->second.imported) own = &at->second;
    if (!own) {
      if (ModuleInfo* sub = find_module(importer, path + "." + item.name.str())) {
        found(item.alias ? item.alias : item.name, as_module(sub), item.span);
        continue;
      }
      if (!target) continue;
      if (Symbol one = find_case(target, item.name)) {
        give(item.alias ? item.alias : item.name, one, item.span);
        continue;
      }
      auto& d = error(Code::UnknownMember, item.span, "module `" + path + "` has no `" + item.name.str() + "`");
      suggest_module_member(d, *target, item.name, item.span);
      continue;
    }
    Symbol given = *own;
    if (importer->is_std && target == core_) {
      given.is_pub = true;   // a module of std may offer what is in core but no built-in name: `collections.Deque`
    } else if (!own->is_pub) {
      auto& d = error(Code::PrivateName, item.span, "`" + item.name.str() + "` is private to module `" + path + "`");
      d.labels.push_back({own->span, "declared here without `pub`"});
      d.help = "write `pub` before its declaration to let other modules use it";
    }
    give(item.alias ? item.alias : item.name, given, item.span);
  }
}

}  // namespace meteor::typed
