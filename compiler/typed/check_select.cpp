// `select`: each case is an arm of std/core/select.met, a future that is polled until one is ready; the others are then
// left. The loop around them is built here.
#include "compiler/typed/body.h"

namespace meteor::typed {

namespace {

struct Arm {
  VariableId variable;  // invalid: none was made, because of an error or for `default`
  TypeId value;
  bool may_be_task = false;  // that runs on its own
  bool is_guarded = false;   // null where its guard did not hold
};

class SelectChecker {
 public:
  SelectChecker(BodyChecker& body, ast::SelectStmt* stmt)
      : b(body), stmt_(stmt), span_(stmt->span), arms_(stmt->cases.size()) {}

  void check() {
    is_allowed_ = b.require_async(span_, "`select`");
    for (size_t i = 0; i < arms_.size(); ++i) make_arm(i);
    Expr* start = make_start();
    winner_ = b.hold(b.make_int(-1, span_), span_);
    if (is_allowed_) {
      require_open_case();
      build_wait(start);
    }
    check_bodies();
  }

 private:
  // ---- before it waits ----

  void make_arm(size_t i) {
    ast::SelectCase& one = stmt_->cases[i];
    if (!one.awaited) {
      fallback_ = i;
      return;
    }
    if (one.guard)
      make_guarded_arm(i);
    else if (Expr* arm = check_arm(i))
      arms_[i].variable = b.hold(arm, one.span);
  }

  // The guard is looked at before the future is made, and what it proved holds there.
  void make_guarded_arm(size_t i) {
    ast::SelectCase& one = stmt_->cases[i];
    Branches branches;
    auto* test = b.make_stmt<If>(one.guard->span);
    test->condition = b.check_condition(one.guard, branches);
    b.flow = std::move(branches.yes);
    test->then_body = b.collect([&] {
      Expr* arm = check_arm(i);
      if (!arm) return;
      arms_[i].is_guarded = true;
      arms_[i].variable = b.new_temp(b.c.optional_of(arm->type), one.span);
      b.emit_assign(b.variable_ref(arms_[i].variable, one.span), b.make_some(arm));
    });
    b.flow = merge(b.flow, branches.no);
    if (arms_[i].variable.valid()) {
      auto* none = b.make<NullConst>(b.var(arms_[i].variable).type, one.span);
      b.emit_assign(b.variable_ref(arms_[i].variable, one.span), none);
      b.flow.set_assigned(arms_[i].variable);
    }
    b.emit(test);
  }

  Expr* check_arm(size_t i) {
    ast::SelectCase& one = stmt_->cases[i];
    Expr* future = b.check(one.awaited);
    TypeId type = b.is_poison(future) ? b.types.error : b.known(future->type);
    bool is_wrong = b.c.kind(type) == Kind::Error;
    arms_[i].value = is_wrong ? TypeId() : b.c.future_value(type);
    if (!arms_[i].value.valid()) {
      if (!is_wrong)
        b.c.error(Code::NotAFuture, one.awaited->span, "only a future can be awaited").found = b.c.text(type);
      return nullptr;
    }
    if (!is_allowed_) return nullptr;
    bool is_own = future->kind == ExprKind::Call || future->kind == ExprKind::New;
    arms_[i].may_be_task = !is_own || type == b.c.core_type("Task", {arms_[i].value});
    Expr* arm = b.call_core("_make_arm", {future, b.make_bool(is_own, one.span)}, one.span, {arms_[i].value});
    return b.is_poison(arm) ? nullptr : arm;
  }

