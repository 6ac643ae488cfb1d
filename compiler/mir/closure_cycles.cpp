#include "compiler/mir/closure_cycles.h"

#include <set>
#include <unordered_map>

#include "compiler/typed/walk.h"

namespace meteor::mir {

namespace {

using namespace typed;

using Warned = std::set<std::pair<uint32_t, uint32_t>>;   // file and place: one closure of a generic function may be many

// Seen through conversions and tests for null, which keep the reference.
const Expr* without_conversions(const Expr* e) {
  while (e) {
    if (const auto* convert = e->as<Convert>()) e = convert->operand;
    else if (const auto* unwrap = e->as<Unwrap>()) e = unwrap->operand;
    else break;
  }
  return e;
}

class Finder {
 public:
  Finder(const Program& program, const types::TypeStore& types, const Function& function, Warned& warned, diagnostics::Sink& sink)
      : program_(program), types_(types), f_(function), warned_(warned), sink_(sink) {}

  void run() {
    for (const Stmt* s : f_.body)
      walk(s, [&](const Stmt& stmt) { note_closure(stmt); }, [](const Expr&) {});
    for (const Stmt* s : f_.body)
      walk(s, [&](const Stmt& stmt) { if (const auto* assign = stmt.as<Assign>()) look_at(assign->target, assign->value); },
           [&](const Expr& expr) { if (const auto* call = expr.as<Call>()) look_at(*call); });
  }

 private:
  template <typename OnStmt, typename OnExpr>
  void walk(const Stmt* root, OnStmt&& on_stmt, OnExpr&& on_expr) {
    std::vector<const Stmt*> stmts{root};
    auto add_block = [&](Block block) { for (const Stmt* s : block) stmts.push_back(s); };
    auto look = [&](const Expr* e) {
      typed::any_inside(e, [&](const Expr& inner) { on_expr(inner); return false; }, [&](const Stmt& inner) { on_stmt(inner); return false; });
    };
    while (!stmts.empty()) {
      const Stmt* s = stmts.back();
      stmts.pop_back();
      on_stmt(*s);
      for_each_part(*s, look, add_block, [](const Pattern*) {});
    }
  }

  void note_closure(const Stmt& stmt) {
    const auto* assign = stmt.as<Assign>();
    const auto* variable = assign ? assign->target->as<VariableRef>() : nullptr;
    if (!variable) return;
    auto [entry, is_new] = closures_.emplace(variable->variable, without_conversions(assign->value));
    if (!is_new) entry->second = nullptr;   // one of several values
  }

  // The object in which a field, or a field of a field, is.
  const VariableRef* owner_of(const Expr* place) const {
    place = without_conversions(place);
    bool in_field = false;
    while (place) {
      const auto* field = place->as<FieldRef>();
      if (!field) break;
      in_field = true;
      place = without_conversions(field->object);
    }
    const auto* variable = place ? place->as<VariableRef>() : nullptr;
    if (!in_field || !variable) return nullptr;
    types::TypeId type = f_.variables[variable->variable.index].type;
    while (types_.kind(type) == types::Kind::Optional) type = types_.arg(type);
    return types_.kind(type) == types::Kind::Class ? variable : nullptr;
  }

  const MakeClosure* closure_in(const Expr* value) const {
    value = without_conversions(value);
    if (!value) return nullptr;
    if (const auto* variable = value->as<VariableRef>()) {
      auto found = closures_.find(variable->variable);
      value = found == closures_.end() ? nullptr : found->second;
    }
    return value ? value->as<MakeClosure>() : nullptr;
  }

  void look_at(const Expr* target, const Expr* value) {
    const VariableRef* owner = owner_of(target);
    const MakeClosure* closure = owner ? closure_in(value) : nullptr;
    if (!closure) return;
    for (const Expr* capture : closure->captures) {
      const auto* captured = without_conversions(capture)->as<VariableRef>();
      if (captured && captured->variable == owner->variable) return warn(*closure, target->span, f_.variables[owner->variable.index].name.str());
    }
  }

  // What goes into a collection in a field is stored there as well.
  void look_at(const Call& call) {
    if (call.call != typed::CallKind::Direct || call.args.size() < 2) return;
    const std::string& name = program_.functions[call.function.index].name;
    size_t dot = name.rfind('.');
    std::string_view method = dot == std::string::npos ? std::string_view() : std::string_view(name).substr(dot + 1);
    bool stores = method == "append" || method == "add" || method == "insert" || method == "__setitem__" || method == "push_back" || method == "push";
    if (!stores || types_.kind(call.args[0]->type) != types::Kind::Class) return;
    for (const Expr* arg : call.args.subspan(1)) look_at(call.args[0], arg);
  }

  void warn(const MakeClosure& closure, source::Span stored, const std::string& name) {
    if (!warned_.emplace(closure.span.file.index, closure.span.start).second) return;
    diagnostics::Diagnostic& d = sink_.report(diagnostics::Code::ClosureCycle, closure.span, "this closure is kept by an object that it keeps: neither is freed");
    d.label = "captures `" + name + "`";
    d.labels.push_back({stored, "and is stored here"});
    d.help = "capture only what it needs of `" + name + "`, reach it through a `weak` field, or clear the field when it is done with";
  }

  const Program& program_;
  const types::TypeStore& types_;
  const Function& f_;
  Warned& warned_;
  diagnostics::Sink& sink_;
  std::unordered_map<VariableId, const Expr*> closures_;   // variables with one value
};

}  // namespace

void warn_about_closure_cycles(const Program& program, const types::TypeStore& types, const std::function<bool(source::FileId)>& is_library, diagnostics::Sink& sink) {
  Warned warned;
  for (const Function& function : program.functions)
    if (function.span.valid() && !is_library(function.span.file)) Finder(program, types, function, warned, sink).run();
}

}  // namespace meteor::mir
