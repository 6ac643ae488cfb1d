// One walk over statements for assigned names, one over everything for questions
// such as "which fields does any code assign".
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

using namespace ast;
using Found = std::function<void(const AssignedName&)>;

void scan_target(Expr* target, const Found& found, bool in_loop) {
  if (!target) return;
  switch (target->kind) {
    case ExprKind::Name: found({target->as<NameExpr>()->name, target->span, in_loop, false, false}); break;
    case ExprKind::Tuple: for (Expr* e : target->as<TupleExpr>()->items) scan_target(e, found, in_loop); break;
    case ExprKind::List: for (Expr* e : target->as<ListExpr>()->items) scan_target(e, found, in_loop); break;
    case ExprKind::Star: scan_target(target->as<StarExpr>()->operand, found, in_loop); break;
    default: break;
  }
}

namespace {

void scan_pattern(Pattern* pattern, const Found& found, bool in_loop) {
  if (!pattern) return;
  if (pattern->kind == PatternKind::Path && pattern->path.size() == 1) found({pattern->path[0], pattern->span, in_loop, true, false});
  if ((pattern->kind == PatternKind::As || pattern->kind == PatternKind::Star) && pattern->name) found({pattern->name, pattern->span, in_loop, false, false});
  scan_pattern(pattern->inner, found, in_loop);
  for (Pattern* item : pattern->items) scan_pattern(item, found, in_loop);
  for (PatternArg& arg : pattern->args) scan_pattern(arg.pattern, found, in_loop);
}

}  // namespace

void scan_walruses(Expr* expr, const Found& found, bool in_loop) {
  if (!expr) return;
  std::unordered_set<Expr*> looped;  // inside a comprehension
  TreeVisitor visitor, inside;
  visitor.into_functions = inside.into_functions = false;
  inside.on_expr = [&](Expr* e) {
    if (e->kind == ExprKind::Walrus) looped.insert(e);
  };
  visitor.on_expr = [&](Expr* e) {
    if (e->kind == ExprKind::Comprehension && !looped.contains(e)) {
      looped.insert(e);
      inside.visit(e);
    }
    if (auto* walrus = e->as<WalrusExpr>())
      found({walrus->target->name, walrus->target->span, in_loop || looped.contains(e), false, false});
  };
  visitor.visit(expr);
}

namespace {

// The `(n := …)` in the expressions of the statement itself, not in its blocks.
void scan_own_walruses(Stmt* stmt, const Found& found, bool in_loop) {
  auto one = [&](Expr* e, bool repeated = false) { scan_walruses(e, found, in_loop || repeated); };
  auto all = [&](std::span<Arg> args) {
    for (Arg& arg : args) one(arg.value);
  };
  switch (stmt->kind) {
    case StmtKind::Expr: one(stmt->as<ExprStmt>()->value); break;
    case StmtKind::Assign:
      for (Expr* target : stmt->as<AssignStmt>()->targets) one(target);
      one(stmt->as<AssignStmt>()->value);
      break;
    case StmtKind::AugAssign:
      one(stmt->as<AugAssignStmt>()->target);
      one(stmt->as<AugAssignStmt>()->value);
      break;
    case StmtKind::If:
      for (IfBranch& branch : stmt->as<IfStmt>()->branches) one(branch.condition);
      break;
    case StmtKind::While: one(stmt->as<WhileStmt>()->condition, true); break;
    case StmtKind::For:
      one(stmt->as<ForStmt>()->target, true);
      one(stmt->as<ForStmt>()->iterable);
      break;
    case StmtKind::Return: one(stmt->as<ReturnStmt>()->value); break;
    case StmtKind::Raise:
      one(stmt->as<RaiseStmt>()->value);
      one(stmt->as<RaiseStmt>()->cause);
      break;
    case StmtKind::With:
      for (WithItem& item : stmt->as<WithStmt>()->items) {
        one(item.value);
        one(item.target);
      }
      break;
    case StmtKind::Switch:
      one(stmt->as<SwitchStmt>()->subject);
      for (SwitchCase& c : stmt->as<SwitchStmt>()->cases) one(c.guard);
      break;
    case StmtKind::Del:
      for (Expr* target : stmt->as<DelStmt>()->targets) one(target);
      break;
    case StmtKind::Assert:
      one(stmt->as<AssertStmt>()->condition);
      one(stmt->as<AssertStmt>()->message);
      break;
    case StmtKind::Scope: all(stmt->as<ScopeStmt>()->args); break;
    case StmtKind::Select:
      all(stmt->as<SelectStmt>()->args);
      for (SelectCase& c : stmt->as<SelectStmt>()->cases) {
        one(c.guard);
        one(c.awaited);
        one(c.target);
      }
      break;
    default: break;
  }
}

}  // namespace

