// `async def`, `await`, generators and `yield`.
//
// A call of a function with a frame gives an object: Future<T> of an `async def`, Generator<T> of a function that yields, Stream<T> of an
// `async def` that yields. `await` of a direct call runs the callee's frame inside the caller's; of any other future it goes
// through the library's `_await_future`.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/typed/body.h"
#include "compiler/typed/frozen.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

// Whether `block` itself, not a function inside it, has such an expression.
template <typename F>
bool has_own(ast::Block block, F&& wanted) {
  bool found = false;
  TreeVisitor visitor;
  visitor.into_functions = false;
  visitor.on_expr = [&](ast::Expr* e) { found = found || wanted(e); };
  visitor.visit(block);
  return found;
}

}  // namespace

bool yields(ast::Block block) {
  return has_own(block, [](ast::Expr* e) { return e->kind == ast::ExprKind::Yield; });
}

bool awaits(ast::Block block) {
  bool found = has_own(block, [](ast::Expr* e) {
    if (auto* comprehension = e->as<ast::ComprehensionExpr>())
      for (ast::ComprehensionClause& clause : comprehension->clauses)
        if (clause.is_async) return true;
    return e->kind == ast::ExprKind::Await;
  });
  TreeVisitor visitor;
  visitor.into_functions = false;
  visitor.on_stmt = [&](ast::Stmt* s) {
    if (s->kind == ast::StmtKind::Scope || s->kind == ast::StmtKind::Select || s->kind == ast::StmtKind::Shield) found = true;
    if (auto* loop = s->as<ast::ForStmt>()) found = found || loop->is_async;
    if (auto* with = s->as<ast::WithStmt>()) found = found || with->is_async;
  };
  visitor.visit(block);
  return found;
}

bool awaits(ast::Expr* expr) {
  bool found = false;
  TreeVisitor visitor;
  visitor.into_functions = false;
  visitor.on_expr = [&](ast::Expr* e) { found = found || e->kind == ast::ExprKind::Await; };
  visitor.visit(expr);
  return found;
}

FrameKind frame_kind(const ast::FunctionDecl* decl) {
  bool has_yield = decl->has_body && yields(decl->body);
  if (decl->is_async) return has_yield ? FrameKind::AsyncGenerator : FrameKind::Async;
  return has_yield ? FrameKind::Generator : FrameKind::None;
}

const char* frame_class(FrameKind kind) {
  return kind == FrameKind::Async ? "Future" : kind == FrameKind::Generator ? "Generator" : "Stream";
}

// What callers of a function with a frame get, from what its header says.
TypeId Checker::framed_result(FrameKind kind, TypeId written, Span span) {
  if (kind == FrameKind::Async) return core_type("Future", {written});
  const char* wanted = kind == FrameKind::Generator ? "Iterator" : "Stream";
  TypeId inner = written;
  if (types.kind(inner) == Kind::Dyn) inner = types.arg(inner);
  NominalInfo* info = nominal_info(inner);
  if (info && info->module->is_core && (info->name.text() == wanted || info->name.text() == frame_class(kind)))
    return core_type(frame_class(kind), {types.get(inner).args[0]});
  if (types.kind(written) != Kind::Error) {
    Diagnostic& d = error(Code::TypeMismatch, span, "a function that yields gives an `" + std::string(wanted) + "`");
    d.expected = std::string(wanted) + "<…>";
    d.found = text(written);
    bool is_list = info && info->module->is_core && info->name.text() == "list";   // its elements are what is yielded
    TypeId element = is_list ? types.get(inner).args[0] : written;
    std::string result = std::string(wanted) + "<" + text(element) + ">";
    d.help = "write `-> " + result + "`";
    if (is_list && span.valid()) d.edits.push_back({span, result});
  }
  return core_type(frame_class(kind), {types.error});
}

TypeId Checker::produced_of(TypeId framed) { return types.get(unifier.shallow(framed)).args[0]; }

// T when `type` is a Future<T> or a class derived from one; invalid otherwise.
TypeId Checker::future_value(TypeId type) {
  type = unifier.shallow(type);
  if (types.kind(type) != Kind::Class) return {};
  NominalInfo* future = core_nominal("Future");
  for (TypeId at = type; at.valid(); at = base_of(at))
    if (nominal_info(at) == future) return types.get(unifier.shallow(at)).args[0];
  return {};
}

