// The typed tree: what the checker gives to lowering.
// Everything is resolved, concrete and desugared: no generics, no inference
// variables, no overloads, no implicit conversions, no keyword arguments.
// One Function here is one function of the finished program.
//
// Invariant: sub-expressions are evaluated in the order in which they stand in
// the node, once. Expressions give an owned value or a place; lowering decides
// about copies, moves, borrows and drops.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/base/id.h"
#include "compiler/base/name.h"
#include "compiler/source/span.h"
#include "compiler/types/types.h"

namespace meteor::typed {

using base::Name;
using source::Span;
using types::ParamMode;
using types::TypeId;

using FunctionId = base::Id<struct FunctionTag>;
using VariableId = base::Id<struct VariableTag>;   // within one function
using GlobalId = base::Id<struct GlobalTag>;

struct Expr;
struct Stmt;
struct Pattern;
using Block = std::span<Stmt*>;

// ---- Expressions -----------------------------------------------------------

enum class ExprKind : uint8_t {
  Int, Float, Bool, Null, Str, Bytes, Void,    // constants; Null has an Optional (or any) type, Void no value
  Variable, Global, Field,                      // places
  Call, New, MakeEnum, MakeTuple, MakeClosure, MakeWeak, WeakGet, Concat,
  Unary, Binary, Compare, And, Or, Not, Ternary, Coalesce, Unwrap, IsNull, IsType, IsCase, Same,
  Convert, Seq, RefTo, Unreachable, Await, Yield,
};

struct Expr {
  ExprKind kind;
  TypeId type;
  Span span;
  template <typename T> T* as() { return kind == T::KIND ? static_cast<T*>(this) : nullptr; }
  template <typename T> const T* as() const { return kind == T::KIND ? static_cast<const T*>(this) : nullptr; }
};
template <ExprKind K>
struct ExprOf : Expr {
  static constexpr ExprKind KIND = K;
  ExprOf() { kind = K; }
};

struct IntConst : ExprOf<ExprKind::Int> { uint64_t bits = 0; bool is_literal = false; };   // two's complement, extended to 64 bits as the type's sign says; is_literal: as written, may still adapt (checker only)
struct FloatConst : ExprOf<ExprKind::Float> { double value = 0; };
struct BoolConst : ExprOf<ExprKind::Bool> { bool value = false; };
struct NullConst : ExprOf<ExprKind::Null> {};
struct StrConst : ExprOf<ExprKind::Str> { std::string_view value; };
struct BytesConst : ExprOf<ExprKind::Bytes> { std::string_view value; };
struct VoidConst : ExprOf<ExprKind::Void> {};

struct VariableRef : ExprOf<ExprKind::Variable> { VariableId variable; };
struct GlobalRef : ExprOf<ExprKind::Global> { GlobalId global; };
// A field of a class instance (through the reference), a struct or a tuple; for Class, `index` counts from the root base's
// first field, as in Nominal::fields. `object` may itself be a place.
struct FieldRef : ExprOf<ExprKind::Field> { Expr* object = nullptr; uint32_t index = 0; };

enum class CallKind : uint8_t {
  Direct,      // function
  Virtual,     // vtable slot of args[0]'s class; `function` is the statically known one (its signature holds)
  Dyn,         // slot of the trait table of args[0], which has a Dyn type
  Value,       // `callee` is a func value
  Intrinsic,   // an operation the compiler knows; see intrinsics.def
};
struct Call : ExprOf<ExprKind::Call> {
  CallKind call{};
  FunctionId function;
  uint32_t slot = 0;
  uint16_t intrinsic = 0;             // typed::Intrinsic
  TypeId type_arg;                    // Intrinsic: the element type it works on
  Expr* callee = nullptr;
  std::span<Expr*> args;              // in parameter order
  std::span<uint32_t> order;          // evaluation order as indexes into args; empty: as they stand
  bool starts_frame = false;          // a direct call of an `async def`: `await` runs it in place
  bool lends = false;                 // gives a future that has references to variables of the caller, who awaits it at once
  std::span<ParamMode> modes;         // one per arg. Ref: the arg is a RefTo. Owned: the value moves in
};
// A new class instance or a struct value with all fields given, in order of Nominal::fields. For a class, fields that
// `__init__` sets later are null here and start zeroed.
struct New : ExprOf<ExprKind::New> { std::span<Expr*> fields; };
struct MakeEnum : ExprOf<ExprKind::MakeEnum> { uint32_t case_index = 0; std::span<Expr*> args; };
struct MakeTuple : ExprOf<ExprKind::MakeTuple> { std::span<Expr*> items; };
// captures: variables of the enclosing function, one per Function::captures of `function`. A boxed variable is captured
// as its cell, another by value.
struct MakeClosure : ExprOf<ExprKind::MakeClosure> { FunctionId function; std::span<Expr*> captures; };
struct MakeWeak : ExprOf<ExprKind::MakeWeak> { Expr* value = nullptr; };    // T? -> weak T
struct WeakGet : ExprOf<ExprKind::WeakGet> { Expr* value = nullptr; };      // weak T (a place) -> T?
struct Concat : ExprOf<ExprKind::Concat> { std::span<Expr*> parts; };       // all str

enum class UnaryOp : uint8_t { Neg, Invert };                 // on Int (checked Neg) and Float
enum class BinaryOp : uint8_t {
  Add, Sub, Mul, Div, FloorDiv, Mod, Pow, BitAnd, BitOr, BitXor, Shl, Shr, WrapAdd, WrapSub, WrapMul,
};                                                            // both sides of the node's type (Div: Float only; Shl/Shr: the right one may be of any Int type). Int ops raise on overflow and zero divisors; bool allows BitAnd/BitOr/BitXor
enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };    // on Int, Float, Bool, payload-free enums (Eq/Ne by tag), Str and Bytes