void scan_assigned(Block block, const Found& found, bool in_loop) {
  for (Stmt* stmt : block) {
    if (stmt->has_walrus) scan_own_walruses(stmt, found, in_loop);
    switch (stmt->kind) {
      case StmtKind::Assign:
        for (Expr* target : stmt->as<AssignStmt>()->targets) scan_target(target, found, in_loop);
        break;
      case StmtKind::AugAssign: scan_target(stmt->as<AugAssignStmt>()->target, found, in_loop); break;
      case StmtKind::If: {
        auto* s = stmt->as<IfStmt>();
        for (IfBranch& branch : s->branches) scan_assigned(branch.body, found, in_loop);
        scan_assigned(s->else_body, found, in_loop);
        break;
      }
      case StmtKind::While: {
        auto* s = stmt->as<WhileStmt>();
        scan_assigned(s->body, found, true);
        scan_assigned(s->else_body, found, in_loop);
        break;
      }
      case StmtKind::For: {
        auto* s = stmt->as<ForStmt>();
        auto begins_pass = [&](AssignedName name) {
          name.begins_pass = true;
          found(name);
        };
        scan_target(s->target, begins_pass, true);
        scan_assigned(s->body, found, true);
        scan_assigned(s->else_body, found, in_loop);
        break;
      }
      case StmtKind::Try: {
        auto* s = stmt->as<TryStmt>();
        scan_assigned(s->body, found, in_loop);
        for (CatchClause& clause : s->catches) {
          if (clause.name) found({clause.name, clause.name_span, in_loop, false, false});
          scan_assigned(clause.body, found, in_loop);
        }
        scan_assigned(s->else_body, found, in_loop);
        scan_assigned(s->finally_body, found, in_loop);
        break;
      }
      case StmtKind::With: {
        auto* s = stmt->as<WithStmt>();
        for (WithItem& item : s->items) scan_target(item.target, found, in_loop);
        scan_assigned(s->body, found, in_loop);
        break;
      }
      case StmtKind::Switch:
        for (SwitchCase& c : stmt->as<SwitchStmt>()->cases) {
          scan_pattern(c.pattern, found, in_loop);
          scan_assigned(c.body, found, in_loop);
        }
        break;
      case StmtKind::Defer: scan_assigned(stmt->as<DeferStmt>()->body, found, in_loop); break;
      case StmtKind::Scope: {
        auto* s = stmt->as<ScopeStmt>();
        if (s->name) found({s->name, s->span, in_loop, false, false});
        scan_assigned(s->body, found, in_loop);
        break;
      }
      case StmtKind::Select:
        for (SelectCase& c : stmt->as<SelectStmt>()->cases) {
          scan_target(c.target, found, in_loop);
          scan_assigned(c.body, found, in_loop);
        }
        break;
      case StmtKind::Shield: scan_assigned(stmt->as<ShieldStmt>()->body, found, in_loop); break;
      case StmtKind::Unsafe: scan_assigned(stmt->as<UnsafeStmt>()->body, found, in_loop); break;
      case StmtKind::Function: {
        auto* s = stmt->as<FunctionDecl>();
        if (s->name) found({s->name, s->name_span, in_loop, false, true});
        break;
      }
      case StmtKind::Class: found({stmt->as<ClassDecl>()->name, stmt->as<ClassDecl>()->name_span, in_loop, false, true}); break;
      default: break;
    }
  }
}