void BodyChecker::start_frame(FrameKind kind, TypeId framed) {
  frame = fn.frame = kind;
  fn.result = framed;
  fn.produced = c.produced_of(framed);
  if (kind != FrameKind::Async) {
    yield_type = fn.produced;
    declared_result = types.void_;
  } else if (c.kind(fn.produced) == Kind::Var) {
    result_var = fn.produced;
  } else {
    declared_result = fn.produced;
  }
}

bool BodyChecker::may_suspend() const { return frame == FrameKind::Async || frame == FrameKind::AsyncGenerator; }

bool BodyChecker::require_async(Span span, const char* what) {
  if (may_suspend()) return true;
  Diagnostic& d = c.error(Code::AwaitOutsideAsync, span, std::string(what) + " outside an `async def`");
  if (in_defer_) return false;
  if (fn.is_closure && !info) d.help = "make the function it stands in async: `async x -> …` or `async def`";
  else if (info && info->decl->name) {
    d.labels.push_back({info->decl->name_span, "this function is not async"});
    d.help = "write `async def " + info->decl->name.str() + "`";
  }
  return false;
}

Expr* BodyChecker::check_await(ast::AwaitExpr* expr, TypeId expected) {
  bool allowed = require_async(expr->span, "`await`");
  TypeId hint = expected.valid() && c.kind(expected) != Kind::Var ? c.core_type("Future", {expected}) : TypeId();
  Expr* future = check(expr->operand, hint);
  if (!allowed || is_poison(future)) return poison(expr->span);
  return first_optional_link(expr->operand) ? await_chain(future, expr->span) : make_await(future, expr->span);
}

// `await x?.f()`: null ends the chain with its `await`.
Expr* BodyChecker::await_chain(Expr* future, Span span) {
  TypeId type = known(future->type);
  if (c.kind(type) != Kind::Optional || !c.future_value(types.arg(type)).valid()) return make_await(future, span);
  return make_seq(
      [&]() -> Expr* {
        VariableId held = hold(future, span);
        auto* is_null = make<IsNull>(types.bool_, span);
        is_null->operand = variable_ref(held, span);
        Expr* value = nullptr;
        Block waits = collect([&] { value = make_await(make_unwrap(variable_ref(held, span), span, false), span); });
        return ended_by_null(is_null, waits, value, span);
      },
      span);
}

Expr* BodyChecker::make_await(Expr* future, Span span, bool heeds) {
  become_async();
  auto awaited = [&](Expr* operand, TypeId type) {
    auto* out = make<Await>(type, span);
    out->operand = operand->as<Call>();
    out->heeds = heeds;
    CHECK(out->operand);
    call_may_write(nullptr, span);
    return out;
  };
  auto* call = future->as<Call>();
  if (call && call->call == CallKind::Intrinsic) return awaited(future, types.void_);
  TypeId type = known(future->type);
  if (c.kind(type) == Kind::Error) return poison(span);
  TypeId value = c.future_value(type);
  if (!value.valid()) {
    Diagnostic& d = c.error(Code::NotAFuture, future->span, "only a future can be awaited");
    d.found = c.text(type);
    if (c.kind(type) == Kind::Optional && c.future_value(types.arg(type)).valid())
      d.help = "it may be null: test it with `is not null` first";
    else if (call)
      d.help = "this call has its result at once: leave `await` out";
    return poison(span);
  }
  LentPlaces places;
  if (call && call->lends) {
    auto lent = std::ranges::find(lent_, call, &LentCall::call);
    CHECK(lent != lent_.end());
    places = std::move(lent->places);
    lent_.erase(lent);
  }
  if (call && call->starts_frame) return with_lent_places(awaited(future, value), call, places, span);
  Expr* wait = call_core("_await_future", {future}, span, {value});
  if (is_poison(wait)) return wait;
  return with_lent_places(awaited(wait, value), call, places, span);
}

Expr* BodyChecker::lend(Call* call, FrameKind frame, LentPlaces& lent, Span span) {
  bool by_reference = std::ranges::find(call->modes, ParamMode::Ref) != call->modes.end();
  if (frame == FrameKind::None || !by_reference) return with_lent_places(call, call, lent, span);
  call->lends = true;
  lent_.push_back({call, std::move(lent), span});
  return call;
}

void BodyChecker::report_lent() {
  for (const LentCall& lent : lent_) {
    bool self = lent.call->modes[0] == ParamMode::Ref && lent.call->args[0]->span.end == lent.span.end;
    TypeId type = c.resolve(lent.call->type);
    bool future = c.future_value(type).valid();
    Diagnostic& d = c.error(Code::BorrowedByFuture, lent.span,
                            future ? "this future changes a variable of this function, which could be gone when it runs" : "a generator can't change a variable of its caller, which could be gone when it goes on");
    d.found = c.text(type);
    if (future) d.help = self ? "write `await` before the call, or make the struct a class" : "write `await` before the call, or pass an object that it can change";
    else d.help = self ? "make the struct a class" : "pass an object that it can change";
  }
  lent_.clear();
}

