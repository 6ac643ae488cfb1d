#include "compiler/object/parts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/llvm_ir/emit.h"

namespace meteor::object {

namespace {

enum class Part : uint8_t { Program, Careful, Quick, None };   // None: a helper, or defined outside the module
constexpr Part LIBRARY_PARTS[] = {Part::Careful, Part::Quick};

bool is_library(Part part) { return part == Part::Careful || part == Part::Quick; }

using Globals = std::unordered_set<const llvm::GlobalValue*>;

// Calls `found` for the functions and variables that `user` names, inside constants too.
template <typename Found>
void for_each_global(const llvm::User& user, std::unordered_set<const llvm::Constant*>& seen, Found&& found) {
  for (const llvm::Use& use : user.operands()) {
    if (auto* global = llvm::dyn_cast<llvm::GlobalValue>(use.get())) found(*global);
    else if (auto* constant = llvm::dyn_cast<llvm::Constant>(use.get()); constant && constant->getNumOperands() && seen.insert(constant).second)
      for_each_global(*constant, seen, found);
  }
}

template <typename Found>
void for_each_global_in(const llvm::GlobalValue& value, Found&& found) {
  std::unordered_set<const llvm::Constant*> seen;
  for_each_global(value, seen, found);   // a variable's value; what stands before a function
  if (auto* function = llvm::dyn_cast<llvm::Function>(&value))
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) for_each_global(instruction, seen, found);
}

// Which part each function and variable belongs to, and what a part needs besides.
class Division {
 public:
  Division(const llvm::Module& module, bool inlines) : inlines_(inlines) {
    for (const llvm::GlobalValue& value : module.global_values()) parts_[&value] = owner_of(value) == llvm_ir::LIBRARY ? library_part(value) : Part::None;
    for (const llvm::GlobalValue& value : module.global_values())
      if (owner_of(value) == llvm_ir::LIBRARY) take_core_used_by(value);
    for (const llvm::GlobalValue& value : module.global_values())
      if (parts_[&value] == Part::None && is_owned(value)) parts_[&value] = Part::Program;
    for (const llvm::GlobalValue& value : module.global_values())
      if (Part part = part_of(value); part != Part::None) find_needs(value, part);
  }

  Part part_of(const llvm::GlobalValue& value) const { return parts_.at(&value); }
  bool defines(Part part, const llvm::GlobalValue& value) const { return part_of(value) == part || helpers_[static_cast<size_t>(part)].contains(&value); }
  bool is_inlined(const llvm::GlobalValue& value) const { return inlined_.contains(&value); }
  // All of the library's is: who sees it depends on the program.
  bool is_seen_by_others(const llvm::GlobalValue& value) const { return is_library(part_of(value)) || seen_by_others_.contains(&value); }

 private:
  static llvm::StringRef owner_of(const llvm::GlobalValue& value) {
    if (value.isDeclaration()) return "";
    if (auto* function = llvm::dyn_cast<llvm::Function>(&value)) return function->getFnAttribute(llvm_ir::OWNER).getValueAsString();
    auto& variable = llvm::cast<llvm::GlobalVariable>(value);
    return variable.hasAttribute(llvm_ir::OWNER) ? variable.getAttribute(llvm_ir::OWNER).getValueAsString() : "";
  }

  static bool is_owned(const llvm::GlobalValue& value) {
    if (value.isDeclaration() || value.hasPrivateLinkage()) return false;
    return llvm::isa<llvm::GlobalVariable>(value) || !value.hasLocalLinkage() || !owner_of(value).empty();
  }

  static Part library_part(const llvm::GlobalValue& value) {
    auto* function = llvm::dyn_cast<llvm::Function>(&value);
    return function && function->hasFnAttribute(llvm_ir::QUICK) ? Part::Quick : Part::Careful;
  }

