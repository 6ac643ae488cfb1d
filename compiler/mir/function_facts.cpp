#include "compiler/mir/function_facts.h"

#include "compiler/typed/walk.h"

namespace meteor::mir {

using namespace typed;

namespace {

class Collector {
 public:
  Collector(const typed::Function& function, const types::TypeStore& types) : function_(function), types_(types) {
    size_t count = function.variables.size();
    facts_.assigned.resize(count);
    facts_.scoped.resize(count);
    facts_.zeroed.resize(count);
    facts_.stands_for_place.resize(count);
    scope_depth_.resize(count);
  }

  FunctionFacts run() {
    visit(function_.body);
    return std::move(facts_);
  }

 private:
  void assigned(VariableId id) {
    if (!id.valid()) return;
    facts_.assigned[id.index] = true;
    if (cleanup_depth_ > scope_depth_[id.index]) facts_.zeroed[id.index] = true;
  }

  void scope(VariableId id) {
    facts_.scoped[id.index] = true;
    scope_depth_[id.index] = cleanup_depth_;
  }

  void visit(Block block) {
    for (const Stmt* stmt : block) visit(*stmt);
  }

  void visit(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::Assign: {
        const Assign& assign = *stmt.as<Assign>();
        const auto* direct = assign.target->as<VariableRef>();
        if (direct && seq_ && function_.variables[direct->variable.index].kind == VariableKind::Temp && !facts_.scoped[direct->variable.index]) {
          scope(direct->variable);
          scope_depth_[direct->variable.index] = seq_cleanup_depth_;
          facts_.seq_temps[seq_].push_back(direct->variable);
        }
        assigned(root_variable(assign.target, types_));
        break;
      }
      case StmtKind::Drop: assigned(root_variable(stmt.as<Drop>()->place, types_)); break;
      case StmtKind::Block:
        for (VariableId temp : stmt.as<BlockStmt>()->temps) scope(temp);
        break;
      case StmtKind::Try:
        for (const CatchClause& clause : stmt.as<Try>()->catches) assigned(clause.variable);
        break;
      case StmtKind::Return:
        if (cleanup_depth_ > 0) facts_.returns_through_cleanup = true;
        break;
      case StmtKind::Cleanup: {
        const Cleanup& cleanup = *stmt.as<Cleanup>();
        assigned(cleanup.error);
        ++cleanup_depth_;
        visit(cleanup.body);
        --cleanup_depth_;
        visit(cleanup.cleanup);
        return;
      }
      case StmtKind::Defer:
        facts_.defers.push_back(stmt.as<Defer>());
        if (loop_depth_ > 0) facts_.defer_in_loop = true;
        visit_defer(stmt.as<Defer>()->body);
        return;
      default: break;
    }
    bool loops = stmt.kind == StmtKind::Loop;
    loop_depth_ += loops;
    for_each_part(stmt, [&](const Expr* e) { visit(e); }, [&](Block b) { visit(b); }, [&](const Pattern* p) { visit(*p); });
    loop_depth_ -= loops;
  }

  void visit_defer(Block body) {
    bool outer = in_defer_;
    in_defer_ = true;
    visit(body);
    in_defer_ = outer;
  }

  void visit(const Pattern& pattern) {
    if (pattern.kind == PatternKind::Bind) assigned(pattern.variable);
    if (pattern.subject.valid()) facts_.stands_for_place[pattern.subject.index] = true;
    if (pattern.test) visit(pattern.test);
    if (pattern.length_test) visit(pattern.length_test);
    for (const Expr* element : pattern.elements) visit(element);
    for (const Pattern* item : pattern.items) visit(*item);
  }

  void visit(const Expr* e) {
    // Long chains of operators lean to the left: follow that side in the loop.
    while (e) {
      const Expr* next = nullptr;
      if (const auto* ref = e->as<RefTo>()) assigned(root_variable(ref->place, types_));
      if (const auto* variable = e->as<VariableRef>(); variable && in_defer_) facts_.zeroed[variable->variable.index] = true;
      if (const auto* seq = e->as<Seq>()) {
        const Seq* outer = seq_;
        uint32_t outer_depth = seq_cleanup_depth_;
        seq_ = seq;
        seq_cleanup_depth_ = cleanup_depth_;
        visit(seq->stmts);
        seq_ = outer;
        seq_cleanup_depth_ = outer_depth;
      }
      for_each_operand(*e, [&](const Expr* part) {
        if (!next) next = part;
        else visit(part);
      });
      e = next;
    }
  }

  const typed::Function& function_;
  const types::TypeStore& types_;
  FunctionFacts facts_;
  std::vector<uint32_t> scope_depth_;   // per variable: how many cleanup bodies are around its declaration
  const Seq* seq_ = nullptr;
  uint32_t seq_cleanup_depth_ = 0;
  uint32_t cleanup_depth_ = 0;
  uint32_t loop_depth_ = 0;
  bool in_defer_ = false;
};

}  // namespace

FunctionFacts collect_facts(const typed::Function& function, const types::TypeStore& types) {
  return Collector(function, types).run();
}

VariableId root_variable(const Expr* place, const types::TypeStore& types) {
  while (true) {
    switch (place->kind) {
      case ExprKind::Variable: return place->as<VariableRef>()->variable;
      case ExprKind::Field: {
        const Expr* object = place->as<FieldRef>()->object;
        types::Kind kind = types.kind(object->type);
        if (kind != types::Kind::Struct && kind != types::Kind::Tuple) return {};
        place = object;
        break;
      }
      case ExprKind::Unwrap: place = place->as<Unwrap>()->operand; break;
      case ExprKind::Convert: place = place->as<Convert>()->operand; break;
      case ExprKind::Seq: place = place->as<Seq>()->value; break;
      default: return {};
    }
  }
}

}  // namespace meteor::mir
