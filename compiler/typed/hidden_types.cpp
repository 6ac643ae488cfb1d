#include "compiler/typed/hidden_types.h"

namespace meteor::typed {

Symbol find_past_cases(Checker& c, ModuleInfo* module, Name n) {
  Symbol found = c.find_symbol(module, n);
  if (found.kind != SymbolKind::EnumCase) return found;
  ModuleInfo without;  // one that declares nothing sees what the library offers to all
  without.is_std = module->is_std;
  found = c.find_symbol(&without, n);
  return found.kind == SymbolKind::EnumCase ? Symbol() : found;
}

Symbol find_past_cases(BodyChecker& b, Name n) {
  for (BodyChecker* at = &b; at; at = at->parent) {
    auto found = at->local_imports_.find(n);
    if (found != at->local_imports_.end() && found->second.kind != SymbolKind::EnumCase) return found->second;
  }
  return find_past_cases(b.c, b.module, n);
}

BodyChecker::Entity find_past_case(BodyChecker& b, ast::Expr* expr) {
  auto* name = expr->as<ast::NameExpr>();
  if (!name) return {};
  Symbol symbol = find_past_cases(b, name->name);
  if (!symbol || symbol.kind == SymbolKind::Global) return {};
  BodyChecker::Entity out;
  out.kind = symbol.kind;
  out.symbol = symbol;
  if (symbol.kind == SymbolKind::BuiltinType) out.type = symbol.type;
  return out;
}

BodyChecker::Entity find_hidden_type(BodyChecker& b, ast::Expr* expr) {
  BodyChecker::Entity found = find_past_case(b, expr);
  bool is_type =
      found.kind == SymbolKind::Nominal || found.kind == SymbolKind::Alias || found.kind == SymbolKind::BuiltinType;
  return is_type ? found : BodyChecker::Entity();
}

bool is_plain_case(const Symbol& symbol) {
  return symbol.kind == SymbolKind::EnumCase && symbol.nominal->decl->cases[symbol.case_index].fields.empty();
}

}  // namespace meteor::typed