struct Unary : ExprOf<ExprKind::Unary> { UnaryOp op{}; Expr* operand = nullptr; };
struct Binary : ExprOf<ExprKind::Binary> { BinaryOp op{}; Expr* left = nullptr; Expr* right = nullptr; };
struct Compare : ExprOf<ExprKind::Compare> { CompareOp op{}; Expr* left = nullptr; Expr* right = nullptr; };
struct And : ExprOf<ExprKind::And> { Expr* left = nullptr; Expr* right = nullptr; };       // bool
struct Or : ExprOf<ExprKind::Or> { Expr* left = nullptr; Expr* right = nullptr; };         // bool
struct Not : ExprOf<ExprKind::Not> { Expr* operand = nullptr; };                           // bool
struct Ternary : ExprOf<ExprKind::Ternary> { Expr* condition = nullptr; Expr* then_value = nullptr; Expr* else_value = nullptr; };
struct Coalesce : ExprOf<ExprKind::Coalesce> { Expr* left = nullptr; Expr* right = nullptr; };   // T? ?? T -> T, or T? ?? T? -> T?
struct Unwrap : ExprOf<ExprKind::Unwrap> { Expr* operand = nullptr; bool checked = true; bool takes = false; };      // T? -> T; checked raises NullError; unchecked after narrowing. takes: out of a temporary that nobody reads again. A place if operand is
struct IsNull : ExprOf<ExprKind::IsNull> { Expr* operand = nullptr; };                           // Optional, any or Weak
struct IsType : ExprOf<ExprKind::IsType> { Expr* operand = nullptr; TypeId tested; };            // operand: Class, Dyn or any
struct IsCase : ExprOf<ExprKind::IsCase> { Expr* operand = nullptr; uint32_t case_index = 0; };
struct Same : ExprOf<ExprKind::Same> { Expr* left = nullptr; Expr* right = nullptr; };           // identity of references

