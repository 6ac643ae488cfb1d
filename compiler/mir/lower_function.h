// Lowering of one function. The graph is built in one walk over the tree; `entries_` is the stack of what must happen
// when control leaves the current point by an error or a jump: drops of temporaries, handlers, cleanups.
//
// Invariant: every temporary of a counted type is in `entries_` from the instruction that makes it to the one that
// consumes it, so that each error edge in between drops it. Blocks that unwind are remembered per entry and shared.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/mir/function_facts.h"
#include "compiler/mir/lower_program.h"
#include "compiler/mir/mir.h"

namespace meteor::mir {

using Later = std::span<const typed::Expr* const>;   // what is evaluated after an operand, before it is used

class FunctionLowering {
 public:
  FunctionLowering(ProgramLowering& program, Function& out);
  void run(const typed::Function& source);

  // ---- emission (lower_emit.cpp); also used for synthesised functions ----
  BlockId new_block(bool cold = false);
  void start(BlockId block) { current_ = block; }
  bool reachable() const { return current_.valid(); }
  void terminate(Terminator terminator);
  void jump(BlockId target);
  void branch(Operand condition, BlockId then_block, BlockId else_block);
  void ret(Operand value);
  void emit(Inst inst);                                  // moved temporaries are consumed
  void emit_raising(Inst inst);                          // the same with an error edge
  void emit_drop(LocalId local);
  void assign(Place place, Operand value, bool initializes, bool ends_with_pass = false);
  Operand emit_value(Inst inst, TypeId type);            // into a new scheduled temporary
  Operand emit_raising_value(Inst inst, TypeId type);
  LocalId new_local(TypeId type, LocalKind kind, Name name = {});
  LocalId new_temp(TypeId type) { return new_local(type, LocalKind::Temp); }
  LocalId error_local();

  Inst make(Op op, std::vector<Operand> args = {}) const;
  Inst make_call(FunctionId function, std::vector<Operand> args) const;
  bool counted(TypeId type) const { return program_.facts.needs_drop(type); }
  static Place place_of(LocalId local) { Place place; place.local = local; return place; }
  Operand copy_of(Place place, TypeId type) const;       // Copy
  Operand borrow_of(Place place, TypeId type) const;     // Borrow, or Copy of a plain value
  Operand take(LocalId local) const;                     // Move, or Copy of a plain value
  Operand int_const(uint64_t bits) const;
  Operand bool_const(bool value) const;
  static Operand constant(ConstKind kind, TypeId type);
  void set_span(Span span) { span_ = span; }

 private:
  // ---- leaving scopes (lower_scope.cpp) ----
  enum class ExitKind : uint8_t { End, Error, Return, Break, Continue };
  struct Exit { ExitKind kind; uint32_t label; friend bool operator==(Exit, Exit) = default; };
  // A place where errors stop: a try, a cleanup, or what merges errors of a cleanup's own body.
  struct Handler {
    BlockId on_error;              // made when first needed
    bool is_cleanup = false;       // jumps out stop here as well
    BlockId on_exit;
    LocalId exit_index;            // which of `exits` goes on after the cleanup
    LocalId in_flight;             // Raisable?: the error that waits for the cleanup to finish
    std::vector<Exit> exits;       // [0] end of the body, [1] the error
  };
  struct Entry {
    enum Kind : uint8_t { Drop, MarkDead, Handle } kind;
    LocalId local;
    Handler* handler = nullptr;
    BlockId unwind;                // from here on outward, once made
    std::vector<std::pair<Exit, BlockId>> exits;  // likewise
    bool is_cleanup() const { return kind == Handle && handler->is_cleanup; }
  };
  size_t mark() const { return entries_.size(); }
  void schedule_drop(LocalId local);
  void unschedule(LocalId local);
  void pop_scope(size_t mark);                 // drops what was scheduled since, last first
  void forget_scope(size_t mark) { entries_.resize(mark); }
  void push_handler(Handler& handler);
  BlockId unwind_block();                      // where an error goes from here, its trace already written
  BlockId landing_block();                     // the same, writing the current span to the trace first
  BlockId exit_block(size_t mark, BlockId target);   // target, by way of the drops since mark
  void leave(Exit exit);                       // break, continue, return from here
  void leave_at(size_t depth, Exit exit);
  BlockId shared_exit(Exit exit);
  size_t goal_of(Exit exit) const;
  void drop_variables();
  void function_error_exit();

