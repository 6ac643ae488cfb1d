// `return`, with the result type given or inferred. An inferred one is what all
// `return`s of the body fit, fixed when the body has been checked; in a
// function that calls itself it is fixed at the first `return` with a value.
#include <algorithm>

#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/own_self.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

Name own_name(BodyChecker& body) {
  if (!body.parent) return body.info && body.info->decl ? body.info->decl->name : Name();
  for (NestedFunction& nested : body.parent->nested_)
    if (nested.body.get() == &body) return nested.decl->name;
  return {};
}

bool mentions(ast::Block block, Name name) {
  if (!name) return false;
  bool found = false;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* expr) {
    if (auto* n = expr->as<ast::NameExpr>()) found = found || n->name == name;
    if (auto* m = expr->as<ast::MemberExpr>()) found = found || m->name == name;
  };
  visitor.visit(block);
  return found;
}

// The `return`s of this function, not of those inside it.
void for_each_return(ast::Block block, const std::function<void(ast::ReturnStmt*)>& found) {
  for (ast::Stmt* stmt : block) {
    if (auto* r = stmt->as<ast::ReturnStmt>()) found(r);
    if (auto* s = stmt->as<ast::IfStmt>()) {
      for (ast::IfBranch& branch : s->branches) for_each_return(branch.body, found);
      for_each_return(s->else_body, found);
    }
    if (auto* s = stmt->as<ast::WhileStmt>()) { for_each_return(s->body, found); for_each_return(s->else_body, found); }
    if (auto* s = stmt->as<ast::ForStmt>()) { for_each_return(s->body, found); for_each_return(s->else_body, found); }
    if (auto* s = stmt->as<ast::TryStmt>()) {
      for_each_return(s->body, found);
      for (ast::CatchClause& clause : s->catches) for_each_return(clause.body, found);
      for_each_return(s->else_body, found);
      for_each_return(s->finally_body, found);
    }
    if (auto* s = stmt->as<ast::WithStmt>()) for_each_return(s->body, found);
    if (auto* s = stmt->as<ast::SwitchStmt>())
      for (ast::SwitchCase& one : s->cases) for_each_return(one.body, found);
    if (auto* s = stmt->as<ast::UnsafeStmt>()) for_each_return(s->body, found);
  }
}

}  // namespace

