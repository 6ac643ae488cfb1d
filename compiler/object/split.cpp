#include "compiler/object/split.h"

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

void show_to_both(llvm::GlobalValue& value) {
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

void remove_body(llvm::Function& function) {
  auto visibility = function.getVisibility();
  function.deleteBody();
  function.setVisibility(visibility);
}

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

}  // namespace

bool has_quick_part(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (is_quick(function) && !function.isDeclaration()) return true;
  return false;
}

QuickPart take_quick_part(llvm::Module& module) {
  QuickPart part;
  std::vector<llvm::Function*> given_away;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (is_quick(function)) {
      show_to_both(function);
      part.owned.insert(function.getName().str());
      given_away.push_back(&function);
    } else if (function.hasLocalLinkage() && is_used_quickly(function)) {
      show_to_both(function);
    }
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

base::Result<std::unique_ptr<llvm::Module>> read(const QuickPart& part, llvm::LLVMContext& context) {
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
    if (!part.owned.contains(function.getName().str())) {
      if (function.hasLocalLinkage()) function.setLinkage(llvm::GlobalValue::ExternalLinkage);   // nobody here uses it
      remove_body(function);
    } else if (llvm::Error error = function.materialize()) {
      return base::Failure{"meteor", llvm::toString(std::move(error))};
    }
  }
  if (llvm::Error error = module->materializeAll()) return base::Failure{"meteor", llvm::toString(std::move(error))};
  remove_unused(*module);
  return module;
}

}  // namespace meteor::object
