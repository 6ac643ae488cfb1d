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

void note_target(ast::Expr* target, std::unordered_set<Name>& fields) {
  if (!target) return;
  if (auto* member = target->as<ast::MemberExpr>()) {
    fields.insert(member->name);
  } else if (auto* tuple = target->as<ast::TupleExpr>()) {
    for (ast::Expr* e : tuple->items) note_target(e, fields);
  } else if (auto* list = target->as<ast::ListExpr>()) {
    for (ast::Expr* e : list->items) note_target(e, fields);
  } else if (auto* star = target->as<ast::StarExpr>()) {
    note_target(star->operand, fields);
  }
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
    default: return false;
  }
}

FieldWrites scan_field_writes(ast::Block body, const WrittenNames& names) {
  FieldWrites writes;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* expr) { writes.calls = writes.calls || may_run_user_code(expr, names); };
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    switch (stmt->kind) {
      case ast::StmtKind::Assign: for (ast::Expr* target : stmt->as<ast::AssignStmt>()->targets) note_target(target, writes.fields); break;
      case ast::StmtKind::AugAssign:
        note_target(stmt->as<ast::AugAssignStmt>()->target, writes.fields);
        writes.calls = writes.calls || names.overloads_operators;
        break;
      case ast::StmtKind::For:
        note_target(stmt->as<ast::ForStmt>()->target, writes.fields);
        writes.calls = writes.calls || names.overloads_operators;
        break;
      case ast::StmtKind::With:
        for (ast::WithItem& item : stmt->as<ast::WithStmt>()->items) note_target(item.target, writes.fields);
        writes.calls = true;
        break;
      default: break;
    }
  };
  visitor.visit(body);
  return writes;
}

const WrittenNames& Checker::written_names() {
  if (written_names_) return *written_names_;
  written_names_ = std::make_unique<WrittenNames>();
  WrittenNames& out = *written_names_;
  auto add = [&](ast::FunctionDecl* decl) {
    if (!decl->name) return;
    out.functions.insert(decl->name);
    std::string_view text = decl->name.text();
    if (text == "next" || (text.starts_with("__") && text.ends_with("__") && !is_plain_protocol(text))) out.overloads_operators = true;
  };
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    if (auto* function = stmt->as<ast::FunctionDecl>()) add(function);
    if (auto* decl = stmt->as<ast::ClassDecl>()) {
      for (ast::FunctionDecl* method : decl->methods) add(method);
      out.functions.insert(decl->name);
    }
    if (auto* impl = stmt->as<ast::ImplDecl>())
      for (ast::FunctionDecl* method : impl->methods) add(method);
    if (auto* global = stmt->as<ast::GlobalStmt>()) out.globals.insert(global->names.begin(), global->names.end());
  };
  for (ModuleInfo& module : modules_) {
    if (module.is_core || module.is_std) continue;
    for (ast::Module* tree : module.trees) visitor.visit(tree->body);
  }
  return out;
}

const FieldWrites& Checker::field_writes(FunctionInfo* info) {
  auto [found, is_new] = field_writes_.try_emplace(info);
  if (is_new) found->second = scan_field_writes(info->decl->body, written_names());
  return found->second;
}

}  // namespace meteor::typed