enum class ConvertKind : uint8_t {
  Numeric,          // between Int and Float types; `checked`: raises OverflowError (or ValueError for nan) when it does not fit; float -> int truncates
  WrapOptional,     // T -> T?
  Upcast,           // class -> base class (also inside an Optional)
  Downcast,         // class -> subclass, unchecked after a test, or checked: TypeError
  ToDyn,            // T -> dyn Trait (`vtable`)
  ToAny,            // T -> any; T? -> any gives null for null
  FromAny,          // any or dyn -> T, unchecked after a test, or checked: TypeError
  Reinterpret,      // same representation (frozen T of an immutable T, enum without payload -> int, bool -> int)
};
struct Convert : ExprOf<ExprKind::Convert> { ConvertKind convert{}; bool checked = false; uint32_t vtable = UINT32_MAX; Expr* operand = nullptr; };

// Runs the statements, then gives `value`. `temps` live until the end of the enclosing full expression.
struct Seq : ExprOf<ExprKind::Seq> { Block stmts; Expr* value = nullptr; };
struct RefTo : ExprOf<ExprKind::RefTo> { Expr* place = nullptr; };            // a `ref` argument, or a struct's self that the method changes
struct Unreachable : ExprOf<ExprKind::Unreachable> {};
// Of a direct call of an `async def`, or of the intrinsic `park` or `run_frame`. `heeds`: it is a wait like any other, so one
// that is to stop does not begin it. What ends a scope or a select is not.
struct Await : ExprOf<ExprKind::Await> { Call* operand = nullptr; bool heeds = true; };
struct Yield : ExprOf<ExprKind::Yield> { Expr* value = nullptr; };

// ---- Patterns --------------------------------------------------------------

enum class PatternKind : uint8_t { Wildcard, Bind, Test, Case, Type, Null, NotNull, Tuple, List, Or };

struct Pattern {
  PatternKind kind = PatternKind::Wildcard;
  TypeId type;                       // of the value looked at
  Span span;
  VariableId variable;               // Bind: gets a copy of the value once the whole pattern matched, before the guard runs. With items[0],
                                     // that pattern must match the value too (`Circle(r) as c`)
  Expr* test = nullptr;              // Test: a bool expression over `subject` (an equality)
  VariableId subject;                // Test: a temp that holds the value; List: likewise
  uint32_t case_index = 0;           // Case
  TypeId tested;                     // Type: the type tested for; `items[0]`, if any, sees the value as that type
  bool always = false;               // Type: the test always holds (static type already fits)
  // Case: one per payload field; Tuple: one per element, on a struct or class one per field of Nominal::fields; Bind, NotNull, Type: 0 or 1;
  // Or: alternatives, which bind the same variables; List: see below
  std::span<Pattern*> items;
  // List: matches when `length_test` holds; then element i is `elements[i]` (an expression over `subject`), matched by items[i].
  Expr* length_test = nullptr;
  std::span<Expr*> elements;
};

// ---- Statements ------------------------------------------------------------

enum class StmtKind : uint8_t {
  Expr, Assign, If, Loop, Break, Continue, Return, Raise, Try, Cleanup, Switch, Defer, Drop, Block,
};

struct Stmt {
  StmtKind kind;
  Span span;
  template <typename T> T* as() { return kind == T::KIND ? static_cast<T*>(this) : nullptr; }
  template <typename T> const T* as() const { return kind == T::KIND ? static_cast<const T*>(this) : nullptr; }
};
template <StmtKind K>
struct StmtOf : Stmt {
  static constexpr StmtKind KIND = K;
  StmtOf() { kind = K; }
};

