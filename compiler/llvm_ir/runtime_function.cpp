#include "compiler/llvm_ir/runtime_function.h"

#include <string_view>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

namespace {

template <typename T>
llvm::Type* type_of(llvm::LLVMContext& context) {
  if constexpr (std::is_pointer_v<T>) return llvm::PointerType::get(context, 0);
  else if constexpr (std::is_same_v<T, bool>) return llvm::Type::getInt1Ty(context);
  else if constexpr (std::is_same_v<T, double>) return llvm::Type::getDoubleTy(context);
  else if constexpr (std::is_same_v<T, met_str>) return llvm::StructType::get(llvm::Type::getInt64Ty(context), llvm::Type::getInt64Ty(context));
  else if constexpr (std::is_void_v<T>) return llvm::Type::getVoidTy(context);
  else return llvm::Type::getIntNTy(context, sizeof(T) * 8);
}

template <typename T>
void add_param(std::vector<llvm::Type*>& params, llvm::LLVMContext& context) {
  if constexpr (std::is_same_v<T, met_str>) {
    params.push_back(llvm::Type::getInt64Ty(context));
    params.push_back(llvm::Type::getInt64Ty(context));
  } else {
    params.push_back(type_of<T>(context));
  }
}

template <typename T>
struct Prototype {};

template <typename Result, typename... Params>
llvm::Function* declare(Prototype<Result(Params...)>, const char* name, llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<llvm::Type*> params;
  (add_param<Params>(params, context), ...);
  auto* type = llvm::FunctionType::get(type_of<Result>(context), params, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  if constexpr (std::is_same_v<Result, bool>) function->addRetAttr(llvm::Attribute::ZExt);
  for (llvm::Argument& arg : function->args())
    if (arg.getType()->isIntegerTy(1)) arg.addAttr(llvm::Attribute::ZExt);
  return function;
}

void add_attributes(RuntimeFunction which, llvm::Function* function) {
  switch (which) {
    case RuntimeFunction::met_object_new:
      function->addRetAttr(llvm::Attribute::NoAlias);
      function->addRetAttr(llvm::Attribute::NonNull);
      function->addRetAttr(llvm::Attribute::getWithDereferenceableBytes(function->getContext(), sizeof(met_object)));
      break;
    case RuntimeFunction::met_raw_alloc: function->addRetAttr(llvm::Attribute::NoAlias); break;
    case RuntimeFunction::met_error_trace: function->addFnAttr(llvm::Attribute::Cold); break;
    case RuntimeFunction::met_panic:
    case RuntimeFunction::met_fact_broken:
      function->addFnAttr(llvm::Attribute::Cold);
      function->addFnAttr(llvm::Attribute::NoReturn);
      break;
    case RuntimeFunction::met_str_equal:
    case RuntimeFunction::met_str_compare:
    case RuntimeFunction::met_is_instance:
      function->setOnlyReadsMemory();
      function->addFnAttr(llvm::Attribute::WillReturn);
      break;
    case RuntimeFunction::met_float_floor_div:
    case RuntimeFunction::met_float_mod:
    case RuntimeFunction::met_float_pow:
      function->setDoesNotAccessMemory();
      function->addFnAttr(llvm::Attribute::WillReturn);
      break;
    default: break;
  }
}

}  // namespace

llvm::Function* declare_runtime_function(RuntimeFunction which, llvm::Module& module) {
  llvm::Function* function = nullptr;
  switch (which) {
#define RUNTIME_FUNCTION(result, name, params) \
  case RuntimeFunction::name: function = declare(Prototype<decltype(::name)>(), #name, module); break;
#include "runtime/abi/runtime_functions.def"
#undef RUNTIME_FUNCTION
  }
  add_attributes(which, function);
  return function;
}

}  // namespace meteor::llvm_ir
