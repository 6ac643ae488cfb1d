#include "compiler/typed/const_writes.h"

#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

constexpr int MAX_CALLS = 20;   // methods that call each other, followed that far

const std::unordered_set<std::string_view>& library_mutators() {
  static const std::unordered_set<std::string_view> NAMES = {
      "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update", "setdefault", "popitem", "__setitem__", "__delitem__",
      "__iadd__", "__ior__", "__iand__", "__isub__", "__ixor__", "difference_update", "intersection_update", "symmetric_difference_update", "shuffle", "write", "write_int", "write_float", "fill", "resize", "truncate", "swap"};
  return NAMES;
}

GlobalInfo* const_root(BodyChecker& b, ast::Expr* expr) {
  while (true) {
    if (auto* name = expr->as<ast::NameExpr>()) {
      if (b.lookup(name->name).kind != BindingKind::None) return nullptr;
      Symbol symbol = b.find_symbol(name->name);
      return symbol.kind == SymbolKind::Global && symbol.global->is_const ? symbol.global : nullptr;
    }
    if (auto* member = expr->as<ast::MemberExpr>()) {
      if (auto owner = b.find_entity(member->object); owner.kind == SymbolKind::Module) {
        auto found = owner.symbol.module->names.find(member->name);
        bool is_const = found != owner.symbol.module->names.end() && found->second.kind == SymbolKind::Global && found->second.global->is_const;
        return is_const ? found->second.global : nullptr;
      }
      expr = member->object;
    } else if (auto* index = expr->as<ast::IndexExpr>()) {
      if (index->index->kind == ast::ExprKind::Slice) return nullptr;   // a copy
      expr = index->object;
    } else if (auto* unwrap = expr->as<ast::UnwrapExpr>()) {
      expr = unwrap->operand;
    } else {
      return nullptr;
    }
  }
}

}  // namespace

bool changes_object(Checker& c, FunctionInfo* method, int depth) {
  if (!method->has_self || !method->decl->has_body || depth >= MAX_CALLS) return false;
  if (method->module->is_std) return method->module->is_core && library_mutators().contains(method->name().text());
  Name self = method->decl->params[0].name;
  auto rooted_at_self = [&](ast::Expr* e, auto& again) -> bool {
    if (auto* n = e->as<ast::NameExpr>()) return n->name == self;
    if (auto* m = e->as<ast::MemberExpr>()) return again(m->object, again);
    if (auto* i = e->as<ast::IndexExpr>()) return again(i->object, again);
    return false;
  };
  bool found = false;
  auto target = [&](ast::Expr* e) {
    if (e->kind != ast::ExprKind::Name) found = found || rooted_at_self(e, rooted_at_self);
  };
  TreeVisitor visitor;
  visitor.on_stmt = [&](ast::Stmt* s) {
    if (auto* a = s->as<ast::AssignStmt>())
      for (ast::Expr* t : a->targets) target(t);
    if (auto* a = s->as<ast::AugAssignStmt>()) target(a->target);
    if (auto* d = s->as<ast::DelStmt>())
      for (ast::Expr* t : d->targets) target(t);
  };
  visitor.on_expr = [&](ast::Expr* e) {
    auto* call = e->as<ast::CallExpr>();
    auto* member = call && !found ? call->callee->as<ast::MemberExpr>() : nullptr;
    if (!member || !rooted_at_self(member->object, rooted_at_self)) return;
    if (member->object->kind != ast::ExprKind::Name) {
      found = library_mutators().contains(member->name.text());
      return;
    }
    if (Overloads* methods = method->owner ? method->owner->find_method(member->name) : nullptr)
      for (FunctionInfo* m : *methods) found = found || changes_object(c, m, depth + 1);
  };
  visitor.visit(method->decl->body);
  return found;
}

bool refuse_const_write(BodyChecker& b, ast::Expr* object, Span span, FunctionInfo* method) {
  GlobalInfo* root = const_root(b, object);
  if (!root || (method && !changes_object(b.c, method, 0))) return false;
  auto& d = b.c.error(Code::AssignToConst, span, "`" + root->name.str() + "` is a const, and what it holds can't be changed");
  d.labels.push_back({root->span, "declared here"});
  d.help = "declare it without `const` to make it a variable, or change a copy";
  return true;
}

}  // namespace meteor::typed
