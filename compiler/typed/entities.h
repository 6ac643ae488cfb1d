// What names mean at the level of declarations: functions, nominal types,
// impls, modules. One entity per declaration; instances are made from them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/typed/typed.h"

namespace meteor::typed {

using types::Kind;
using types::NominalId;

struct ModuleInfo;
struct NominalInfo;
struct ImplInfo;
class BodyChecker;

// Generic parameters to what they stand for in one use.
struct Subst {
  std::vector<std::pair<TypeId, TypeId>> pairs;

  void add(TypeId from, TypeId to) { pairs.emplace_back(from, to); }
  void add_all(const Subst& other) { pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end()); }
  TypeId find(TypeId from) const {
    for (auto& [a, b] : pairs)
      if (a == from) return b;
    return TypeId();
  }
};

struct TypeParamInfo {
  Name name;
  TypeId type;                          // a Param
  std::vector<ast::TypeExpr*> bound_exprs;
  std::vector<TypeId> bounds;           // Trait types, once resolved
  bool bounds_ready = false;
};

struct FunctionInfo;

struct ParamInfo {
  Name name;
  TypeId type;                          // invalid: not annotated, so the function is generic over it
  ast::Expr* default_value = nullptr;
  ParamMode mode = ParamMode::Plain;
  ast::ParamKind kind = ast::ParamKind::Normal;
  Span span;
  bool null_default = false;            // an optional field: null when not given
  ModuleInfo* default_home = nullptr;   // where the default's names are looked up; null: as the callee says
  BodyChecker* default_scope = nullptr; // or the function around a nested one
  FunctionInfo* default_function = nullptr;   // whose type parameters the default may name, or
  TypeId default_class;                 // the class, with its arguments, that declares the field
};

struct FunctionInfo {
  ast::FunctionDecl* decl = nullptr;
  ModuleInfo* module = nullptr;
  NominalInfo* owner = nullptr;         // of a method
  ImplInfo* impl = nullptr;             // of a method in an impl block
  std::vector<TypeParamInfo> type_params;
  std::vector<ParamInfo> params;        // without self
  TypeId result;                        // invalid: inferred
  bool signature_ready = false;
  bool is_refused = false;              // a special method unlike the language's: reported; what calls it stays silent
  bool has_self = false;
  ParamMode self_mode = ParamMode::Plain;
  bool is_property = false;
  bool is_inline = false;
  bool only_reads =
      false;  // `@reads` (std only): changes nothing it is given that others have too, and keeps none of it
  RegionRole region{};
  FrameKind frame{};
  bool is_derived = false;              // written by the compiler; sees private names
  std::vector<TypeParamInfo> type_names;   // is_derived: names that its source uses for types that may have none where it stands
  std::string extern_symbol;
  std::string library;                  // `@link("m")`
  std::optional<bool> mutates_self;     // struct and enum methods: assigns self or something inside it
  uint32_t bodies_under_way = 0;        // instances being checked inside one another
  uint32_t instances = 0;
  Name name() const { return decl->name; }
  bool is_unannotated() const {
    for (const ParamInfo& p : params)
      if (!p.type.valid()) return true;
    return false;
  }
};

using Overloads = std::vector<FunctionInfo*>;

struct FieldInfo {
  Name name;
  TypeId type;                          // in terms of the owner's parameters
  ast::Expr* default_value = nullptr;
  Span span;
  bool is_weak = false;
  NominalInfo* owner = nullptr;
};

struct CaseInfo {
  Name name;
  std::vector<FieldInfo> fields;
  Span span;
};

