#include "compiler/object/parts.h"

#include <algorithm>

#include "compiler/llvm_ir/emit.h"
#include "compiler/object/division.h"

namespace meteor::object {

namespace {

enum Part : uint32_t { PROGRAM, CAREFUL, QUICK, COUNT };

uint32_t library_part(const llvm::GlobalValue& value) {
  auto* function = llvm::dyn_cast<llvm::Function>(&value);
  return function && function->hasFnAttribute(llvm_ir::QUICK) ? QUICK : CAREFUL;
}

void take_core_used_by(const llvm::GlobalValue& value, Division::Owners& owners, Globals& reached) {
  std::vector<const llvm::GlobalValue*> waiting{&value};
  while (!waiting.empty()) {
    const llvm::GlobalValue* at = waiting.back();
    waiting.pop_back();
    if (!reached.insert(at).second) continue;
    for_each_global_in(*at, [&](const llvm::GlobalValue& named) {
      bool is_core = owner_of(named) == llvm_ir::CORE;
      if (is_core) owners[&named] = library_part(named);
      if (is_core || (!named.isDeclaration() && !is_owned(named))) waiting.push_back(&named);
    });
  }
}

Division::Owners find_owners(const llvm::Module& module) {
  Division::Owners owners;
  Globals reached;
  for (const llvm::GlobalValue& value : module.global_values())
    if (owner_of(value) == llvm_ir::LIBRARY) owners[&value] = library_part(value);
  for (const llvm::GlobalValue& value : module.global_values())
    if (owner_of(value) == llvm_ir::LIBRARY) take_core_used_by(value, owners, reached);
  for (const llvm::GlobalValue& value : module.global_values())
    if (is_owned(value)) owners.try_emplace(&value, PROGRAM);
  return owners;
}

// By name, where that is the same in every program; helpers and constants as they are first used, without a name of their own.
void put_in_order(llvm::Module& module) {
  std::vector<llvm::GlobalObject*> order;
  auto is_named = [](const llvm::GlobalValue& value) { return !value.hasLocalLinkage(); };
  for (llvm::GlobalObject& value : module.global_objects())
    if (is_named(value)) order.push_back(&value);
  std::ranges::sort(order, {}, [](llvm::GlobalObject* value) { return value->getName(); });
  Globals seen;
  for (size_t i = 0; i < order.size(); ++i)
    for_each_global_in(*order[i], [&](const llvm::GlobalValue& used) {
      if (!is_named(used) && seen.insert(&used).second) order.push_back(const_cast<llvm::GlobalObject*>(llvm::cast<llvm::GlobalObject>(&used)));
    });
  for (size_t i = 0; i < order.size(); ++i) {
    if (!is_named(*order[i])) order[i]->setName(llvm::isa<llvm::Function>(order[i]) ? "helper " + std::to_string(i) : "");
    if (auto* function = llvm::dyn_cast<llvm::Function>(order[i])) {
      function->removeFromParent();
      module.getFunctionList().push_back(function);
    } else {
      auto* variable = llvm::cast<llvm::GlobalVariable>(order[i]);
      variable->removeFromParent();
      module.insertGlobalVariable(variable);
    }
  }
}

}  // namespace

bool has_library_part(const llvm::Module& module) {
  return std::ranges::any_of(module, [](const llvm::Function& function) {
    return !function.isDeclaration() && function.getFnAttribute(llvm_ir::OWNER).getValueAsString() == llvm_ir::LIBRARY;
  });
}

std::vector<LibraryPart> take_library_parts(llvm::Module& module, bool inlines) {
  Division::Owners owners = find_owners(module);
  Division division(module, owners, COUNT, [&](uint32_t part, const llvm::Function& other) {
    return inlines && part == PROGRAM && owners.at(&other) == CAREFUL && !other.hasFnAttribute(llvm::Attribute::NoInline);
  });
  for (llvm::GlobalValue& value : module.global_values()) {
    uint32_t part = division.part_of(value);
    bool is_library = part == CAREFUL || part == QUICK;   // who sees it depends on the program
    if (is_library || division.is_seen_by_others(value)) show_to_others(value);
  }
  std::vector<LibraryPart> parts;
  for (uint32_t part : {CAREFUL, QUICK}) {
    if (std::ranges::none_of(module.functions(), [&](const llvm::Function& function) { return division.part_of(function) == part; })) continue;
    auto copy = copy_of(module, part, division);
    put_in_order(*copy);
    parts.push_back({write_bitcode(*copy), part == QUICK});
  }
  set_roles(module, roles_in(module, PROGRAM, division));
  remove_unused_declarations(module);
  return parts;
}

}  // namespace meteor::object