void scan_outer_names(Block block, std::unordered_set<base::Name>& globals, std::unordered_set<base::Name>& nonlocals) {
  std::function<void(Block)> walk = [&](Block body) {
    for (Stmt* stmt : body) {
      switch (stmt->kind) {
        case StmtKind::Global: for (base::Name n : stmt->as<GlobalStmt>()->names) globals.insert(n); break;
        case StmtKind::Nonlocal: for (base::Name n : stmt->as<NonlocalStmt>()->names) nonlocals.insert(n); break;
        case StmtKind::If:
          for (IfBranch& branch : stmt->as<IfStmt>()->branches) walk(branch.body);
          walk(stmt->as<IfStmt>()->else_body);
          break;
        case StmtKind::While: walk(stmt->as<WhileStmt>()->body); walk(stmt->as<WhileStmt>()->else_body); break;
        case StmtKind::For: walk(stmt->as<ForStmt>()->body); walk(stmt->as<ForStmt>()->else_body); break;
        case StmtKind::Try: {
          auto* s = stmt->as<TryStmt>();
          walk(s->body);
          for (CatchClause& clause : s->catches) walk(clause.body);
          walk(s->else_body);
          walk(s->finally_body);
          break;
        }
        case StmtKind::With: walk(stmt->as<WithStmt>()->body); break;
        case StmtKind::Switch: for (SwitchCase& c : stmt->as<SwitchStmt>()->cases) walk(c.body); break;
        case StmtKind::Defer: walk(stmt->as<DeferStmt>()->body); break;
        case StmtKind::Unsafe: walk(stmt->as<UnsafeStmt>()->body); break;
        case StmtKind::Scope: walk(stmt->as<ScopeStmt>()->body); break;
        case StmtKind::Shield: walk(stmt->as<ShieldStmt>()->body); break;
        case StmtKind::Select: for (SelectCase& c : stmt->as<SelectStmt>()->cases) walk(c.body); break;
        default: break;
      }
    }
  };
  walk(block);
}

void TreeVisitor::visit(Block block) {
  for (Stmt* stmt : block) visit(stmt);
}

void TreeVisitor::visit(Stmt* stmt) {
  if (!stmt) return;
  if (on_stmt) on_stmt(stmt);
  switch (stmt->kind) {
    case StmtKind::Expr: visit(stmt->as<ExprStmt>()->value); break;
    case StmtKind::Assign:
      for (Expr* target : stmt->as<AssignStmt>()->targets) visit(target);
      visit(stmt->as<AssignStmt>()->value);
      break;
    case StmtKind::AugAssign: visit(stmt->as<AugAssignStmt>()->target); visit(stmt->as<AugAssignStmt>()->value); break;
    case StmtKind::If:
      for (IfBranch& branch : stmt->as<IfStmt>()->branches) { visit(branch.condition); visit(branch.body); }
      visit(stmt->as<IfStmt>()->else_body);
      break;
    case StmtKind::While: visit(stmt->as<WhileStmt>()->condition); visit(stmt->as<WhileStmt>()->body); visit(stmt->as<WhileStmt>()->else_body); break;
    case StmtKind::For: {
      auto* s = stmt->as<ForStmt>();
      visit(s->target); visit(s->iterable); visit(s->body); visit(s->else_body);
      break;
    }
    case StmtKind::Return: visit(stmt->as<ReturnStmt>()->value); break;
    case StmtKind::Raise: visit(stmt->as<RaiseStmt>()->value); visit(stmt->as<RaiseStmt>()->cause); break;
    case StmtKind::Try: {
      auto* s = stmt->as<TryStmt>();
      visit(s->body);
      for (CatchClause& clause : s->catches) visit(clause.body);
      visit(s->else_body); visit(s->finally_body);
      break;
    }
    case StmtKind::With:
      for (WithItem& item : stmt->as<WithStmt>()->items) { visit(item.value); visit(item.target); }
      visit(stmt->as<WithStmt>()->body);
      break;
    case StmtKind::Switch:
      visit(stmt->as<SwitchStmt>()->subject);
      for (SwitchCase& c : stmt->as<SwitchStmt>()->cases) { visit(c.guard); visit(c.body); }
      break;
    case StmtKind::Defer: visit(stmt->as<DeferStmt>()->body); break;
    case StmtKind::Del: for (Expr* e : stmt->as<DelStmt>()->targets) visit(e); break;
    case StmtKind::Assert: visit(stmt->as<AssertStmt>()->condition); visit(stmt->as<AssertStmt>()->message); break;
    case StmtKind::Function: case StmtKind::Class: case StmtKind::Impl:
      if (into_functions) visit_functions(stmt);
      break;
    case StmtKind::Scope: for (Arg& a : stmt->as<ScopeStmt>()->args) visit(a.value); visit(stmt->as<ScopeStmt>()->body); break;
    case StmtKind::Select:
      for (Arg& a : stmt->as<SelectStmt>()->args) visit(a.value);
      for (SelectCase& c : stmt->as<SelectStmt>()->cases) { visit(c.guard); visit(c.awaited); visit(c.body); }
      break;
    case StmtKind::Shield: visit(stmt->as<ShieldStmt>()->body); break;
    case StmtKind::Unsafe: visit(stmt->as<UnsafeStmt>()->body); break;
    case StmtKind::Const: visit(stmt->as<ConstDecl>()->value); break;
    case StmtKind::Local: visit(stmt->as<LocalDecl>()->value); break;
    default: break;
  }
}

