#include "compiler/object/codegen.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/StandardInstrumentations.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Instrumentation/AddressSanitizer.h>
#include <llvm/Transforms/Instrumentation/ThreadSanitizer.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "compiler/llvm_ir/emit.h"
#include "compiler/object/loop_checks.h"
#include "compiler/object/pairs.h"

namespace meteor::object {

namespace {

llvm::OptimizationLevel llvm_level(OptLevel level) {
  switch (level) {
    case OptLevel::O0: return llvm::OptimizationLevel::O0;
    case OptLevel::O1: return llvm::OptimizationLevel::O1;
    case OptLevel::O2: return llvm::OptimizationLevel::O2;
    case OptLevel::O3: return llvm::OptimizationLevel::O3;
  }
  return llvm::OptimizationLevel::O2;
}

// What a person would call -O0, on code that is a third of the size: values in registers, branches that lead somewhere.
void translate_quickly(llvm::Module& module, llvm::FunctionAnalysisManager& analyses) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module) {
    if (!function.hasFnAttribute(llvm_ir::QUICK) || function.isDeclaration()) continue;
    passes.run(function, analyses);
    analyses.clear(function, function.getName());
    function.addFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::AlwaysInline);
  }
}

}  // namespace

void optimise(llvm::Module& module, Target& target, OptLevel level, const std::string& sanitizer) {
  // A function that the emitter marked as too big to optimise (see llvm_ir) slows down the passes over its module as well.
  for (const llvm::Function& function : module)
    if (function.hasOptNone()) level = OptLevel::O0;
  if (level == OptLevel::O0) target.machine->setOptLevel(llvm::CodeGenOptLevel::None);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = tuning.LoopVectorization = level >= OptLevel::O2;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation skip_quick(false);   // without it passes run on `optnone` functions all the same
  skip_quick.registerCallbacks(callbacks);
  llvm::PassBuilder builder(target.machine.get(), tuning, std::nullopt, &callbacks);
  if (sanitizer == "address") {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
      passes.addPass(llvm::AddressSanitizerPass(llvm::AddressSanitizerOptions()));
    });
  }
  if (sanitizer == "thread") {
    for (llvm::Function& function : module)
      if (!function.isDeclaration()) function.addFnAttr(llvm::Attribute::SanitizeThread);
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
      passes.addPass(llvm::ModuleThreadSanitizerPass());
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
    });
  }
  if (level != OptLevel::O0) {   // LLVM calls these at -O0 too
    set_loop_options();
    builder.registerPeepholeEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(FieldReadsPass()); });
    builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(LoopChecksPass()); });
  }
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  translate_quickly(module, functions);
  llvm::ModulePassManager passes =
      level == OptLevel::O0 ? builder.buildO0DefaultPipeline(llvm_level(level)) : builder.buildPerModuleDefaultPipeline(llvm_level(level));
  passes.run(module, modules);
  if (level == OptLevel::O0) split_pairs(module);
}

namespace {

// What addPassesToEmitFile adds, less the pass that follows variables from register to register: at -O0 each stays in its place on the stack.
// False: LLVM can't.
bool add_quick_passes(llvm::LLVMTargetMachine& machine, llvm::legacy::PassManager& passes, llvm::raw_pwrite_stream& out, llvm::CodeGenFileType type) {
  auto* info = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig* config = machine.createPassConfig(passes);
  config->disablePass(&llvm::LiveDebugValuesID);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses()) return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, out, nullptr, type, info->getMMI().getContext())) return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

}  // namespace

base::Result<std::string> codegen(llvm::Module& module, Target& target, CodeForm form) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream out(buffer);
  llvm::legacy::PassManager passes;
  auto type = form == CodeForm::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  bool is_quick = target.machine->getOptLevel() == llvm::CodeGenOptLevel::None;
  auto& machine = static_cast<llvm::LLVMTargetMachine&>(*target.machine);
  if (is_quick ? !add_quick_passes(machine, passes, out, type) : machine.addPassesToEmitFile(passes, out, nullptr, type)) return base::Failure{target.triple, "LLVM can't write this kind of file"};
  passes.run(module);
  return std::string(buffer.str());
}

}  // namespace meteor::object
