// Classes are numbered so that those below a class follow it without a gap. "Does one below it define m?" is then a
// search in the ascending numbers of the classes that define m.
#include "compiler/typed/hierarchy.h"

#include <algorithm>

#include "compiler/typed/checker.h"
#include "compiler/typed/own_self.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

// The library has no classes in function bodies.
void Hierarchy::scan_late_classes(Checker& c) {
  is_scanned_ = true;
  bool has_late_names = false;
  for (ModuleInfo& module : c.all_modules()) {
    if (module.is_std) continue;
    TreeVisitor visitor;
    visitor.on_stmt = [&](ast::Stmt* stmt) {
      if (auto* decl = stmt->as<ast::ClassDecl>()) add_late_class(c, &module, *decl);
      has_late_names |= stmt->kind == ast::StmtKind::Import || stmt->kind == ast::StmtKind::TypeAlias;
    };
    for (ast::Module* tree : module.trees)
      for (ast::Stmt* stmt : tree->body) switch (stmt->kind) {
          case ast::StmtKind::Import:
          case ast::StmtKind::TypeAlias: break;
          case ast::StmtKind::Function:
          case ast::StmtKind::Class:
          case ast::StmtKind::Impl: visitor.visit_functions(stmt); break;
          default: visitor.visit(stmt);
        }
  }
  any_may_grow_ |= has_late_names && !late_base_names_.empty();
}

void Hierarchy::add_late_base(Checker& c, NominalInfo* base) {
  if (!late_bases_.insert(base).second || base->kind != Kind::Trait) return;
  for (auto& [method, overloads] : base->methods) late_methods_.insert(method);
  for (TypeId super : base->traits) add_late_base(c, c.nominal_info(super));
}

void Hierarchy::add_late_class(Checker& c, ModuleInfo* module, const ast::ClassDecl& decl) {
  if (decl.bases.empty() && decl.form != ast::ClassKind::Trait) return;
  for (ast::FunctionDecl* method : decl.methods) late_methods_.insert(method->name);
  for (ast::TypeExpr* base : decl.bases) {
    if (base->kind != ast::TypeKind::Named || base->path.size() != 1) {
      any_may_grow_ = true;
      continue;
    }
    Name name = base->path[0];
    late_base_names_.insert(name);
    auto known = module->names.find(name);
    NominalInfo* nominal = c.core_nominal(name.text());
    if (known != module->names.end()) nominal = known->second.nominal;
    any_may_grow_ |= known != module->names.end() && known->second.kind != SymbolKind::Nominal;
    if (nominal) add_late_base(c, nominal);
  }
}

void Hierarchy::number_classes(Checker& c) {
  numbers_.clear();
  definers_.clear();
  with_traits_.clear();
  virtual_names_.clear();
  is_ready_ = true;
  if (!is_scanned_) scan_late_classes(c);
  uint32_t next = 0;
  struct Step {
    NominalInfo* info;
    bool is_left;
  };
  std::vector<Step> steps;
  for (NominalInfo* root : c.all_nominals()) {
    if (root->kind != Kind::Class || root->base.valid()) continue;
    steps.push_back({root, false});
    while (!steps.empty()) {
      Step step = steps.back();
      steps.pop_back();
      if (step.is_left) {
        Numbers& numbers = numbers_[step.info];
        numbers.end = next;
        if (numbers.may_grow && step.info->base.valid()) numbers_[c.nominal_info(step.info->base)].may_grow = true;
        continue;
      }
      uint32_t number = next++;
      bool is_late_base = late_bases_.contains(step.info) || late_base_names_.contains(step.info->name);
      numbers_[step.info] = {number, number, any_may_grow_ || is_late_base};
      for (auto& [name, overloads] : step.info->methods) definers_[name].push_back(number);
      if (!step.info->traits.empty()) with_traits_.push_back({number, step.info});
      steps.push_back({step.info, true});
      for (NominalInfo* sub : step.info->subclasses) steps.push_back({sub, false});
    }
  }
}

Hierarchy::Numbers Hierarchy::numbers_of(Checker& c, NominalInfo* owner) {
  if (!is_ready_) number_classes(c);
  auto found = numbers_.find(owner);
  return found == numbers_.end() ? Numbers{} : found->second;
}

bool Hierarchy::may_grow(Checker& c, NominalInfo* info) { return !info->subclasses.empty() || may_get_late(c, info); }

bool Hierarchy::may_get_late(Checker& c, NominalInfo* info) { return numbers_of(c, info).may_grow; }

bool Hierarchy::is_defined_below(Checker& c, NominalInfo* owner, Name method) {
  Numbers numbers = numbers_of(c, owner);
  auto list = definers_.find(method);
  if (list == definers_.end()) return false;
  auto at = std::ranges::upper_bound(list->second, numbers.first);
  return at != list->second.end() && *at < numbers.end;
}

std::vector<NominalInfo*> Hierarchy::with_traits_below(Checker& c, NominalInfo* owner) {
  Numbers numbers = numbers_of(c, owner);
  std::vector<NominalInfo*> out;
  auto at = std::ranges::upper_bound(with_traits_, numbers.first, {}, [](const auto& one) { return one.first; });
  for (; at != with_traits_.end() && at->first < numbers.end; ++at) out.push_back(at->second);
  return out;
}

const std::vector<Name>* Hierarchy::find_virtual_names(Checker& c, NominalInfo* info) {
  if (!is_ready_) number_classes(c);
  auto found = virtual_names_.find(info);
  return found == virtual_names_.end() ? nullptr : &found->second;
}

const std::vector<Name>& Hierarchy::keep_virtual_names(Checker& c, NominalInfo* info, std::vector<Name> names) {
  if (!is_ready_) number_classes(c);
  return virtual_names_[info] = std::move(names);
}

// ---- What the checker asks ---------------------------------------------------

// What a class inherits counts for those below it too, unless they define it: then it is overridden anyway.
bool Checker::is_overridden(NominalInfo* owner, Name method) {
  if (!hierarchy_.may_grow(*this, owner)) return false;
  if (hierarchy_.is_defined_below(*this, owner, method) || varies_with_self(*this, owner, method)) return true;
  if (method == name("__str__") && has_derived_text(owner)) return true;
  for (NominalInfo* below : hierarchy_.with_traits_below(*this, owner))
    if (hierarchy_.may_grow(*this, below) && varies_with_self(*this, below, method)) return true;
  bool is_json = method == name("write_json");
  if (hierarchy_.may_get_late(*this, owner) && (is_json || hierarchy_.is_late_method(method))) return true;
  if (!is_json) return false;
  std::vector<NominalInfo*> left{owner};
  while (!left.empty()) {
    NominalInfo* at = left.back();
    left.pop_back();
    if (!at->subclasses.empty() && has_derived_json(at)) return true;
    left.insert(left.end(), at->subclasses.begin(), at->subclasses.end());
  }
  return false;
}

}  // namespace meteor::typed
