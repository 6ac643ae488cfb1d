// Interning by a byte key of the type's structure.
#include "compiler/types/types.h"

#include <algorithm>

#include "compiler/base/check.h"

namespace meteor::types {

namespace {

void put(std::string& key, uint64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); }

std::string key_of(const Type& type) {
  std::string key;
  key.push_back(static_cast<char>(type.kind));
  key.push_back(static_cast<char>(type.width));
  key.push_back(static_cast<char>(type.is_signed * 2 + type.is_async));
  put(key, type.nominal.index);
  put(key, type.var.index);
  if (type.kind == Kind::Param) {
    put(key, type.param_owner);
    put(key, type.param_index);
  }
  for (TypeId arg : type.args) put(key, arg.index);
  for (ParamMode mode : type.modes) key.push_back(static_cast<char>(mode));
  return key;
}

}  // namespace

TypeStore::TypeStore() {
  auto simple = [&](Kind kind) { Type t; t.kind = kind; return intern(t); };
  auto floating = [&](uint8_t width) { Type t; t.kind = Kind::Float; t.width = width; return intern(t); };
  error = simple(Kind::Error);
  never = simple(Kind::Never);
  void_ = simple(Kind::Void);
  null = simple(Kind::Null);
  bool_ = simple(Kind::Bool);
  int8 = integer(8, true);
  int16 = integer(16, true);
  int32 = integer(32, true);
  int64 = int_ = integer(64, true);
  uint8 = integer(8, false);
  uint16 = integer(16, false);
  uint32 = integer(32, false);
  uint64 = integer(64, false);
  float_ = floating(64);
  float32 = floating(32);
  str = simple(Kind::Str);
  bytes = simple(Kind::Bytes);
  any = simple(Kind::Any);
}

TypeId TypeStore::intern(Type type) {
  std::string key = key_of(type);
  auto found = index_.find(key);
  if (found != index_.end()) return found->second;
  uint8_t flags = 0;
  if (type.kind == Kind::Var) flags |= HAS_VAR;
  if (type.kind == Kind::Param) flags |= HAS_PARAM;
  if (is_nominal(type.kind) && !nominals_[type.nominal.index].is_library) flags |= OF_PROGRAM;
  Size size{1, 1};
  for (TypeId arg : type.args) {
    flags |= flags_[arg.index];
    size.parts = std::min(size.parts + parts(arg), MOST_COUNTED);
    size.depth = std::max(size.depth, depth(arg) + 1);
  }
  TypeId id(static_cast<uint32_t>(types_.size()));
  types_.push_back(std::move(type));
  flags_.push_back(flags);
  sizes_.push_back(size);
  index_.emplace(std::move(key), id);
  return id;
}

TypeId TypeStore::integer(uint8_t width, bool is_signed) {
  Type t;
  t.kind = Kind::Int;
  t.width = width;
  t.is_signed = is_signed;
  return intern(t);
}

TypeId TypeStore::nominal(Kind kind, NominalId decl, std::vector<TypeId> args) {
  Type t;
  t.kind = kind;
  t.nominal = decl;
  t.args = std::move(args);
  return intern(std::move(t));
}

TypeId TypeStore::tuple(std::vector<TypeId> elements) {
  Type t;
  t.kind = Kind::Tuple;
  t.args = std::move(elements);
  return intern(std::move(t));
}

TypeId TypeStore::optional(TypeId inner) { return wrap(Kind::Optional, inner); }

TypeId TypeStore::func(std::vector<TypeId> params, TypeId result, bool is_async, std::vector<ParamMode> modes) {
  Type t;
  t.kind = Kind::Func;
  t.is_async = is_async;
  modes.resize(params.size(), ParamMode::Plain);
  t.modes = std::move(modes);
  t.args = std::move(params);
  t.args.push_back(result);
  return intern(std::move(t));
}

TypeId TypeStore::wrap(Kind kind, TypeId inner) {
  Type t;
  t.kind = kind;
  t.args = {inner};
  return intern(std::move(t));
}

TypeId TypeStore::param(base::Name name, uint32_t owner, uint32_t index) {
  Type t;
  t.kind = Kind::Param;
  t.name = name;
  t.param_owner = owner;
  t.param_index = index;
  return intern(std::move(t));
}

TypeId TypeStore::var(VarId var) {
  Type t;
  t.kind = Kind::Var;
  t.var = var;
  return intern(std::move(t));
}

std::span<const TypeId> TypeStore::func_params(TypeId id) const {
  const Type& type = get(id);
  CHECK(type.kind == Kind::Func);
  return {type.args.data(), type.args.size() - 1};
}

TypeId TypeStore::func_result(TypeId id) const {
  CHECK(kind(id) == Kind::Func);
  return get(id).args.back();
}

NominalId TypeStore::add_nominal(Kind kind, std::string name, bool is_library) {
  nominals_.push_back({std::move(name), kind, is_library});
  return NominalId(static_cast<uint32_t>(nominals_.size() - 1));
}

std::string TypeStore::text(TypeId id) const {
  const Type& type = get(id);
  auto list = [&](size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) {
      if (i) out += ", ";
      if (i < type.modes.size() && type.modes[i] == ParamMode::Owned) out += "owned ";
      if (i < type.modes.size() && type.modes[i] == ParamMode::Ref) out += "ref ";
      out += kind(type.args[i]) == Kind::Void ? "void" : text(type.args[i]);  // as it is written there
    }
    return out;
  };
  switch (type.kind) {
    case Kind::Error: return "?";
    case Kind::Never: return "never";
    case Kind::Void: return "nothing";
    case Kind::Null: return "null";
    case Kind::Bool: return "bool";
    case Kind::Int:
      if (type.width == 64 && type.is_signed) return "int";
      return (type.is_signed ? "int" : "uint") + std::to_string(type.width);
    case Kind::Float: return type.width == 64 ? "float" : "float32";
    case Kind::Str: return "str";
    case Kind::Bytes: return "bytes";
    case Kind::Any: return "any";
    case Kind::Class: case Kind::Struct: case Kind::Enum: case Kind::Trait: {
      const std::string& name = nominals_[type.nominal.index].name;
      return type.args.empty() ? name : name + "<" + list(type.args.size()) + ">";
    }
    case Kind::Tuple: return type.args.size() == 1 ? "(" + text(type.args[0]) + ",)" : "(" + list(type.args.size()) + ")";
    case Kind::Optional: {
      Kind inner = kind(type.args[0]);
      bool wrap = inner == Kind::Func || inner == Kind::Dyn;
      return wrap ? "(" + text(type.args[0]) + ")?" : text(type.args[0]) + "?";
    }
    case Kind::Func: {
      std::string out = std::string(type.is_async ? "async " : "") + "func<" + list(type.args.size() - 1) + ">";
      return kind(type.args.back()) == Kind::Void ? out : out + " -> " + text(type.args.back());
    }
    case Kind::Dyn: return "dyn " + text(type.args[0]);
    case Kind::Weak: return "weak " + text(type.args[0]);
    case Kind::Frozen: return "frozen " + text(type.args[0]);
    case Kind::Cell: return "cell " + text(type.args[0]);
    case Kind::RawPtr: return "c_ptr<" + text(type.args[0]) + ">";
    case Kind::Param: return type.name.str();
    case Kind::Var: return "_";
  }
  return "?";
}

}  // namespace meteor::types