  // Which case is asked first; null: the first one always.
  Expr* make_start() {
    if (stmt_->args.empty()) return nullptr;
    for (const ast::Arg& arg : stmt_->args) {
      auto* name = arg.name ? nullptr : arg.value->as<ast::NameExpr>();
      if (!name || name->name.text() != "fair") continue;
      std::string value = b.lookup(name->name).kind == BindingKind::None ? "true" : "fair";
      auto& d =
          b.c.error(Code::UnexpectedArgument, arg.value->span, "`fair` is the name of an argument and needs a value");
      d.help = "write `select(fair=" + value + "):`";
      d.edits.push_back({arg.value->span, "fair=" + value});
      return nullptr;
    }
    Overloads* check = b.c.core_function("_select_is_fair");
    Expr* is_fair =
        b.call_overloads(*check, {}, nullptr, TypeId(), b.call_args(stmt_->args), span_, TypeId(), b.c.name("select"));
    if (b.is_poison(is_fair)) return nullptr;
    Expr* count = b.make_int(static_cast<int64_t>(arms_.size()), span_);
    return b.variable_ref(b.hold(b.call_core("_select_start", {is_fair, count}, span_), span_), span_);
  }

  // Where all have guards and none holds, it would wait for ever.
  void require_open_case() {
    if (fallback_ != SIZE_MAX || arms_.empty()) return;
    for (const Arm& arm : arms_)
      if (!arm.is_guarded) return;
    Flow before = b.flow;
    Block body = b.collect([&] {
      std::string_view text = "no case of this `select` can be chosen: no guard holds, and there is no `default`";
      b.raise_new("StateError", b.make_text(text, span_), span_);
    });
    b.flow = std::move(before);
    for (const Arm& arm : arms_) {
      auto* test = b.make_stmt<If>(span_);
      test->condition = is_null(arm);
      test->then_body = body;
      body = b.keep(std::vector<Stmt*>{test});
    }
    for (Stmt* stmt : body) b.emit(stmt);
  }

  // ---- while it waits ----

  void build_wait(Expr* start) {
    VariableId context = b.hold(b.call_core("_current_context", {}, span_), span_);
    tasks_ = note_tasks();
    auto* out = b.make_stmt<Cleanup>(span_);
    out->body = b.collect([&] {
      b.as_statement([&] { b.emit_expr(b.call_core("_heed", {}, span_)); });
      auto* loop = b.make_stmt<Loop>(span_);
      loop->label = b.root->next_label_++;
      loop->body = b.collect([&] {
        using enum ast::CompareOp;
        for (size_t i = 0; i < arms_.size(); ++i) ask(i, context, loop->label, start, Le);
        for (size_t i = 0; start && i < arms_.size(); ++i) ask(i, context, loop->label, start, Gt);
        if (fallback_ != SIZE_MAX) fall_back(loop->label);
        b.as_statement([&] {
          Expr* wait = tasks_.valid() ? b.call_core("_select_wait_for", {b.variable_ref(tasks_, span_)}, span_)
                                      : b.call_core("_select_wait", {}, span_);
          b.emit_expr(b.make_await(wait, span_, false));
        });
      });
      b.emit(loop);
    });
    out->cleanup = b.collect([&] { b.as_statement([&] { b.shielded(span_, [&] { leave_arms(); }); }); });
    b.emit(out);
  }

  // Invalid: no arm is a task.
  VariableId note_tasks() {
    VariableId tasks;
    for (const Arm& arm : arms_) {
      if (!arm.variable.valid() || !arm.may_be_task) continue;
      if (!tasks.valid()) tasks = b.hold(b.call_core("_new_arm_tasks", {}, span_), span_);
      b.as_statement([&] {
        when_open(arm,
                  [&] { b.emit_expr(b.call_method(unwrapped(arm), "note", {b.variable_ref(tasks, span_)}, span_)); });
      });
    }
    return tasks;
  }

  // `default`: unless an arm has happened already, and only waits for others to clean up after that.
  void fall_back(uint32_t label) {
    b.as_statement([&] {
      auto* test = b.make_stmt<If>(span_);
      test->condition = b.make_not(b.call_core("_arms_won", {}, span_));
      test->then_body = b.collect([&] { leave_with(fallback_, label); });
      b.emit(test);
    });
  }