Expr* BodyChecker::check_yield(ast::YieldExpr* expr) {
  if (frame != FrameKind::Generator && frame != FrameKind::AsyncGenerator) {
    c.error(Code::YieldOutsideFunction, expr->span, "`yield` outside a function").help = "it belongs in the body of a `def`, which then is a generator";
    return poison(expr->span);
  }
  auto give = [&](Expr* value) -> Expr* {
    if (is_poison(value)) return poison(expr->span);
    if (c.kind(value->type) == Kind::Void) {
      c.error(Code::TypeMismatch, value->span, "this has no value to yield");
      return poison(expr->span);
    }
    value = coerce(value, yield_type, value->span, nullptr);
    auto* out = make<Yield>(types.void_, expr->span);
    out->value = value;
    call_may_write(nullptr, expr->span);
    return out;
  };
  if (expr->from) {
    build_for(nullptr, expr->value, expr->span, [&](Expr* element) { emit_expr(give(element)); }, nullptr, nullptr);
    return make<VoidConst>(types.void_, expr->span);
  }
  if (!expr->value) return give(make<NullConst>(types.null, expr->span));
  TypeId wanted = c.unifier.shallow(yield_type);
  Expr* value = usable_value(check(expr->value, types.kind(wanted) == Kind::Var ? TypeId() : wanted), expr->value->span);
  if (types.kind(wanted) == Kind::Var && !is_poison(value)) c.unifier.unify(wanted, value->type);
  return give(value);
}

void BodyChecker::suggest_await(Diagnostic& d, Expr* future, const char* why) {
  if (may_suspend() || is_module_body) {
    d.help = std::string(why) + "write `await` before it";
    d.edits.push_back({Span{future->span.file, future->span.start, future->span.start}, "await "});
  } else {
    d.help = std::string(why) + "await it in an `async def`, or run it with `block_on(…)`";
  }
}

bool Checker::is_unrun_future(TypeId type) {
  NominalInfo* info = nominal_info(thawed_type(*this, unifier.shallow(type)));
  return info && info == core_nominal("Future");
}

bool Checker::holds_unrun_future(TypeId type) {
  type = thawed_type(*this, unifier.shallow(type));
  if (is_unrun_future(type)) return true;
  NominalInfo* info = nominal_info(type);
  bool is_collection =
      info && (info == core_nominal("list") || info == core_nominal("set") || info == core_nominal("dict"));
  if (!is_collection && kind(type) != Kind::Optional && kind(type) != Kind::Tuple) return false;
  return std::ranges::any_of(types.get(type).args, [&](TypeId part) { return holds_unrun_future(part); });
}

void BodyChecker::suggest_await_inside(Diagnostic& d, Expr* value) {
  TypeId type = thawed_type(c, c.unifier.shallow(value->type));
  if (c.is_unrun_future(type)) return suggest_await(d, value, "a future gives its value when it is awaited: ");
  if (c.kind(type) == Kind::Optional)
    d.help = "await it where it is not null: `await x?.f()`, or after `is not null`";
  else
    d.help = "await each of them, or all at once: `await gather(…)`";
}

bool BodyChecker::refuse_compared_future(Expr* value, const char* why) {
  bool is_ours = module->is_std || (info && info->is_derived);
  if (is_ours || is_generic_instance() || !c.holds_unrun_future(value->type)) return false;
  Diagnostic& d = c.error(Code::UnawaitedFuture, value->span, why);
  d.found = c.text(value->type);
  suggest_await_inside(d, value);
  return true;
}

// A future that nobody will run is almost always a forgotten `await`.
void BodyChecker::check_discarded(Expr* value) {
  if (!c.holds_unrun_future(value->type)) return;
  bool is_one = c.is_unrun_future(value->type);
  if (!is_one && is_generic_instance()) return;  // `items.pop()` of whatever the items are
  Diagnostic& d = c.error(Code::UnawaitedFuture, value->span,
                          is_one ? "this future is never awaited, so it never runs"
                                 : "the future in this value is never awaited, so it never runs");
  d.found = c.text(value->type);
  if (is_one)
    suggest_await(d, value);
  else
    suggest_await_inside(d, value);
}

}  // namespace meteor::typed
