#include "compiler/mir/elsewhere.h"

#include <algorithm>
#include <string_view>

#include "compiler/mir/call_targets.h"

namespace meteor::mir {

namespace {

class Reach {
 public:
  explicit Reach(const Program& program) : program_(program), reached_(program.functions.size()), targets_(program) {}

  std::vector<bool> run() {
    add_roots();
    while (!open_.empty()) {
      const Function& function = program_.functions[open_.back()];
      open_.pop_back();
      for (const Block& block : function.blocks)
        for (const Inst& inst : block.insts) follow(inst);
    }
    return std::move(reached_);
  }

 private:
  void add(FunctionId function) {
    if (!function.valid() || reached_[function.index]) return;
    reached_[function.index] = true;
    open_.push_back(function.index);
  }

  // Where the runtime enters emitted code. An object that has moved dies where it is then, so every `__del__` is among
  // these.
  void add_roots() {
    const typed::RuntimeHooks& hooks = program_.typed->hooks;
#define HOOK(name) add(hooks.name);
#include "compiler/typed/hooks.def"
#undef HOOK
    for (const auto& [type, nominal] : program_.typed->nominals) add(nominal.del);
  }

  void follow(const Inst& inst) {
    if (inst.op == Op::MakeClosure) return;  // who calls it reaches it
    add(inst.function);
    if (inst.op != Op::Call) return;
    for (FunctionId function : targets_.of(inst)) add(function);
  }

  const Program& program_;
  std::vector<bool> reached_;
  std::vector<uint32_t> open_;
  CallTargets targets_;
};

}  // namespace

bool has_other_isolates(const typed::Program& program) {
  static constexpr std::string_view STARTERS[] = {"met_isolate_start", "met_pool_submit"};
  return std::ranges::any_of(program.functions, [](const typed::Function& f) {
    return f.is_extern && std::ranges::find(STARTERS, f.symbol) != std::end(STARTERS);
  });
}

std::vector<bool> find_run_elsewhere(const Program& program) { return Reach(program).run(); }

}  // namespace meteor::mir
