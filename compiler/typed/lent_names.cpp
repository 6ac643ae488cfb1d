// A call by name is a call of every function of that name. A call of a variable, a field or any other expression is a
// call of every function that is used as a value somewhere.
#include "compiler/typed/lent_names.h"

#include <algorithm>

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

const ast::Expr* callee_of(const ast::CallExpr* call) {
  auto* generic = call->callee->as<ast::TypeApplyExpr>();
  return generic ? generic->callee : call->callee;
}

}  // namespace

void LendingFunctions::Params::add(const ast::FunctionDecl* function, bool is_method) {
  for (size_t i = 0; i < function->params.size(); ++i) {
    const ast::Param& param = function->params[i];
    if (param.mode != ast::ParamMode::Ref) continue;
    positions.insert(i);
    names.insert(param.name);
    if (is_method && i > 0) positions.insert(i - 1);  // `x.go(a)` beside `Type.go(x, a)`
  }
}

void LendingFunctions::Params::add(const Params& others) {
  positions.insert(others.positions.begin(), others.positions.end());
  names.insert(others.names.begin(), others.names.end());
}

bool LendingFunctions::Params::take(const ast::CallExpr* call, size_t index) const {
  if (is_empty()) return false;
  if (call->args[index].name) return names.contains(call->args[index].name);
  for (size_t i = 0; i < index; ++i)
    if (call->args[i].value->kind == ast::ExprKind::Star) return true;
  return positions.contains(index);
}

void LendingFunctions::add(const ast::FunctionDecl* function, bool is_method) {
  Params params;
  params.add(function, is_method);
  if (params.is_empty()) return;
  std::string_view name = function->name ? function->name.text() : std::string_view();
  if (name == "__init__") constructors_.add(params);
  if (name.empty() || name == "__call__" || !function->decorators.empty()) values_.add(params);
  if (!name.empty()) by_name_[function->name].add(params);
}

void LendingFunctions::add(const ast::Module& module) {
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* s) {
    if (auto* f = s->as<ast::FunctionDecl>()) add(f, false);
    if (auto* decl = s->as<ast::ClassDecl>()) {
      types_.insert(decl->name);
      for (ast::FunctionDecl* m : decl->methods) add(m, true);
    }
    if (auto* alias = s->as<ast::TypeAliasDecl>()) types_.insert(alias->name);
    if (auto* impl = s->as<ast::ImplDecl>())
      for (ast::FunctionDecl* m : impl->methods) add(m, true);
  };
  visitor.on_expr = [&](ast::Expr* e) {
    if (auto* f = e->as<ast::AnonDefExpr>()) add(f->function, false);
  };
  visitor.visit(module.body);
}

void LendingFunctions::find_other_uses(const ast::Module& module) {
  if (by_name_.empty()) return;
  std::unordered_set<const ast::Expr*> called;
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* s) {
    auto* import = s->as<ast::ImportStmt>();
    if (!import) return;
    for (ast::ImportedName& imported : import->names) {
      if (imported.alias && types_.contains(imported.name)) types_.insert(imported.alias);
      auto known = imported.alias ? by_name_.find(imported.name) : by_name_.end();
      if (known == by_name_.end()) continue;
      Params params = known->second;
      by_name_[imported.alias].add(params);
      values_.add(params);  // whether the alias is used as a value may have been asked before
    }
  };
  visitor.on_expr = [&](ast::Expr* e) {
    if (auto* call = e->as<ast::CallExpr>()) called.insert(callee_of(call));
    auto* name = e->as<ast::NameExpr>();
    auto* member = e->as<ast::MemberExpr>();
    if ((!name && !member) || called.contains(e)) return;
    auto known = by_name_.find(name ? name->name : member->name);
    if (known != by_name_.end()) values_.add(known->second);
  };
  visitor.visit(module.body);
}

bool LendingFunctions::may_assign(const ast::CallExpr* call, size_t index) const {
  if (is_empty()) return false;
  const ast::Expr* callee = callee_of(call);
  auto* name = callee->as<ast::NameExpr>();
  auto* member = callee->as<ast::MemberExpr>();
  if (!name && !member) return values_.take(call, index);
  Name called = name ? name->name : member->name;
  if (types_.contains(called) && constructors_.take(call, index)) return true;
  auto known = by_name_.find(called);
  if (known != by_name_.end() && known->second.take(call, index)) return true;
  return (name ? names_.variables : names_.fields).contains(called) && values_.take(call, index);
}

void scan_lent_names(ast::Block block, const LendingFunctions& functions, std::unordered_set<Name>& lent) {
  if (functions.is_empty()) return;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    auto* call = e->as<ast::CallExpr>();
    for (size_t i = 0; call && i < call->args.size(); ++i) {
      auto* passed = call->args[i].value->as<ast::NameExpr>();
      if (passed && functions.may_assign(call, i)) lent.insert(passed->name);
    }
  };
  visitor.visit(block);
}

}  // namespace meteor::typed
