// MIR: a control-flow graph per function with explicit ownership.
//
// Locals are mutable, typed and not SSA (LLVM makes SSA of them). A local of a counted type is Owned (dropped or moved out
// exactly once on every path) or Borrowed (something else keeps the value alive; never dropped).
// Operands say what a use does: Copy (a new count), Move (the local becomes uninitialised), Borrow (no count, only
// for the duration of the instruction), Ref (the place itself, which a callee may assign), Const.
// Only whole locals are moved. Borrowed locals are parameters, environments, and what passes/borrow_locals found to be kept
// alive by something else wherever it is used; those are assigned Borrow operands and never live across a suspension.
//
// Instructions that may raise have an error edge `on_error`: when they raise, the error is moved into `error` (an Owned
// local of type Raisable), their destination stays as it was, and control goes to that block. A block is therefore an
// extended basic block: instructions in order with side exits, then one terminator.
//
// Instructions that may suspend (Await, Yield, Park, RunFrame, Checkpoint) stand in bodies with a frame; they are calls during which
// anything else may run. Where they have an error edge, an error may also be what the function is resumed with.
//
// Traces: an error edge leads to a block that appends the place to the error's trace (Op::Trace), as does the `raise`
// statement; the emitter appends nothing by itself, nor does the Raise terminator.
//
// Arguments for Ref parameters are Ref operands; the emitter passes the address of the place. Indirect calls (Virtual,
// Dyn, Value) always go through the raising convention; without `on_error` their error is known to be null.
//
// Before drop elaboration a Drop of a local means "if it is initialised here"; afterwards every Drop is exact: a
// local that only some paths fill holds zero bits on the others, and dropping those does nothing. The verifier checks ownership after every pass.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/base/id.h"
#include "compiler/base/name.h"
#include "compiler/source/span.h"
#include "compiler/typed/typed.h"
#include "compiler/types/types.h"

namespace meteor::mir {

using base::Name;
using source::Span;
using typed::FunctionId;   // the same ids as in the typed program; synthesised functions follow
using typed::GlobalId;
using typed::Intrinsic;
using typed::ParamMode;
using types::TypeId;

using LocalId = base::Id<struct LocalTag>;
using BlockId = base::Id<struct BlockTag>;

enum class Ownership : uint8_t { Owned, Borrowed };
enum class LocalKind : uint8_t { Param, Environment, Variable, Temp };

struct Local {
  Name name;                     // empty for temps
  TypeId type;                   // a boxed variable has type Cell<T>
  Span span;
  LocalKind kind = LocalKind::Temp;
  Ownership ownership = Ownership::Owned;
  bool on_stack = false;         // a class instance that never leaves the function: it lies in the local itself (passes/stack_objects)
  bool by_reference = false;     // Ref params: the local is the caller's variable; assigning it assigns there. Never dropped here
};

// ---- Places and operands ---------------------------------------------------

enum class ProjectionKind : uint8_t {
  Field,        // of a class (through the reference), struct, tuple; of the Environment: capture i; of a Cell: 0
  Case,         // field `index` of enum case `case_index`, which the value is known to have
  Payload,      // the value inside an Optional known not to be null
  Cast,         // the same reference seen as another class (T or T?), which it is known to have; the address stays
};
struct Projection { ProjectionKind kind; uint32_t index = 0; uint32_t case_index = 0; TypeId type; };   // type: of the result

struct Place {
  LocalId local;                 // the base, or
  GlobalId global;               // a module variable
  std::vector<Projection> path;
  bool is_local() const { return local.valid() && path.empty(); }
  // Leads to a part of the base. Otherwise it is the base's own value, perhaps seen as another class or without its Optional.
  bool enters() const {
    for (const Projection& step : path)
      if (step.kind == ProjectionKind::Field || step.kind == ProjectionKind::Case) return true;
    return false;
  }
};

enum class OperandKind : uint8_t {
  Copy,         // of a plain value: its bits; of a counted one: a new count, which the instruction consumes
  Move,         // of a whole Owned local of a counted type
  Borrow,       // a counted value, for the duration of the instruction
  Ref,          // call argument for a `ref` parameter: the address of the place
  Const,
};
enum class ConstKind : uint8_t { Int, Float, Bool, Null, Str, Bytes, Void, Zero };   // Zero: all-zero bits of any type

struct Constant { ConstKind kind = ConstKind::Void; uint64_t bits = 0; double number = 0; std::string_view text; };

struct Operand {
  OperandKind kind = OperandKind::Const;
  TypeId type;
  Place place;                   // unless Const
  Constant constant;
};

// ---- Instructions ----------------------------------------------------------

enum class Op : uint8_t {
#define MIR_OP(name, text, fact) name,
#include "compiler/mir/ops.def"
#undef MIR_OP
};

enum class CallKind : uint8_t { Direct, Virtual, Dyn, Value, Intrinsic };

struct Inst {
  Op op{};
  Span span;
  Place dst;                     // invalid base: no result. Every op but Assign writes a plain local
  std::vector<Operand> args;
  // Meaning depends on op; unused ones keep their defaults.
  typed::UnaryOp unary{};
  typed::BinaryOp binary{};
  typed::CompareOp compare{};
  CallKind call{};
  Intrinsic intrinsic{};
  bool checked = true;           // arithmetic: false when it can't overflow; Convert: raises when it does not fit
  bool lends = false;            // Call: the future that it gives keeps its Ref arguments' addresses until it has been awaited
  bool initializes = false;      // Assign: the place holds nothing yet. Otherwise the old value is dropped after the store
  bool ends_with_pass = false;   // Assign to a local: the pass of the loop around it ends the local, unless something reads it later
  uint32_t index = 0;            // slot, case index, vtable
  FunctionId function;
  TypeId type;                   // New, IsType, Convert target, intrinsic's element type
  BlockId on_error;              // where a raise goes; invalid: can't raise
  LocalId error;                 // receives the error on that edge

