#include "compiler/typed/print.h"

namespace meteor::typed {

namespace {

constexpr std::string_view INTRINSIC_NAMES[] = {
#define INTRINSIC(name, text) text,
#include "compiler/typed/intrinsics.def"
#undef INTRINSIC
};
constexpr std::string_view BINARY[] = {"+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "&+", "&-", "&*"};
constexpr std::string_view COMPARE[] = {"==", "!=", "<", "<=", ">", ">="};
constexpr std::string_view CONVERT[] = {"numeric", "some", "upcast", "downcast", "to_dyn", "to_any", "from_any", "reinterpret"};
constexpr std::string_view FRAMES[] = {"", "async ", "generator ", "async generator "};
constexpr size_t MAX_DEPTH = 200;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char ch : text) {
    if (ch == '\n') out += "\\n";
    else if (ch == '"' || ch == '\\') (out += '\\') += ch;
    else out += ch;
  }
  return out + "\"";
}

class Printer {
 public:
  Printer(const Program& program, const types::TypeStore& types) : program_(program), types_(types) {}

  void function(const Function& fn) {
    fn_ = &fn;
    out_ += std::string(FRAMES[static_cast<size_t>(fn.frame)]) + "def ";
    out_ += fn.name + "(";
    for (uint32_t i = 0; i < fn.param_count; ++i) {
      const Variable& v = fn.variables[i];
      out_ += i ? ", " : "";
      out_ += mode(v.mode) + variable(VariableId(i)) + ": " + type(v.type);
    }
    out_ += ") -> " + type(fn.result);
    if (!fn.captures.empty()) {
      out_ += " captures";
      for (VariableId v : fn.captures) out_ += " " + std::string(fn.variables[v.index].boxed ? "shared " : "") + variable(v) + ": " + type(fn.variables[v.index].type);
    }
    out_ += ":\n";
    block(fn.body);
    out_ += "\n";
  }
  std::string take() { return std::move(out_); }

 private:
  std::string type(TypeId t) const { return t.valid() ? types_.text(t) : "?"; }
  static std::string mode(ParamMode m) { return m == ParamMode::Ref ? "ref " : m == ParamMode::Owned ? "owned " : ""; }
  std::string variable(VariableId v) const {
    if (!v.valid()) return "_";
    const Variable& of = fn_->variables[v.index];
    return of.name ? of.name.str() + "." + std::to_string(v.index) : "%" + std::to_string(v.index);
  }
  std::string callee(FunctionId id) const { return id.valid() ? program_.function(id).name : "?"; }
  std::string list(std::span<Expr* const> items) {
    std::string out;
    for (Expr* item : items) out += (out.empty() ? "" : ", ") + expr(item);
    return out;
  }

  std::string call(const Call& call) {
    std::string args;
    for (size_t i = 0; i < call.args.size(); ++i) args += (i ? ", " : "") + (i < call.modes.size() && call.modes[i] == ParamMode::Owned ? "owned " + expr(call.args[i]) : expr(call.args[i]));
    switch (call.call) {
      case CallKind::Direct: return callee(call.function) + "(" + args + ")";
      case CallKind::Virtual: return "virtual " + callee(call.function) + "(" + args + ")";
      case CallKind::Dyn: return "dyn[" + std::to_string(call.slot) + "](" + args + ")";
      case CallKind::Value: return "(" + expr(call.callee) + ")(" + args + ")";
      case CallKind::Intrinsic: return std::string(INTRINSIC_NAMES[call.intrinsic]) + "<" + type(call.type_arg) + ">(" + args + ")";
    }
    return "?";
  }

  std::string expr(const Expr* e) {
    if (!e) return "nothing";
    if (depth_ >= MAX_DEPTH) return "…";
    ++depth_;
    std::string text = expr_of(e);
    --depth_;
    return text;
  }

