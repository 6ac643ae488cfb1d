#include "compiler/object/target.h"

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

namespace meteor::object {

Target::Target() = default;
Target::Target(Target&&) noexcept = default;
Target& Target::operator=(Target&&) noexcept = default;
Target::~Target() = default;

base::Result<Target> make_target(OptLevel level) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  Target target;
  target.triple = llvm::sys::getDefaultTargetTriple();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (!found) return base::Failure{target.triple, error};
  const char* cpu = llvm::Triple(target.triple).getArch() == llvm::Triple::x86_64 ? "x86-64-v2" : "generic";
  llvm::TargetOptions options;
  options.FunctionSections = true;   // the linker drops what nobody calls
  options.DataSections = true;
  llvm::CodeGenOptLevel codegen = level == OptLevel::O0   ? llvm::CodeGenOptLevel::None
                                  : level == OptLevel::O1 ? llvm::CodeGenOptLevel::Less
                                  : level == OptLevel::O2 ? llvm::CodeGenOptLevel::Default
                                                          : llvm::CodeGenOptLevel::Aggressive;
  // Programs have fixed addresses: constant tables need no relocation when the program starts.
  target.machine.reset(found->createTargetMachine(target.triple, cpu, "", options, llvm::Reloc::Static, llvm::CodeModel::Small, codegen));
  if (!target.machine) return base::Failure{target.triple, "LLVM has no code generator for this machine"};
  target.data_layout = target.machine->createDataLayout().getStringRepresentation();
  return target;
}

}  // namespace meteor::object