struct ExprStmt : StmtOf<StmtKind::Expr> { Expr* value = nullptr; };
// target: Variable, Global, Field or Unwrap of such. The old value, if any, is dropped after the new one is stored.
// `initializes`: the place is known to hold nothing yet (a field of a fresh object in a constructor).
// `begins_pass`: of a `for`, which makes a new variable in each pass; closures keep the one they captured.
// `ends_with_pass`: the pass of a loop around it ends the variable, unless something reads it later. Patterns bind such variables too.
struct Assign : StmtOf<StmtKind::Assign> {
  Expr* target = nullptr;
  Expr* value = nullptr;
  bool initializes = false;
  bool begins_pass = false;
  bool ends_with_pass = false;
};
struct If : StmtOf<StmtKind::If> { Expr* condition = nullptr; Block then_body; Block else_body; };
// while condition: body, step. `continue` goes to step; when the condition fails else_body runs; `break` leaves. Null condition: for ever.
struct Loop : StmtOf<StmtKind::Loop> { Expr* condition = nullptr; Block body; Block step; Block else_body; uint32_t label = 0; VariableId iterator; };   // iterator: what is asked for the next element; invalid: a range, or no `for`
struct Break : StmtOf<StmtKind::Break> { uint32_t label = 0; };       // of the Loop
struct Continue : StmtOf<StmtKind::Continue> { uint32_t label = 0; };
struct Return : StmtOf<StmtKind::Return> { Expr* value = nullptr; };
struct Raise : StmtOf<StmtKind::Raise> { Expr* value = nullptr; };    // an instance of Raisable (already with its cause). Re-raise raises the catch variable
struct CatchClause { std::span<TypeId> types; VariableId variable; Block body; Span span; };   // types: classes tested in order; variable holds the error (static type: the one type, else Error), may be invalid. Empty types: every Error, not Cancelled
struct Try : StmtOf<StmtKind::Try> { Block body; std::span<CatchClause> catches; Block else_body; };
// Runs body, then cleanup exactly once on every path out (end, return, break, continue, error). `error`, if valid, is a variable of
// type Raisable? that holds the error in flight or null. If `suppress` is valid (a bool variable) and true after the
// cleanup, the error in flight is swallowed. An error raised by the cleanup replaces the one in flight, which joins its suppressed.
// try/finally and with.
struct Cleanup : StmtOf<StmtKind::Cleanup> { Block body; VariableId error; VariableId suppress; Block cleanup; };
struct SwitchCase { Pattern* pattern = nullptr; Expr* guard = nullptr; Block body; Span span; };   // pattern null: default
struct Switch : StmtOf<StmtKind::Switch> { VariableId subject; std::span<SwitchCase> cases; bool exhaustive = false; };   // subject: a temp assigned before
struct Defer : StmtOf<StmtKind::Defer> { Block body; };               // runs when the function ends, last first; once for each time it was reached
struct Drop : StmtOf<StmtKind::Drop> { Expr* place = nullptr; };      // `del x`: the variable is unassigned afterwards
// temps are dropped, last first, when control leaves the block on any path.
struct BlockStmt : StmtOf<StmtKind::Block> { Block body; std::span<VariableId> temps; };

// ---- Functions and program -------------------------------------------------

enum class VariableKind : uint8_t { Param, Local, Temp, Capture };

struct Variable {
  Name name;                          // empty for temps
  TypeId type;
  Span span;
  VariableKind kind = VariableKind::Local;
  ParamMode mode = ParamMode::Plain;  // Param; Ref also of a Capture of one
  bool boxed = false;                 // lives in a Cell: a closure shares it and someone assigns it later
};

// How the body of a function runs. Callers of all but the first get an object: Task<T>, Generator<T>, Stream<T>.
enum class FrameKind : uint8_t { None, Async, Generator, AsyncGenerator };

// What a function of core does with values that leave their isolate (`@region("…")`), for compiler/mir/regions.
enum class RegionRole : uint8_t {
  None,
  Check,      // "check": walks its argument's graph, which must be reachable from nowhere else
  TakeOver,   // "take_over": gives what was handed over; nobody else has it
  HandOver,   // "hand_over": an argument of `spawn` leaves
  Send,       // "send": its `owned` arguments leave when another isolate has the object too
  Leave,      // `@crossing`: its `owned` arguments leave
  Pass,       // "pass": hands its `owned` arguments on to one of these
  Start,      // "start": runs its first argument in another isolate; the result comes back
};

