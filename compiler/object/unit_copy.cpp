#include "compiler/object/unit_copy.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/object/division.h"

namespace meteor::object {

const std::vector<const llvm::GlobalValue*>& Uses::of(const llvm::GlobalValue& value) {
  auto [entry, is_new] = known_.try_emplace(&value);
  if (!is_new) return entry->second;
  std::vector<const llvm::GlobalValue*> found;
  Globals seen;
  for_each_global_in(value, [&](const llvm::GlobalValue& named) {
    if (seen.insert(&named).second) found.push_back(&named);
  });
  return known_[&value] = std::move(found);
}

namespace {

llvm::GlobalValue::LinkageTypes linkage_of(const UnitMember& member) {
  switch (member.role) {
    case UnitRole::Declared:
      return member.value->isDeclaration() ? member.value->getLinkage() : llvm::GlobalValue::ExternalLinkage;
    case UnitRole::Defined: return llvm::GlobalValue::ExternalLinkage;
    case UnitRole::Inlined: return llvm::GlobalValue::AvailableExternallyLinkage;
    case UnitRole::Helper:
    case UnitRole::Shared: return llvm::GlobalValue::LinkOnceODRLinkage;
    case UnitRole::Constant: return llvm::GlobalValue::PrivateLinkage;
  }
  return llvm::GlobalValue::ExternalLinkage;
}

// Without a body or value.
llvm::GlobalObject* make_member(llvm::Module& unit, const UnitMember& member, const std::string& name) {
  auto linkage = linkage_of(member);
  if (auto* function = llvm::dyn_cast<llvm::Function>(member.value)) {
    auto* made = llvm::Function::Create(function->getFunctionType(), linkage, function->getAddressSpace(), name, &unit);
    made->copyAttributesFrom(function);
    made->setPrefixData(nullptr);  // it is still the original's
    return made;
  }
  auto& variable = *llvm::cast<llvm::GlobalVariable>(member.value);
  auto* made = new llvm::GlobalVariable(unit, variable.getValueType(), variable.isConstant(), linkage, nullptr, name,
                                        nullptr, variable.getThreadLocalMode(), variable.getAddressSpace());
  made->copyAttributesFrom(&variable);
  return made;
}

// Lines of the source are shared with the original: they name nothing of the module.
void keep_metadata(const llvm::Module& module, const llvm::Function& function, llvm::ValueToValueMapTy& map) {
  if (llvm::DISubprogram* subprogram = function.getSubprogram()) map.MD()[subprogram].reset(subprogram);
  for (llvm::DICompileUnit* unit : module.debug_compile_units()) map.MD()[unit].reset(unit);
}

void copy_body(const llvm::Module& module, const llvm::Function& from, llvm::Function& to,
               llvm::ValueToValueMapTy& map) {
  keep_metadata(module, from, map);
  auto* arg = to.arg_begin();
  for (const llvm::Argument& old : from.args()) map[&old] = &*arg++;
  llvm::SmallVector<llvm::ReturnInst*, 8> returns;
  llvm::CloneFunctionInto(&to, &from, map, llvm::CloneFunctionChangeType::ClonedModule, returns);
}

void copy_flags(const llvm::Module& from, llvm::Module& to) {
  for (const llvm::NamedMDNode& named : from.named_metadata()) {
    llvm::NamedMDNode* copy = to.getOrInsertNamedMetadata(named.getName());
    for (const llvm::MDNode* node : named.operands()) copy->addOperand(const_cast<llvm::MDNode*>(node));
  }
}

}  // namespace

std::unique_ptr<llvm::Module> copy_unit(const llvm::Module& module, const std::vector<UnitMember>& members,
                                        const char* helper_prefix) {
  auto unit = std::make_unique<llvm::Module>("unit", module.getContext());
  unit->setTargetTriple(module.getTargetTriple());
  unit->setDataLayout(module.getDataLayout());
  unit->setIsNewDbgInfoFormat(module.IsNewDbgInfoFormat);
  copy_flags(module, *unit);
  llvm::ValueToValueMapTy map;
  for (const UnitMember& member : members) {
    std::string name = member.role == UnitRole::Constant ? "" : member.value->getName().str();
    if (member.role == UnitRole::Helper) name = helper_prefix + name;
    llvm::GlobalObject* made = make_member(*unit, member, name);
    if (made->hasLinkOnceLinkage()) made->setComdat(unit->getOrInsertComdat(name));
    if (!member.value->isDeclaration() && member.role != UnitRole::Constant)
      made->setVisibility(llvm::GlobalValue::HiddenVisibility);
    map[member.value] = made;
  }
  for (const UnitMember& member : members) {
    if (member.role == UnitRole::Declared) continue;
    if (auto* function = llvm::dyn_cast<llvm::Function>(member.value)) {
      copy_body(module, *function, *llvm::cast<llvm::Function>(map[function]), map);
    } else {
      auto* variable = llvm::cast<llvm::GlobalVariable>(member.value);
      llvm::cast<llvm::GlobalVariable>(map[variable])->setInitializer(llvm::MapValue(variable->getInitializer(), map));
    }
  }
  return unit;
}

}  // namespace meteor::object
