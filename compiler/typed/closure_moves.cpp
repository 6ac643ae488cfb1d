#include "compiler/typed/closure_moves.h"

#include <optional>

namespace meteor::typed {

namespace {

using Closures = std::set<const Expr*>;

void add_functions_of(BodyChecker& b, Expr* value, Closures& out) {
  auto add_all = [&](const std::map<uint32_t, Closures>& held, uint32_t index) {
    if (auto found = held.find(index); found != held.end()) out.insert(found->second.begin(), found->second.end());
  };
  if (value->kind == ExprKind::MakeClosure) out.insert(value);
  if (auto* convert = value->as<Convert>()) add_functions_of(b, convert->operand, out);
  if (auto* ref = value->as<VariableRef>()) add_all(b.flow.functions, ref->variable.index);
  if (auto* ref = value->as<GlobalRef>()) add_all(b.flow.global_functions, ref->global.index);
}

bool anything_moved(const BodyChecker& b) {
  return b.flow.reachable && (!b.flow.moved.empty() || !b.flow.moved_globals.empty());
}

struct Moved {
  Name name;
  Span at;
};

class UseSearch {
 public:
  UseSearch(BodyChecker& reader, const FunctionUse& use, const std::map<const Expr*, BodyChecker*>& bodies)
      : reader_(reader), use_(use), bodies_(bodies) {}

  std::optional<Moved> run() {
    if (use_.closure) visit(use_.closure, {});
    else if (use_.variable.valid()) visit_held(use_.flow.functions, use_.variable.index, reader_.var(use_.variable).name, {});
    else visit_held(use_.flow.global_functions, use_.global.index, use_.name, {});
    return found_;
  }

 private:
  // What other functions assign is not followed: nobody knows what it is by then.
  bool is_assigned_elsewhere(Name name) {
    auto use = reader_.name_uses_.find(name);
    if (use != reader_.name_uses_.end() && (use->second.by_closure || use->second.by_call)) return true;
    return reader_.is_module_body && reader_.c.written_names().globals.contains(name);
  }

  void visit_held(const std::map<uint32_t, Closures>& held, uint32_t index, Name name, const std::unordered_map<uint32_t, Span>& told) {
    auto functions = held.find(index);
    if (functions == held.end() || is_assigned_elsewhere(name)) return;
    for (const Expr* closure : functions->second) visit(closure, told);
  }

  // `told`: what had been moved when a function on the way was made, which is reported there.
  void visit(const Expr* closure, const std::unordered_map<uint32_t, Span>& told) {
    auto body = bodies_.find(closure);
    if (found_ || body == bodies_.end() || body->second->parent != &reader_ || !entered_.insert(closure).second) return;
    BodyChecker& inside = *body->second;
    bool is_made_here = use_.is_creation && closure == use_.closure;
    std::unordered_map<uint32_t, Span> told_inside = told;
    if (!is_made_here) told_inside.insert(inside.outer_flow_.moved.begin(), inside.outer_flow_.moved.end());
    for (VariableId capture : inside.fn.captures) look_at(inside, capture, is_made_here, told_inside);
    look_at_globals(inside);
  }

  void look_at(BodyChecker& inside, VariableId capture, bool is_made_here, const std::unordered_map<uint32_t, Span>& told) {
    VariableId v = inside.facts(capture).outer;
    const Variable& variable = reader_.var(v);
    auto moved = use_.flow.moved.find(v.index);
    bool is_shared = inside.var(capture).boxed;
    bool is_told = is_shared ? is_made_here : inside.facts(capture).told_moved || told.contains(v.index);
    if (moved != use_.flow.moved.end() && !is_told && variable.kind != VariableKind::Capture && !is_assigned_elsewhere(variable.name))
      found_ = {variable.name, moved->second};
    visit_held(use_.flow.functions, v.index, variable.name, told);
  }

  void look_at_globals(BodyChecker& inside) {
    if (found_ || use_.is_creation || use_.flow.moved_globals.empty()) return;
    for (const IsolateReach::Use& one : reader_.c.reach.uses) {
      auto moved = one.function == inside.fn.id ? use_.flow.moved_globals.find(one.global->id.index) : use_.flow.moved_globals.end();
      if (moved == use_.flow.moved_globals.end() || is_assigned_elsewhere(one.global->name)) continue;
      found_ = {one.global->name, moved->second};
      return;
    }
    for (auto& closure : inside.closures_) look_at_globals(*closure);
  }

  BodyChecker& reader_;
  const FunctionUse& use_;
  const std::map<const Expr*, BodyChecker*>& bodies_;
  std::set<const Expr*> entered_;
  std::optional<Moved> found_;
};

void refuse_uses_in(BodyChecker& b, const std::map<const Expr*, BodyChecker*>& bodies) {
  for (const FunctionUse& use : b.function_uses_) {
    std::optional<Moved> moved = UseSearch(b, use, bodies).run();
    if (!moved) continue;
    Diagnostic& d = b.report_use_after_move(moved->name, use.span, moved->at);
    d.label = (use.name ? "`" + use.name.str() + "`" : std::string("this function")) + " uses it";
  }
  b.function_uses_.clear();
  for (auto& closure : b.closures_) refuse_uses_in(*closure, bodies);
  for (NestedFunction& nested : b.nested_)
    if (nested.body) refuse_uses_in(*nested.body, bodies);
}

}  // namespace

void note_functions_held(BodyChecker& b, Expr* target, Expr* value) {
  auto* variable = target->as<VariableRef>();
  auto* global = target->as<GlobalRef>();
  if (!variable && !global) return;
  Closures functions;
  add_functions_of(b, value, functions);
  auto& held = variable ? b.flow.functions : b.flow.global_functions;
  uint32_t index = variable ? variable->variable.index : global->global.index;
  if (functions.empty()) held.erase(index);
  else held[index] = std::move(functions);
}

void note_function_read(BodyChecker& b, Expr* place) {
  if (!anything_moved(b)) return;
  FunctionUse use;
  if (auto* variable = place->as<VariableRef>(); variable && b.flow.functions.contains(variable->variable.index)) {
    use.variable = variable->variable;
    use.name = b.var(variable->variable).name;
  } else if (auto* global = place->as<GlobalRef>(); global && b.flow.global_functions.contains(global->global.index)) {
    use.global = global->global;
    use.name = b.c.global_of(global->global)->name;
  } else {
    return;
  }
  use.span = place->span;
  use.flow = b.flow;
  b.function_uses_.push_back(std::move(use));
}

void note_function_used(BodyChecker& b, const MakeClosure* closure, Name name, Span span) {
  if (!anything_moved(b)) return;
  FunctionUse use;
  use.closure = closure;
  use.name = name;
  use.span = span;
  use.flow = b.flow;
  b.function_uses_.push_back(std::move(use));
}

void note_lambda_made(BodyChecker& b, const MakeClosure* closure) {
  if (!anything_moved(b)) return;
  note_function_used(b, closure, {}, closure->span);
  b.function_uses_.back().is_creation = true;
}

void refuse_uses_after_moves(BodyChecker& root, const std::vector<std::tuple<MakeClosure*, BodyChecker*, BodyChecker*>>& closures) {
  std::map<const Expr*, BodyChecker*> bodies;
  for (const auto& [closure, user, body] : closures) bodies.emplace(closure, body);
  refuse_uses_in(root, bodies);
}

}  // namespace meteor::typed
