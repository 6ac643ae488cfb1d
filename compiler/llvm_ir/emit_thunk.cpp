// Functions in tables and func values follow one convention, whatever the function behind them does: they may raise, a func
// value takes its environment first, and a receiver in a box arrives as the box. Where a function differs, a thunk adapts it.
#include <algorithm>

#include "compiler/llvm_ir/c_abi.h"
#include "compiler/llvm_ir/module_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

llvm::Function* ModuleEmitter::make_thunk(FunctionId id, bool takes_environment, TypeId boxed_self, const char* suffix) {
  const mir::Function& target = mir_function(id);
  bool has_environment = target.environment.valid();
  std::vector<llvm::Type*> params;
  if (takes_environment) params.push_back(layout_.pointer_type());
  for (uint32_t i = 0; i < target.param_count; ++i) {
    bool is_box = i == 0 && boxed_self.valid();
    params.push_back(is_box ? layout_.pointer_type() : param_type(target.locals[i].type, target.locals[i].by_reference));
  }
  CallShape outer = make_shape(params, target.result, true);
  llvm::Function* thunk = make_function(outer.type, target.name + suffix);
  Builder b(llvm::BasicBlock::Create(context_, "entry", thunk));
  debug_.start_wrapper(b, target, thunk);

  std::vector<llvm::Value*> args;
  unsigned next = 0;
  if (takes_environment) {
    if (has_environment) args.push_back(thunk->getArg(0));
    next = 1;
  }
  for (uint32_t i = 0; i < target.param_count; ++i) {
    llvm::Value* arg = thunk->getArg(next++);
    if (i == 0 && boxed_self.valid()) {
      llvm::Value* inside = b.CreateStructGEP(layout_.cell_object(boxed_self), arg, Layout::HEADER_PARTS);
      arg = target.locals[0].by_reference ? inside : load(b, inside, boxed_self);
      // An owned receiver gives up the box, so it needs a count of its own for what it takes out.
      if (!target.param_modes.empty() && target.param_modes[0] == types::ParamMode::Owned && !target.locals[0].by_reference) {
        retain(b, arg, boxed_self);
        release_object(b, thunk->getArg(next - 1));
      }
    }
    args.push_back(arg);
  }

  llvm::Value* result = nullptr;
  bool raises = false;
  if (target.is_extern) {
    result = call_extern(*this, b, target, args);
  } else {
    CallShape inner = shape_of(target);
    raises = inner.raises;
    result = b.CreateCall(inner.type, function(id), args);
  }
  if (raises) {
    b.CreateRet(result);
  } else if (!outer.has_result) {
    b.CreateRet(llvm::ConstantPointerNull::get(layout_.pointer_type()));
  } else {
    llvm::Value* both = llvm::Constant::getNullValue(outer.type->getReturnType());
    b.CreateRet(b.CreateInsertValue(both, result, 0));
  }
  return thunk;
}

llvm::Function* ModuleEmitter::table_entry(FunctionId id) {
  llvm::Function*& entry = table_entries_[id];
  if (entry) return entry;
  const mir::Function& target = mir_function(id);
  if (!target.is_extern && target.summary.raises) return entry = function(id);
  llvm::Function* made = make_thunk(id, false, {}, " (virtual)");
  return table_entries_[id] = made;
}

llvm::Function* ModuleEmitter::boxed_table_entry(FunctionId id, TypeId type) {
  auto key = std::pair(id.index, type.index);
  auto found = boxed_entries_.find(key);
  if (found != boxed_entries_.end()) return found->second;
  return boxed_entries_[key] = make_thunk(id, false, type, " (dyn)");
}

llvm::Function* ModuleEmitter::class_trait_entry(FunctionId id, TypeId type) {
  const typed::Nominal& nominal = typed().nominal(type);
  auto slot = std::ranges::find(nominal.vtable, id);
  if (!nominal.has_subclasses || slot == nominal.vtable.end()) return table_entry(id);
  auto key = std::pair(id.index, type.index);
  auto found = class_entries_.find(key);
  if (found != class_entries_.end()) return found->second;
  llvm::FunctionType* call_type = table_entry(id)->getFunctionType();
  llvm::Function* thunk = make_function(call_type, mir_function(id).name + " (dyn)");
  Builder b(llvm::BasicBlock::Create(context_, "entry", thunk));
  std::vector<llvm::Value*> args;
  for (llvm::Argument& arg : thunk->args()) args.push_back(&arg);
  b.CreateRet(b.CreateCall(call_type, virtual_function(b, args[0], static_cast<uint32_t>(slot - nominal.vtable.begin())), args));
  return class_entries_[key] = thunk;
}

llvm::Value* ModuleEmitter::virtual_function(Builder& b, llvm::Value* object, uint32_t slot) {
  llvm::Value* type = b.CreateLoad(layout_.pointer_type(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), object, offsetof(met_object, type)));
  llvm::Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), type, sizeof(met_type) + slot * sizeof(void*));
  return b.CreateLoad(layout_.pointer_type(), at);
}

llvm::Function* ModuleEmitter::func_entry(FunctionId id) {
  llvm::Function*& entry = func_entries_[id];
  if (entry) return entry;
  const mir::Function& target = mir_function(id);
  if (!target.is_extern && target.summary.raises && target.environment.valid()) return entry = function(id);
  llvm::Function* made = make_thunk(id, true, {}, " (func)");
  return func_entries_[id] = made;
}

llvm::Function* ModuleEmitter::error_maker(FunctionId hook) {
  llvm::Function*& entry = error_makers_[hook];
  if (entry) return entry;
  CallShape shape = shape_of(mir_function(hook));
  llvm::Function* target = function(hook);
  target->addFnAttr(llvm::Attribute::Cold);
  target->addFnAttr(llvm::Attribute::NoInline);
  if (!shape.raises) return entry = target;
  auto* type = llvm::FunctionType::get(layout_.pointer_type(), shape.type->params(), false);
  entry = make_function(type, mir_function(hook).name + " (error)");
  entry->addFnAttr(llvm::Attribute::Cold);
  entry->addFnAttr(llvm::Attribute::NoInline);
  mark_object_result(entry, mir_function(hook).result);
  Builder b(llvm::BasicBlock::Create(context_, "entry", entry));
  std::vector<llvm::Value*> args;
  for (llvm::Argument& arg : entry->args()) args.push_back(&arg);
  llvm::Value* made = b.CreateCall(shape.type, target, args);
  llvm::Value* other = b.CreateExtractValue(made, 1);
  b.CreateRet(b.CreateSelect(b.CreateIsNull(other), b.CreateExtractValue(made, 0), other));
  return entry;
}

}  // namespace meteor::llvm_ir