  bool can_raise() const { return on_error.valid(); }
  bool may_suspend() const { return op == Op::Await || op == Op::Yield || op == Op::Park || op == Op::RunFrame || op == Op::Checkpoint; }
};

enum class TerminatorKind : uint8_t {
  Goto,          // target
  Branch,        // condition ? target : other
  Switch,        // condition's integer value: cases, else target
  Return,        // value (a Move, Copy or Const operand; Const Void for none)
  Raise,         // leaves the function with the error moved from `error`
  Unreachable,
};
struct SwitchTarget { uint64_t value; BlockId block; };
struct Terminator {
  TerminatorKind kind = TerminatorKind::Unreachable;
  Span span;
  Operand value;                 // Branch, Switch: condition; Return: result
  BlockId target, other;
  std::vector<SwitchTarget> cases;
  LocalId error;                 // Raise
};

struct Block {
  std::vector<Inst> insts;
  Terminator terminator;
  bool is_cold = false;
};

// What callers may rely on; inferred bottom-up after lowering (passes/raises, passes/summaries).
struct Summary {
  bool raises = true;
  bool known = false;
};

using typed::FrameKind;

// A loop as lowering made it: its blocks are those from `head` up to `end`, without `after` and `otherwise`. In an async body it begins with a Checkpoint.
// `iterator` is asked for the elements of a `for` loop.
struct LoopRange { BlockId head, after, otherwise; uint32_t end = 0; LocalId iterator; bool has_checkpoint = false; };

struct Function {
  FunctionId id;
  std::string name, symbol;
  Span span;
  TypeId result;
  std::vector<Local> locals;     // params first (the environment, if any, is local `environment`)
  uint32_t param_count = 0;
  std::vector<ParamMode> param_modes;
  LocalId environment;           // closures: Borrowed; its type says nothing, `captures` does
  std::vector<TypeId> captures;  // types in the environment object (Cell<T> for boxed)
  std::vector<Block> blocks;     // entry is block 0
  bool is_extern = false, extern_c_abi = false, is_inline = false;
  bool is_glue = false, is_std = false;   // see typed::Function
  bool is_cold = false;
  bool makes_local = false;   // makes a `local` variable where it has not been made yet
  // The body of an `async def` or a generator: its parameters (captures first) are all Owned, and what lives across a
  // suspension is kept in a frame (frames.h). The function that callers see only makes an object around such a frame.
  FrameKind frame{};
  typed::RegionRole region{};
  enum class Twin : uint8_t { None, Proven, Asserting };
  Twin twin{};                   // made by passes/prove_crossings; an asserting one belongs to the program, wherever it was written
  uint64_t leaving = 0;          // with a region role: bit i, parameter i leaves the isolate
  std::vector<LoopRange> loops;  // until passes/slice_checks has looked at them
  bool only_reads_captures = false;   // a closure (captures.h)
  bool suspends = false;         // false for an async body that always runs through: an ordinary function
  Summary summary;

  bool has_frame() const { return frame != FrameKind::None && suspends; }
  Local& local(LocalId id) { return locals[id.index]; }
  const Local& local(LocalId id) const { return locals[id.index]; }
};

// A place where a value leaves its isolate, or may (regions/crossings).
struct Crossing {
  Span span;
  std::string what;              // "spawn argument", "sent value"
  std::string name;              // of the variable that moves; empty: some other value
  TypeId type;
  bool is_proven = false;
  std::string reason;            // why it is not
  Span cause;                    // and where; may be invalid
  bool is_argument = false;      // `span` is that of the value itself
};

enum class ProvenCrossings : uint8_t {
  Skip,     // are not looked at again
  Assert,   // are walked all the same: a failure is the compiler's
};

struct Program {
  const typed::Program* typed = nullptr;
  const types::TypeStore* types = nullptr;
  std::vector<Function> functions;          // index = FunctionId
  std::vector<typed::Global> globals;       // synthesised ones; their ids follow those of the typed program
  ProvenCrossings proven = ProvenCrossings::Assert;
  bool lists_crossings = false;             // fill `crossings`, also where no isolate is started
  std::vector<Crossing> crossings;          // in the order of the functions
  FunctionId start;                         // runs the initializers and the entry; synthesised; returns the exit code
};

}  // namespace meteor::mir
