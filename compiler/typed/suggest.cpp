#include "compiler/typed/suggest.h"

#include "compiler/ast/foreign_names.h"
#include "compiler/typed/did_you_mean.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

void suggest_module_member(Diagnostic& d, const ModuleInfo& module, Name wanted, Span place) {
  const ast::ForeignName* foreign = module.is_std ? ast::find_foreign_function_of(module.name, wanted.text()) : nullptr;
  if (foreign) {
    d.help = ast::help_for(*foreign);
    if (!foreign->instead.empty()) d.edits.push_back({place, std::string(foreign->instead)});
    return;
  }
  std::vector<std::string> known;
  for (auto& [n, symbol] : module.names)
    if (symbol.is_pub) known.push_back(n.str());
  std::string guess = did_you_mean(wanted.text(), known);
  if (guess.empty()) return;
  d.help = "did you mean `" + guess + "`?";
  d.edits.push_back({place, guess});
}

bool is_within(BodyChecker& b, ast::StmtKind kind, Span place) {
  bool found = false;
  TreeVisitor visitor;
  visitor.into_functions = false;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    found |= stmt->kind == kind && stmt->span.file == place.file && stmt->span.start <= place.start && place.end <= stmt->span.end;
  };
  visitor.visit(b.is_module_body ? b.module->trees.front()->body : b.function_body_);
  return found;
}

}  // namespace meteor::typed
