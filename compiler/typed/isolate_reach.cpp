#include "compiler/typed/isolate_reach.h"

#include <map>
#include <set>
#include <unordered_map>

#include "compiler/typed/checker.h"
#include "compiler/typed/program_check.h"

namespace meteor::typed {

namespace {

class ReachSearch {
 public:
  explicit ReachSearch(Checker& checker) : c_(checker) {
    for (const IsolateReach::Call& call : c_.reach.calls) calls_.emplace(call.caller.index, &call);
    for (const IsolateReach::Use& use : c_.reach.uses)
      if (!use.global->is_const && !use.global->is_local) uses_.emplace(use.function.index, &use);
  }

  void run() {
    if (uses_.empty() || c_.reach.entries.empty()) return;
    for (const IsolateReach::Assigned& one : c_.reach.assigned)
      assigned_.emplace(std::pair(one.function.index, one.variable.index), one.value);
    for (const IsolateReach::Entry& entry : c_.reach.entries) {
      found_.clear();
      if (entry.function.valid())
        found_.push_back(entry.function);
      else
        add_functions(entry.value, entry.maker, 0);
      for (FunctionId function : found_) search(function, entry.span);
    }
  }

 private:
  // Functions that go along: one that stands there or in a literal, what a variable holds that is assigned once, and
  // those captured by such a function.
  void add_functions(const Expr* value, FunctionId maker, int depth) {
    constexpr int DEPTH_MAX = 16;
    if (!value || depth > DEPTH_MAX) return;
    auto add = [&](const Expr* part) { add_functions(part, maker, depth + 1); };
    switch (value->kind) {
      case ExprKind::Variable: return add(find_only_value(maker, value->as<VariableRef>()->variable));
      case ExprKind::MakeClosure:
        if (value->as<MakeClosure>()->function.valid()) found_.push_back(value->as<MakeClosure>()->function);
        for (const Expr* capture : value->as<MakeClosure>()->captures) add(capture);
        return;
      case ExprKind::Convert: return add(value->as<Convert>()->operand);
      case ExprKind::Unwrap: return add(value->as<Unwrap>()->operand);
      case ExprKind::MakeTuple:
        for (const Expr* item : value->as<MakeTuple>()->items) add(item);
        return;
      case ExprKind::MakeEnum:
        for (const Expr* arg : value->as<MakeEnum>()->args) add(arg);
        return;
      case ExprKind::New:
        for (const Expr* field : value->as<New>()->fields) add(field);
        return;
      case ExprKind::Ternary: add(value->as<Ternary>()->then_value); return add(value->as<Ternary>()->else_value);
      case ExprKind::Seq:
        if (auto* made = value->as<Seq>()->value->as<VariableRef>())
          add_elements(value->as<Seq>()->stmts, made->variable, maker, depth + 1);
        return add(value->as<Seq>()->value);
      default: return;
    }
  }

  // What a literal or a comprehension puts into the collection it makes.
  void add_elements(Block block, VariableId collection, FunctionId maker, int depth) {
    for (const Stmt* stmt : block) {
      if (auto* inner = stmt->as<BlockStmt>()) add_elements(inner->body, collection, maker, depth);
      if (auto* loop = stmt->as<Loop>()) add_elements(loop->body, collection, maker, depth);
      if (auto* test = stmt->as<If>()) add_elements(test->then_body, collection, maker, depth);
      auto* statement = stmt->as<ExprStmt>();
      auto* call = statement ? statement->value->as<typed::Call>() : nullptr;
      auto* object = call && !call->args.empty() ? call->args[0]->as<VariableRef>() : nullptr;
      if (!object || object->variable != collection) continue;
      for (const Expr* arg : call->args.subspan(1)) add_functions(arg, maker, depth);
    }
  }

  const Expr* find_only_value(FunctionId function, VariableId variable) const {
    auto [at, end] = assigned_.equal_range({function.index, variable.index});
    return at != end && std::next(at) == end ? at->second : nullptr;
  }

  void search(FunctionId entry, Span started_at) {
    came_by_.clear();
    came_by_[entry.index] = nullptr;
    std::vector<uint32_t> open{entry.index};
    for (size_t i = 0; i < open.size(); ++i) {  // breadth first: the shortest way is told
      uint32_t function = open[i];
      for (auto [at, end] = uses_.equal_range(function); at != end; ++at) report(*at->second, started_at);
      for (auto [at, end] = calls_.equal_range(function); at != end; ++at)
        if (came_by_.emplace(at->second->callee.index, at->second).second) open.push_back(at->second->callee.index);
    }
  }

  void report(const IsolateReach::Use& use, Span started_at) {
    if (!reported_.emplace(use.span.file.index, use.span.start).second) return;
    auto& d = c_.error(
        Code::ForeignVariable, use.span,
        "`" + use.global->name.str() + "` belongs to the isolate that ran the module, and this runs in another");
    d.labels.push_back({started_at, "started here"});
    add_path(d, use.function, started_at);
    d.labels.push_back({use.global->span, "the module's variable"});
    d.help = "pass it as an argument, make it a `const`, or a `local`, of which every isolate has its own";
  }

  void add_path(Diagnostic& d, FunctionId function, Span started_at) {
    constexpr size_t STEPS_MAX = 6;
    std::vector<const IsolateReach::Call*> path;
    for (const IsolateReach::Call* call = came_by_.at(function.index); call; call = came_by_.at(call->caller.index))
      path.push_back(call);
    size_t shown = 0;
    for (size_t i = path.size(); i-- > 0 && shown < STEPS_MAX;) {
      Span span = path[i]->span;
      bool is_start = span.file == started_at.file && span.start >= started_at.start && span.end <= started_at.end;
      if (!span.valid() || is_start || c_.is_of_library(span)) continue;
      const Function& callee = c_.program.functions[path[i]->callee.index];
      d.labels.push_back({span, callee.is_closure ? "by this function" : "`" + callee.name + "` is called here"});
      ++shown;
    }
  }

  Checker& c_;
  std::multimap<uint32_t, const IsolateReach::Call*> calls_;
  std::multimap<uint32_t, const IsolateReach::Use*> uses_;
  std::multimap<std::pair<uint32_t, uint32_t>, const Expr*> assigned_;  // by function and variable
  std::vector<FunctionId> found_;                                       // of the entry under way
  std::unordered_map<uint32_t, const IsolateReach::Call*> came_by_;     // of the search under way
  std::set<std::pair<uint32_t, uint32_t>> reported_;
};

}  // namespace

void check_isolate_reach(Checker& c) { ReachSearch(c).run(); }

}  // namespace meteor::typed
