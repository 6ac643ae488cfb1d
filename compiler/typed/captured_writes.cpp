#include "compiler/typed/captured_writes.h"

#include <optional>

#include "compiler/typed/frozen.h"
#include "compiler/typed/reads_only.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

struct Write {
  Name name;
  Span span;
};

// Follows `a.b[c]` to the name it begins with.
ast::NameExpr* root_name(ast::Expr* expr) {
  while (true) {
    if (auto* member = expr->as<ast::MemberExpr>())
      expr = member->object;
    else if (auto* index = expr->as<ast::IndexExpr>())
      expr = index->object;
    else if (auto* unwrap = expr->as<ast::UnwrapExpr>())
      expr = unwrap->operand;
    else
      return expr->as<ast::NameExpr>();
  }
}

class WriteSearch {
 public:
  WriteSearch(BodyChecker& body, ast::FunctionDecl* function) : b_(body), function_(function) {
    std::unordered_set<Name> globals;
    scan_outer_names(function->body, globals, nonlocals_);
    for (const ast::Param& param : function->params) own_.insert(param.name);
    scan_assigned(function->body, [&](const AssignedName& found) {
      if (!nonlocals_.contains(found.name)) own_.insert(found.name);
    });
    own_.insert(globals.begin(), globals.end());
  }

  std::optional<Write> run() {
    TreeVisitor visitor;
    visitor.into_functions = false;
    visitor.on_stmt = [&](ast::Stmt* stmt) {
      if (auto* assign = stmt->as<ast::AssignStmt>())
        for (ast::Expr* target : assign->targets) look_at_target(target);
      if (auto* assign = stmt->as<ast::AugAssignStmt>()) look_at_target(assign->target);
      if (auto* removal = stmt->as<ast::DelStmt>())
        for (ast::Expr* target : removal->targets) look_at_target(target);
    };
    visitor.on_expr = [&](ast::Expr* expr) {
      if (auto* walrus = expr->as<ast::WalrusExpr>()) look_at_target(walrus->target);
      auto* call = expr->as<ast::CallExpr>();
      auto* member = call ? call->callee->as<ast::MemberExpr>() : nullptr;
      if (member) look_at_method(member);
    };
    visitor.visit(function_->body);
    return found_;
  }

 private:
  // The variable of the function around, or an invalid id.
  VariableId captured(ast::NameExpr* name) {
    if (!name || own_.contains(name->name)) return {};
    Binding binding = b_.find_local(name->name);
    return binding.kind == BindingKind::Variable ? binding.variable : VariableId();
  }

  void look_at_target(ast::Expr* target) {
    ast::NameExpr* root = root_name(target);
    if (target->kind == ast::ExprKind::Name && !(root && nonlocals_.contains(root->name))) return;
    if (!found_ && captured(root).valid()) found_ = {root->name, target->span};
  }

  // `xs.append(1)`: a method of a collection that does not only read.
  void look_at_method(ast::MemberExpr* member) {
    VariableId variable = captured(member->object->as<ast::NameExpr>());
    if (found_ || !variable.valid()) return;
    TypeId type = b_.c.resolve(b_.var(variable).type);
    if (!is_collection(b_.c, type)) return;
    Member method = b_.c.find_member(type, member->name);
    if (method.kind != Member::Methods || reads_only(b_.c, method.methods->front(), 0)) return;
    found_ = {member->object->as<ast::NameExpr>()->name, member->span};
  }

  BodyChecker& b_;
  ast::FunctionDecl* function_;
  std::unordered_set<Name> nonlocals_, own_;
  std::optional<Write> found_;
};

// The literal or nested function of `b` that a value is, where that can be seen.
ast::FunctionDecl* find_function(BodyChecker& b, Expr* value) {
  if (auto* variable = value->as<VariableRef>()) {
    value = nullptr;
    for (const IsolateReach::Assigned& one : b.c.reach.assigned) {
      if (one.function != b.fn.id || one.variable != variable->variable) continue;
      if (value) return nullptr;
      value = const_cast<Expr*>(one.value);
    }
  }
  auto* closure = value ? value->as<MakeClosure>() : nullptr;
  if (!closure) return nullptr;
  for (const PendingLambda& lambda : b.c.lambdas)
    if (lambda.closure == closure) return lambda.decl;
  for (const NestedFunction& nested : b.nested_)
    for (const auto& [use, user] : nested.uses)
      if (use == closure) return nested.decl;
  return nullptr;
}

}  // namespace

bool check_frozen_function(BodyChecker& b, Expr* value) {
  if (b.c.kind(value->type) != Kind::Func) return true;
  ast::FunctionDecl* function = find_function(b, value);
  std::optional<Write> write = function ? WriteSearch(b, function).run() : std::nullopt;
  if (!write) return true;
  auto& d = b.c.error(Code::AssignToConst, value->span,
                      "a function that changes `" + write->name.str() + "` can't be frozen");
  d.labels.push_back({write->span, "it would be frozen with the function, and is changed here"});
  d.help = "several isolates may call it at once: let it only read what it uses, or talk over a `Channel`";
  return false;
}

}  // namespace meteor::typed
