// Constant data: texts, C strings, source places, nulls.
#include <algorithm>
#include <cstring>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/module_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

llvm::Constant* ModuleEmitter::c_string(std::string_view text) {
  llvm::Constant*& entry = strings_[std::string(text)];
  if (entry) return entry;
  llvm::Constant* data = llvm::ConstantDataArray::getString(context_, llvm::StringRef(text.data(), text.size()), true);
  auto* variable = new llvm::GlobalVariable(*module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "text");
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  variable->setAlignment(llvm::Align(1));
  return entry = variable;
}

// Up to 15 bytes: the words themselves. Longer: an immortal object in the data section.
llvm::Constant* ModuleEmitter::text_literal(std::string_view text, bool is_bytes) {
  llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
  auto words = [&](llvm::Constant* first, uint64_t second) {
    return llvm::ConstantStruct::get(layout_.text_type(), {first, llvm::ConstantInt::get(i64, second)});
  };
  if (text.size() <= MET_STR_SMALL_MAX) {
    unsigned char raw[16] = {};
    std::memcpy(raw, text.data(), text.size());
    raw[15] = static_cast<unsigned char>(0x80 | text.size());
    uint64_t first, second;
    std::memcpy(&first, raw, 8);
    std::memcpy(&second, raw + 8, 8);
    return words(llvm::ConstantInt::get(i64, first), second);
  }
  llvm::Constant*& entry = (is_bytes ? bytes_ : texts_)[std::string(text)];
  if (entry) return entry;
  bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  auto starts_scalar = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  uint64_t scalars = is_bytes ? text.size() : static_cast<uint64_t>(std::ranges::count_if(text, starts_scalar));
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  llvm::Constant* type = module_->getOrInsertGlobal("met_str_type", llvm::Type::getInt8Ty(context_));
  llvm::Constant* data = llvm::ConstantDataArray::getString(context_, llvm::StringRef(text.data(), text.size()), true);
  llvm::Constant* object = llvm::ConstantStruct::getAnon(
      context_, {llvm::ConstantInt::get(i32, MET_IMMORTAL), llvm::ConstantInt::get(i32, 0), type, llvm::ConstantInt::get(i64, text.size()),
                 llvm::ConstantInt::get(i64, scalars), llvm::ConstantInt::get(i64, 0), data});
  auto* variable = new llvm::GlobalVariable(*module_, object->getType(), true, llvm::GlobalValue::PrivateLinkage, object, "literal");
  variable->setAlignment(llvm::Align(8));
  return entry = words(llvm::ConstantExpr::getPtrToInt(variable, i64), text.size() | (ascii ? MET_STR_ASCII : 0));
}

llvm::Constant* ModuleEmitter::constant_data(llvm::Constant* data, uint64_t align) {
  auto* variable = new llvm::GlobalVariable(*module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "data");
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  variable->setAlignment(llvm::Align(align));
  return variable;
}

llvm::Constant* ModuleEmitter::site(const mir::Function& function, source::Span span) {
  auto key = std::pair(static_cast<const void*>(&function), std::pair(span.file.index, span.start));
  llvm::Constant*& entry = sites_[key];
  if (entry) return entry;
  source::LineColumn at = sources_.start_of(span);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  llvm::Constant* data =
      llvm::ConstantStruct::get(site_type_, {c_string(function.name), c_string(sources_.path(span.file)), llvm::ConstantInt::get(i32, at.line),
                                             llvm::ConstantInt::get(i32, at.column)});
  auto* variable = new llvm::GlobalVariable(*module_, site_type_, true, llvm::GlobalValue::PrivateLinkage, data, "site");
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return entry = variable;
}

llvm::Constant* ModuleEmitter::null_of(TypeId type) {
  const Rep& rep = layout_.rep(type);
  if (rep.shape == Shape::Text) {
    llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
    return llvm::ConstantStruct::get(layout_.text_type(), {llvm::ConstantInt::get(i64, 0), llvm::ConstantInt::get(i64, MET_STR_NULL_WORD1)});
  }
  return llvm::Constant::getNullValue(rep.value);
}

}  // namespace meteor::llvm_ir
