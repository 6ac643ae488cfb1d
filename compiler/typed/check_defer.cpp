// defer: its statement runs when the function ends, with the variables as they are then. So what it reads must have a value
// on every way from there to the end of the function, those of errors included.
#include <algorithm>

#include "compiler/typed/body.h"
#include "compiler/typed/scan_names.h"

namespace meteor::typed {

namespace {

// Making the value calls nothing.
bool is_made_silently(BodyChecker& b, ast::Expr* value) {
  using ast::ExprKind;
  constexpr ExprKind SILENT[] = {ExprKind::Int, ExprKind::Float, ExprKind::Bool, ExprKind::Null, ExprKind::Str, ExprKind::Bytes, ExprKind::Duration, ExprKind::List, ExprKind::Tuple};
  bool is_silent = true;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* e) {
    auto* name = e->as<ast::NameExpr>();
    is_silent &= name ? b.find_local(name->name).kind == BindingKind::Variable : std::ranges::find(SILENT, e->kind) != std::end(SILENT);
  };
  visitor.visit(value);
  return is_silent;
}

bool are_names(std::span<ast::Expr*> targets) {
  return std::ranges::all_of(targets, [](ast::Expr* target) { return target->kind == ast::ExprKind::Name; });
}

bool can_raise(BodyChecker& b, ast::Stmt* stmt) {
  using ast::StmtKind;
  switch (stmt->kind) {
    case StmtKind::Error: case StmtKind::Pass: case StmtKind::Global: case StmtKind::Nonlocal: case StmtKind::Break: case StmtKind::Continue: return false;
    case StmtKind::Del: return !are_names(stmt->as<ast::DelStmt>()->targets);
    case StmtKind::Assign: {
      auto* assign = stmt->as<ast::AssignStmt>();
      return !are_names(assign->targets) || !is_made_silently(b, assign->value);
    }
    default: return true;
  }
}

}  // namespace

void BodyChecker::add_reads(Flow& target, ast::Block deferred) {
  std::unordered_set<const NestedFunction*> entered;
  TreeVisitor visitor;
  visitor.on_expr = [&](ast::Expr* expr) {
    auto* name = expr->as<ast::NameExpr>();
    Binding binding = name ? find_local(name->name) : Binding();
    if (binding.kind == BindingKind::Variable && binding.variable.valid()) target.deferred.emplace(binding.variable.index, expr->span);
    if (binding.kind == BindingKind::Nested && entered.insert(binding.nested).second) visitor.visit(binding.nested->decl->body);
  };
  visitor.visit(deferred);
}

void BodyChecker::add_deferred(Flow& target, ast::Block body) {
  TreeVisitor visitor;
  visitor.into_functions = false;
  visitor.on_stmt = [&](ast::Stmt* stmt) {
    if (auto* later = stmt->as<ast::DeferStmt>()) add_reads(target, later->body);
  };
  visitor.visit(body);
}

void BodyChecker::report_deleted(VariableId deleted, Span read, Span at) {
  Diagnostic& d = c.error(Code::UnassignedVariable, read, "`" + var(deleted).name.str() + "` may not have been assigned when this runs");
  d.label = "read when the function ends";
  d.labels.push_back({at, "deleted here"});
  d.help = "leave out the `del`, or assign `" + var(deleted).name.str() + "` again before anything that can raise an error";
}

void BodyChecker::refuse_deleted_before(ast::Stmt* next) {
  if (!flow.reachable || flow.lost.empty() || (next && !can_raise(*this, next))) return;
  for (auto& [index, at] : flow.lost)
    if (!flow.moved.contains(index) && told_lost_.insert(index).second) report_deleted(VariableId(index), flow.deferred.at(index), at);
}