struct Function {
  FunctionId id;
  std::string name;                   // for people: `Stack<int>.push`, `main`, `lambda at 12:5`
  std::string symbol;                 // unique link name
  Span span;
  TypeId result;                      // Void when there is none
  FrameKind frame{};
  TypeId produced;                    // with a frame: what `return` gives, or `yield`
  std::deque<Variable> variables;     // params first, in order; then the others in order of first assignment or capture
  uint32_t param_count = 0;
  std::vector<VariableId> captures;   // a closure body's captured variables (kind Capture), in the order of MakeClosure::captures
  bool is_closure = false;            // takes an environment as a hidden first argument
  bool is_extern = false;             // `symbol` is a C function; no body
  bool only_reads = false;            // an extern function that leaves what it is given as it is and keeps none of it (`@reads`)
  bool extern_c_abi = false;          // user's `extern "C"`; otherwise the runtime's own conventions
  bool is_inline = false;
  bool is_glue = false;            // glue: not what a program's inner loops are made of (the library beyond collections and text)
  bool is_std = false;             // written in the library
  bool is_untraced = false;        // no line of a trace names it
  bool is_constructor = false;
  bool has_body = false;
  RegionRole region{};
  bool never_raises = false;          // extern functions: true; others: left to the raise inference
  Block body;
};

struct Field { Name name; TypeId type; Span span; };
struct EnumCase { Name name; std::vector<Field> fields; };

// What a concrete class, struct or enum type contains.
struct Nominal {
  TypeId type;
  std::string name;                   // `Stack<int>`
  std::string module;
  TypeId base;                        // Class: direct base or invalid
  std::vector<Field> fields;          // base's fields first. A weak field has a Weak type
  std::vector<EnumCase> cases;
  bool is_recursive = false;          // an enum that contains itself inline: lives in heap boxes
  bool has_subclasses = false;        // some class in the program derives from it
  bool has_frame = false;             // core's Task, Generator, Stream: dropping one may run the clean-up of its function
  bool is_task = false;               // core's Task<T>: what a call of an `async def` makes
  bool is_stream = false;             // core's Stream<T>
  bool is_pinned = false;             // core's `@pinned`: an instance never leaves its isolate
  bool is_shareable = false;          // core's `@shareable`: several isolates may use one instance
  bool is_lent = false;               // core's `@lent`, own or inherited: the count may change while another isolate writes the fields
  FunctionId del;                     // `__del__`, or the library's `__drop__`; own or inherited, or invalid
  bool del_is_internal = false;       // `__drop__`: frees memory only, so that nobody can observe when it runs
  std::vector<FunctionId> vtable;     // Class
  Span span;
};

struct TraitTable { TypeId type; TypeId trait; std::vector<FunctionId> slots; };   // functions take the concrete type as self

struct Global {
  Name name;
  std::string symbol;
  TypeId type;
  Span span;
  bool is_const = false;              // set once before anything else runs
  bool is_local = false;              // one per isolate, made on first use by `initializer`
  FunctionId initializer;             // of a const or a `local`
};

// Functions of std/core that emitted code calls when a check fails; each returns a new error.
struct RuntimeHooks {
#define HOOK(name) FunctionId name;
#include "compiler/typed/hooks.def"
#undef HOOK
};

struct Program {
  base::Arena arena;
  std::deque<Function> functions;
  std::deque<Global> globals;
  std::unordered_map<TypeId, Nominal> nominals;
  std::vector<TraitTable> trait_tables;       // index = Convert::vtable
  std::vector<std::string> libraries;         // what `@link` names, for the linker
  std::vector<FunctionId> initializers;       // run in this order: consts, then module bodies, imports first
  FunctionId entry;                           // calls `main` as §11 says and gives the exit code (int); runs after the initializers
  TypeId raisable;                            // class Raisable, root of what can be raised
  TypeId error;                               // class Error
  RuntimeHooks hooks;

  Function& function(FunctionId id) { return functions[id.index]; }
  const Function& function(FunctionId id) const { return functions[id.index]; }
  const Nominal& nominal(TypeId type) const { return nominals.at(type); }
  bool starts_isolates() const;               // some function can run in another isolate
};

enum class Intrinsic : uint16_t {
#define INTRINSIC(name, text) name,
#include "compiler/typed/intrinsics.def"
#undef INTRINSIC
};

}  // namespace meteor::typed
