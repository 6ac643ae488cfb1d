#include "compiler/object/slices.h"

#include <algorithm>

#include <llvm/Bitcode/BitcodeReader.h>

namespace meteor::object {

namespace {

constexpr size_t SLICE_INSTRUCTIONS = 50'000;
constexpr size_t MOST_SLICES = 8;
constexpr size_t MOST_TO_INLINE = 60;    // before optimisation: a few lines

bool is_small(const llvm::Function& function) { return function.getInstructionCount() <= MOST_TO_INLINE; }

// Long functions that come one after the other stay together. A small one goes with whoever uses it first: where nobody else does, it is
// inlined there and gone. Variables are the first slice's.
class Cut {
 public:
  Cut(const llvm::Module& module, size_t size, uint32_t slices) : slices_(slices), size_(size) {
    for (const llvm::GlobalValue& value : module.global_values()) {
      auto* function = llvm::dyn_cast<llvm::Function>(&value);
      if (!is_owned(value)) continue;
      if (!function) owners_[&value] = 0;
      else if (!is_small(*function) || !function->hasLocalLinkage()) take(*function, static_cast<uint32_t>(done_ * slices_ / size_));
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
      done_ += function->getInstructionCount();
      for_each_global_in(*function, [&](const llvm::GlobalValue& named) {
        auto* used = llvm::dyn_cast<llvm::Function>(&named);
        if (used && is_owned(*used) && used->hasLocalLinkage() && is_small(*used)) waiting.push_back(used);
      });
    }
  }

  Division::Owners owners_;
  uint32_t slices_;
  size_t size_, done_ = 0;
};

}  // namespace

Slices take_slices(llvm::Module& module, bool inlines) {
  size_t size = 0;
  for (const llvm::Function& function : module)
    if (is_owned(function)) size += function.getInstructionCount();
  auto slices = static_cast<uint32_t>(std::min(MOST_SLICES, size / SLICE_INSTRUCTIONS));
  if (slices < 2) return {};
  Division division(module, Cut(module, size, slices).owners(), slices, [&](uint32_t, const llvm::Function& other) {
    if (other.hasFnAttribute(llvm::Attribute::AlwaysInline)) return true;
    return inlines && !other.hasFnAttribute(llvm::Attribute::NoInline) && other.getInstructionCount() <= MOST_TO_INLINE;
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
