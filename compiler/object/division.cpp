#include "compiler/object/division.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Bitcode/BitcodeWriter.h>

#include "compiler/llvm_ir/emit.h"

namespace meteor::object {

namespace {

void make_declaration(llvm::GlobalValue& value) {
  if (auto* function = llvm::dyn_cast<llvm::Function>(&value)) {
    auto visibility = function->getVisibility();
    function->deleteBody();
    function->setVisibility(visibility);
    function->setPrefixData(nullptr);
  } else {
    llvm::cast<llvm::GlobalVariable>(value).setInitializer(nullptr);
  }
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
}

}  // namespace

llvm::StringRef owner_of(const llvm::GlobalValue& value) {
  if (value.isDeclaration()) return "";
  if (auto* function = llvm::dyn_cast<llvm::Function>(&value)) return function->getFnAttribute(llvm_ir::OWNER).getValueAsString();
  auto& variable = llvm::cast<llvm::GlobalVariable>(value);
  return variable.hasAttribute(llvm_ir::OWNER) ? variable.getAttribute(llvm_ir::OWNER).getValueAsString() : "";
}

bool is_owned(const llvm::GlobalValue& value) {
  if (value.isDeclarationForLinker() || value.hasPrivateLinkage()) return false;
  return llvm::isa<llvm::GlobalVariable>(value) || !value.hasLocalLinkage() || !owner_of(value).empty();
}

Division::Division(const llvm::Module& module, Owners owners, uint32_t parts, const MayInline& may_inline) : owners_(std::move(owners)), helpers_(parts), inlined_(parts) {
  for (const llvm::GlobalValue& value : module.global_values())
    if (uint32_t part = part_of(value); part != NONE) find_needs(value, part, may_inline);
}

uint32_t Division::part_of(const llvm::GlobalValue& value) const {
  auto found = owners_.find(&value);
  return found == owners_.end() ? NONE : found->second;
}

void Division::find_needs(const llvm::GlobalValue& from, uint32_t part, const MayInline& may_inline) {
  std::vector<const llvm::GlobalValue*> waiting{&from};
  while (!waiting.empty()) {
    const llvm::GlobalValue* at = waiting.back();
    waiting.pop_back();
    for_each_global_in(*at, [&](const llvm::GlobalValue& named) {
      if (named.isDeclaration()) return;
      uint32_t owner = part_of(named);
      if (owner == part) return;   // looked at by itself
      if (owner == NONE) {
        if (helpers_[part].insert(&named).second) waiting.push_back(&named);
        return;
      }
      seen_by_others_.insert(&named);
      auto* function = llvm::dyn_cast<llvm::Function>(&named);
      if (function && may_inline(part, *function) && inlined_[part].insert(&named).second) waiting.push_back(&named);
    });
  }
}

void show_to_others(llvm::GlobalValue& value) {
  if (!value.hasLocalLinkage()) return;
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

void remove_unused_declarations(llvm::Module& module) {
  auto is_unused = [](llvm::GlobalValue& value) {
    value.removeDeadConstantUsers();
    return value.isDeclaration() && value.use_empty();
  };
  for (llvm::Function& function : llvm::make_early_inc_range(module))
    if (is_unused(function)) function.eraseFromParent();
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals()))
    if (is_unused(variable)) variable.eraseFromParent();
}

std::vector<Role> roles_in(const llvm::Module& module, uint32_t part, const Division& division) {
  std::vector<Role> roles;
  for (const llvm::GlobalObject& value : module.global_objects()) {
    if (division.inlines(part, value) || (division.defines(part, value) && value.hasAvailableExternallyLinkage())) roles.push_back(Role::Inlined);
    else roles.push_back(!value.isDeclaration() && division.defines(part, value) ? Role::Defined : Role::Declared);
  }
  return roles;
}

void set_roles(llvm::Module& module, const std::vector<Role>& roles) {
  auto role = roles.begin();
  for (llvm::GlobalObject& value : module.global_objects()) {
    if (*role == Role::Inlined) value.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    else if (*role == Role::Declared && !value.isDeclaration()) make_declaration(value);
    ++role;
  }
}

std::string write_bitcode(const llvm::Module& module) {
  llvm::SmallString<0> bitcode;
  {
    llvm::BitcodeWriter writer(bitcode);  // without the table of symbols, which only linkers read
    writer.writeModule(module);
    writer.writeStrtab();
  }
  return std::string(bitcode.str());
}

}  // namespace meteor::object