  std::string expr_of(const Expr* e) {
    auto one = [&](const char* name, const Expr* operand) { return std::string(name) + "(" + expr(operand) + ")"; };
    auto two = [&](const Expr* a, std::string_view op, const Expr* b) { return "(" + expr(a) + " " + std::string(op) + " " + expr(b) + ")"; };
    switch (e->kind) {
      case ExprKind::Int: return std::to_string(static_cast<int64_t>(e->as<IntConst>()->bits)) + ": " + type(e->type);
      case ExprKind::Float: return std::to_string(e->as<FloatConst>()->value);
      case ExprKind::Bool: return e->as<BoolConst>()->value ? "true" : "false";
      case ExprKind::Null: return "null: " + type(e->type);
      case ExprKind::Str: return quoted(e->as<StrConst>()->value);
      case ExprKind::Bytes: return "b" + quoted(e->as<BytesConst>()->value);
      case ExprKind::Void: return "void";
      case ExprKind::Variable: return variable(e->as<VariableRef>()->variable);
      case ExprKind::Global: return program_.globals[e->as<GlobalRef>()->global.index].symbol;
      case ExprKind::Field: return expr(e->as<FieldRef>()->object) + "." + field(*e->as<FieldRef>());
      case ExprKind::Call: return call(*e->as<Call>());
      case ExprKind::New: return "new " + type(e->type) + "(" + list(e->as<New>()->fields) + ")";
      case ExprKind::MakeEnum: return type(e->type) + "." + case_name(e->type, e->as<MakeEnum>()->case_index) + "(" + list(e->as<MakeEnum>()->args) + ")";
      case ExprKind::MakeTuple: return "tuple(" + list(e->as<MakeTuple>()->items) + ")";
      case ExprKind::MakeClosure: return "closure " + callee(e->as<MakeClosure>()->function) + "[" + list(e->as<MakeClosure>()->captures) + "]";
      case ExprKind::MakeWeak: return one("weak", e->as<MakeWeak>()->value);
      case ExprKind::WeakGet: return one("weak_get", e->as<WeakGet>()->value);
      case ExprKind::Concat: return "concat(" + list(e->as<Concat>()->parts) + ")";
      case ExprKind::Unary: return one(e->as<Unary>()->op == UnaryOp::Neg ? "neg" : "invert", e->as<Unary>()->operand);
      case ExprKind::Binary: return two(e->as<Binary>()->left, BINARY[static_cast<size_t>(e->as<Binary>()->op)], e->as<Binary>()->right);
      case ExprKind::Compare: return two(e->as<Compare>()->left, COMPARE[static_cast<size_t>(e->as<Compare>()->op)], e->as<Compare>()->right);
      case ExprKind::And: return two(e->as<And>()->left, "and", e->as<And>()->right);
      case ExprKind::Or: return two(e->as<Or>()->left, "or", e->as<Or>()->right);
      case ExprKind::Not: return one("not", e->as<Not>()->operand);
      case ExprKind::Ternary: return "(" + expr(e->as<Ternary>()->then_value) + " if " + expr(e->as<Ternary>()->condition) + " else " + expr(e->as<Ternary>()->else_value) + ")";
      case ExprKind::Coalesce: return two(e->as<Coalesce>()->left, "??", e->as<Coalesce>()->right);
      case ExprKind::Unwrap: return one(e->as<Unwrap>()->checked ? "unwrap" : "unwrap_unchecked", e->as<Unwrap>()->operand);
      case ExprKind::IsNull: return one("is_null", e->as<IsNull>()->operand);
      case ExprKind::IsType: return "(" + expr(e->as<IsType>()->operand) + " is " + type(e->as<IsType>()->tested) + ")";
      case ExprKind::IsCase: return "(" + expr(e->as<IsCase>()->operand) + " is ." + case_name(e->as<IsCase>()->operand->type, e->as<IsCase>()->case_index) + ")";
      case ExprKind::Same: return two(e->as<Same>()->left, "same", e->as<Same>()->right);
      case ExprKind::Convert: {
        auto* convert = e->as<Convert>();
        return std::string(CONVERT[static_cast<size_t>(convert->convert)]) + (convert->checked ? "!" : "") + "<" + type(e->type) + ">(" + expr(convert->operand) + ")";
      }
      case ExprKind::Seq: {
        std::string before = std::move(out_);
        out_.clear();
        block(e->as<Seq>()->stmts);
        std::string stmts = std::move(out_);
        out_ = std::move(before);
        return "seq {\n" + stmts + indent() + "} " + expr(e->as<Seq>()->value);
      }
      case ExprKind::RefTo: return "ref " + expr(e->as<RefTo>()->place);
      case ExprKind::Unreachable: return "unreachable";
      case ExprKind::Await: return one("await", e->as<Await>()->operand);
      case ExprKind::Yield: return one("yield", e->as<Yield>()->value);
    }
    return "?";
  }

  std::string field(const FieldRef& ref) const {
    auto of = program_.nominals.find(ref.object->type);
    if (of == program_.nominals.end() || ref.index >= of->second.fields.size()) return std::to_string(ref.index);
    return of->second.fields[ref.index].name.str();
  }
  std::string case_name(TypeId type, uint32_t index) const {
    auto of = program_.nominals.find(type);
    return of == program_.nominals.end() || index >= of->second.cases.size() ? std::to_string(index) : of->second.cases[index].name.str();
  }

