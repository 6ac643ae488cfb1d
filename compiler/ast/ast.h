// The syntax tree: what the source says, nothing resolved.
// Invariant: the tree is complete whatever the input. Broken code gives Error
// nodes, of which a diagnostic has already been reported; later stages stay
// silent about them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/base/name.h"
#include "compiler/source/span.h"

namespace meteor::ast {

using base::Name;
using source::Span;

struct Expr;
struct Stmt;
struct TypeExpr;
struct Pattern;
struct FunctionDecl;

using Block = std::span<Stmt*>;

// ---- Types -----------------------------------------------------------------

enum class TypeKind : uint8_t { Error, Named, Optional, Func, Tuple, Dyn, Frozen, Weak, Pointer };

struct TypeExpr {
  TypeKind kind = TypeKind::Error;
  bool is_async = false;            // Func: `async func<A> -> R`
  Span span;
  std::span<Name> path;             // Named: `http.Request` is {http, Request}
  std::span<TypeExpr*> args;        // Named: type arguments; Func: parameters; Tuple: elements
  TypeExpr* inner = nullptr;        // Optional, Dyn, Frozen, Weak, Pointer (`c_ptr<T>`): the type inside; Func: result, or null for none
};

// ---- Expressions -----------------------------------------------------------

enum class ExprKind : uint8_t {
  Error, Int, Float, Bool, Null, Str, Bytes, FString, Duration, Name, Super,
  Member, Index, Slice, Call, TypeApply, Unary, Binary, Compare, Is, And, Or, Coalesce, Unwrap, As,
  Ternary, Lambda, AnonDef, List, Dict, Set, Tuple, Comprehension, Range, Await, Yield, Spawn, TakeOver, Star, DoubleStar, Owned, Walrus,
};

enum class UnaryOp : uint8_t { Neg, Plus, Invert, Not };

enum class BinaryOp : uint8_t {
  Add, Sub, Mul, Div, FloorDiv, Mod, Pow, BitAnd, BitOr, BitXor, Shl, Shr, WrapAdd, WrapSub, WrapMul, Coalesce /* only in `??=` */,
};

enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, In, NotIn };

struct Expr {
  ExprKind kind;
  bool parenthesized = false;
  Span span;

  template <typename T>
  T* as() { return kind == T::KIND ? static_cast<T*>(this) : nullptr; }
  template <typename T>
  const T* as() const { return kind == T::KIND ? static_cast<const T*>(this) : nullptr; }
};

template <ExprKind K>
struct ExprOf : Expr {
  static constexpr ExprKind KIND = K;
  ExprOf() { kind = K; }
};

struct ErrorExpr : ExprOf<ExprKind::Error> {};
struct IntExpr : ExprOf<ExprKind::Int> { uint64_t value = 0; bool too_big = false; };   // magnitude; a sign is a Unary
struct FloatExpr : ExprOf<ExprKind::Float> { double value = 0; };
struct BoolExpr : ExprOf<ExprKind::Bool> { bool value = false; };
struct NullExpr : ExprOf<ExprKind::Null> {};
struct StrExpr : ExprOf<ExprKind::Str> { std::string_view value; };                     // escapes done, valid UTF-8
struct BytesExpr : ExprOf<ExprKind::Bytes> { std::string_view value; };
struct DurationExpr : ExprOf<ExprKind::Duration> { int64_t ns = 0; };
struct NameExpr : ExprOf<ExprKind::Name> { Name name; };
struct SuperExpr : ExprOf<ExprKind::Super> {};                                          // `super`, only before `.`

// A piece of an f-string: text, or an expression with an optional format spec, itself made of pieces.
struct FStringPart {
  std::string_view text;            // when value is null
  Expr* value = nullptr;
  char conversion = 0;              // 'r', 's' after `!`, else 0
  bool debug = false;               // `{x=}`: `text` holds the source with its `=`
  std::span<FStringPart> spec;      // the format spec's pieces
};
struct FStringExpr : ExprOf<ExprKind::FString> { std::span<FStringPart> parts; };

struct MemberExpr : ExprOf<ExprKind::Member> { Expr* object = nullptr; Name name; Span name_span; bool optional = false; };   // optional: `?.`
struct IndexExpr : ExprOf<ExprKind::Index> { Expr* object = nullptr; Expr* index = nullptr; };  // index may be a Slice or a Tuple
struct SliceExpr : ExprOf<ExprKind::Slice> { Expr* lower = nullptr; Expr* upper = nullptr; Expr* step = nullptr; };

