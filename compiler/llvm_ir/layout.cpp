#include "compiler/llvm_ir/layout.h"

#include <algorithm>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>

#include "compiler/base/check.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

using types::Kind;

namespace {

// Deeper values than this are refused by the checker long before.
constexpr int MAX_INLINE_DEPTH = 64;

}  // namespace

Layout::Layout(const mir::Program& program, const llvm::DataLayout& data_layout, llvm::LLVMContext& context)
    : program_(program),
      types_(*program.types),
      data_layout_(data_layout),
      context_(context),
      pointer_(llvm::PointerType::get(context, 0)),
      text_(llvm::StructType::get(llvm::Type::getInt64Ty(context), llvm::Type::getInt64Ty(context))),
      pair_(llvm::StructType::get(pointer_, pointer_)) {}

TypeId Layout::strip(TypeId type) const {
  while (types_.kind(type) == Kind::Frozen) type = types_.arg(type);
  return type;
}

uint64_t Layout::size_of(llvm::Type* type) const { return data_layout_.getTypeAllocSize(type); }

const Rep& Layout::rep(TypeId type) {
  type = strip(type);
  auto found = reps_.find(type);
  if (found != reps_.end()) return found->second;
  Rep rep = make(type);
  return reps_.insert_or_assign(type, std::move(rep)).first->second;
}

void Layout::finish(Rep& rep) const {
  if (!rep.value) rep.value = rep.memory;
  rep.size = data_layout_.getTypeAllocSize(rep.memory);
  rep.align = data_layout_.getABITypeAlign(rep.memory).value();
}

Rep Layout::make(TypeId id) {
  const types::Type& type = types_.get(id);
  Rep rep;
  auto set = [&](Shape shape, llvm::Type* memory, bool plain) {
    rep.shape = shape;
    rep.memory = memory;
    rep.plain = plain;
  };
  switch (type.kind) {
    case Kind::Error:
    case Kind::Never:
    case Kind::Void:
    case Kind::Null: set(Shape::Nothing, llvm::Type::getInt8Ty(context_), true); break;
    case Kind::Bool:
      set(Shape::Bool, llvm::Type::getInt8Ty(context_), true);
      rep.value = llvm::Type::getInt1Ty(context_);
      break;
    case Kind::Int: set(Shape::Int, llvm::Type::getIntNTy(context_, type.width), true); break;
    case Kind::Float:
      set(Shape::Float, type.width == 32 ? llvm::Type::getFloatTy(context_) : llvm::Type::getDoubleTy(context_), true);
      break;
    case Kind::Str:
    case Kind::Bytes: set(Shape::Text, text_, false); break;
    case Kind::Any:
      set(Shape::Object, pointer_, false);
      rep.nullable = true;
      break;
    case Kind::Class:
    case Kind::Cell: set(Shape::Object, pointer_, false); break;
    case Kind::Struct: {
      std::vector<TypeId> parts;
      for (const typed::Field& field : program_.typed->nominal(id).fields) parts.push_back(field.type);
      return make_record(parts);
    }
    case Kind::Tuple: return make_record(type.args);
    case Kind::Enum: return make_enum(id);
    case Kind::Optional: return make_optional(id);
    case Kind::Func: set(Shape::Func, pair_, false); break;
    case Kind::Dyn: set(Shape::Dyn, pair_, false); break;
    case Kind::Weak:
      set(Shape::Weak, pointer_, false);
      rep.nullable = true;
      break;
    case Kind::RawPtr: set(Shape::RawPtr, pointer_, true); break;
    case Kind::Frozen:
    case Kind::Trait:
    case Kind::Param:
    case Kind::Var: CHECK(!"a type that only the checker sees reached the emitter");
  }
  finish(rep);
  return rep;
}

llvm::StructType* Layout::struct_of(const std::vector<TypeId>& parts) {
  std::vector<llvm::Type*> members;
  for (TypeId part : parts) members.push_back(rep(part).memory);
  return llvm::StructType::get(context_, members);
}

Rep Layout::make_record(const std::vector<TypeId>& parts) {
  Rep record;
  record.shape = Shape::Record;
  record.parts = parts;
  record.memory = parts.empty() ? llvm::StructType::get(llvm::Type::getInt8Ty(context_)) : struct_of(parts);
  for (TypeId part : parts) record.plain &= rep(part).plain;
  finish(record);
  return record;
}