  std::string pattern(const Pattern* p) {
    if (!p) return "default";
    std::string items;
    for (Pattern* item : p->items) items += (items.empty() ? "" : ", ") + pattern(item);
    switch (p->kind) {
      case PatternKind::Wildcard: return "_";
      case PatternKind::Bind: return variable(p->variable) + (items.empty() ? "" : "=" + items);
      case PatternKind::Test: return "test(" + expr(p->test) + ")";
      case PatternKind::Case: return "." + case_name(p->type, p->case_index) + "(" + items + ")";
      case PatternKind::Type: return "is " + type(p->tested) + (items.empty() ? "" : " " + items);
      case PatternKind::Null: return "null";
      case PatternKind::NotNull: return "some(" + items + ")";
      case PatternKind::Tuple: return "(" + items + ")";
      case PatternKind::List: return "[" + items + "]";
      case PatternKind::Or: return "any(" + items + ")";
    }
    return "?";
  }

  std::string indent() const { return std::string(2 * level_, ' '); }
  void line(const std::string& text) { out_ += indent() + text + "\n"; }
  void block(Block stmts) {
    ++level_;
    if (stmts.empty()) line("pass");
    for (Stmt* s : stmts) stmt(s);
    --level_;
  }
  void labelled(const std::string& head, Block stmts) {
    line(head + ":");
    block(stmts);
  }

  void stmt(const Stmt* s) {
    if (depth_ >= MAX_DEPTH) return line("…");
    ++depth_;
    stmt_of(s);
    --depth_;
  }

  void stmt_of(const Stmt* s) {
    switch (s->kind) {
      case StmtKind::Expr: return line(expr(s->as<ExprStmt>()->value));
      case StmtKind::Assign: {
        auto* assign = s->as<Assign>();
        return line(expr(assign->target) + (assign->initializes ? " := " : " = ") + expr(assign->value));
      }
      case StmtKind::If:
        labelled("if " + expr(s->as<If>()->condition), s->as<If>()->then_body);
        if (!s->as<If>()->else_body.empty()) labelled("else", s->as<If>()->else_body);
        return;
      case StmtKind::Loop: {
        auto* loop = s->as<Loop>();
        labelled("loop " + std::to_string(loop->label) + (loop->condition ? " while " + expr(loop->condition) : ""), loop->body);
        if (!loop->step.empty()) labelled("step", loop->step);
        if (!loop->else_body.empty()) labelled("else", loop->else_body);
        return;
      }
      case StmtKind::Break: return line("break " + std::to_string(s->as<Break>()->label));
      case StmtKind::Continue: return line("continue " + std::to_string(s->as<Continue>()->label));
      case StmtKind::Return: return line(s->as<Return>()->value ? "return " + expr(s->as<Return>()->value) : "return");
      case StmtKind::Raise: return line("raise " + expr(s->as<Raise>()->value));
      case StmtKind::Try:
        labelled("try", s->as<Try>()->body);
        for (const CatchClause& clause : s->as<Try>()->catches) {
          std::string head = "catch";
          for (TypeId t : clause.types) head += " " + type(t);
          labelled(head + " as " + variable(clause.variable), clause.body);
        }
        if (!s->as<Try>()->else_body.empty()) labelled("else", s->as<Try>()->else_body);
        return;
      case StmtKind::Cleanup:
        labelled("with cleanup", s->as<Cleanup>()->body);
        return labelled("cleanup", s->as<Cleanup>()->cleanup);
      case StmtKind::Switch:
        line("switch " + variable(s->as<Switch>()->subject) + ":");
        ++level_;
        for (const SwitchCase& one : s->as<Switch>()->cases) labelled("case " + pattern(one.pattern) + (one.guard ? " if " + expr(one.guard) : ""), one.body);
        --level_;
        return;
      case StmtKind::Defer: return labelled("defer", s->as<Defer>()->body);
      case StmtKind::Drop: return line("drop " + expr(s->as<Drop>()->place));
      case StmtKind::Block: {
        std::string temps;
        for (VariableId v : s->as<BlockStmt>()->temps) temps += " " + variable(v);
        return labelled("block" + temps, s->as<BlockStmt>()->body);
      }
    }
  }

  const Program& program_;
  const types::TypeStore& types_;
  const Function* fn_ = nullptr;
  std::string out_;
  size_t level_ = 0;
  size_t depth_ = 0;
};

bool is_named(std::string_view full, std::string_view wanted) {
  if (wanted.empty() || full == wanted) return true;
  return full.size() > wanted.size() && full.ends_with(wanted) && full[full.size() - wanted.size() - 1] == '.';
}

}  // namespace

std::string print(const Program& program, const types::TypeStore& types, std::string_view function) {
  Printer printer(program, types);
  for (const Function& fn : program.functions)
    if (fn.has_body && is_named(fn.name, function)) printer.function(fn);
  return printer.take();
}

}  // namespace meteor::typed
