#include "compiler/object/units.h"

#include <algorithm>
#include <map>

#include "compiler/llvm_ir/emit.h"
#include "compiler/object/division.h"
#include "compiler/object/unit_copy.h"

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

// Before optimisation. More is rarely inlined, and costs each unit that has a copy.
constexpr size_t MOST_TO_INLINE = 64, MOST_WITH_HINT = 100;
constexpr size_t MOST_OF_CORE = 150;  // in the program's part, of collections and text: they make its inner loops
// So little that it is inlined wherever it is used: a helper rather than a unit.
constexpr size_t TINY = 24;

size_t most_to_inline(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::InlineHint) ? MOST_WITH_HINT : MOST_TO_INLINE;
}

// LLVM counts anew each time it is asked.
class Sizes {
 public:
  size_t operator[](const llvm::Function& function) {
    auto [entry, is_new] = of_.try_emplace(&function);
    if (is_new) entry->second = function.getInstructionCount();
    return entry->second;
  }

 private:
  std::unordered_map<const llvm::Function*, size_t> of_;
};

// What comes and goes together is one unit: of an asynchronous function what starts it, its body, what resumes it, and
// the type of its task.
llvm::StringRef family_of(llvm::StringRef name) {
  if (name.starts_with("type ")) {
    size_t of = name.rfind(" of ");
    return of == llvm::StringRef::npos ? name : name.substr(of + 4);
  }
  name.consume_front("met:");
  if (!name.consume_back(" (resume)")) name.consume_back(".body");
  return name;
}

class Units {
 public:
  Units(const llvm::Module& module, const Division::Owners& owners, Sizes& sizes, bool inlines)
      : module_(module), owners_(owners), sizes_(sizes), inlines_(inlines) {}

  // What is tiny is a unit only where somebody calls it from outside.
  bool is_tiny(const llvm::GlobalValue& value) {
    auto* function = llvm::dyn_cast<llvm::Function>(&value);
    return function && may_inline(*function) && sizes_[*function] <= TINY;
  }

  LibraryUnit make(const std::vector<const llvm::GlobalValue*>& roots) {
    LibraryUnit unit;
    unit.name = roots[0]->getName().str();
    unit.is_quick =
        std::ranges::all_of(roots,
                            [&](const llvm::GlobalValue* root) {
                              return owners_.at(root) == QUICK || !llvm::isa<llvm::Function>(root);
                            }) &&
        std::ranges::any_of(roots, [&](const llvm::GlobalValue* root) { return owners_.at(root) == QUICK; });
    std::vector<UnitMember> members = members_of(roots, unit.is_quick);
    for (const UnitMember& member : members)
      if (auto* function = llvm::dyn_cast<llvm::Function>(member.value); function && member.role != UnitRole::Declared)
        unit.instructions += sizes_[*function];
    unit.bitcode = write_bitcode(*copy_unit(module_, members, unit.is_quick ? "quick " : ""));
    return unit;
  }

  const Globals& tiny_called() const { return tiny_called_; }

 private:
  bool may_inline(const llvm::Function& function) const {
    auto owner = owners_.find(&function);
    return inlines_ && owner != owners_.end() && owner->second == CAREFUL &&
           !function.hasFnAttribute(llvm::Attribute::NoInline);
  }

  std::vector<UnitMember> members_of(const std::vector<const llvm::GlobalValue*>& roots, bool is_quick) {
    std::vector<UnitMember> members;
    Globals seen(roots.begin(), roots.end());
    for (const llvm::GlobalValue* root : roots) members.push_back({root, UnitRole::Defined});
    for (size_t i = 0; i < members.size(); ++i) {
      if (members[i].role == UnitRole::Declared) continue;
      for (const llvm::GlobalValue* used : uses_.of(*members[i].value))
        if (seen.insert(used).second) members.push_back({used, role_of(*used, is_quick)});
    }
    return members;
  }

  UnitRole role_of(const llvm::GlobalValue& value, bool is_quick) {
    if (value.isDeclaration()) return UnitRole::Declared;
    auto* function = llvm::dyn_cast<llvm::Function>(&value);
    if (!owners_.contains(&value)) return function ? UnitRole::Helper : UnitRole::Constant;
    if (!function || !may_inline(*function)) return UnitRole::Declared;
    if (sizes_[*function] <= TINY) {
      if (!is_quick) return UnitRole::Shared;
      tiny_called_.insert(function);
      return UnitRole::Declared;
    }
    return !is_quick && sizes_[*function] <= most_to_inline(*function) ? UnitRole::Inlined : UnitRole::Declared;
  }

  const llvm::Module& module_;
  const Division::Owners& owners_;
  Sizes& sizes_;
  bool inlines_;
  Uses uses_;
  Globals tiny_called_;
};

// The units of all that is the library's, by name.
std::vector<LibraryUnit> make_units(const llvm::Module& module, const Division::Owners& owners, Sizes& sizes,
                                    bool inlines) {
  Units units(module, owners, sizes, inlines);
  std::map<llvm::StringRef, std::vector<const llvm::GlobalValue*>> families;
  for (const llvm::GlobalValue& value : module.global_values()) {
    auto owner = owners.find(&value);
    if (owner != owners.end() && owner->second != PROGRAM && !units.is_tiny(value))
      families[family_of(value.getName())].push_back(&value);
  }
  std::vector<LibraryUnit> made;
  for (auto& [name, roots] : families) {
    std::ranges::sort(roots, {}, [](const llvm::GlobalValue* value) { return value->getName(); });
    made.push_back(units.make(roots));
  }
  std::vector<const llvm::GlobalValue*> tiny(units.tiny_called().begin(), units.tiny_called().end());
  std::ranges::sort(tiny, {}, [](const llvm::GlobalValue* value) { return value->getName(); });
  for (const llvm::GlobalValue* root : tiny) made.push_back(units.make({root}));
  return made;
}

// As in the units, so that the linker keeps one.
void share_tiny(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.hasAvailableExternallyLinkage() || function.getInstructionCount() > TINY) continue;
    function.setLinkage(llvm::GlobalValue::LinkOnceODRLinkage);
    function.setComdat(module.getOrInsertComdat(function.getName()));
  }
}

}  // namespace

bool has_library_units(const llvm::Module& module) {
  return std::ranges::any_of(module, [](const llvm::Function& function) {
    return !function.isDeclaration() && function.getFnAttribute(llvm_ir::OWNER).getValueAsString() == llvm_ir::LIBRARY;
  });
}

std::vector<LibraryUnit> take_library_units(llvm::Module& module, bool inlines) {
  Division::Owners owners = find_owners(module);
  Sizes sizes;
  Division division(module, owners, COUNT, [&](uint32_t part, const llvm::Function& other) {
    return inlines && part == PROGRAM && owners.at(&other) == CAREFUL &&
           !other.hasFnAttribute(llvm::Attribute::NoInline) &&
           sizes[other] <= (owner_of(other) == llvm_ir::CORE ? MOST_OF_CORE : most_to_inline(other));
  });
  for (llvm::GlobalValue& value : module.global_values()) {
    uint32_t part = division.part_of(value);
    bool is_library = part == CAREFUL || part == QUICK;  // who sees it depends on the program
    if (is_library || division.is_seen_by_others(value)) show_to_others(value);
  }
  std::vector<LibraryUnit> units = make_units(module, owners, sizes, inlines);
  set_roles(module, roles_in(module, PROGRAM, division));
  share_tiny(module);
  remove_unused_declarations(module);
  return units;
}

}  // namespace meteor::object
