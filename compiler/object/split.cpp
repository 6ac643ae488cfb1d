#include "compiler/object/split.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "compiler/llvm_ir/emit.h"

namespace meteor::object {

namespace {

constexpr size_t WORTH_INSTRUCTIONS = 40'000;   // a module with fewer is made in less time than the cut takes
constexpr size_t BIG_INSTRUCTIONS = 300;        // LLVM inlines such a function hardly anywhere

bool is_quick(const llvm::Function& function) { return function.hasFnAttribute(llvm_ir::QUICK); }

// Does code of the quick part refer to it?
bool is_used_quickly(const llvm::Value& value) {
  for (const llvm::User* user : value.users()) {
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      if (is_quick(*instruction->getFunction())) return true;
    } else if (llvm::isa<llvm::Constant>(user) && !llvm::isa<llvm::GlobalValue>(user) && is_used_quickly(*user)) {
      return true;
    }
  }
  return false;
}

// Without optimisation nothing is inlined, so that every function can belong to one half.
bool belongs_to_one_half(const llvm::Function& function, OptLevel level) {
  return level == OptLevel::O0 || function.hasFnAttribute(llvm::Attribute::NoInline) || function.getInstructionCount() > BIG_INSTRUCTIONS;
}

bool is_worth_halving(const llvm::Module& module, OptLevel level) {
  size_t count = 0, biggest = 0;
  for (const llvm::Function& function : module) {
    if (function.hasOptNone()) return false;
    size_t size = function.getInstructionCount();
    count += size;
    if (belongs_to_one_half(function, level)) biggest = std::max(biggest, size);
  }
  return count > WORTH_INSTRUCTIONS && biggest < count / 2;
}

void show_to_both(llvm::GlobalValue& value) {
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

void remove_body(llvm::Function& function) {
  auto visibility = function.getVisibility();
  function.deleteBody();
  function.setVisibility(visibility);
}

// Goes what neither this part nor the other one uses here.
void remove_unused(llvm::Module& module) {
  llvm::ModuleAnalysisManager modules;
  llvm::FunctionAnalysisManager functions;
  llvm::PassInstrumentationCallbacks callbacks;
  modules.registerPass([&] { return llvm::PassInstrumentationAnalysis(&callbacks); });
  functions.registerPass([&] { return llvm::PassInstrumentationAnalysis(&callbacks); });
  modules.registerPass([&] { return llvm::FunctionAnalysisManagerModuleProxy(functions); });
  functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
  llvm::GlobalDCEPass().run(module, modules);
}

std::vector<llvm::Function*> choose_quick(llvm::Module& module) {
  std::vector<llvm::Function*> chosen;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (is_quick(function)) chosen.push_back(&function);
    else if (function.hasLocalLinkage() && is_used_quickly(function)) show_to_both(function);
  }
  return chosen;
}

// The biggest first, each to the half that has less so far.
std::vector<llvm::Function*> choose_half(llvm::Module& module, OptLevel level) {
  std::vector<std::pair<size_t, llvm::Function*>> big;
  size_t first_size = 0, second_size = 0;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (!function.hasLocalLinkage()) first_size += function.getInstructionCount();
    else if (belongs_to_one_half(function, level)) big.emplace_back(function.getInstructionCount(), &function);
  }
  std::ranges::sort(big, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second->getName() < b.second->getName(); });
  std::vector<llvm::Function*> chosen;
  for (auto [size, function] : big) {
    show_to_both(*function);
    bool second = second_size < first_size;
    (second ? second_size : first_size) += size;
    if (second) chosen.push_back(function);
  }
  return chosen;
}

}  // namespace

Cut find_cut(const llvm::Module& module, OptLevel level) {
  for (const llvm::Function& function : module)
    if (is_quick(function) && !function.isDeclaration()) return Cut::Quick;
  return std::thread::hardware_concurrency() > 1 && is_worth_halving(module, level) ? Cut::Half : Cut::None;
}

SecondPart take_second_part(llvm::Module& module, Cut cut, OptLevel level) {
  SecondPart part{cut, {}, {}, cut == Cut::Quick ? OptLevel::O0 : level};
  std::vector<llvm::Function*> given_away = cut == Cut::Quick ? choose_quick(module) : choose_half(module, level);
  for (llvm::Function* function : given_away) {
    show_to_both(*function);
    part.owned.insert(function->getName().str());
  }
  for (llvm::GlobalVariable& variable : module.globals())
    if (!variable.isDeclaration() && variable.hasInternalLinkage()) show_to_both(variable);
  llvm::raw_string_ostream out(part.bitcode);
  llvm::WriteBitcodeToFile(module, out);
  out.flush();
  for (llvm::Function* function : given_away) remove_body(*function);
  remove_unused(module);
  return part;
}

base::Result<std::unique_ptr<llvm::Module>> read(const SecondPart& part, llvm::LLVMContext& context) {
  auto read = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(part.bitcode, "meteor"), context);
  if (!read) return base::Failure{"meteor", llvm::toString(read.takeError())};
  std::unique_ptr<llvm::Module> module = std::move(*read);
  for (llvm::GlobalVariable& variable : module->globals()) {
    if (variable.isDeclaration() || variable.hasLocalLinkage()) continue;
    variable.setInitializer(nullptr);
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  for (llvm::Function& function : *module) {
    if (function.isDeclaration() && !function.isMaterializable()) continue;
    bool is_copied = part.cut == Cut::Half && function.hasLocalLinkage();
    if (is_copied || part.owned.contains(function.getName().str())) {
      if (llvm::Error error = function.materialize()) return base::Failure{"meteor", llvm::toString(std::move(error))};
      continue;
    }
    if (function.hasLocalLinkage()) function.setLinkage(llvm::GlobalValue::ExternalLinkage);   // nobody here uses it
    remove_body(function);
  }
  if (llvm::Error error = module->materializeAll()) return base::Failure{"meteor", llvm::toString(std::move(error))};
  remove_unused(*module);
  return module;
}

}  // namespace meteor::object
