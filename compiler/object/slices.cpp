#include "compiler/object/slices.h"

#include <algorithm>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Support/CommandLine.h>

namespace meteor::object {

namespace {

constexpr size_t SLICE_INSTRUCTIONS = 50'000;
constexpr size_t MOST_SLICES = 8;
constexpr size_t MOST_TO_INLINE = 60;    // before optimisation: a few lines

// LLVM counts anew each time it is asked.
class Sizes {
 public:
  explicit Sizes(const llvm::Module& module) {
    for (const llvm::Function& function : module) {
      size_t size = function.getInstructionCount();
      of_[&function] = size;
      if (is_owned(function)) owned_ += size;
    }
  }
  size_t operator[](const llvm::Function& function) const { return of_.at(&function); }
  bool is_small(const llvm::Function& function) const { return of_.at(&function) <= MOST_TO_INLINE; }
  size_t owned() const { return owned_; }

 private:
  std::unordered_map<const llvm::Function*, size_t> of_;
  size_t owned_ = 0;
};

// Long functions that come one after the other stay together. A small one goes with whoever uses it first: where nobody else does, it is
// inlined there and gone. Variables are the first slice's. What is too big to optimise is alone in the slice after them, since it
// keeps whatever is with it from being optimised as well.
class Cut {
 public:
  Cut(const llvm::Module& module, const Sizes& sizes, uint32_t slices, bool sets_huge_apart) : sizes_(sizes), slices_(slices) {
    for (const llvm::GlobalValue& value : module.global_values()) {
      auto* function = llvm::dyn_cast<llvm::Function>(&value);
      if (!is_owned(value)) continue;
      if (!function) owners_[&value] = 0;
      else if (sets_huge_apart && function->hasOptNone()) owners_[function] = slices_;
      else if (!sizes.is_small(*function) || !function->hasLocalLinkage()) take(*function, static_cast<uint32_t>(done_ * slices_ / sizes.owned()));
    }
    for (const llvm::Function& function : module)
      if (is_owned(function)) owners_.try_emplace(&function, 0);   // only variables and helpers name it
  }

  Division::Owners owners() && { return std::move(owners_); }

 private:
  void take(const llvm::Function& first, uint32_t slice) {
    slice = std::min(slice, slices_ - 1);
    std::vector<const llvm::Function*> waiting{&first};
    while (!waiting.empty()) {
      const llvm::Function* function = waiting.back();
      waiting.pop_back();
      if (!owners_.try_emplace(function, slice).second) continue;
      done_ += sizes_[*function];
      for_each_global_in(*function, [&](const llvm::GlobalValue& named) {
        auto* used = llvm::dyn_cast<llvm::Function>(&named);
        if (used && is_owned(*used) && used->hasLocalLinkage() && sizes_.is_small(*used)) waiting.push_back(used);
      });
    }
  }

  const Sizes& sizes_;
  Division::Owners owners_;
  uint32_t slices_;
  size_t done_ = 0;
};

// What was written a moment ago is of this version of LLVM: reading it needs no look for older forms, which takes a verifier's time.
void read_as_written() {
  auto& options = llvm::cl::getRegisteredOptions();
  auto found = options.find("disable-auto-upgrade-debug-info");
  if (found != options.end()) static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
}

}  // namespace

Slices take_slices(llvm::Module& module, bool inlines) {
  Sizes sizes(module);
  auto optimised = static_cast<uint32_t>(std::clamp<size_t>(sizes.owned() / SLICE_INSTRUCTIONS, 1, MOST_SLICES));
  bool sets_huge_apart = inlines && std::ranges::any_of(module, [](const llvm::Function& function) { return is_owned(function) && function.hasOptNone(); });
  uint32_t slices = optimised + sets_huge_apart;
  if (slices < 2) return {};
  read_as_written();
  Division division(module, Cut(module, sizes, optimised, sets_huge_apart).owners(), slices, [&](uint32_t, const llvm::Function& other) {
    if (other.hasFnAttribute(llvm::Attribute::AlwaysInline)) return true;
    return inlines && !other.hasFnAttribute(llvm::Attribute::NoInline) && sizes.is_small(other);
  });
  for (llvm::GlobalValue& value : module.global_values())
    if (division.is_seen_by_others(value)) show_to_others(value);
  Slices result;
  result.bitcode = write_bitcode(module);
  for (uint32_t slice = 1; slice < slices; ++slice) result.others.push_back(roles_in(module, slice, division));
  set_roles(module, roles_in(module, 0, division));
  remove_unused_declarations(module);
  return result;
}

base::Result<std::unique_ptr<llvm::Module>> read_slice(const Slices& slices, size_t which, llvm::LLVMContext& context) {
  auto lazy = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(slices.bitcode, "slice"), context);
  if (!lazy) return base::Failure{"slice", llvm::toString(lazy.takeError())};
  set_roles(**lazy, slices.others[which]);   // so that only the bodies of its own are read
  if (llvm::Error error = (*lazy)->materializeAll()) return base::Failure{"slice", llvm::toString(std::move(error))};
  remove_unused_declarations(**lazy);
  return std::move(*lazy);
}

}  // namespace meteor::object