struct NominalInfo {
  NominalId id;
  Kind kind{};
  ast::ClassDecl* decl = nullptr;
  ModuleInfo* module = nullptr;
  Name name;
  std::vector<TypeParamInfo> type_params;
  TypeId self_type;                     // with its own parameters; for a trait the Self parameter
  TypeId base;                          // Class: direct base, in terms of own parameters
  bool is_pinned = false;               // the library's `@pinned`, `@shareable`: what becomes of an instance that goes to another isolate
  bool is_shareable = false;
  bool is_lent = false;                 // the library's `@lent`: another isolate writes its fields while only its own counts it
  std::shared_ptr<const std::unordered_map<Name, NominalInfo*>> locals;   // of a class declared in a function: the classes it can name
  std::vector<TypeParamInfo> outer_types;   // likewise: what the type parameters of the function are
  bool has_unknown_base = false;        // reported; what it does not have here, the base might have had
  bool gives_to_many = false;           // the library's `@gives_to_many`: shareable where every reader may have the same value
  std::string made_by;                  // the library's `@made_by("…")`: only the library makes one; what to write to get it
  std::vector<TypeId> traits;           // Trait types declared in the header
  std::vector<FieldInfo> fields;        // own only
  std::vector<CaseInfo> cases;
  std::unordered_map<Name, Overloads> methods;
  std::vector<FunctionInfo*> method_order;
  std::unordered_map<Name, ast::ConstDecl*> consts;
  std::vector<NominalInfo*> subclasses;
  std::unordered_set<std::string> derives;
  bool header_ready = false, header_running = false, fields_ready = false;

  Overloads* find_method(Name method) {
    auto found = methods.find(method);
    return found == methods.end() ? nullptr : &found->second;
  }
};

struct ImplInfo {
  ast::ImplDecl* decl = nullptr;
  ModuleInfo* module = nullptr;
  std::vector<TypeParamInfo> type_params;
  TypeId trait;                         // invalid for an inherent impl
  TypeId target;                        // pattern in terms of type_params
  TypeId self_param;                    // `impl int` and `impl float`: what Self is, of any width
  bool all_integers = false, all_floats = false;   // core's `impl int`/`impl float` cover every width
  std::unordered_map<Name, Overloads> methods;
  bool header_ready = false;
};

struct GlobalInfo {
  Name name;                            // `Class.NAME` of a class's const
  Name last_name;                       // what code that uses it mentions: `NAME`
  GlobalId id;
  ModuleInfo* module = nullptr;
  TypeId type;                          // may be an inference variable until the module body is checked
  ast::Expr* value = nullptr;           // const and local
  ast::TypeExpr* type_expr = nullptr;
  bool is_const = false, is_local = false;
  bool checking = false, checked = false;   // consts are checked on first use
  bool is_safe = false;                 // assigned before anything could read it
  bool is_deleted = false;              // some `del` names it
  GlobalId assigned_flag;               // a hidden bool, set with the variable, unless is_safe
  Span span;
  Span null_at;                         // where null was assigned last
  bool is_pub = false;
};

struct AliasInfo {
  ast::TypeAliasDecl* decl = nullptr;
  ModuleInfo* module = nullptr;
  std::vector<TypeParamInfo> type_params;
  TypeId type;
  bool running = false;
};

enum class SymbolKind : uint8_t { None, Functions, Nominal, Alias, Global, Module, EnumCase, BuiltinType };

struct Symbol {
  SymbolKind kind = SymbolKind::None;
  Overloads* functions = nullptr;
  NominalInfo* nominal = nullptr;       // Nominal; EnumCase: the enum
  uint32_t case_index = 0;
  AliasInfo* alias = nullptr;
  GlobalInfo* global = nullptr;
  ModuleInfo* module = nullptr;
  TypeId type;                          // BuiltinType
  bool is_pub = false;
  bool imported = false;                // came in by an import: not visible to others
  Span span;
  explicit operator bool() const { return kind != SymbolKind::None; }
};

struct ModuleInfo {
  std::string name;
  std::vector<ast::Module*> trees;      // several only for core
  bool is_core = false, is_std = false, is_main = false;
  std::unordered_map<Name, Symbol> names;
  std::unordered_set<Name> broken_imports;   // reported; uses of these names stay silent
  std::deque<Overloads> overloads;      // storage for Symbol::functions
  FunctionId initializer;
};

}  // namespace meteor::typed
