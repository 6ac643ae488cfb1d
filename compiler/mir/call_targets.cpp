#include "compiler/mir/call_targets.h"

namespace meteor::mir {

using types::Kind;

CallTargets::CallTargets(const Program& program) : program_(program) {
  for (const auto& [type, nominal] : program_.typed->nominals)
    if (nominal.base.valid()) subclasses_[nominal.base].push_back(type);
  // A function value may have been made anywhere: calls reach all of their type.
  for (const Function& function : program_.functions)
    for (const Block& block : function.blocks)
      for (const Inst& inst : block.insts)
        if (inst.op == Op::MakeClosure)
          values_[signature(function.local(inst.dst.local).type)].push_back(inst.function);
}

std::vector<FunctionId> CallTargets::of(const Inst& inst) {
  switch (inst.call) {
    case CallKind::Direct:
    case CallKind::Intrinsic: return {};
    case CallKind::Value: return values_[signature(inst.args[0].type)];
    case CallKind::Dyn: return of_dyn(inst);
    case CallKind::Virtual: return of_virtual(inst);
  }
  return {};
}

std::vector<FunctionId> CallTargets::of_dyn(const Inst& inst) const {
  std::vector<FunctionId> found;
  TypeId trait = bare(program_.types->arg(bare(inst.args[0].type)));
  for (const typed::TraitTable& table : program_.typed->trait_tables)
    if (bare(table.trait) == trait && inst.index < table.slots.size() && table.slots[inst.index].valid())
      found.push_back(table.slots[inst.index]);
  return found;
}

std::vector<FunctionId> CallTargets::of_virtual(const Inst& inst) const {
  std::vector<FunctionId> methods;
  std::vector<TypeId> classes{bare(inst.args[0].type)};
  while (!classes.empty()) {
    TypeId type = classes.back();
    classes.pop_back();
    auto found = program_.typed->nominals.find(type);
    if (found != program_.typed->nominals.end() && inst.index < found->second.vtable.size() &&
        found->second.vtable[inst.index].valid())
      methods.push_back(found->second.vtable[inst.index]);
    if (auto below = subclasses_.find(type); below != subclasses_.end())
      classes.insert(classes.end(), below->second.begin(), below->second.end());
  }
  return methods;
}

TypeId CallTargets::bare(TypeId type) const {
  while (program_.types->kind(type) == Kind::Frozen || program_.types->kind(type) == Kind::Optional)
    type = program_.types->arg(type);
  return type;
}

// Equal for function types whose values may be used as one another: `frozen` does not count, wherever it stands.
const std::string& CallTargets::signature(TypeId type) {
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

}  // namespace meteor::mir
