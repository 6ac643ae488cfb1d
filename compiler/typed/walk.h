// Visits parts of the typed tree, for questions about code before it is lowered.
#pragma once

#include <vector>

#include "compiler/typed/typed.h"

namespace meteor::typed {

// visit(const Expr*) for the direct sub-expressions in evaluation order; a Seq's statements are not visited.
template <typename F>
void for_each_operand(const Expr& e, F&& visit) {
  auto all = [&](auto span) { for (const Expr* part : span) if (part) visit(part); };
  auto one = [&](const Expr* part) { if (part) visit(part); };
  switch (e.kind) {
    case ExprKind::Int: case ExprKind::Float: case ExprKind::Bool: case ExprKind::Null: case ExprKind::Str: case ExprKind::Bytes:
    case ExprKind::Void: case ExprKind::Variable: case ExprKind::Global: case ExprKind::Unreachable:
      break;
    case ExprKind::Field: one(e.as<FieldRef>()->object); break;
    case ExprKind::Call: one(e.as<Call>()->callee); all(e.as<Call>()->args); break;
    case ExprKind::New: all(e.as<New>()->fields); break;
    case ExprKind::MakeEnum: all(e.as<MakeEnum>()->args); break;
    case ExprKind::MakeTuple: all(e.as<MakeTuple>()->items); break;
    case ExprKind::MakeClosure: all(e.as<MakeClosure>()->captures); break;
    case ExprKind::MakeWeak: one(e.as<MakeWeak>()->value); break;
    case ExprKind::WeakGet: one(e.as<WeakGet>()->value); break;
    case ExprKind::Concat: all(e.as<Concat>()->parts); break;
    case ExprKind::Unary: one(e.as<Unary>()->operand); break;
    case ExprKind::Binary: one(e.as<Binary>()->left); one(e.as<Binary>()->right); break;
    case ExprKind::Compare: one(e.as<Compare>()->left); one(e.as<Compare>()->right); break;
    case ExprKind::And: one(e.as<And>()->left); one(e.as<And>()->right); break;
    case ExprKind::Or: one(e.as<Or>()->left); one(e.as<Or>()->right); break;
    case ExprKind::Not: one(e.as<Not>()->operand); break;
    case ExprKind::Ternary: one(e.as<Ternary>()->condition); one(e.as<Ternary>()->then_value); one(e.as<Ternary>()->else_value); break;
    case ExprKind::Coalesce: one(e.as<Coalesce>()->left); one(e.as<Coalesce>()->right); break;
    case ExprKind::Unwrap: one(e.as<Unwrap>()->operand); break;
    case ExprKind::IsNull: one(e.as<IsNull>()->operand); break;
    case ExprKind::IsType: one(e.as<IsType>()->operand); break;
    case ExprKind::IsCase: one(e.as<IsCase>()->operand); break;
    case ExprKind::Same: one(e.as<Same>()->left); one(e.as<Same>()->right); break;
    case ExprKind::Convert: one(e.as<Convert>()->operand); break;
    case ExprKind::Seq: one(e.as<Seq>()->value); break;
    case ExprKind::RefTo: one(e.as<RefTo>()->place); break;
    case ExprKind::Await: one(e.as<Await>()->operand); break;
    case ExprKind::Yield: one(e.as<Yield>()->value); break;
  }
}

// Statement parts: expr(const Expr*), block(Block), pattern(const Pattern*) for the direct parts of a statement.
template <typename OnExpr, typename OnBlock, typename OnPattern>
void for_each_part(const Stmt& s, OnExpr&& expr, OnBlock&& block, OnPattern&& pattern) {
  auto one = [&](const Expr* part) { if (part) expr(part); };
  switch (s.kind) {
    case StmtKind::Expr: one(s.as<ExprStmt>()->value); break;
    case StmtKind::Assign: one(s.as<Assign>()->value); one(s.as<Assign>()->target); break;
    case StmtKind::If: one(s.as<If>()->condition); block(s.as<If>()->then_body); block(s.as<If>()->else_body); break;
    case StmtKind::Loop: {
      const Loop& loop = *s.as<Loop>();
      one(loop.condition); block(loop.body); block(loop.step); block(loop.else_body);
      break;
    }
    case StmtKind::Break: case StmtKind::Continue: break;
    case StmtKind::Return: one(s.as<Return>()->value); break;
    case StmtKind::Raise: one(s.as<Raise>()->value); break;
    case StmtKind::Try:
      block(s.as<Try>()->body);
      for (const CatchClause& clause : s.as<Try>()->catches) block(clause.body);
      block(s.as<Try>()->else_body);
      break;
    case StmtKind::Cleanup: block(s.as<Cleanup>()->body); block(s.as<Cleanup>()->cleanup); break;
    case StmtKind::Switch:
      for (const SwitchCase& c : s.as<Switch>()->cases) {
        if (c.pattern) pattern(c.pattern);
        one(c.guard);
        block(c.body);
      }
      break;
    case StmtKind::Defer: block(s.as<Defer>()->body); break;
    case StmtKind::Drop: one(s.as<Drop>()->place); break;
    case StmtKind::Block: block(s.as<BlockStmt>()->body); break;
  }
}

// Whether some expression or statement inside `root` passes its test; statements of Seqs are looked into.
template <typename OnExpr, typename OnStmt>
bool any_inside(const Expr* root, OnExpr&& expr_passes, OnStmt&& stmt_passes) {
  std::vector<const Expr*> exprs{root};
  std::vector<const Stmt*> stmts;
  std::vector<const Pattern*> patterns;
  auto add_expr = [&](const Expr* e) { if (e) exprs.push_back(e); };
  auto add_block = [&](Block block) { for (const Stmt* s : block) stmts.push_back(s); };
  auto add_pattern = [&](const Pattern* p) { patterns.push_back(p); };
  while (true) {
    if (!exprs.empty()) {
      const Expr* e = exprs.back();
      exprs.pop_back();
      if (expr_passes(*e)) return true;
      for_each_operand(*e, add_expr);
      if (const auto* seq = e->as<Seq>()) add_block(seq->stmts);
    } else if (!stmts.empty()) {
      const Stmt* s = stmts.back();
      stmts.pop_back();
      if (stmt_passes(*s)) return true;
      for_each_part(*s, add_expr, add_block, add_pattern);
    } else if (!patterns.empty()) {
      const Pattern* p = patterns.back();
      patterns.pop_back();
      add_expr(p->test);
      add_expr(p->length_test);
      for (const Expr* element : p->elements) add_expr(element);
      for (const Pattern* item : p->items) patterns.push_back(item);
    } else {
      return false;
    }
  }
}

}  // namespace meteor::typed
