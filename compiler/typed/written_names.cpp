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

}  // namespace

const WrittenNames& Checker::written_names() {
  if (written_names_) return *written_names_;
  written_names_ = std::make_unique<WrittenNames>();
  WrittenNames& out = *written_names_;
  std::vector<ast::FunctionDecl*> generators;
  auto add = [&](ast::FunctionDecl* decl) {
    if (!decl->name) return;
    out.functions.insert(decl->name);
    if (frame_kind(decl) == FrameKind::Generator || frame_kind(decl) == FrameKind::AsyncGenerator) generators.push_back(decl);
    std::string_view text = decl->name.text();
    if (text == "__del__") out.has_destructors = true;
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
  for (ast::FunctionDecl* generator : generators) out.overloads_operators |= reaches_outside(generator, out);
  return out;
}

const FieldWrites& Checker::field_writes(FunctionInfo* info) {
  auto [found, is_new] = field_writes_.try_emplace(info);
  if (is_new) found->second = scan_field_writes(info->decl->body, written_names());
  return found->second;
}

}  // namespace meteor::typed