  // `part`: how the number of the first one that is asked compares with this one's.
  void ask(size_t i, VariableId context, uint32_t label, Expr* start, ast::CompareOp part) {
    if (!arms_[i].variable.valid()) return;
    b.as_statement([&] {
      auto build = [&] {
        auto* test = b.make_stmt<If>(span_);
        test->condition = b.call_method(arm(i), "try_ready", {b.variable_ref(context, span_)}, span_);
        test->then_body = b.collect([&] { leave_with(i, label); });
        b.emit(test);
      };
      auto build_open = [&] { when_open(arms_[i], build); };
      if (!start) return build_open();
      auto* test = b.make_stmt<If>(span_);
      test->condition = b.make_compare(part, start, b.make_int(static_cast<int64_t>(i), span_), span_);
      test->then_body = b.collect(build_open);
      b.emit(test);
    });
  }

  void leave_with(size_t i, uint32_t label) {
    b.emit_assign(b.variable_ref(winner_, span_), b.make_int(static_cast<int64_t>(i), span_));
    auto* stop = b.make_stmt<Break>(span_);
    stop->label = label;
    b.emit(stop);
  }

  void leave_arms() {
    b.as_statement([&] { b.emit_expr(b.call_core("_arms_leave", {}, span_)); });
    for (size_t i = 0; i < arms_.size(); ++i) {
      if (!arms_[i].variable.valid()) continue;
      b.as_statement([&] {
        when_open(arms_[i], [&] { b.emit_expr(b.make_await(b.call_method(arm(i), "leave", {}, span_), span_)); });
      });
    }
    if (tasks_.valid()) b.as_statement([&] { b.emit_expr(b.call_core("_select_leave", {}, span_)); });
  }

  Expr* is_null(const Arm& arm) {
    auto* test = b.make<IsNull>(b.types.bool_, span_);
    test->operand = b.variable_ref(arm.variable, span_);
    return test;
  }

  void when_open(const Arm& arm, const std::function<void()>& build) {
    if (!arm.is_guarded) return build();
    auto* test = b.make_stmt<If>(span_);
    test->condition = b.make_not(is_null(arm));
    test->then_body = b.collect(build);
    b.emit(test);
  }

  Expr* arm(size_t i) { return unwrapped(arms_[i]); }

  Expr* unwrapped(const Arm& arm) {
    Expr* variable = b.variable_ref(arm.variable, span_);
    return arm.is_guarded ? b.make_unwrap(variable, span_, false) : variable;
  }

  // ---- after it ----

  void check_bodies() {
    Flow before = b.flow;
    std::optional<Flow> end;
    Block rest;
    for (size_t i = arms_.size(); i-- > 0;) {
      ast::SelectCase& one = stmt_->cases[i];
      b.flow = before;
      auto* choice = b.make_stmt<If>(one.span);
      auto* test = b.make<Compare>(b.types.bool_, one.span);
      test->op = CompareOp::Eq;
      test->left = b.variable_ref(winner_, one.span);
      test->right = b.make_int(static_cast<int64_t>(i), one.span);
      choice->condition = test;
      choice->then_body = b.collect([&] {
        if (one.target) b.as_statement([&] { assign_value(i); });
        for (Stmt* s : b.check_block(one.body)) b.emit(s);
      });
      choice->else_body = rest;
      end = end ? merge(*end, b.flow) : b.flow;
      rest =
          i + 1 == arms_.size() ? choice->then_body : b.keep(std::vector<Stmt*>{choice});  // the last one needs no test
    }
    if (end) b.flow = std::move(*end);
    for (Stmt* s : rest) b.emit(s);
  }

  void assign_value(size_t i) {
    ast::SelectCase& one = stmt_->cases[i];
    Expr* value = arms_[i].variable.valid() ? b.call_method(arm(i), "take", {}, one.span) : b.poison(one.span);
    b.may_rebind_ = true;
    b.binds_case_ = true;
    b.assign_to(one.target, b.usable_value(value, one.span), one.span);
    b.binds_case_ = false;
    b.may_rebind_ = false;
  }

  BodyChecker& b;
  ast::SelectStmt* stmt_;
  Span span_;
  std::vector<Arm> arms_;
  size_t fallback_ = SIZE_MAX;
  VariableId winner_;
  VariableId tasks_;  // those of its arms; invalid: it has none
  bool is_allowed_ = false;
};

}  // namespace

void BodyChecker::check_select(ast::SelectStmt* stmt) { SelectChecker(*this, stmt).check(); }

}  // namespace meteor::typed