  // ---- function (lower_function.cpp) ----
  void declare_variables();
  void enter_variables();
  void finish_return();
  Place variable_place(typed::VariableId id) const;
  const typed::Variable& variable(typed::VariableId id) const { return source_->variables[id.index]; }
  void enter_scoped(std::span<const typed::VariableId> temps);

  // ---- expressions (lower_expr*.cpp) ----
  Operand own(const typed::Expr* e, Later later = {});      // Const, Move of a temporary, or Copy
  Operand borrow(const typed::Expr* e, Later later = {});   // for instructions that run no code of the program
  void discard(const typed::Expr* e);
  Operand evaluate(const typed::Expr* e);                   // what is not a place
  std::vector<Operand> own_all(std::span<typed::Expr* const> exprs);
  std::vector<Operand> borrow_all(std::span<typed::Expr* const> exprs);
  LocalId materialise(Operand value);                       // into a temporary that stays until the scope ends
  Operand lower_constant(const typed::Expr* e);
  Operand lower_new(const typed::New& e);
  Operand lower_unary(const typed::Unary& e);
  Operand lower_binary(const typed::Binary& e);
  Operand lower_compare(const typed::Compare& e);
  Operand lower_is_null(const typed::IsNull& e);
  Operand lower_is_case(Operand value, uint32_t case_index);
  Operand lower_same(const typed::Same& e);
  Operand lower_logic(const typed::Expr& e);
  Operand lower_ternary(const typed::Ternary& e);
  Operand lower_coalesce(const typed::Coalesce& e);
  Operand lower_unwrap(const typed::Unwrap& e);
  Operand lower_convert(const typed::Convert& e);
  Operand lower_to_any(const typed::Convert& e);
  Operand lower_from_any(const typed::Convert& e);
  Operand lower_seq(const typed::Seq& e, Later later);
  Operand lower_closure(const typed::MakeClosure& e);
  Operand is_null(Operand value);
  void condition(const typed::Expr* e, BlockId then_block, BlockId else_block);
  Operand finish_arms(LocalId result);
  void assign_arm(LocalId result, const typed::Expr* e);
  void raise_hook(FunctionId hook, std::vector<Operand> args);
  void require_not_null(const Place& place, TypeId type);
  void require_type(const Place& place, TypeId type, TypeId wanted);

  // ---- places (lower_place.cpp) ----
  bool is_place(const typed::Expr* e) const;
  Place lower_place(const typed::Expr* e);
  Place object_place(const typed::Expr* e);       // of something to look into: a place, or a temporary
  void require_home(const typed::Global& variable, Span span);   // before the variable is touched
  bool is_stable(const Place& place) const;       // only assigning the local itself can change what is there
  bool later_writes(const Place& place, Later later) const;
  Operand held(Operand value, Later later);       // safe from what comes later
  static Place project(Place place, ProjectionKind kind, TypeId type, uint32_t index = 0, uint32_t case_index = 0);

  // ---- calls (lower_call.cpp) ----
  Operand lower_call(const typed::Call& e);
  Operand lower_argument(const typed::Expr* e, ParamMode mode, Later later, const std::vector<LocalId>& referenced);
  Operand lower_reference(const typed::Expr* place, Later later);
  Operand lower_plain_argument(const typed::Expr* e, Later later, const std::vector<LocalId>& referenced);
  std::vector<LocalId> referenced_locals(const typed::Call& e) const;
  std::vector<LocalId> held_by_stream(const typed::Call& e, const std::vector<Operand>& args) const;
  bool may_raise(const typed::Call& e) const;

  // ---- frames (lower_async.cpp) ----
  Operand lower_await(const typed::Await& e);
  Operand lower_yield(const typed::Yield& e);
  ParamMode mode_of(uint32_t param) const;               // as this body takes it: with a frame, it owns them all
  LocalId param_local(uint32_t param) const { return LocalId(first_param_ + param); }
  Operand end_value();                                   // what `return` without a value gives

