// Objects that never leave the function that makes them (mir/passes/stack_objects). They look like any other to whoever borrows them, header
// included; what only this function sees of them LLVM takes apart.
#include "compiler/llvm_ir/function_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

void FunctionEmitter::emit_new_on_stack(const Inst& inst) {
  TypeId type = m_.layout().strip(dst_type(inst));
  llvm::Value* object = storage(inst.dst);
  b_.CreateStore(b_.getInt64(1), object);   // both counts: strong is the first, low half
  b_.CreateStore(m_.class_descriptor(type), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), object, offsetof(met_object, type)));
  uint64_t size = m_.layout().size_of(m_.layout().class_object(type)) - sizeof(met_object);
  if (size > 0) b_.CreateMemSet(b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), object, sizeof(met_object)), b_.getInt8(0), size, llvm::Align(alignof(met_object)));
  note_filled(inst.dst.local);
}

// Nobody can notice the end of the old object, so it may come first.
void FunctionEmitter::assign_on_stack(const Inst& inst) {
  if (!inst.initializes) drop_on_stack(inst.dst.local);
  if (inst.args[0].kind == mir::OperandKind::Const) {   // zero: nothing there
    b_.CreateStore(llvm::ConstantPointerNull::get(m_.layout().pointer_type()), slot(inst.dst.local));
    return;
  }
  llvm::Align align(alignof(met_object));
  b_.CreateMemCpy(storage(inst.dst), align, storage(inst.args[0].place), align, m_.layout().size_of(m_.layout().class_object(dst_type(inst))));
  note_filled(inst.dst.local);
}

void FunctionEmitter::drop_on_stack(mir::LocalId local) {
  auto* drop = llvm::dyn_cast<llvm::Function>(m_.class_drop(f_.local(local).type));
  if (!drop) return;
  auto end = [&] {
    believe(mir::fact_of(mir::Op::New), {.value = storages_[local.index]});
    b_.CreateCall(drop->getFunctionType(), drop, {storages_[local.index]});
  };
  if (!zeroed_[local.index]) return end();
  m_.emit_if(b_, b_.CreateIsNotNull(b_.CreateLoad(m_.layout().pointer_type(), slot(local))), nullptr, end);
}

void FunctionEmitter::note_filled(mir::LocalId local) {
  if (in_register_[local.index]) registers_[local.index] = storages_[local.index];
  else b_.CreateStore(storages_[local.index], slot(local));
}

}  // namespace meteor::llvm_ir