void BodyChecker::check_return(ast::ReturnStmt* stmt) {
  auto leave = [&](Expr* value) {
    check_deferred_reads();
    auto* out = make_stmt<Return>(stmt->span);
    out->value = value;
    emit(out);
    flow.reachable = false;
    return out;
  };
  if (is_module_body || in_defer_) {
    c.error(Code::ReturnOutsideFunction, stmt->span, in_defer_ ? "`return` cannot leave a `defer`" : "`return` outside a function").help =
        in_defer_ ? "return after the `defer`, from the function itself" : "put it into a function: `def main():`";
    flow.reachable = false;
    return;
  }
  if (is_constructor_body) {
    if (stmt->value) {
      Expr* value = check(stmt->value);
      if (c.kind(value->type) != Kind::Void && c.kind(value->type) != Kind::Null && !is_poison(value))
        c.error(Code::TypeMismatch, stmt->value->span, "`__init__` gives no result").help = "write `return` alone";
    }
    if (flow.reachable) returned_early_ = returned_early_ ? merge(*returned_early_, flow) : flow;
    leave(nullptr);
    return;
  }
  TypeId wanted = declared_result.valid() ? c.resolve(declared_result) : result_var.valid() && !lifted_result_.valid() && !c.unifier.is_var(result_var) ? c.resolve(result_var) : TypeId();
  if (wanted.valid()) {
    ast::TypeExpr* written = info && info->decl && !parent ? info->decl->return_type : nullptr;
    Span why_span = written ? written->span : Span();
    if (c.kind(wanted) == Kind::Void) {
      if (!stmt->value) return void(leave(nullptr));
      Expr* value = check(stmt->value);
      emit_expr(value);
      if (discards_result_) check_discarded(value);
      Kind kind = c.kind(value->type);
      if (kind != Kind::Void && kind != Kind::Never && !is_poison(value) && !discards_result_) {
        bool is_generator = frame == FrameKind::Generator || frame == FrameKind::AsyncGenerator;
        const char* what = is_generator ? "a generator gives its values with `yield`: it has no other result"
                                        : "this function has no result, but a value is returned";
        Diagnostic& d = c.error(Code::TypeMismatch, stmt->value->span, what);
        d.found = c.text(value->type);
        if (is_generator)
          d.help = "`yield` the value, and write `return` alone to end the generator";
        else
          d.help = "add `-> " + c.text(value->type) + "` to its header, or write `return` alone";
      }
      leave(nullptr);
      return;
    }
    if (!stmt->value) {
      auto* none = make<NullConst>(types.null, stmt->span);
      if (c.kind(wanted) == Kind::Optional) return void(leave(coerce(none, wanted, stmt->span)));
      if (c.kind(wanted) != Kind::Error) {
        Diagnostic& d = c.error(Code::TypeMismatch, stmt->span, "`return` without a value in a function that returns `" + c.text(wanted) + "`");
        if (why_span.valid()) d.labels.push_back({why_span, "because of this result type"});
      }
      leave(poison(stmt->span));
      return;
    }
    leave(check_to(stmt->value, wanted, why_result(c, written ? info : nullptr, self_type), why_span));
    return;
  }
  auto has_own_type = [](ast::Expr* e) {   // its elements tell; they may be frozen where the declaration says nothing of it
    if (!e) return false;
    if (auto* list = e->as<ast::ListExpr>()) return !list->items.empty();
    if (auto* dict = e->as<ast::DictExpr>()) return !dict->items.empty();
    return e->kind == ast::ExprKind::Comprehension || e->kind == ast::ExprKind::Set;
  };
  bool is_told = this == root && instance && instance->told.valid();
  TypeId like = is_told ? c.resolve(result_var) : has_own_type(stmt->value) ? TypeId() : lifted_result_;
  Expr* value = stmt->value ? check(stmt->value, like) : nullptr;
  if (value && c.kind(value->type) == Kind::Void) {
    emit_expr(value);
    value = nullptr;
  }
  Return* out = leave(value);
  returns_.push_back({out, stmt->value ? stmt->value->span : stmt->span});
  if (lifted_result_.valid()) return;
  if (!value || is_poison(value) || c.kind(value->type) == Kind::Null || !mentions(function_body_, own_name(*this))) return;
  bool has_null = false, has_float = false;
  for_each_return(function_body_, [&](ast::ReturnStmt* other) {
    has_null = has_null || !other->value || other->value->kind == ast::ExprKind::Null;
    has_float = has_float || (other->value && other->value->kind == ast::ExprKind::Float);
  });
  TypeId type = has_float && value->kind == ExprKind::Int ? types.float_ : c.resolve(value->type);
  if (has_null) type = c.optional_of(type);
  c.unifier.unify(result_var, type);
}

// A lifted instance gives what was declared if all it returns is that, else a collection of frozen elements, else something frozen; then
// what it made itself is frozen on the way out.
void BodyChecker::finish_lifted_returns() {
  auto fits = [&](Expr* value, TypeId target) { return !value ? c.kind(target) == Kind::Optional : is_poison(value) || can_convert(value, target); };
  auto is_own = [&](Expr* value) {
    auto* variable = value->as<VariableRef>();
    return variable ? var(variable->variable).kind == VariableKind::Local : value->kind == ExprKind::Call || value->kind == ExprKind::New || value->kind == ExprKind::Seq;
  };
  auto frozen = [&](Expr* value) { return call_core("freeze", {value}, value->span); };
  auto can_freeze = [&](Expr* value, TypeId target) {
    if (!value || is_poison(value) || !is_own(value)) return false;
    TypeId wanted = c.kind(target) == Kind::Optional ? types.arg(target) : target;
    TypeId have = c.resolve(value->type);
    return c.kind(wanted) == Kind::Frozen && (frozen_type(c, have) == wanted || c.unifier.could_unify(have, types.arg(wanted)));
  };
  std::vector<TypeId> candidates = c.unifier.is_var(result_var) ? lifted_results(c, lifted_result_) : std::vector{c.resolve(result_var)};
  for (InferredReturn& r : returns_) {   // what was declared but for the parts that are frozen
    if (!r.stmt->value || is_poison(r.stmt->value) || candidates.size() == 1) continue;
    TypeId given = with_frozen_parts(c, lifted_result_, r.stmt->value->type);
    if (std::ranges::find(candidates, given) == candidates.end()) candidates.insert(candidates.end() - 1, given);
  }
  TypeId chosen;
  for (TypeId candidate : candidates)
    if (!chosen.valid() && std::ranges::all_of(returns_, [&](InferredReturn& r) { return fits(r.stmt->value, candidate); })) chosen = candidate;
  bool freezes = !chosen.valid();
  if (freezes) chosen = candidates.back();
  c.unifier.unify(result_var, chosen);
  for (InferredReturn& r : returns_) {
    Expr* value = r.stmt->value ? r.stmt->value : make<NullConst>(types.null, r.span);
    r.stmt->value = make_seq([&]() -> Expr* {
      if (freezes && !fits(r.stmt->value, chosen) && can_freeze(value, chosen)) {
        if (instance && this == root) instance->freezes_result = true;
        value = frozen(value);
      }
      return coerce(value, chosen, r.span);
    }, r.span);
  }
}

