// The representation of every type as an LLVM type, exactly as the table in runtime/abi/abi.h says, and what follows from
// it: sizes, where a null lies, which types need no counting.
// Invariant: a bool is i1 in registers and i8 in memory and inside aggregates; every other type looks the same in both.
#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/mir/mir.h"

namespace llvm {
class DataLayout;
class LLVMContext;
class PointerType;
class StructType;
class Type;
}

namespace meteor::llvm_ir {

using mir::TypeId;

enum class Shape : uint8_t {
  Nothing,      // Void, Never, Null: a byte that nobody reads
  Bool,
  Int,
  Float,
  RawPtr,
  Text,         // str, bytes: two words
  Object,       // a counted pointer: class, Cell, any
  BoxedEnum,    // a counted pointer or a case number + 1
  CaseNumber,   // an enum without payloads: i32
  TaggedEnum,   // { i32 case, payload }
  Record,       // struct, tuple: the parts by value
  Func,         // { code, environment }
  Dyn,          // { object, trait table }
  Weak,         // a pointer counted in `weak`, or null
  TaggedOptional,   // { i8 present, value }
};

// One case of an enum: its fields as a struct that starts at `offset` of the enum value, or of the boxed object.
struct CaseLayout {
  llvm::StructType* fields = nullptr;
  uint64_t offset = 0;
  std::vector<TypeId> parts;
};

struct Rep {
  Shape shape = Shape::Nothing;
  bool nullable = false;         // null is one of the values: `any`, and an Optional whose null lies inside the value
  bool plain = true;             // needs no counting or dropping
  llvm::Type* memory = nullptr;  // as stored
  llvm::Type* value = nullptr;   // in registers
  uint64_t size = 0;             // of `memory`, padding included
  uint64_t align = 1;
  std::vector<TypeId> parts;     // Record: the fields; TaggedOptional: the value inside
  std::vector<CaseLayout> cases; // TaggedEnum, BoxedEnum
};

class Layout {
 public:
  Layout(const mir::Program& program, const llvm::DataLayout& data_layout, llvm::LLVMContext& context);

  const Rep& rep(TypeId type);
  bool is_plain(TypeId type) { return rep(type).plain; }

  // Without Frozen around it.
  TypeId strip(TypeId type) const;
  types::Kind kind(TypeId type) const { return types_.kind(strip(type)); }
  bool is_integer_signed(TypeId type) const { return types_.get(strip(type)).is_signed; }

  // met_object followed by the fields; the fields start at element HEADER_PARTS.
  static constexpr unsigned HEADER_PARTS = 3;
  llvm::StructType* object_of(const std::vector<TypeId>& fields);
  llvm::StructType* class_object(TypeId type);
  llvm::StructType* cell_object(TypeId type) { return object_of({type}); }
  llvm::StructType* text_type() const { return text_; }
  llvm::StructType* pair_type() const { return pair_; }
  llvm::PointerType* pointer_type() const { return pointer_; }
  uint64_t size_of(llvm::Type* type) const;

 private:
  Rep make(TypeId type);
  Rep make_enum(TypeId type);
  Rep make_optional(TypeId type);
  Rep make_record(const std::vector<TypeId>& parts);
  void finish(Rep& rep) const;
  llvm::StructType* struct_of(const std::vector<TypeId>& parts);
  bool contains_inline(TypeId type, TypeId wanted, int depth) const;

  const mir::Program& program_;
  const types::TypeStore& types_;
  const llvm::DataLayout& data_layout_;
  llvm::LLVMContext& context_;
  llvm::PointerType* pointer_;
  llvm::StructType* text_;
  llvm::StructType* pair_;
  std::unordered_map<TypeId, Rep> reps_;
  std::unordered_map<TypeId, llvm::StructType*> class_objects_;
};

}  // namespace meteor::llvm_ir
