#include "compiler/mir/elsewhere.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

namespace meteor::mir {

using types::Kind;

namespace {

class Reach {
 public:
  explicit Reach(const Program& program) : program_(program), reached_(program.functions.size()) {}

  std::vector<bool> run() {
    find_function_values();
    for (const auto& [type, nominal] : program_.typed->nominals)
      if (nominal.base.valid()) subclasses_[nominal.base].push_back(type);
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

  // A function value may have been made anywhere: calls reach all of their type.
  void find_function_values() {
    for (const Function& function : program_.functions)
      for (const Block& block : function.blocks)
        for (const Inst& inst : block.insts)
          if (inst.op == Op::MakeClosure)
            values_[signature(function.local(inst.dst.local).type)].push_back(inst.function);
  }

  void follow(const Inst& inst) {
    if (inst.op == Op::MakeClosure) return;  // who calls it reaches it
    add(inst.function);
    if (inst.op != Op::Call) return;
    switch (inst.call) {
      case CallKind::Direct:
      case CallKind::Intrinsic: return;
      case CallKind::Value:
        for (FunctionId function : values_[signature(inst.args[0].type)]) add(function);
        return;
      case CallKind::Dyn: return follow_dyn(inst);
      case CallKind::Virtual: return follow_virtual(inst);
    }
  }

  void follow_dyn(const Inst& inst) {
    TypeId trait = bare(program_.types->arg(bare(inst.args[0].type)));
    for (const typed::TraitTable& table : program_.typed->trait_tables)
      if (bare(table.trait) == trait && inst.index < table.slots.size()) add(table.slots[inst.index]);
  }

  void follow_virtual(const Inst& inst) {
    std::vector<TypeId> classes{bare(inst.args[0].type)};
    while (!classes.empty()) {
      TypeId type = classes.back();
      classes.pop_back();
      auto found = program_.typed->nominals.find(type);
      if (found != program_.typed->nominals.end() && inst.index < found->second.vtable.size())
        add(found->second.vtable[inst.index]);
      if (auto below = subclasses_.find(type); below != subclasses_.end())
        classes.insert(classes.end(), below->second.begin(), below->second.end());
    }
  }

  TypeId bare(TypeId type) const {
    while (program_.types->kind(type) == Kind::Frozen || program_.types->kind(type) == Kind::Optional)
      type = program_.types->arg(type);
    return type;
  }

  // Equal for function types whose values may be used as one another: `frozen` does not count, wherever it stands.
  const std::string& signature(TypeId type) {
    auto found = signatures_.find(type);
    if (found != signatures_.end()) return found->second;
    const types::Type& t = program_.types->get(type);
    std::string text;
    if (t.kind == Kind::Frozen) {
      text = signature(t.args[0]);
    } else if (t.args.empty()) {
      text = std::to_string(type.index);
    } else {
      text = std::to_string(static_cast<int>(t.kind)) + "/" + std::to_string(t.nominal.index) + "(";
      for (TypeId arg : t.args) text += signature(arg) + ",";
      text += ")";
    }
    return signatures_.emplace(type, std::move(text)).first->second;
  }

  const Program& program_;
  std::vector<bool> reached_;
  std::vector<uint32_t> open_;
  std::unordered_map<std::string, std::vector<FunctionId>> values_;
  std::unordered_map<TypeId, std::string> signatures_;
  std::unordered_map<TypeId, std::vector<TypeId>> subclasses_;
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