// The last one runs first. In a loop every pass adds one, so each runs after others of its own kind.
void BodyChecker::refuse_taken_by_defer(ast::DeferStmt* stmt, size_t moves_before) {
  Flow after = after_part_of(flow, moves_before, stmt->body);
  for (uint32_t i = 0; i < flow.assigned.size(); ++i) {
    VariableId v(i);
    auto moved = after.moved.find(i);
    bool is_moved = moved != after.moved.end() && !flow.moved.contains(i);
    if (!flow.assigned[i] || (!is_moved && after.is_assigned(v))) continue;
    auto read = flow.deferred.find(i);
    if (loop_depth_ > 0 && is_moved) report_moved_in_loop(var(v).name, moved->second);
    else if (read == flow.deferred.end() && loop_depth_ == 0) continue;
    else if (is_moved) report_use_after_move(var(v).name, read->second, moved->second);
    else report_deleted(v, read == flow.deferred.end() ? stmt->span : read->second, stmt->span);
  }
}

void BodyChecker::check_deferred_reads() {
  // A module variable that is moved anywhere may be gone when the module's `defer` runs.
  if (is_module_body && std::ranges::any_of(moves_, [](const Move& move) { return move.global.valid(); })) {
    TreeVisitor defers, reads;
    defers.into_functions = false;
    reads.on_expr = [&](ast::Expr* expr) {
      auto* name = expr->as<ast::NameExpr>();
      Symbol symbol = name && find_local(name->name).kind == BindingKind::None ? find_symbol(name->name) : Symbol();
      if (symbol.kind != SymbolKind::Global) return;
      auto moved = std::ranges::find(moves_, symbol.global->id, &Move::global);
      if (moved != moves_.end()) report_use_after_move(name->name, expr->span, moved->span);
    };
    defers.on_stmt = [&](ast::Stmt* stmt) {
      if (auto* later = stmt->as<ast::DeferStmt>()) reads.visit(later->body);
    };
    for (ast::Module* tree : module->trees) defers.visit(tree->body);
  }
  if (!flow.reachable) return;
  for (auto& [index, at] : flow.lost) {
    if (!told_lost_.insert(index).second) continue;
    VariableId v(index);
    Span read = flow.deferred.at(index);
    if (flow.moved.contains(index)) report_use_after_move(var(v).name, read, at);
    else report_deleted(v, read, at);
  }
  flow.lost.clear();
}

void BodyChecker::check_defer(ast::DeferStmt* stmt) {
  auto* out = make_stmt<Defer>(stmt->span);
  Flow before = flow;
  size_t moves_before = moves_.size();
  // It runs when the function ends: what is known of variables that the function assigns elsewhere does not hold then.
  flow.assigned_globals.clear();
  std::erase_if(flow.narrowed, [&](const auto& fact) {
    if (fact.first[0] != 'v') return true;
    VariableId v(static_cast<uint32_t>(std::strtoul(fact.first.c_str() + 1, nullptr, 10)));
    auto use = name_uses_.find(var(v).name);
    uint32_t sites = use == name_uses_.end() ? 0 : use->second.sites;
    bool reassigned = sites > (var(v).kind == VariableKind::Param ? 0u : 1u) || (use != name_uses_.end() && use->second.in_loop && sites > 0) || (use != name_uses_.end() && use->second.by_call);
    return reassigned || fact.first.find('.') != PlaceKey::npos;
  });
  // A module variable that has a value here may be read; whether it still has one is asked then, if it can lose it.
  for (uint32_t i = 0; i < before.assigned_globals.size(); ++i)
    if (before.assigned_globals[i]) flow.know("?g" + std::to_string(i), types.bool_);
  std::vector<LoopContext> loops = std::move(loops_);
  std::vector<VariableId> catches = std::move(catch_variables_);
  loops_.clear();
  catch_variables_.clear();
  bool outer = in_defer_;
  in_defer_ = true;
  out->body = collect([&] { emit_cleanup(stmt->body, stmt->span); });
  in_defer_ = outer;
  loops_ = std::move(loops);
  catch_variables_ = std::move(catches);
  flow = std::move(before);
  refuse_taken_by_defer(stmt, moves_before);
  add_reads(flow, stmt->body);
  emit(out);
}

}  // namespace meteor::typed