  void take_core_used_by(const llvm::GlobalValue& value) {
    std::vector<const llvm::GlobalValue*> waiting{&value};
    while (!waiting.empty()) {
      const llvm::GlobalValue* at = waiting.back();
      waiting.pop_back();
      if (!reached_.insert(at).second) continue;
      for_each_global_in(*at, [&](const llvm::GlobalValue& named) {
        bool is_core = owner_of(named) == llvm_ir::CORE;
        if (is_core) parts_[&named] = library_part(named);
        if (is_core || (!named.isDeclaration() && !is_owned(named))) waiting.push_back(&named);
      });
    }
  }

  void find_needs(const llvm::GlobalValue& from, Part part) {
    std::vector<const llvm::GlobalValue*> waiting{&from};
    while (!waiting.empty()) {
      const llvm::GlobalValue* at = waiting.back();
      waiting.pop_back();
      for_each_global_in(*at, [&](const llvm::GlobalValue& named) {
        if (named.isDeclaration()) return;
        Part owner = part_of(named);
        if (owner == part) return;   // looked at by itself
        if (owner == Part::None) {
          if (helpers_[static_cast<size_t>(part)].insert(&named).second) waiting.push_back(&named);
          return;
        }
        seen_by_others_.insert(&named);
        if (part == Part::Program && may_inline(named) && inlined_.insert(&named).second) waiting.push_back(&named);
      });
    }
  }

  bool may_inline(const llvm::GlobalValue& value) const {
    auto* function = llvm::dyn_cast<llvm::Function>(&value);
    return inlines_ && function && part_of(value) == Part::Careful && !function->hasFnAttribute(llvm::Attribute::NoInline);
  }

  bool inlines_;
  std::unordered_map<const llvm::GlobalValue*, Part> parts_;
  Globals reached_, helpers_[3], inlined_, seen_by_others_;
};

void show_to_others(llvm::GlobalValue& value) {
  if (!value.hasLocalLinkage()) return;
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

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

// What the part does not define, it declares.
std::unique_ptr<llvm::Module> copy_of(const llvm::Module& module, Part part, const Division& division) {
  llvm::ValueToValueMapTy map;
  auto copy = llvm::CloneModule(module, map, [&](const llvm::GlobalValue* value) { return division.defines(part, *value); });
  for (llvm::Function& function : *copy)
    if (function.isDeclaration() && function.hasPrefixData()) function.setPrefixData(nullptr);   // it is still the original's
  remove_unused_declarations(*copy);
  return copy;
}

std::string write(const llvm::Module& module) {
  std::string bitcode;
  llvm::raw_string_ostream out(bitcode);
  llvm::WriteBitcodeToFile(module, out);
  out.flush();
  return bitcode;
}

}  // namespace

bool has_library_part(const llvm::Module& module) {
  return std::ranges::any_of(module, [](const llvm::Function& function) {
    return !function.isDeclaration() && function.getFnAttribute(llvm_ir::OWNER).getValueAsString() == llvm_ir::LIBRARY;
  });
}

std::vector<LibraryPart> take_library_parts(llvm::Module& module, bool inlines) {
  Division division(module, inlines);
  for (llvm::GlobalValue& value : module.global_values())
    if (division.is_seen_by_others(value)) show_to_others(value);
  std::vector<LibraryPart> parts;
  for (Part part : LIBRARY_PARTS) {
    if (std::ranges::none_of(module.functions(), [&](const llvm::Function& function) { return division.part_of(function) == part; })) continue;
    auto copy = copy_of(module, part, division);
    put_in_order(*copy);
    parts.push_back({write(*copy), part == Part::Quick});
  }
  std::vector<llvm::GlobalValue*> leaving;
  for (llvm::GlobalValue& value : module.global_values()) {
    if (value.isDeclaration() || division.defines(Part::Program, value)) continue;
    if (division.is_inlined(value)) value.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    else leaving.push_back(&value);
  }
  for (llvm::GlobalValue* value : leaving) make_declaration(*value);
  remove_unused_declarations(module);
  return parts;
}

}  // namespace meteor::object