// An enum contains itself when a value of it would need room for another: through structs, tuples, optionals and other enums.
bool Layout::contains_inline(TypeId type, TypeId wanted, int depth) const {
  type = strip(type);
  if (depth > 0 && type == wanted) return true;
  if (depth > MAX_INLINE_DEPTH) return false;
  const types::Type& info = types_.get(type);
  auto inside = [&](TypeId part) { return contains_inline(part, wanted, depth + 1); };
  switch (info.kind) {
    case Kind::Tuple: return std::ranges::any_of(info.args, inside);
    case Kind::Optional: return inside(info.args[0]);
    case Kind::Struct: return std::ranges::any_of(program_.typed->nominal(type).fields, [&](auto& field) { return inside(field.type); });
    case Kind::Enum: {
      const typed::Nominal& nominal = program_.typed->nominal(type);
      if (type != wanted && nominal.is_recursive) return false;
      for (const typed::EnumCase& one : nominal.cases)
        for (const typed::Field& field : one.fields)
          if (inside(field.type)) return true;
      return false;
    }
    default: return false;
  }
}

Rep Layout::make_enum(TypeId type) {
  const typed::Nominal& nominal = program_.typed->nominal(type);
  Rep rep;
  bool has_payload = std::ranges::any_of(nominal.cases, [](auto& one) { return !one.fields.empty(); });
  if (!has_payload) {
    rep.shape = Shape::CaseNumber;
    rep.memory = llvm::Type::getInt32Ty(context_);
    finish(rep);
    return rep;
  }
  bool boxed = nominal.is_recursive || contains_inline(type, type, 0);
  if (boxed) {   // registered before its fields are laid out: they may mention it
    rep.shape = Shape::BoxedEnum;
    rep.memory = pointer_;
    rep.plain = false;
    finish(rep);
    reps_.emplace(type, rep);
  }
  uint64_t payload_align = 4, payload_size = 0;
  for (const typed::EnumCase& one : nominal.cases) {
    CaseLayout layout;
    for (const typed::Field& field : one.fields) layout.parts.push_back(field.type);
    layout.fields = struct_of(layout.parts);
    for (TypeId part : layout.parts) rep.plain &= this->rep(part).plain;
    if (!layout.parts.empty()) {
      payload_align = std::max(payload_align, data_layout_.getABITypeAlign(layout.fields).value());
      payload_size = std::max(payload_size, size_of(layout.fields));
    }
    rep.cases.push_back(std::move(layout));
  }
  uint64_t first = boxed ? sizeof(met_object) : 0;
  for (CaseLayout& one : rep.cases) one.offset = first + payload_align;
  if (boxed) return rep;
  // The payload is an array of words as wide as its alignment, so that copies go word by word.
  rep.shape = Shape::TaggedEnum;
  llvm::Type* unit = llvm::Type::getIntNTy(context_, static_cast<unsigned>(payload_align * 8));
  llvm::Type* payload = llvm::ArrayType::get(unit, (payload_size + payload_align - 1) / payload_align);
  rep.memory = llvm::StructType::get(llvm::Type::getInt32Ty(context_), payload);
  finish(rep);
  return rep;
}

Rep Layout::make_optional(TypeId type) {
  TypeId inner = strip(types_.arg(type));
  const Rep& value = rep(inner);
  bool null_inside = !value.nullable && (value.shape == Shape::Object || value.shape == Shape::BoxedEnum || value.shape == Shape::Text ||
                                         value.shape == Shape::Func || value.shape == Shape::Dyn);
  if (null_inside) {
    Rep rep = value;
    rep.nullable = true;
    return rep;
  }
  Rep rep;
  rep.shape = Shape::TaggedOptional;
  rep.parts = {inner};
  rep.plain = value.plain;
  rep.memory = llvm::StructType::get(llvm::Type::getInt8Ty(context_), value.memory);
  finish(rep);
  return rep;
}

llvm::StructType* Layout::object_of(const std::vector<TypeId>& fields) {
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  std::vector<llvm::Type*> members = {i32, i32, pointer_};
  for (TypeId field : fields) members.push_back(rep(field).memory);
  return llvm::StructType::get(context_, members);
}

llvm::StructType* Layout::class_object(TypeId type) {
  type = strip(type);
  auto found = class_objects_.find(type);
  if (found != class_objects_.end()) return found->second;
  std::vector<TypeId> fields;
  for (const typed::Field& field : program_.typed->nominal(type).fields) fields.push_back(field.type);
  return class_objects_[type] = object_of(fields);
}

}  // namespace meteor::llvm_ir