struct Arg {
  Name name;                        // keyword, or empty
  Span name_span;
  Expr* value = nullptr;            // may be Star, DoubleStar or Owned
};
struct CallExpr : ExprOf<ExprKind::Call> {
  Expr* callee = nullptr;
  std::span<TypeExpr*> type_args;   // f<int>(x)
  std::span<Arg> args;
};
struct TypeApplyExpr : ExprOf<ExprKind::TypeApply> { Expr* callee = nullptr; std::span<TypeExpr*> type_args; };   // f<int> not called

struct UnaryExpr : ExprOf<ExprKind::Unary> { UnaryOp op{}; Expr* operand = nullptr; };
struct BinaryExpr : ExprOf<ExprKind::Binary> { BinaryOp op{}; Span op_span; Expr* left = nullptr; Expr* right = nullptr; };
struct CompareExpr : ExprOf<ExprKind::Compare> { std::span<Expr*> operands; std::span<CompareOp> ops; };   // a < b < c
struct IsExpr : ExprOf<ExprKind::Is> { Expr* value = nullptr; Pattern* pattern = nullptr; bool negated = false; };
struct AndExpr : ExprOf<ExprKind::And> { Expr* left = nullptr; Expr* right = nullptr; };
struct OrExpr : ExprOf<ExprKind::Or> { Expr* left = nullptr; Expr* right = nullptr; };
struct CoalesceExpr : ExprOf<ExprKind::Coalesce> { Expr* left = nullptr; Expr* right = nullptr; };
struct UnwrapExpr : ExprOf<ExprKind::Unwrap> { Expr* operand = nullptr; };
struct AsExpr : ExprOf<ExprKind::As> { Expr* value = nullptr; TypeExpr* type = nullptr; };
struct TernaryExpr : ExprOf<ExprKind::Ternary> { Expr* condition = nullptr; Expr* then_value = nullptr; Expr* else_value = nullptr; };
struct ListExpr : ExprOf<ExprKind::List> { std::span<Expr*> items; };
struct SetExpr : ExprOf<ExprKind::Set> { std::span<Expr*> items; };
struct TupleExpr : ExprOf<ExprKind::Tuple> { std::span<Expr*> items; };
struct DictItem { Expr* key = nullptr; Expr* value = nullptr; };                                 // `**d`: key is null
struct DictExpr : ExprOf<ExprKind::Dict> { std::span<DictItem> items; };

enum class ComprehensionKind : uint8_t { List, Set, Dict, Generator };
struct ComprehensionClause {
  Expr* target = nullptr;           // `for target in iterable`, or null for an `if`
  Expr* iterable = nullptr;
  Expr* condition = nullptr;        // `if condition`
  bool is_async = false;
};
struct ComprehensionExpr : ExprOf<ExprKind::Comprehension> {
  ComprehensionKind form{};
  Expr* element = nullptr;          // the value, for Dict
  Expr* key = nullptr;              // Dict only
  std::span<ComprehensionClause> clauses;
};
struct RangeExpr : ExprOf<ExprKind::Range> { Expr* lower = nullptr; Expr* upper = nullptr; };
struct AwaitExpr : ExprOf<ExprKind::Await> { Expr* operand = nullptr; };
struct YieldExpr : ExprOf<ExprKind::Yield> { Expr* value = nullptr; bool from = false; };
struct SpawnExpr : ExprOf<ExprKind::Spawn> { Expr* call = nullptr; };
struct TakeOverExpr : ExprOf<ExprKind::TakeOver> { Name variable; };                             // made by the checker: an argument of `spawn`, in the new isolate
struct StarExpr : ExprOf<ExprKind::Star> { Expr* operand = nullptr; };
struct DoubleStarExpr : ExprOf<ExprKind::DoubleStar> { Expr* operand = nullptr; };
struct OwnedExpr : ExprOf<ExprKind::Owned> { Expr* operand = nullptr; };                         // `f(owned x)`
struct WalrusExpr : ExprOf<ExprKind::Walrus> { NameExpr* target = nullptr; Expr* value = nullptr; };  // `(n := f())`
struct LambdaExpr : ExprOf<ExprKind::Lambda> { FunctionDecl* function = nullptr; };              // body is one Return
struct AnonDefExpr : ExprOf<ExprKind::AnonDef> { FunctionDecl* function = nullptr; };            // def (x: int) -> int: …

// ---- Patterns --------------------------------------------------------------

enum class PatternKind : uint8_t { Error, Wildcard, Path, Call, Literal, Type, Tuple, List, Dict, Entry, Star, Or, As };

