#include "compiler/object/codegen.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Instrumentation/AddressSanitizer.h>

#include "compiler/object/loop_checks.h"

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
  llvm::PassBuilder builder(target.machine.get(), tuning);
  if (sanitizer == "address") {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
      passes.addPass(llvm::AddressSanitizerPass(llvm::AddressSanitizerOptions()));
    });
  }
  set_loop_options();
  builder.registerPeepholeEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(FieldReadsPass()); });
  builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(LoopChecksPass()); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::ModulePassManager passes =
      level == OptLevel::O0 ? builder.buildO0DefaultPipeline(llvm_level(level)) : builder.buildPerModuleDefaultPipeline(llvm_level(level));
  passes.run(module, modules);
}

base::Result<std::string> codegen(llvm::Module& module, Target& target, CodeForm form) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream out(buffer);
  llvm::legacy::PassManager passes;
  auto type = form == CodeForm::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (target.machine->addPassesToEmitFile(passes, out, nullptr, type)) return base::Failure{target.triple, "LLVM can't write this kind of file"};
  passes.run(module);
  return std::string(buffer.str());
}

}  // namespace meteor::object