void TreeVisitor::visit_functions(Stmt* stmt) {
  if (auto* function = stmt->as<FunctionDecl>()) visit(function->body);
  if (auto* decl = stmt->as<ClassDecl>()) for (FunctionDecl* m : decl->methods) visit(m->body);
  if (auto* impl = stmt->as<ImplDecl>()) for (FunctionDecl* m : impl->methods) visit(m->body);
}

void TreeVisitor::visit(Expr* expr) {
  if (!expr) return;
  if (on_expr) on_expr(expr);
  auto all = [&](std::span<Expr*> list) { for (Expr* e : list) visit(e); };
  switch (expr->kind) {
    case ExprKind::FString: {
      std::function<void(std::span<FStringPart>)> parts = [&](std::span<FStringPart> list) {
        for (FStringPart& part : list) { visit(part.value); parts(part.spec); }
      };
      parts(expr->as<FStringExpr>()->parts);
      break;
    }
    case ExprKind::Member: visit(expr->as<MemberExpr>()->object); break;
    case ExprKind::Index: visit(expr->as<IndexExpr>()->object); visit(expr->as<IndexExpr>()->index); break;
    case ExprKind::Slice: visit(expr->as<SliceExpr>()->lower); visit(expr->as<SliceExpr>()->upper); visit(expr->as<SliceExpr>()->step); break;
    case ExprKind::Call: visit(expr->as<CallExpr>()->callee); for (Arg& a : expr->as<CallExpr>()->args) visit(a.value); break;
    case ExprKind::TypeApply: visit(expr->as<TypeApplyExpr>()->callee); break;
    case ExprKind::Unary: visit(expr->as<UnaryExpr>()->operand); break;
    case ExprKind::Binary: visit(expr->as<BinaryExpr>()->left); visit(expr->as<BinaryExpr>()->right); break;
    case ExprKind::Compare: all(expr->as<CompareExpr>()->operands); break;
    case ExprKind::Is: visit(expr->as<IsExpr>()->value); break;
    case ExprKind::And: visit(expr->as<AndExpr>()->left); visit(expr->as<AndExpr>()->right); break;
    case ExprKind::Or: visit(expr->as<OrExpr>()->left); visit(expr->as<OrExpr>()->right); break;
    case ExprKind::Coalesce: visit(expr->as<CoalesceExpr>()->left); visit(expr->as<CoalesceExpr>()->right); break;
    case ExprKind::Unwrap: visit(expr->as<UnwrapExpr>()->operand); break;
    case ExprKind::As: visit(expr->as<AsExpr>()->value); break;
    case ExprKind::Ternary: visit(expr->as<TernaryExpr>()->condition); visit(expr->as<TernaryExpr>()->then_value); visit(expr->as<TernaryExpr>()->else_value); break;
    case ExprKind::Lambda: if (into_functions) visit(expr->as<LambdaExpr>()->function->body); break;
    case ExprKind::AnonDef: if (into_functions) visit(expr->as<AnonDefExpr>()->function->body); break;
    case ExprKind::List: all(expr->as<ListExpr>()->items); break;
    case ExprKind::Set: all(expr->as<SetExpr>()->items); break;
    case ExprKind::Tuple: all(expr->as<TupleExpr>()->items); break;
    case ExprKind::Dict: for (DictItem& item : expr->as<DictExpr>()->items) { visit(item.key); visit(item.value); } break;
    case ExprKind::Comprehension: {
      auto* c = expr->as<ComprehensionExpr>();
      for (ComprehensionClause& clause : c->clauses) { visit(clause.target); visit(clause.iterable); visit(clause.condition); }
      visit(c->key); visit(c->element);
      break;
    }
    case ExprKind::Range: visit(expr->as<RangeExpr>()->lower); visit(expr->as<RangeExpr>()->upper); break;
    case ExprKind::Await: visit(expr->as<AwaitExpr>()->operand); break;
    case ExprKind::Yield: visit(expr->as<YieldExpr>()->value); break;
    case ExprKind::TakeOver: break;
    case ExprKind::Spawn: visit(expr->as<SpawnExpr>()->call); break;
    case ExprKind::Star: visit(expr->as<StarExpr>()->operand); break;
    case ExprKind::DoubleStar: visit(expr->as<DoubleStarExpr>()->operand); break;
    case ExprKind::Owned: visit(expr->as<OwnedExpr>()->operand); break;
    case ExprKind::Walrus:
      visit(expr->as<WalrusExpr>()->target);
      visit(expr->as<WalrusExpr>()->value);
      break;
    default: break;
  }
}

}  // namespace meteor::typed