struct PatternArg { Name name; Pattern* pattern = nullptr; };       // name: `Rect(w=1)`

struct Pattern {
  PatternKind kind = PatternKind::Error;
  Span span;
  std::span<Name> path;             // Path, Call: a binding, a const, an enum case or a type: the checker decides
  std::span<PatternArg> args;       // Call
  std::span<Pattern*> items;        // Tuple, List, Or; Dict: each an Entry, or a Star for `**rest`
  Pattern* inner = nullptr;         // As; Star: null or the binding; Entry: of the value
  Name name;                        // As, Star: the bound name (`_` is empty)
  Expr* literal = nullptr;          // Literal: a literal, perhaps negated, or a Range of such; Entry: the key, a literal or a name with dots
  TypeExpr* type = nullptr;         // Type: `list<int>`, `str?`, `null` is a Literal
};

// ---- Statements ------------------------------------------------------------

enum class StmtKind : uint8_t {
  Error, Expr, Assign, AugAssign, If, While, For, Break, Continue, Pass, Return, Raise, Try, With, Switch, Defer, Del, Assert,
  Global, Nonlocal, Import, ImportC, Function, Class, Impl, TypeAlias, Const, Local, Scope, Select, Shield, Unsafe,
};

struct Stmt {
  StmtKind kind;
  bool has_walrus = false;          // somewhere inside: its expressions are worth a look for assigned names
  Span span;

  template <typename T>
  T* as() { return kind == T::KIND ? static_cast<T*>(this) : nullptr; }
  template <typename T>
  const T* as() const { return kind == T::KIND ? static_cast<const T*>(this) : nullptr; }
};

template <StmtKind K>
struct StmtOf : Stmt {
  static constexpr StmtKind KIND = K;
  StmtOf() { kind = K; }
};

struct ErrorStmt : StmtOf<StmtKind::Error> {};
struct ExprStmt : StmtOf<StmtKind::Expr> { Expr* value = nullptr; };
// `a = b = 1` has two targets. `x: int = 1` has one and a type; `x: int` has no value.
struct AssignStmt : StmtOf<StmtKind::Assign> { std::span<Expr*> targets; TypeExpr* type = nullptr; Expr* value = nullptr; bool is_pub = false; };
struct AugAssignStmt : StmtOf<StmtKind::AugAssign> { BinaryOp op{}; Span op_span; Expr* target = nullptr; Expr* value = nullptr; };
struct IfBranch { Expr* condition = nullptr; Block body; };
struct IfStmt : StmtOf<StmtKind::If> { std::span<IfBranch> branches; Block else_body; bool has_else = false; };
struct WhileStmt : StmtOf<StmtKind::While> { Expr* condition = nullptr; Block body; Block else_body; };
struct ForStmt : StmtOf<StmtKind::For> { Expr* target = nullptr; Expr* iterable = nullptr; Block body; Block else_body; bool is_async = false; };
struct BreakStmt : StmtOf<StmtKind::Break> {};
struct ContinueStmt : StmtOf<StmtKind::Continue> {};
struct PassStmt : StmtOf<StmtKind::Pass> {};
struct ReturnStmt : StmtOf<StmtKind::Return> { Expr* value = nullptr; };
struct RaiseStmt : StmtOf<StmtKind::Raise> { Expr* value = nullptr; Expr* cause = nullptr; };   // value null: re-raise
struct CatchClause { std::span<TypeExpr*> types; Name name; Span name_span; Block body; Span span; };            // types empty: catch all errors
struct TryStmt : StmtOf<StmtKind::Try> { Block body; std::span<CatchClause> catches; Block else_body; Block finally_body; bool has_finally = false; };
struct WithItem { Expr* value = nullptr; Expr* target = nullptr; };
struct WithStmt : StmtOf<StmtKind::With> { std::span<WithItem> items; Block body; bool is_async = false; };
struct SwitchCase { Pattern* pattern = nullptr; Expr* guard = nullptr; Block body; Span span; };                // pattern null: default
struct SwitchStmt : StmtOf<StmtKind::Switch> { Expr* subject = nullptr; std::span<SwitchCase> cases; };
struct DeferStmt : StmtOf<StmtKind::Defer> { Block body; };
struct DelStmt : StmtOf<StmtKind::Del> { std::span<Expr*> targets; };
struct AssertStmt : StmtOf<StmtKind::Assert> { Expr* condition = nullptr; Expr* message = nullptr; };
struct GlobalStmt : StmtOf<StmtKind::Global> { std::span<Name> names; };
struct NonlocalStmt : StmtOf<StmtKind::Nonlocal> { std::span<Name> names; };
struct ImportedName { Name name; Name alias; Span span; };
// `import a.b as c`: path {a, b}, alias c, names empty. `from a.b import x as y`: names {(x, y)}; is_star for `*`.
struct ImportStmt : StmtOf<StmtKind::Import> { std::span<Name> path; Span path_span; Name alias; std::span<ImportedName> names; bool is_from = false; bool is_star = false; uint8_t relative_dots = 0; };
struct ImportCStmt : StmtOf<StmtKind::ImportC> { std::string_view header; Name alias; };

