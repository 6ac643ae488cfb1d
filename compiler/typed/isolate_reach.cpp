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
    if (uses_.empty()) return;
    for (const IsolateReach::Entry& entry : c_.reach.entries) {
      FunctionId function = entry.function.valid() ? entry.function : function_of(entry);
      if (function.valid()) search(function, entry.span);
    }
  }

 private:
  // A function that stands there, or a variable that is assigned once and holds one.
  FunctionId function_of(const IsolateReach::Entry& entry) {
    const Expr* value = entry.value;
    if (auto* variable = value->as<VariableRef>()) {
      value = nullptr;
      int count = 0;
      for (const IsolateReach::Assigned& one : c_.reach.assigned)
        if (one.function == entry.maker && one.variable == variable->variable) {
          value = one.value;
          ++count;
        }
      if (count != 1) return {};
    }
    auto* closure = value->as<MakeClosure>();
    return closure ? closure->function : FunctionId();
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
  std::unordered_map<uint32_t, const IsolateReach::Call*> came_by_;  // of the search under way
  std::set<std::pair<uint32_t, uint32_t>> reported_;
};

}  // namespace

void check_isolate_reach(Checker& c) { ReachSearch(c).run(); }

}  // namespace meteor::typed