  // ---- statements (lower_stmt.cpp and others) ----
  void lower(typed::Block block);
  void lower(const typed::Stmt& stmt);
  void lower_assign(const typed::Assign& s);
  bool has_own_cell(const typed::Expr* target) const;       // a variable in a cell that this function made
  void lower_if(const typed::If& s);
  void lower_loop(const typed::Loop& s);
  void lower_return(const typed::Return& s);
  void lower_raise(const typed::Raise& s);
  void lower_drop(const typed::Drop& s);
  void lower_block(const typed::BlockStmt& s);
  void lower_try(const typed::Try& s);
  void lower_catches(const typed::Try& s, BlockId after);
  void lower_cleanup(const typed::Cleanup& s);
  void lower_switch(const typed::Switch& s);
  bool lower_switch_by_tag(const typed::Switch& s);
  void lower_switch_by_tests(const typed::Switch& s);

  // ---- cleanups (lower_cleanup.cpp) ----
  void open_cleanup(Handler& handler);
  void close_cleanup_body(Handler& handler, size_t depth);      // the body's end; entries_ is back at depth
  void merge_error(LocalId in_flight);                          // on error: one of both goes on and holds the other
  void dispatch_exits(Handler& handler, BlockId after, bool may_fail);

  // ---- defers (lower_defer.cpp) ----
  void open_defers();
  void lower_defer(const typed::Defer& s);
  void close_defers();
  void run_defers();
  void lower_defer_body(const typed::Defer& s, BlockId next);

  // ---- patterns (lower_pattern.cpp) ----
  void match(const typed::Pattern& p, const Place& subject, size_t mark, BlockId fail);
  Place matched_as(const Place& place, TypeId type);
  void match_test(const typed::Pattern& p, const Place& subject, size_t mark, BlockId fail);
  void match_type(const typed::Pattern& p, const Place& subject, size_t mark, BlockId fail);
  void match_optional(const typed::Pattern& p, const Place& subject, size_t mark, BlockId fail);
  Operand unboxed(const Place& place, TypeId type, TypeId wanted);
  void match_list(const typed::Pattern& p, const Place& subject, size_t mark, BlockId fail);
  void match_or(const typed::Pattern& p, const Place& subject, size_t mark, BlockId fail);
  void bind(size_t from);
  void require(Operand condition, size_t mark, BlockId fail);

  ProgramLowering& program_;
  Function& out_;
  const typed::Function* source_ = nullptr;
  FunctionFacts facts_;
  Span span_;
  BlockId current_;

  uint32_t first_param_ = 0;                             // captures of a body with a frame come before its parameters
  std::vector<Place> variable_places_;                   // per variable; a boxed one's path ends inside the cell
  std::vector<LocalId> function_drops_;                  // dropped, last first, when the function ends
  std::unordered_map<uint32_t, Place> aliases_;          // pattern subjects stand for the place they look at
  std::unordered_map<uint32_t, typed::VariableId> variable_of_local_;
  struct Binding { typed::VariableId variable; Place place; TypeId type; };
  std::vector<Binding> bindings_;                        // of the pattern being matched, not yet made
  std::vector<bool> caught_;                             // per variable: holds an error that this function caught

  std::vector<Entry> entries_;
  struct LoopTargets { BlockId on_break, on_continue; size_t depth; };
  std::unordered_map<uint32_t, LoopTargets> loops_;
  struct Landing { Span span; BlockId block; };
  std::unordered_map<uint32_t, Landing> landings_;       // by unwind target: the last one made
  LocalId error_;
  LocalId result_;
  bool result_zeroed_ = false;
  BlockId return_block_, raise_block_;
  size_t returned_drops_ = 0;                            // drops written at returns so far
  size_t left_drops_ = 0;                                // likewise, of scopes that were left

  Handler defer_handler_;
  std::vector<LocalId> armed_;                           // per defer: reached, when none is in a loop
  LocalId defer_stack_, defer_count_, defer_room_;       // else: numbers of those reached
};

}  // namespace meteor::mir