struct TypeParam { Name name; std::span<TypeExpr*> bounds; Span span; };

enum class ParamMode : uint8_t { Plain, Owned, Ref };
enum class ParamKind : uint8_t { Normal, VarArgs, KeywordOnly, KwArgs };   // KwArgs: `**fields`
struct Param {
  Name name;
  TypeExpr* type = nullptr;         // null: the function is generic over it (`self` has none either)
  Expr* default_value = nullptr;
  ParamMode mode = ParamMode::Plain;
  ParamKind kind = ParamKind::Normal;
  Span span;
};

struct Decorator { std::span<Name> path; std::span<Arg> args; Span span; };   // @derive(Eq), @extern("met_x")

struct FunctionDecl : StmtOf<StmtKind::Function> {
  Name name;                        // empty for lambdas and anonymous defs
  Span name_span;
  std::span<TypeParam> type_params;
  std::span<Param> params;
  TypeExpr* return_type = nullptr;
  Block body;
  bool has_body = true;             // false: a trait's required method, or extern
  bool is_async = false;
  bool is_pub = false;
  bool is_lambda = false;
  std::string_view extern_abi;      // `extern "C" def`
  std::string_view doc;
  std::span<Decorator> decorators;
};

struct FieldDecl {
  Name name;
  TypeExpr* type = nullptr;         // null: from the default
  Expr* default_value = nullptr;
  bool is_weak = false;
  bool is_const = false;
  std::string_view doc;
  Span span;
};
struct EnumCaseDecl { Name name; std::span<Param> fields; Expr* value = nullptr; Span span; };   // an unnamed payload has an empty name

enum class ClassKind : uint8_t { Class, Struct, Enum, Trait };
struct ClassDecl : StmtOf<StmtKind::Class> {
  ClassKind form{};
  Name name;
  Span name_span;
  std::span<TypeParam> type_params;
  std::span<TypeExpr*> bases;       // base class and traits, in source order
  std::span<FieldDecl> fields;
  std::span<EnumCaseDecl> cases;
  std::span<FunctionDecl*> methods;
  std::span<Stmt*> nested;          // other declarations inside (const, class, type)
  bool is_pub = false;
  std::string_view doc;
  std::span<Decorator> decorators;
};
struct ImplDecl : StmtOf<StmtKind::Impl> {   // `impl Trait for Type:`; trait null: `impl Type:` adds methods (the library only)
  std::span<TypeParam> type_params;
  TypeExpr* trait = nullptr;
  TypeExpr* target = nullptr;
  std::span<FunctionDecl*> methods;
};
struct TypeAliasDecl : StmtOf<StmtKind::TypeAlias> { Name name; Span name_span; std::span<TypeParam> type_params; TypeExpr* type = nullptr; bool is_pub = false; };
struct ConstDecl : StmtOf<StmtKind::Const> { Name name; Span name_span; TypeExpr* type = nullptr; Expr* value = nullptr; bool is_pub = false; std::span<Decorator> decorators; };
struct LocalDecl : StmtOf<StmtKind::Local> { Name name; Span name_span; TypeExpr* type = nullptr; Expr* value = nullptr; bool is_pub = false; };

struct ScopeStmt : StmtOf<StmtKind::Scope> { std::span<Arg> args; Name name; Block body; };        // await scope(timeout=2s) as s:; without `as` the name is `scope`
struct SelectCase { Expr* target = nullptr; Expr* awaited = nullptr; Expr* guard = nullptr; Block body; Span span; };     // awaited: what stands after `await`; null: default
struct SelectStmt : StmtOf<StmtKind::Select> { std::span<Arg> args; std::span<SelectCase> cases; };
struct ShieldStmt : StmtOf<StmtKind::Shield> { Block body; };
struct UnsafeStmt : StmtOf<StmtKind::Unsafe> { Block body; };

struct Module {
  source::FileId file;
  std::string_view doc;
  Block body;
};

}  // namespace meteor::ast