void BodyChecker::finish_returns() {
  if (declared_result.valid() || !result_var.valid()) return;
  if (lifted_result_.valid()) return finish_lifted_returns();
  bool fixed = !c.unifier.is_var(result_var);
  TypeId type = fixed ? c.resolve(result_var) : TypeId();
  Span decided_at;
  bool has_null = false, has_value = false;
  for (InferredReturn& r : returns_) has_value = has_value || (r.stmt->value && !is_poison(r.stmt->value));
  if (!has_value) {
    for (InferredReturn& r : returns_)
      if (r.stmt->value) type = types.error;
    if (!fixed) c.unifier.unify(result_var, type.valid() ? type : types.void_);
    if (c.kind(result_var) != Kind::Optional) return;
  }
  if (!fixed) {
    bool all_literal = true;   // of the ints, which may then be floats
    for (InferredReturn& r : returns_)
      if (r.stmt->value && c.kind(r.stmt->value->type) == Kind::Int && r.stmt->value->kind != ExprKind::Int) all_literal = false;
    for (InferredReturn& r : returns_) {
      if (!r.stmt->value || c.kind(r.stmt->value->type) == Kind::Null) {
        has_null = true;
        continue;
      }
      if (is_poison(r.stmt->value)) continue;
      TypeId given = r.stmt->value->type;
      TypeId next = c.bounds_behind(given) ? given : c.resolve_parts(given);
      if (!type.valid()) {
        type = next;
        decided_at = r.span;
        continue;
      }
      TypeId both = join(type, next);
      if (!both.valid() && all_literal) {
        Kind a = c.kind(type), b = c.kind(next);
        if (a == Kind::Int && b == Kind::Float) both = next;
        if (a == Kind::Float && b == Kind::Int) both = type;
      }
      if (!both.valid()) {
        Diagnostic& d = c.error(Code::TypeMismatch, r.span, "this function returns values of different types");
        d.expected = c.text(type);
        d.found = c.text(next);
        d.labels.push_back({decided_at, "returned here"});
        d.help = "make them one type, or write the result type in the header";
        r.stmt->value = poison(r.span);
        continue;
      }
      type = both;
    }
    if (!type.valid()) type = c.unifier.fresh(returns_.front().span);
    if (has_null && c.kind(type) != Kind::Optional && c.kind(type) != Kind::Any) type = c.optional_of(type);
    c.unifier.unify(result_var, type);
  }
  for (InferredReturn& r : returns_) {
    if (!r.stmt->value) {
      if (c.kind(type) == Kind::Void || c.kind(type) == Kind::Error) continue;
      if (c.kind(type) != Kind::Optional && c.kind(type) != Kind::Any) {
        c.error(Code::TypeMismatch, r.span, "`return` without a value in a function that returns `" + c.text(type) + "`");
        continue;
      }
      r.stmt->value = make<NullConst>(types.null, r.span);
    }
    r.stmt->value = make_seq([&]() -> Expr* { return coerce(r.stmt->value, type, r.span, decided_at.valid() ? "because of this result" : nullptr, decided_at); }, r.span);
  }
}

}  // namespace meteor::typed
