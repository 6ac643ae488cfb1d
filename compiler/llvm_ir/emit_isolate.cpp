// What programs with several isolates have besides: the functions that the runtime calls when it runs something in another
// isolate, shares the consts, and ends an isolate.
#include <string_view>
#include <unordered_map>

#include "compiler/llvm_ir/function_emitter.h"
#include "compiler/llvm_ir/module_emitter.h"

namespace meteor::llvm_ir {

llvm::GlobalVariable* ModuleEmitter::is_elsewhere() {
  if (is_elsewhere_) return is_elsewhere_;
  return is_elsewhere_ = new llvm::GlobalVariable(*module_, llvm::Type::getInt8Ty(context_), false, llvm::GlobalValue::ExternalLinkage, nullptr, "met_is_elsewhere",
                                                  nullptr, llvm::GlobalValue::InitialExecTLSModel);
}

// A thread never changes its answer once it runs emitted code, so it is asked once and not in loops.
void FunctionEmitter::emit_require_home(const Inst& inst) {
  auto* load = b_.CreateLoad(b_.getInt8Ty(), b_.CreateThreadLocalAddress(m_.is_elsewhere()));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(load->getContext(), {}));
  check(inst, b_.CreateIsNotNull(load), m_.typed().hooks.foreign_variable, {value(inst.args[0])});
}

void ModuleEmitter::emit_isolate_hooks() {
  const typed::RuntimeHooks& hooks = typed().hooks;
  emit_hooks({{hooks.run_entry, "met_hook_run_entry"}, {hooks.work_over, "met_hook_work_over"}});
  auto begin = [&](const char* name) {
    llvm::Function* function = make_function(llvm::FunctionType::get(llvm::Type::getVoidTy(context_), false), name);
    function->setLinkage(llvm::GlobalValue::ExternalLinkage);
    return function;
  };

  // Every const is marked before a second isolate can see it.
  llvm::Function* share = begin("met_hook_share_consts");
  Builder b(llvm::BasicBlock::Create(context_, "entry", share));
  llvm::Value* visit = runtime(RuntimeFunction::met_share_visit);
  llvm::Constant* null = llvm::ConstantPointerNull::get(layout_.pointer_type());
  auto is_used = [&](uint32_t i) { return globals_.contains(i); };
  for (uint32_t i = 0; i < typed().globals.size(); ++i)
    if (const typed::Global& global = typed().globals[i]; global.is_const && is_used(i) && !layout_.is_plain(global.type))
      visit_at(b, this->global(mir::GlobalId(i)), global.type, null, visit, null);
  b.CreateRetVoid();

  // The variables of an isolate go with it, the last one first. The next isolate of the same thread makes its own.
  std::unordered_map<std::string_view, uint32_t> flags;
  for (uint32_t i = 0; i < program_.globals.size(); ++i) flags[program_.globals[i].symbol] = static_cast<uint32_t>(typed().globals.size()) + i;
  llvm::Function* drop = begin("met_hook_drop_locals");
  b.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", drop));
  auto clear = [&](uint32_t i) {
    if (!is_used(i)) return;
    llvm::GlobalVariable* variable = this->global(mir::GlobalId(i));
    b.CreateStore(variable->getInitializer(), b.CreateThreadLocalAddress(variable));
  };
  for (uint32_t i = static_cast<uint32_t>(typed().globals.size()); i-- > 0;) {
    const typed::Global& global = typed().globals[i];
    if (!global.is_local || !is_used(i)) continue;
    if (!layout_.is_plain(global.type)) release_at(b, b.CreateThreadLocalAddress(this->global(mir::GlobalId(i))), global.type, true);
    clear(i);
    if (auto flag = flags.find(global.symbol + ".made"); flag != flags.end()) clear(flag->second);
  }
  b.CreateRetVoid();
}

}  // namespace meteor::llvm_ir
