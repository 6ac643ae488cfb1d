// What programs with several isolates have besides: the functions that the runtime calls when it runs something in another
// isolate, shares the consts, and ends an isolate.
#include "compiler/llvm_ir/module_emitter.h"

namespace meteor::llvm_ir {

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

  // The variables of an isolate go with it, the last one first.
  llvm::Function* drop = begin("met_hook_drop_locals");
  b.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", drop));
  for (uint32_t i = static_cast<uint32_t>(typed().globals.size()); i-- > 0;) {
    const typed::Global& global = typed().globals[i];
    if (!global.is_local || !is_used(i) || layout_.is_plain(global.type)) continue;
    llvm::Value* address = b.CreateThreadLocalAddress(this->global(mir::GlobalId(i)));
    release_at(b, address, global.type, true);
  }
  b.CreateRetVoid();
}

}  // namespace meteor::llvm_ir
