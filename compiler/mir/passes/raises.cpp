#include "compiler/mir/passes/raises.h"

#include <deque>

#include "compiler/mir/flow.h"

namespace meteor::mir {

namespace {

class RaiseInference {
 public:
  explicit RaiseInference(Program& program) : program_(program), raises_(program.functions.size()), callers_(program.functions.size()) {}

  void run() {
    for (const auto& [type, nominal] : program_.typed->nominals)
      if (nominal.base.valid()) subclasses_[nominal.base].push_back(type);
    std::deque<uint32_t> work;
    std::vector<bool> waiting(program_.functions.size(), true);
    for (uint32_t i = 0; i < program_.functions.size(); ++i) {
      const Function& function = program_.functions[i];
      raises_[i] = function.blocks.empty() && !(function.summary.known && !function.summary.raises) && !function.is_extern;
      find_callees(i);
      work.push_back(i);
    }
    while (!work.empty()) {
      uint32_t at = work.front();
      work.pop_front();
      waiting[at] = false;
      if (raises_[at] || !reaches_raise(program_.functions[at])) continue;
      raises_[at] = true;
      for (uint32_t caller : callers_[at])
        if (!raises_[caller] && !waiting[caller]) {
          waiting[caller] = true;
          work.push_back(caller);
        }
    }
    for (uint32_t i = 0; i < program_.functions.size(); ++i) {
      Function& function = program_.functions[i];
      function.summary = {raises_[i], true};
      for (Block& block : function.blocks)
        for (Inst& inst : block.insts)
          if (inst.on_error.valid() && !may_raise(inst)) {
            inst.on_error = {};
            inst.error = {};
          }
    }
  }

 private:
  // visit(function index) for each function the call may run; false when they are not known.
  template <typename F>
  bool for_each_callee(const Inst& inst, F&& visit) const {
    switch (inst.call) {
      case CallKind::Direct: visit(inst.function.index); return true;
      case CallKind::Intrinsic: return true;
      case CallKind::Value: return false;
      case CallKind::Dyn: {
        TypeId dyn = inst.args[0].type;
        for (const typed::TraitTable& table : program_.typed->trait_tables)
          if (program_.types->kind(dyn) == types::Kind::Dyn && table.trait == program_.types->arg(dyn)) {
            if (inst.index >= table.slots.size() || !table.slots[inst.index].valid()) return false;
            visit(table.slots[inst.index].index);
          }
        return true;
      }
      case CallKind::Virtual: {
        std::vector<TypeId> classes{inst.args[0].type};
        while (!classes.empty()) {
          TypeId type = classes.back();
          classes.pop_back();
          auto found = program_.typed->nominals.find(type);
          if (found == program_.typed->nominals.end() || inst.index >= found->second.vtable.size() || !found->second.vtable[inst.index].valid()) return false;
          visit(found->second.vtable[inst.index].index);
          if (auto below = subclasses_.find(type); below != subclasses_.end()) classes.insert(classes.end(), below->second.begin(), below->second.end());
        }
        return true;
      }
    }
    return false;
  }

  bool may_raise(const Inst& inst) const {
    if (inst.op != Op::Call) return true;
    bool any = false;
    bool known = for_each_callee(inst, [&](uint32_t callee) { any |= raises_[callee]; });
    return any || !known;
  }

  void find_callees(uint32_t caller) {
    for (const Block& block : program_.functions[caller].blocks)
      for (const Inst& inst : block.insts)
        if (inst.op == Op::Call && inst.on_error.valid())
          for_each_callee(inst, [&](uint32_t callee) {
            if (callers_[callee].empty() || callers_[callee].back() != caller) callers_[callee].push_back(caller);
          });
  }

  bool reaches_raise(const Function& function) const {
    ExecutableBlocks executable(function, [&](const Inst& inst) { return may_raise(inst); });
    for (uint32_t i = 0; i < function.blocks.size(); ++i)
      if (function.blocks[i].terminator.kind == TerminatorKind::Raise && executable.has(BlockId(i))) return true;
    return false;
  }

  Program& program_;
  std::vector<bool> raises_;
  std::vector<std::vector<uint32_t>> callers_;
  std::unordered_map<TypeId, std::vector<TypeId>> subclasses_;
};

}  // namespace

void infer_raises(Program& program, const TypeFacts&) { RaiseInference(program).run(); }

}  // namespace meteor::mir
