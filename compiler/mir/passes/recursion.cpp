// Tarjan's strongly connected components, with a stack of its own: call chains may be as long as the program.
#include "compiler/mir/passes/recursion.h"

#include <algorithm>

#include "compiler/mir/call_targets.h"

namespace meteor::mir {

namespace {

class Components {
 public:
  explicit Components(const Program& program) : calls_(program.functions.size()), number_(program.functions.size(), NONE), low_(program.functions.size()), is_open_(program.functions.size()), recursive_(program.functions.size()) {
    CallTargets targets(program);
    for (const Function& function : program.functions)
      for (const Block& block : function.blocks)
        for (const Inst& inst : block.insts) {
          std::vector<uint32_t>& calls = calls_[function.id.index];
          bool is_table = inst.op == Op::Call && (inst.call == CallKind::Virtual || inst.call == CallKind::Dyn);
          bool is_direct = inst.op == Op::Await || (inst.op == Op::Call && inst.call == CallKind::Direct);
          bool is_unknown = inst.op == Op::RunFrame || inst.op == Op::ResumeGenerator || (inst.op == Op::Call && inst.call == CallKind::Value);
          if (is_direct) calls.push_back(inst.function.index);
          if (is_table)
            for (FunctionId target : targets.of(inst)) calls.push_back(target.index);
          if (is_unknown) recursive_[function.id.index] = true;
        }
  }

  std::vector<bool> run() {
    for (uint32_t i = 0; i < calls_.size(); ++i)
      if (number_[i] == NONE) visit(i);
    return std::move(recursive_);
  }

 private:
  struct Step { uint32_t function; size_t next_call; };

  void visit(uint32_t root) {
    std::vector<Step> path;
    enter(path, root);
    while (!path.empty()) {
      Step& step = path.back();
      uint32_t at = step.function;
      if (step.next_call == calls_[at].size()) {
        path.pop_back();
        if (!path.empty()) low_[path.back().function] = std::min(low_[path.back().function], low_[at]);
        if (low_[at] == number_[at]) close(at);
        continue;
      }
      uint32_t callee = calls_[at][step.next_call++];
      if (callee == at) recursive_[at] = true;
      if (number_[callee] == NONE) enter(path, callee);
      else if (is_open_[callee]) low_[at] = std::min(low_[at], number_[callee]);
    }
  }

  void enter(std::vector<Step>& path, uint32_t function) {
    number_[function] = low_[function] = count_++;
    is_open_[function] = true;
    open_.push_back(function);
    path.push_back({function, 0});
  }

  void close(uint32_t first) {
    bool has_several = open_.back() != first;
    for (bool more = true; more;) {
      uint32_t member = open_.back();
      open_.pop_back();
      is_open_[member] = false;
      if (has_several) recursive_[member] = true;
      more = member != first;
    }
  }

  static constexpr uint32_t NONE = UINT32_MAX;
  std::vector<std::vector<uint32_t>> calls_;
  std::vector<uint32_t> number_, low_;
  std::vector<bool> is_open_, recursive_;
  std::vector<uint32_t> open_;
  uint32_t count_ = 0;
};

}  // namespace

std::vector<bool> find_recursive(const Program& program) { return Components(program).run(); }

}  // namespace meteor::mir
