// Interned types: equal structure, equal TypeId. Nominal types (class, struct,
// enum, trait) are a declaration plus type arguments; what they contain is
// known to the checker (typed/), not here.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/base/id.h"
#include "compiler/base/name.h"

namespace meteor::types {

using TypeId = base::Id<struct TypeTag>;
using NominalId = base::Id<struct NominalTag>;   // a class, struct, enum or trait declaration
using VarId = base::Id<struct InferenceVarTag>;

enum class Kind : uint8_t {
  Error,      // poisoned: already reported; compatible with everything
  Never,      // result of code that does not return
  Void,       // no result
  Null,       // the type of a bare `null` before it meets an optional
  Bool,
  Int,        // width, is_signed
  Float,      // width 32 or 64
  Str,
  Bytes,
  Any,
  Class, Struct, Enum, Trait,   // nominal, args. Trait only as a bound or inside Dyn
  Tuple,      // args
  Optional,   // args[0]; optionals of optionals are kept apart
  Func,       // args = parameters, then the result; is_async; modes
  Dyn,        // args[0] is a Trait
  Weak,       // args[0]: an uncounted reference in a field
  Frozen,     // args[0]
  Cell,       // args[0]: a heap box for a variable that closures share; compiler-made
  RawPtr,     // args[0]: memory managed by the library; never counted
  Param,      // a generic parameter before instantiation: name, index
  Var,        // an inference variable; only while a body is checked
};

enum class ParamMode : uint8_t { Plain, Owned, Ref };

struct Type {
  Kind kind = Kind::Error;
  uint8_t width = 0;            // Int, Float: bits
  bool is_signed = false;       // Int
  bool is_async = false;        // Func
  NominalId nominal;            // Class, Struct, Enum, Trait
  VarId var;                    // Var
  base::Name name;              // Param
  uint32_t param_owner = 0;     // Param: which declaration's
  uint32_t param_index = 0;     // Param
  std::vector<TypeId> args;
  std::vector<ParamMode> modes; // Func: one per parameter
};

struct NominalName { std::string name; Kind kind; bool is_library; };   // for printing

class TypeStore {
 public:
  TypeStore();

  // Common types.
  TypeId error, never, void_, null, bool_, int_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float_, float32, str, bytes, any;

  const Type& get(TypeId id) const { return types_[id.index]; }
  Kind kind(TypeId id) const { return types_[id.index].kind; }
  TypeId arg(TypeId id, size_t i = 0) const { return types_[id.index].args[i]; }

  TypeId intern(Type type);
  TypeId integer(uint8_t width, bool is_signed);
  TypeId nominal(Kind kind, NominalId decl, std::vector<TypeId> args = {});
  TypeId tuple(std::vector<TypeId> elements);
  TypeId optional(TypeId inner);
  TypeId func(std::vector<TypeId> params, TypeId result, bool is_async = false, std::vector<ParamMode> modes = {});
  TypeId wrap(Kind kind, TypeId inner);   // Dyn, Weak, Frozen, Cell, RawPtr
  TypeId param(base::Name name, uint32_t owner, uint32_t index);
  TypeId var(VarId var);

  // Func accessors.
  std::span<const TypeId> func_params(TypeId id) const;
  TypeId func_result(TypeId id) const;

  NominalId add_nominal(Kind kind, std::string name, bool is_library = false);
  const NominalName& nominal_name(NominalId id) const { return nominals_[id.index]; }
  // An enum's payload may refer to the enum itself; set by the checker once it knows.
  size_t size() const { return types_.size(); }   // every TypeId below is one
  size_t nominal_count() const { return nominals_.size(); }

  // As the user writes it: `dict<str, list<int>>`, `func<int> -> str`, `int?`.
  std::string text(TypeId id) const;

  bool is_numeric(TypeId id) const { auto k = kind(id); return k == Kind::Int || k == Kind::Float; }
  static bool is_nominal(Kind k) { return k == Kind::Class || k == Kind::Struct || k == Kind::Enum || k == Kind::Trait; }
  bool is_nominal(TypeId id) const { return is_nominal(kind(id)); }
  // Does the type mention an inference variable or a generic parameter anywhere?
  bool has_var(TypeId id) const { return flags_[id.index] & HAS_VAR; }
  bool has_param(TypeId id) const { return flags_[id.index] & HAS_PARAM; }
  // Does it mention only what the library declares?
  bool is_library(TypeId id) const { return !(flags_[id.index] & OF_PROGRAM); }

  // How many types it is made of, each counted wherever it stands, and how deep they are nested. Parts stop counting at MOST_COUNTED.
  static constexpr uint32_t MOST_COUNTED = 1u << 30;
  uint32_t parts(TypeId id) const { return sizes_[id.index].parts; }
  uint32_t depth(TypeId id) const { return sizes_[id.index].depth; }

  // Rebuilds `id` with every leaf that `replace` maps to a valid id replaced (Param and Var leaves only).
  template <typename F>
  TypeId map_leaves(TypeId id, F&& replace);

 private:
  static constexpr uint8_t HAS_VAR = 1, HAS_PARAM = 2, OF_PROGRAM = 4;
  std::deque<Type> types_;      // stable addresses: `get` results survive interning
  std::vector<uint8_t> flags_;
  struct Size { uint32_t parts, depth; };
  std::vector<Size> sizes_;
  std::vector<NominalName> nominals_;
  std::unordered_map<std::string, TypeId> index_;
};

template <typename F>
TypeId TypeStore::map_leaves(TypeId id, F&& replace) {
  if (!(flags_[id.index] & (HAS_VAR | HAS_PARAM))) return id;
  const Type& type = get(id);
  if (type.kind == Kind::Param || type.kind == Kind::Var) {
    TypeId to = replace(id);
    return to.valid() ? to : id;
  }
  Type copy = type;
  for (TypeId& arg : copy.args) arg = map_leaves(arg, replace);
  return intern(std::move(copy));
}

}  // namespace meteor::types
