#include "compiler/llvm_ir/c_abi.h"

namespace meteor::llvm_ir {

namespace {

enum class Passing : uint8_t { Direct, TwoWords, Memory };

struct CSignature {
  llvm::FunctionType* type = nullptr;
  std::vector<Passing> passing;   // one per Meteor parameter
  std::vector<llvm::Attribute::AttrKind> extension;   // one per LLVM parameter; None where none
  llvm::Attribute::AttrKind result_extension = llvm::Attribute::None;
};

bool is_two_words(llvm::Type* type) { return llvm::isa<llvm::StructType>(type); }

llvm::Attribute::AttrKind extension_of(ModuleEmitter& m, TypeId type, bool by_reference) {
  if (by_reference) return llvm::Attribute::None;
  const Rep& rep = m.layout().rep(type);
  if (rep.shape == Shape::Bool) return llvm::Attribute::ZExt;
  if (rep.shape == Shape::Int && rep.size < 4) return m.layout().is_integer_signed(type) ? llvm::Attribute::SExt : llvm::Attribute::ZExt;
  return llvm::Attribute::None;
}

CSignature signature_of(ModuleEmitter& m, const mir::Function& function) {
  constexpr int INTEGER_REGISTERS = 6;
  CSignature signature;
  llvm::Type* i64 = llvm::Type::getInt64Ty(m.context());
  std::vector<llvm::Type*> params;
  int used = 0;
  for (uint32_t i = 0; i < function.param_count; ++i) {
    const mir::Local& local = function.locals[i];
    llvm::Type* type = m.param_type(local.type, local.by_reference);
    Passing passing = Passing::Direct;
    if (is_two_words(type)) {
      passing = used + 2 <= INTEGER_REGISTERS ? Passing::TwoWords : Passing::Memory;
      if (passing == Passing::TwoWords) {
        params.insert(params.end(), {i64, i64});
        signature.extension.insert(signature.extension.end(), 2, llvm::Attribute::None);
        used += 2;
      } else {
        params.push_back(m.layout().pointer_type());
        signature.extension.push_back(llvm::Attribute::None);
      }
    } else {
      params.push_back(type);
      signature.extension.push_back(extension_of(m, local.type, local.by_reference));
      if (!type->isFloatingPointTy()) ++used;
    }
    signature.passing.push_back(passing);
  }
  const Rep& result = m.layout().rep(function.result);
  llvm::Type* returned = result.shape == Shape::Nothing ? llvm::Type::getVoidTy(m.context()) : result.value;
  if (result.shape != Shape::Nothing) signature.result_extension = extension_of(m, function.result, false);
  signature.type = llvm::FunctionType::get(returned, params, false);
  return signature;
}

}  // namespace

llvm::Function* declare_extern(ModuleEmitter& m, const mir::Function& function) {
  if (llvm::Function* known = m.module().getFunction(function.symbol)) return known;
  auto* declared = llvm::Function::Create(signature_of(m, function).type, llvm::Function::ExternalLinkage, function.symbol, m.module());
  declared->addFnAttr(llvm::Attribute::NoUnwind);
  return declared;
}

llvm::Value* call_extern(ModuleEmitter& m, Builder& b, const mir::Function& function, llvm::ArrayRef<llvm::Value*> args) {
  CSignature signature = signature_of(m, function);
  llvm::Type* i64 = b.getInt64Ty();
  std::vector<llvm::Value*> values;
  std::vector<std::pair<unsigned, llvm::Type*>> in_memory;
  for (size_t i = 0; i < args.size(); ++i) {
    llvm::Value* arg = args[i];
    switch (signature.passing[i]) {
      case Passing::Direct: values.push_back(arg); break;
      case Passing::TwoWords:
        for (unsigned word = 0; word < 2; ++word) {
          llvm::Value* part = b.CreateExtractValue(arg, word);
          values.push_back(part->getType()->isPointerTy() ? b.CreatePtrToInt(part, i64) : part);
        }
        break;
      case Passing::Memory: {
        llvm::Value* room = m.temporary(b, arg->getType());
        b.CreateStore(arg, room);
        in_memory.emplace_back(values.size(), arg->getType());
        values.push_back(room);
        break;
      }
    }
  }
  llvm::CallInst* call = b.CreateCall(signature.type, m.function(function.id), values);
  call->addFnAttr(llvm::Attribute::NoUnwind);
  for (unsigned i = 0; i < signature.extension.size(); ++i)
    if (signature.extension[i] != llvm::Attribute::None) call->addParamAttr(i, signature.extension[i]);
  if (signature.result_extension != llvm::Attribute::None) call->addRetAttr(signature.result_extension);
  for (auto [index, type] : in_memory) {
    call->addParamAttr(index, llvm::Attribute::getWithByValType(m.context(), type));
    call->addParamAttr(index, llvm::Attribute::getWithAlignment(m.context(), llvm::Align(8)));
  }
  return signature.type->getReturnType()->isVoidTy() ? nullptr : call;
}

}  // namespace meteor::llvm_ir
