// Checks one function body (and the closures in it) for concrete argument
// types, and builds its typed tree. Split by construct:
//   check_expr, check_literal, check_name, check_member, check_call, check_args, check_operator, check_lambda, convert, builtins
//   check_stmt, check_assign, check_loop, check_comprehension, check_switch, check_try, narrow
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/typed/checker.h"
#include "compiler/typed/flow.h"

namespace meteor::typed {

// A nested `def`, or one instance of a generic one; see check_nested.cpp.
struct NestedFunction {
  ast::FunctionDecl* decl = nullptr;
  BodyChecker* home = nullptr;             // where it is declared
  NestedFunction* origin = nullptr;        // of an instance: the generic function
  bool is_instance = false, declared = false;
  std::vector<TypeParamInfo> type_params;
  Subst subst;                             // of an instance: its type parameters
  TypeId result;                           // as declared; invalid: inferred
  TypeId lifted_from;                      // of an instance given something frozen: the result as declared (frozen.h)
  FunctionId function;
  TypeId type;                             // Func, perhaps with variables
  std::unique_ptr<BodyChecker> body;
  bool started = false, done = false;
  Flow flow;                               // what was known at the definition
  std::vector<ParamInfo> params;           // names, defaults, kinds, for keyword arguments
  std::vector<std::pair<MakeClosure*, BodyChecker*>> uses;   // closures to complete once the captures are known
  bool is_variable = false;                // defined several times or assigned: an ordinary variable holds it
};

enum class BindingKind : uint8_t { None, Variable, Nested, Global, Class };
struct Binding {
  BindingKind kind = BindingKind::None;
  VariableId variable;
  NestedFunction* nested = nullptr;
  GlobalInfo* global = nullptr;
  NominalInfo* nominal = nullptr;
};

struct VariableFacts {                     // beside typed::Variable
  uint32_t assignments = 0;                // sites
  bool assigned_in_loop = false;
  bool is_pass_variable = false;           // a copy of a module variable, for the functions made in one pass of its loop
  bool captured = false;
  bool assigned_by_closure = false;
  bool captured_unassigned = false;        // captured before it was surely assigned
  bool type_known = false;
  bool annotated = false;
  bool is_const = false;                   // a `const` of the function
  ast::TypeExpr* annotation = nullptr;     // as written
  Span type_decided_at;
  Span null_at;                            // where null was assigned last
  VariableId outer;                        // Capture: the variable of the enclosing function
  bool told_moved = false;                 // Capture: a read of it was reported, since it had been moved away
  TypeId type_before;                      // the name stood for another variable, of this type
  Span before_decided_at;
  bool is_rebound = false;                 // by a `for`, `with` or `select`
  Expr* other_value = nullptr;             // with `type_before`: what was assigned and did not fit it
};

// A function is used while something is moved away (closure_moves.h): by a variable or a module variable that may hold it,
// by its own name, or a lambda is made.
struct FunctionUse {
  const MakeClosure* closure = nullptr;
  VariableId variable;
  GlobalId global;
  Name name;
  Span span;
  bool is_creation = false;
  Flow flow;
};

struct LoopContext { uint32_t label; Flow* break_flow; bool* has_break; Flow* continue_flow; bool* has_continue; };

bool is_by_reference(const Variable& v);   // a `ref` parameter: another name of the caller's variable
bool is_constant(Expr* e);                  // a literal: evaluating it later or again changes nothing

// A place whose value was read, while other code may run: tells whether it can still be trusted to hold that value.
class HeldPlace {
 public:
  HeldPlace(BodyChecker& body, PlaceKey place);
  ~HeldPlace();
  HeldPlace(const HeldPlace&) = delete;
  HeldPlace& operator=(const HeldPlace&) = delete;
  const Known* find(const Flow& flow) const;             // null: it may have been written
  void tell(Facts& facts, TypeId type) const;

 private:
  BodyChecker& body_;
  PlaceKey place_, mark_;
};

class BodyChecker {
 public:
  BodyChecker(Checker& checker, Function& function, ModuleInfo* module, BodyChecker* parent);

  Checker& c;
  types::TypeStore& types;
  Function& fn;
  ModuleInfo* module;
  BodyChecker* parent;                     // the enclosing function, for closures
  BodyChecker* root;                       // the outermost one
  Instance* instance = nullptr;            // root only; closures use root's substitution
  FunctionInfo* info = nullptr;
  TypeScope type_scope;
  Flow flow;
  TypeId declared_result;                  // invalid: inferred, then `result_var`
  TypeId result_var;
  bool is_module_body = false;             // top-level statements: assigned names are globals
  bool is_constructor_body = false;        // `__init__`: fields must become assigned
  TypeId self_type;                        // inside methods
  VariableId self_variable;
  FrameKind frame{};
  TypeId yield_type;                       // of a generator

  // -- async and generators (check_async.cpp)
  bool may_suspend() const;
  bool require_async(Span span, const char* what);       // reports where nothing can be awaited
  Expr* check_await(ast::AwaitExpr* expr, TypeId expected);
  Expr* make_await(Expr* future, Span span, bool heeds = true);
  Expr* check_yield(ast::YieldExpr* expr);
  void check_discarded(Expr* value);
  void shielded(Span span, const std::function<void()>& build);   // cancellation is kept out of what `build` emits
  void emit_cleanup(ast::Block body, Span span);         // of a finally or defer
  void check_shield(ast::ShieldStmt* stmt);
  void check_scope(ast::ScopeStmt* stmt);
  // Variables that a scope's body assigns: `s.cancel()` may end it before that, so a flag tells, which later reads look at.
  void flag_assigned(VariableId variable, Span span);
  void guard_scope_variable(VariableId variable, Span span);
  void check_select(ast::SelectStmt* stmt);
  void build_async_for(ast::Expr* iterable, Span span, const std::function<void(Expr* element)>& bind_and_body, const std::function<void()>& else_body, ast::ForStmt* loop);
  // -- colour.cpp
  void find_coloured();
  bool is_coloured(Expr* callee);
  bool become_async();
  FrameKind kind_of(ast::FunctionDecl* decl);            // of a lambda or nested function
  void start_frame(FrameKind kind, TypeId framed);       // this body runs in a frame; `framed` is what its callers get

  // -- entry points
  void check_function_body(ast::Block body);             // statements, implicit return, missing-return
  void finish();                                         // checks nested functions that were never used, decides boxes
  bool is_finished() const { return finished_; }
  void resolve_types();                                  // after finish: replaces inference variables in the tree

  // -- expressions. `expected` is only a hint; use check_to for a conversion.
  Expr* check(ast::Expr* expr, TypeId expected = TypeId());
  TypeId frozen_display(ast::Expr* expr, TypeId expected);
  Expr* check_form(ast::Expr* expr, TypeId expected);    // what it is, whatever the size of its type
  Expr* check_to(ast::Expr* expr, TypeId target, const char* why = nullptr, Span why_span = {});
  Expr* coerce(Expr* value, TypeId target, Span span, const char* why = nullptr, Span why_span = {});
  // Coerces without reporting; null when it can't be done.
  Expr* try_coerce(Expr* value, TypeId target, Span span);
  Expr* truth(Expr* value, Span span, Expr* written = nullptr);   // as a condition; `written` is what the source says where `value` only holds it
  // A condition: `out` gets the two flows that go on from it; `flow` itself is used up, the caller goes on with one of them.
  Expr* check_condition(ast::Expr* expr, Branches& out);
  Expr* check_truth(ast::Expr* expr);                    // a condition whose value alone counts
  Expr* check_short_circuit(ast::Expr* left, ast::Expr* right, bool goes_on, Span span, Branches& out);
  Expr* check_test(ast::Expr* expr, Facts& when_true, Facts& when_false, std::optional<bool>& decided);
  void branch_on(Branches& out, const Facts& when_true = {}, const Facts& when_false = {});
  TypeId join(TypeId a, TypeId b);                       // the type both fit, or invalid
  Expr* poison(Span span) { return make<Unreachable>(c.types.error, span); }
  bool is_poison(Expr* e) { return c.kind(e->type) == Kind::Error; }
  bool is_poison_type(TypeId t) { return c.kind(t) == Kind::Error; }
  int called_with_ = -1;                   // how many arguments the name being checked is called with; -1: not called
  bool wants_function_ = false;            // the argument being checked goes to a parameter that is called

  // Resolution of a type variable that something needs now: runs pending lambdas that can be run.
  TypeId known(TypeId type);
  // As above; reports cannot-infer when it stays unknown. Returns the error type then.
  TypeId require_known(TypeId type, Span span, const char* what);

  // -- names and variables (check_name.cpp)
  Binding find_local(Name name);                         // this function's own
  bool is_outer_variable(Name name);                     // of a function around this one; looks, and captures nothing
  Binding lookup(Name name);                             // this function's or an enclosing one's (captures it)
  VariableId declare(Name name, TypeId type, Span span, VariableKind kind = VariableKind::Local);
  VariableId new_temp(TypeId type, Span span);           // dropped when the current statement ends
  Expr* read_variable(VariableId variable, Span span);   // checks assignment and moves, applies narrowing
  Expr* variable_ref(VariableId variable, Span span);    // as a place, unchecked
  bool changes_itself(TypeId type);
  VariableId reach(BodyChecker* owner, VariableId variable, Span span);   // `owner`'s variable as seen here: captured when it is another function's
  Expr* check_name(ast::NameExpr* expr, TypeId expected);
  bool fits_use(Name n);
  void show_null_origin(Diagnostic& d, Expr* value);
  bool report_missing_self(Span span);
  // Marks an assignment to the variable and forgets what was known of it.
  void note_assigned(VariableId variable, Span span);
  void assign_variable(Name name, Span span, Expr* value);   // declares on first assignment; emits
  // The place to assign for a plain name (declaring it with `type` if new).
  Expr* target_for_name(Name name, Span span, TypeId type);
  Variable& var(VariableId v) { return fn.variables[v.index]; }
  VariableFacts& facts(VariableId v);
  void prescan(ast::Block body);                         // Python scoping: assigned names are local

  // -- statements
  Block check_block(ast::Block body);
  void check_stmt(ast::Stmt* stmt);
  void emit(Stmt* stmt) { out_->push_back(stmt); }
  void emit_expr(Expr* value);
  void emit_assign(Expr* target, Expr* value, bool initializes = false);
  // Runs `build` with emission redirected; gives the statements.
  Block collect(const std::function<void()>& build);
  // Assigns `value` to the syntactic target: names, members, indexes, tuples, stars.
  void assign_to(ast::Expr* target, Expr* value, Span span);
  void check_assign(ast::AssignStmt* stmt);
  void check_aug_assign(ast::AugAssignStmt* stmt);
  void check_if(ast::IfStmt* stmt);
  void check_while(ast::WhileStmt* stmt);
  void check_for(ast::ForStmt* stmt);
  void bind_pass_variables(ast::ForStmt* stmt);
  // The loop over `iterable` with each element bound through `bind`; used by for and comprehensions.
  void build_for(Expr* iterable, ast::Expr* iterable_ast, Span span, const std::function<void(Expr* element)>& bind_and_body, const std::function<void()>& else_body, ast::ForStmt* loop);
  void check_return(ast::ReturnStmt* stmt);
  void check_raise(ast::RaiseStmt* stmt);
  void check_try(ast::TryStmt* stmt);
  void check_with(ast::WithStmt* stmt);
  void check_switch(ast::SwitchStmt* stmt);
  void check_defer(ast::DeferStmt* stmt);
  void check_del(ast::DelStmt* stmt);
  void check_assert(ast::AssertStmt* stmt);
  void check_nested_function(ast::FunctionDecl* stmt);
  void check_const(ast::ConstDecl* stmt);
  void check_unsupported(Span span, const char* what);   // reports; what follows is not looked at
  bool is_declared_at_top(ast::Stmt* stmt);              // a module's own declaration, handled before its body
  // `build` as a statement of its own: temps it makes end with it.
  void as_statement(const std::function<void()>& build);
  VariableId hold(Expr* value, Span span);               // a temp that holds the value
  Expr* as_stable(Expr* value, Span span);               // the value if reading it twice is harmless, else a temp that holds it
  void raise_new(std::string_view error_class, Expr* message, Span span);
  // Fixes the inferred result type from all `return`s; called when the body has been checked.
  void finish_returns();
  void finish_lifted_returns();
  bool may_be_another(Expr* place);
  void assign_name(ast::NameExpr* target, Expr* value, Span span);
  void unpack_to(std::span<ast::Expr*> targets, Expr* value, Span span, Span targets_span);
  // What a target that already has a type wants of its value; invalid when unknown. Reports and emits nothing.
  TypeId hint_for(ast::Expr* target);
  TypeId hint_for_key(TypeId collection);                // the key type of a dict
  Expr* slice_from(Expr* list, size_t from, size_t leave, Span span);   // list[from:-leave]
  Expr* list_from(const std::vector<Expr*>& items, TypeId element, Span span);
  void assign_value(ast::Expr* target, ast::Expr* value);
  void assign_pairs(std::span<ast::Expr*> targets, std::span<ast::Expr*> values);
  bool declare_typed(ast::Expr* target, TypeId type, ast::TypeExpr* written);
  Expr* usable_value(Expr* value, Span span);            // `null` gets an optional type; no value at all is reported
  void remember_value(Expr* place, Expr* value);         // facts after an assignment
  // The variable that a pattern or a `catch` binds: of this function, unless that name has another type there.
  VariableId bind_name(Name name, TypeId type, Span span);
  // Names that `build` binds by bind_name end with it where they hide another meaning.
  void in_case_scope(const std::function<void()>& build);
  // What is sure when `body` was left somewhere on the way: what held before, less what it may have changed.
  // `moves_before`: how many moves there had been when it began.
  Flow after_part_of(const Flow& before, size_t moves_before, ast::Block body);
  void forget_written(Flow& flow, ast::Block body, ast::Expr* condition = nullptr, const std::unordered_set<Name>& kept = {}, EndedBy by = EndedBy::Assignment);
  void check_moved_in_loop(const Flow& entry, const Flow& back, ast::Block body, ast::Expr* condition);
  // One loop: `head` gives the condition (null: for ever); the rest are its blocks.
  struct LoopParts {
    std::function<Expr*(Branches&)> head;                // a condition, or
    std::function<Expr*()> next;                         // whether there is another element; tells nothing else
    std::function<void()> body, step, else_body;
    ast::Block body_ast;
    ast::Expr* condition_ast = nullptr;
    ast::Expr* target = nullptr;                         // of a `for`
    TypeId element;                                      // what it gets; invalid: not known yet
    void of(ast::ForStmt* loop);                         // null: a loop that no statement stands for
    VariableId iterator;   // invalid: it counts, or is no `for`
  };
  void build_loop(const LoopParts& parts, Span span);
  bool build_range_for(ast::Expr* iterable, Span span, const std::function<void(Expr* element)>& bind_and_body, const std::function<void()>& else_body, ast::ForStmt* loop);
  void check_with_item(ast::WithStmt* stmt, size_t index);
  // Patterns: `value_type` is what is matched; bound names are declared. `facts` gets what a match tells of `place`.
  Pattern* check_pattern(ast::Pattern* pattern, TypeId value_type, const PlaceKey& place, Facts& facts);
  bool is_exhaustive(std::span<SwitchCase> cases, TypeId type, std::string& missing);
  void report_unreachable_cases(std::span<SwitchCase> cases, TypeId type);
  bool is_generic_instance();                            // the same source is checked for other types too

  // -- narrowing (narrow.cpp)
  PlaceKey place_key(Expr* place);                       // of a typed place expression
  PlaceKey tested_place(Expr* value);                    // what a test of the value tells about: its place, or the variable that it was assigned to
  PlaceKey place_key(ast::Expr* expr);                   // of a syntactic one: names and members only
  PlaceKey name_key(Name name);
  bool is_shared(VariableId v);                          // a closure may assign it at any time
  PlaceKey variable_key(VariableId v);
  Expr* see_as(Expr* place, Known known);                // the place as a type it is known to have
  Expr* read_anew(Expr* value);                          // without what is in doubt: for tests, which decide it
  Expr* check_anew(ast::Expr* expr, TypeId expected = {});
  void forget_place(const PlaceKey& place);              // it was written
  void doubt_shared(Flow& target);                       // other code ran
  void values_dropped(Flow& target);                     // a `__del__` or a clean-up may have run
  void lent_places_written(Call* call);                  // by the callee, after all arguments were evaluated
  Expr* apply_narrowing(Expr* place);                    // the place, seen as its narrowed type
  TypeId narrowed_type(TypeId type, TypeId tested);      // what `is tested` leaves of type
  TypeId without(TypeId type, TypeId tested);            // what failing the test leaves
  // Forgets what the loop may change; gives the facts that are kept because every pass is expected to renew them.
  Facts narrow_in_loop(const LoopParts& parts);
  void check_kept_facts(const Facts& kept, const Flow& back, const LoopParts& parts);   // is it as expected?
  void call_may_write(FunctionInfo* callee, Span span);  // ends the facts a call may break; null: unknown callee
  bool runs_own_code_only(FunctionInfo* callee, TypeId self_type, const std::vector<TypeId>& args);   // of the library, given plain data
  void code_ran(const FieldWrites& writes, Span span);
  void end_facts(Flow& target, const FieldWrites& writes, Span by);
  bool show_ended_fact(Diagnostic& d, Expr* value);      // since when a test no longer holds
  bool show_outer_fact(Diagnostic& d, Expr* value);      // what was known outside of a variable that can change
  bool show_element(Diagnostic& d, Expr* value);

  // A name or member chain that stands for a type, module, function or enum case rather than a value.
  struct Entity { SymbolKind kind = SymbolKind::None; Symbol symbol; TypeId type; bool is_type_member = false; explicit operator bool() const { return kind != SymbolKind::None; } };
  // -- calls
  Expr* check_call(ast::CallExpr* expr, TypeId expected);
  Expr* call_method(Expr* receiver, std::string_view method, std::vector<Expr*> args, Span span);   // already checked arguments
  Expr* add_to(VariableId collection, std::string_view copy, std::string_view keep, std::vector<Expr*> parts, Span span);   // what a literal has
  Expr* try_call_method(Expr* receiver, std::string_view method, std::vector<Expr*> args, Span span);   // null when there is no such method
  Expr* call_core(std::string_view function, std::vector<Expr*> args, Span span, std::vector<TypeId> type_args = {});
  Expr* make_with_fields(TypeId type, std::span<ast::Arg> args, Span span);                  // `_intrinsic.make`
  Expr* field_default(TypeId type, ast::Expr* index, Span span);
  Expr* call_static(TypeId type, std::string_view method, std::vector<Expr*> args, Span span);
  Expr* call_intrinsic(Intrinsic op, TypeId type_arg, TypeId result, std::vector<Expr*> args, Span span);
  Expr* call_value(Expr* callee, std::vector<Expr*> args, Span span);
  struct CallArg { Name name; Span name_span; ast::Expr* ast = nullptr; Expr* value = nullptr; bool star = false; bool owned = false; };
  Expr* call_function(FunctionInfo* callee, Subst subst, Expr* receiver, TypeId self_type, std::vector<CallArg> args, Span span, TypeId expected, bool force_direct = false, TypeId constructed = TypeId(), Name statement = {});   // statement: what the source says instead, whose arguments these are
  Expr* call_overloads(Overloads& overloads, Subst subst, Expr* receiver, TypeId self_type, std::vector<CallArg> args, Span span, TypeId expected, Name shown, bool force_direct = false);
  Expr* construct(TypeId type, std::vector<CallArg> args, Span span, TypeId expected);
  std::vector<CallArg> call_args(std::span<ast::Arg> args);
  void suggest_await(Diagnostic& d, Expr* future, const char* why = "");
  bool refuse_compared_future(Expr* value, const char* why);   // whether it was one, of which its value was meant
  void suggest_await_inside(Diagnostic& d, Expr* value);  // of a future, or of a collection or an optional with one
  bool is_async_argument(const CallArg& arg);            // an async function; looks, and checks nothing
  bool is_async_value(ast::Expr* e);
  // What puts changed elements back into their collections once a call has ended, by an error or not.
  // A `ref` argument that is not a plain variable: an element gets a variable of its own for the call.
  struct LentPlace {
    Expr* ref;                         // the argument
    Block before;                      // finds the place and copies the element, where the argument is evaluated
    std::function<void()> put_back;    // empty for a field of an object
  };
  using LentPlaces = std::vector<LentPlace>;
  // `result` is the call, or what awaits it: the arguments in their order, the call, what was lent goes back.
  Expr* with_lent_places(Expr* result, Call* call, const LentPlaces& lent, Span span);
  void hold_arguments(Call* call, const LentPlaces& lent);   // those in front of the last lent place
  // The same for a call that may give a future or a generator: what it has by reference must not be gone when it runs.
  Expr* lend(Call* call, FrameKind frame, LentPlaces& lent, Span span);
  void report_lent();                                    // futures with references that nobody awaits at once
  // Arguments matched to parameters, converted, defaults filled in; in parameter order.
  struct BoundArgs { std::vector<Expr*> values; std::vector<uint32_t> order; std::vector<ParamMode> modes; std::vector<TypeId> types; LentPlaces lent; FunctionInfo* lifts = nullptr; bool lifts_nested = false; };   // lifts: the callee, when it has an instance for each set of types, so also one for what is frozen; lifts_nested: likewise, a nested one
  bool bind_args(const std::vector<ParamInfo>& params, const Subst& subst, std::vector<CallArg> args, Span span, const std::string& shown, Span declared_at, ModuleInfo* default_module, BoundArgs& out);
  bool accepts(FunctionInfo* callee, const std::vector<CallArg>& args);   // by number and names only
  Expr* call_func_value(Expr* callee, std::vector<CallArg> args, Span span);
  Expr* call_callee(Expr* function, ast::CallExpr* expr);                                     // with the arguments as written; these are checked even for a poisoned function
  Expr* check_super_call(ast::MemberExpr* member, ast::CallExpr* expr);
  Expr* check_method_call(ast::MemberExpr* member, ast::CallExpr* expr, TypeId expected);
  Expr* init_base_fields(TypeId base, ast::CallExpr* expr);
  void finish_call(Call* call, Expr* receiver, ParamMode self_mode, BoundArgs& bound);
  Expr* reference_to(Expr* value, Span span, LentPlaces& lent);
  Expr* make_error_of(TypeId type, Span span);
  bool can_convert(Expr* value, TypeId target);          // try_coerce would succeed; changes nothing
  TypeId owner_type();                                   // the class that declares the method being checked, with this body's arguments
  void mark_field_assigned(uint32_t index);
  bool may_see(const Member& member, Name name, Span span);   // private members only in their module; reports
  Expr* check_receiver(ast::Expr* expr);
  Span callee_span(ast::MemberExpr* member) { return member->span; }
  TypeId entity_type(const Entity& entity, const std::vector<TypeId>& type_args, Span span);
  Expr* convert_call(TypeId type, std::vector<CallArg> args, Span span);   // int(x), str(x), …
  Subst subst_of(TypeId type);
  void build_constructor(TypeId type, FunctionId init_function, Instance* init);
  Expr* call_type_member(const Entity& entity, ast::CallExpr* expr, TypeId expected);   // Type.method(…)
  // -- bounds.cpp
  void keep_bounds();                                    // of the type parameters whose types would answer otherwise
  void keep_bounds(const std::vector<TypeParamInfo>& params, const Subst& subst);
  void keep_bounds_of(TypeId param, const std::vector<TypeId>& bounds, const Subst& subst);
  bool keeps_bounds() const;
  TypeId as_standing(TypeId result, const Subst& subst, const std::vector<TypeId>& given);   // what a call of something that stands for a type parameter gives
  std::vector<std::pair<TypeId, TypeId>> standing_types();
  Member find_member(TypeId type, Name name);            // of a value of this type, as it is written: its bounds first
  bool has_method(TypeId type, std::string_view name);
  // Of members that several traits have under one name, the one that the arguments fit. False: reported.
  bool settle(Member& member, TypeId type, Expr* receiver, Name name, std::vector<CallArg>* args, Span span);
  Expr* call_trait_member(const Entity& entity, ast::CallExpr* expr, TypeId expected);   // Trait.method(x)
  bool refuse_through_dyn(FunctionInfo* callee, TypeId trait, Span span);   // what no table has; reports
  Expr* make_convert(ConvertKind kind, Expr* value, TypeId to, bool checked = false);
  Expr* make_bool_int(Expr* value);
  std::vector<TypeId> boxed_;                            // root: what this body puts into any and dyn
  bool is_self(Expr* object);
  bool reads_unassigned_field(const Member& member);
  std::vector<std::string> member_names(TypeId type);
  Expr* enum_payload(Expr* object, Name name, Span span);
  Expr* check_class_const(const Member& member, Span span);
  Expr* check_default_expr(ast::Expr* value, TypeId type, ModuleInfo* home, Span span);
  Expr* tuple_to_list(Expr* tuple, Span span);
  Expr* int_to_float(Expr* value);
  CallArg arg_of(Expr* value);
  TypeId numeric_hint(TypeId expected);
  TypeId operand_hint(TypeId expected);                  // of `-x`
  TypeId wide_literal_hint(ast::Expr* literal, ast::CompareOp op, Expr* other);   // for a number beyond `int`, from the other side
  bool match_types(Expr*& a, Expr*& b, Span span, const char* symbol);
  TypeId comparison_hint(Expr* left, ast::CompareOp op, ast::Expr* right);
  Expr* check_isolated(ast::Expr* expr, TypeId expected = TypeId());   // what it emits runs only where it is evaluated
  bool has_no_effect(Expr* value);
  Expr* after(Expr* value, bool answer, Span span);
  Expr* null_test(ast::Expr* operand, bool is_null, Span span, Facts& when_true, Facts& when_false, std::optional<bool>& decided);
  ast::Expr* path_expr(std::span<Name> path, Span span);
  Expr* type_test(Expr* value, TypeId type, TypeId tested, Span span, const PlaceKey& key, Facts& yes, Facts& no, std::optional<bool>& decided);
  Expr* optional_test(Expr* value, TypeId type, TypeId tested, Span span, const PlaceKey& key, Facts& yes, Facts& no, std::optional<bool>& decided);
  Expr* case_test(Expr* value, TypeId type, ast::Pattern* pattern, Span span, const PlaceKey& key, Facts& yes, Facts& no);
  Expr* check_and_or(ast::Expr* expr, TypeId expected);
  TypeId literal_hint(Expr* value);
  Expr* call_any_function(AnyFunction which, std::vector<Expr*> args, TypeId result, Span span);
  TypeId element_type(std::vector<Expr*>& items, TypeId hint, Span span);
  TypeId hint_argument(TypeId expected, std::string_view nominal, size_t index);
  Expr* constant_array(std::span<Expr* const> items, TypeId element, Span span);   // null: not all are constants, or too few
  Expr* build_collection(TypeId type, std::vector<std::pair<Expr*, bool>> items, Span span);
  // Of values, and of what is in those with `true`. plain: a value of the type of each element.
  Expr* collection_of(std::vector<std::pair<Expr*, bool>> items, std::vector<Expr*> plain, TypeId hint, const char* nominal, Span span);
  Expr* check_display(std::span<ast::Expr*> elements, TypeId expected, const char* nominal, Span span);
  TypeId iterated_type(Expr* value, Span span);
  Expr* join_printed(const std::vector<Expr*>& values, const std::vector<Expr*>& spread, Expr* sep, Span span);
  Expr* check_print(ast::CallExpr* expr);
  Expr* print_to(Expr* file, Expr* text, Span span);
  void build_any_body(AnyFunction which, const std::vector<TypeId>& boxed);
  // any_contents.cpp: what an `any` holds, used as a collection.
  bool is_any(TypeId type);                              // also frozen
  Expr* any_length(Expr* value, Span span);
  Expr* any_item(Expr* object, Expr* key, Span span);
  Expr* any_elements(Expr* value, Span span);
  Expr* any_contains(Expr* container, Expr* item, Span span);
  void give_from_any(AnyFunction which, Expr* held, Expr* other, TypeId type);
  void missing_return(TypeId result);
  Overloads* taking(Overloads* overloads, const std::vector<TypeId>& type_args, Overloads& left, Subst& subst, Span span);   // null: reported
  FunctionInfo* choose_overload(Overloads& overloads, const Subst& subst, std::vector<CallArg>& args);   // by number, names, then types
  static constexpr uint32_t MAX_TYPE_NESTING = 48;
  uint32_t nesting_of(TypeId type);
  TypeId applied(TypeId type);                           // type parameters replaced by what they are in this body
  void delete_global(GlobalInfo* global, Span span);     // `del` of a module variable
  void note_global_assigned(GlobalRef* target);
  void check_captures(NestedFunction& nested, Span span);
  bool refuse_global_read(GlobalInfo* global, Span span);
  Diagnostic& report_use_after_move(Name n, Span used, Span moved);
  void report_moved_in_loop(Name n, Span moved);
  void guard_global(GlobalInfo* global, Span span);      // raises when the variable has no value yet
  // A call of a method that changes the struct or enum it is called on, an element or a part of one: the element is
  // taken out, changed and put back. Null when `object` is neither.
  Expr* change_element(Expr* object, ast::MemberExpr* member, const Member& found, std::vector<CallArg>& args, Span span, const Subst& subst, TypeId expected);
  // `known`: what the type parameters of the function are, where the default is a parameter's.
  Expr* check_default_value(const ParamInfo& param, TypeId expected, ModuleInfo* home, Span span, const Subst& known);
  Expr* check_default(const ParamInfo& param, TypeId expected, ModuleInfo* home, Span span, const Subst& known = {});
  bool refuse_endless_default(const ParamInfo& param, Span span);
  Expr* check_ref_argument(CallArg& arg, TypeId expected, Span span, LentPlaces& lent);
  Expr* check_place(ast::Expr* expr, std::function<void()>& put_back);   // something that can be assigned, as a typed place without narrowing; null after an error
  bool is_copied_type(TypeId type);                      // numbers, text and other immutable values
  void note_moved(Expr* value, Span span);
  // The value, for a parameter of this mode, after the variable it was moved out of has given it up: whoever is called has the
  // only reference. A module variable is left unassigned, if no function could see that; otherwise the reference is copied.
  Expr* move_out(Expr* value, ParamMode mode, Span span);
  // `defer` (check_defer.cpp)
  void check_deferred_reads();                           // where the function ends
  void refuse_deleted_before(ast::Stmt* next);           // what a `defer` reads is gone, and `next` may raise; null: it does
  void refuse_taken_by_defer(ast::DeferStmt* stmt, size_t moves_before);   // moved or deleted before other deferred statements run
  void report_deleted(VariableId deleted, Span read, Span at);
  void add_deferred(Flow& target, ast::Block body);      // what the `defer`s in the body read may be read when the function ends
  void add_reads(Flow& target, ast::Block deferred);
  // Evaluates `value` into `target` now if statements can be emitted here.
  void emit_or_hold(Expr* target, Expr* value) { emit_assign(target, value); }
  Expr* check_intrinsic_call(ast::CallExpr* expr, Name op);
  Expr* check_dict_call(ast::CallExpr* expr, TypeId expected, bool& handled);
  Expr* check_builtin_call(Name name, ast::CallExpr* expr, TypeId expected, bool& handled);
  Expr* make_str(Expr* value, Span span, bool quoted);   // str(x), or repr(x) when quoted
  Expr* make_format(Expr* value, Expr* spec, Span span);
  Expr* make_equal(Expr* a, Expr* b, Span span);         // ==
  Expr* make_less(Expr* a, Expr* b, Span span);          // <
  Expr* make_compare(ast::CompareOp op, Expr* a, Expr* b, Span span);
  Expr* make_contains(Expr* item, Expr* container, Span span);
  Expr* make_hash(Expr* value, Span span);
  Expr* make_binary(ast::BinaryOp op, Expr* a, Expr* b, Span span, TypeId expected = TypeId());
  Expr* make_index(Expr* object, ast::Expr* index, Span span);
  Expr* make_slice(ast::SliceExpr* slice);
  Expr* make_iterator(Expr* value, Span span);           // x.__iter__(), or x
  Expr* make_some(Expr* value);
  Expr* make_int(int64_t value, Span span) { auto* e = make<IntConst>(types.int_, span); e->bits = static_cast<uint64_t>(value); return e; }
  Expr* make_bool(bool value, Span span) { auto* e = make<BoolConst>(types.bool_, span); e->value = value; return e; }
  Expr* make_text(std::string_view value, Span span) { auto* e = make<StrConst>(types.str, span); e->value = c.program.arena.copy_text(value); return e; }
  Expr* make_field(Expr* object, uint32_t index, TypeId type, Span span);
  Expr* make_unwrap(Expr* optional, Span span, bool checked, bool takes = false);
  Expr* make_not(Expr* value) { auto* e = make<Not>(types.bool_, value->span); e->operand = value; return e; }
  Expr* make_seq(const std::function<Expr*()>& build, Span span);   // statements emitted by build, then its value
  Expr* make_closure_of(Instance* instance, TypeId func_type, Span span);

  // -- other expressions
  Expr* check_literal(ast::Expr* expr, TypeId expected);
  Expr* check_fstring(ast::FStringExpr* expr);
  Expr* check_list(ast::ListExpr* expr, TypeId expected);
  Expr* check_set(ast::SetExpr* expr, TypeId expected);
  Expr* check_dict(ast::DictExpr* expr, TypeId expected);
  Expr* check_tuple(ast::TupleExpr* expr, TypeId expected);
  Expr* check_comprehension(ast::ComprehensionExpr* expr, TypeId expected);
  Expr* check_generator_expression(ast::ComprehensionExpr* expr);
  Expr* check_member(ast::MemberExpr* expr, TypeId expected);
  Expr* member_of(Expr* object, Name name, Span name_span, Span span, TypeId expected);
  Expr* check_index(ast::IndexExpr* expr);
  Expr* check_unary(ast::UnaryExpr* expr, TypeId expected);
  Expr* check_binary(ast::BinaryExpr* expr, TypeId expected);
  Expr* check_compare(ast::CompareExpr* expr);
  Expr* check_is(ast::IsExpr* expr, Facts& when_true, Facts& when_false, std::optional<bool>& decided);
  Expr* check_coalesce(ast::CoalesceExpr* expr, TypeId expected);
  Expr* check_unwrap(ast::UnwrapExpr* expr);
  Expr* unwrap_or_raise(Expr* value, ast::UnwrapExpr* expr);   // `value` is the operand, checked
  Expr* check_as(ast::AsExpr* expr);
  bool offer_cases(ast::Expr* expr);                     // the name of an enum, where its cases are gone through, is the list of them
  Expr* check_walrus(ast::WalrusExpr* expr, TypeId expected);
  Expr* check_ternary(ast::TernaryExpr* expr, TypeId expected);
  Expr* check_lambda(ast::FunctionDecl* decl, Span span, TypeId expected);
  // check_spawn.cpp
  bool gives_elements_away(TypeId iterator);
  Expr* check_spawn(ast::SpawnExpr* expr);
  Expr* check_take_over(ast::TakeOverExpr* expr);
  struct Move {
    VariableId variable;
    GlobalId global;  // one of the two
    Span span;
  };
  // What is evaluated before a spawned call is handed over: its arguments, and the callee or its object. Each gets its
  // value when the call is checked for its type.
  struct PartOfSpawn {
    Expr* value = nullptr;
    Block before;
    std::vector<Move> moves;
  };
  struct PartsOfSpawn {
    std::unordered_map<ast::Expr*, PartOfSpawn> of;
    Flow flow;  // after the last of them
    std::vector<VariableId> handed_over;  // where each is on its way
  };
  PartsOfSpawn* parts_of_spawn_ = nullptr;  // of the call being checked for its type; null: of none
  Expr* check_part_of_spawn(ast::Expr* expr, TypeId expected, PartOfSpawn& part);
  // Evaluates an argument here; gives what is left of it there, or null.
  ast::Expr* hand_over(ast::Expr* argument, PartsOfSpawn& parts);
  Expr* start_isolate(ast::SpawnExpr* expr, PartsOfSpawn& parts);
  Expr* taking_back(const Block& body, Expr* started, const PartsOfSpawn& parts);
  bool can_cross(Expr* value, Span span);                // reports why not
  Expr* check_optional_chain(ast::Expr* expr, TypeId expected, bool& handled);
  ast::MemberExpr* first_optional_link(ast::Expr* expr);                                  // of `a?.b.c?.d()` it is `a?.b`; null when there is none
  Expr* ended_by_null(Expr* is_null, Block before, Expr* rest, Span span);
  Expr* await_chain(Expr* future, Span span);
  void run_lambda(PendingLambda& lambda);
  void start_nested(NestedFunction& nested);
  Expr* nested_value(NestedFunction& nested, Span span, TypeId expected = TypeId());
  bool is_template(NestedFunction& nested);              // generic: only its instances have bodies
  void declare_nested(NestedFunction& nested);           // parameters, in the scope of this body, its home
  NestedFunction& nested_instance(NestedFunction& origin, Subst subst, const std::vector<TypeId>& param_types);
  Expr* call_template(NestedFunction& origin, std::vector<CallArg> args, const std::vector<TypeId>& type_args, Span span);
  Expr* template_value(NestedFunction& origin, std::span<ast::TypeExpr*> type_args, Span span);   // `f<int>` as a value
  Expr* finish_nested_call(NestedFunction& nested, BoundArgs& bound, Span span);
  void complete_closure(MakeClosure* closure, BodyChecker& body);
  void complete_nested();                                // captures of nested functions, to a fixpoint
  void check_closure_body(BodyChecker& child, ast::FunctionDecl* decl, const std::vector<TypeId>& params);
  std::vector<TypeId> nested_types(NestedFunction& nested);   // declares its signature
  Expr* call_nested(NestedFunction& nested, std::vector<CallArg> args, const std::vector<TypeId>& type_args, Span span);
  // `(a, b) -> callee(a, b)`. What can't be inferred otherwise has the type of the default in `like`.
  Expr* wrap_as_lambda(ast::Expr* callee, size_t params, Span span, TypeId expected, const std::vector<ParamInfo>* like = nullptr, bool is_async = false);
  TypeId literal_type(ast::Expr* value);                 // of a number, text or bool as written; else invalid

  // -- types
  TypeId type_of(ast::TypeExpr* expr);                   // in this body, parameters substituted
  Entity find_entity(ast::Expr* expr);
  Symbol find_import(Name n);                            // by an `import` inside this function or one around it
  Symbol find_symbol(Name n);                            // a name that is no variable: imported here, the module's, the library's
  Expr* function_value(Overloads& overloads, Subst subst, Expr* receiver, TypeId self_type, Span span, TypeId expected);
  size_t count_for_value(const std::vector<ParamInfo>& params, bool use_defaults);
  Expr* make_case(NominalInfo* info, uint32_t case_index, std::optional<std::vector<CallArg>> args, TypeId enum_type, Span span, TypeId expected);
  Expr* read_global(GlobalInfo* global, Span span);

  template <typename T>
  T* make(TypeId type, Span span) {
    T* node = c.program.arena.make<T>();
    node->type = type;
    node->span = span;
    root->created_.push_back(node);
    return node;
  }
  template <typename T>
  T* make_stmt(Span span) {
    T* node = c.program.arena.make<T>();
    node->span = span;
    return node;
  }
  template <typename T>
  std::span<T> keep(const std::vector<T>& items) { return c.program.arena.copy(items); }
  Pattern* make_pattern(PatternKind kind, TypeId type, Span span) {
    Pattern* p = c.program.arena.make<Pattern>();
    p->kind = kind;
    p->type = type;
    p->span = span;
    root->patterns_.push_back(p);
    return p;
  }
  // Everything whose types must be resolved at the end; root only.
  std::vector<Expr*> created_;
  std::vector<Pattern*> patterns_;
  std::vector<std::unique_ptr<BodyChecker>> closures_;
  std::deque<NestedFunction> nested_;
  using Scopes = std::vector<std::unordered_map<Name, Binding>>;
  Scopes scopes_for_functions();                         // with what functions made here see of the loops around
  std::unordered_map<MakeClosure*, Scopes> lambda_scopes_;   // of lambdas that wait: the names where they stand
  std::vector<LoopContext> loops_;
  Subst own_subst_;                                      // of an instance of a nested generic function
  std::vector<TypeId> of_several_params_;                // root: types that stand for one of several type parameters (bounds.cpp)
  bool is_nested_instance_ = false;
  std::vector<Move> moves_;                              // all moves of this body so far
  std::vector<FunctionUse> function_uses_;
  std::unordered_set<uint32_t> told_lost_;               // variables that a `defer` reads too late, as was reported
  std::vector<VariableId> catch_variables_;              // innermost last: what a bare `raise` raises
  uint32_t next_label_ = 1;                              // root only
  uint32_t loop_depth_ = 0;                              // for captured variables: assigned in a loop
  uint32_t depth_ = 0;                                   // expression nesting
  struct InferredReturn { Return* stmt; Span span; };
  std::optional<Flow> returned_early_;                   // what holds at every `return` of a constructor
  std::vector<InferredReturn> returns_;                  // whose type is joined at the end of the body
  ast::Block function_body_;
  TypeId lifted_result_;                                 // of a lifted instance: the result as declared (frozen.h)
  struct ListShape { std::vector<const Pattern*> front, back; bool has_rest = false; };   // null: any element
  std::unordered_map<const Pattern*, ListShape> list_shapes_;   // root: of List patterns, for exhaustiveness
  bool pattern_never_ = false;                           // the last pattern can't match in this instance of a generic function
  std::vector<VariableId>* comprehension_temps_ = nullptr;
  bool binds_comprehension_ = false;                     // names being assigned belong to the innermost scope
  ast::TypeExpr* filled_annotation_ = nullptr;           // of the variable that gets what is being checked (lifted_locals.h)
  bool in_defer_ = false;
  Span default_call_;                                    // the call whose default values are being checked
  std::vector<const ast::Expr*> defaults_inside_;        // the defaults that are being checked, each inside the one before
  uint32_t defaults_made_ = 0;                           // since the outermost of them began
  Span outermost_call_;                                  // the call that began it
  std::unordered_map<Name, VariableId> coloured_;        // root: parameters that are async where a plain function is declared
  struct LentCall { Call* call; LentPlaces places; Span span; };
  std::vector<LentCall> lent_;                           // not awaited yet
  std::vector<const Flow*> scope_entries_;               // what held where each scope around began
  std::unordered_map<uint32_t, VariableId> assigned_flags_;   // by variable
  std::unordered_set<uint32_t> guarded_;                 // variables whose flag reads look at
  bool begins_pass_ = false;                             // what is assigned next is the variable of a `for`
  bool binds_case_ = false;                              // or of a case of `select`
  std::unordered_map<Name, VariableId> pass_variables_;  // module body: what functions made in the loops around see of their variables
  bool may_rebind_ = false;                              // a loop variable may get another type than the name had before
  std::optional<bool> self_escapes_;                     // `__init__` hands self to other code
  std::vector<std::pair<Name, Binding>>* shadowed_ = nullptr;   // by bind_name; the binding to put back
  std::vector<bool> fields_touched_;                     // `__init__`: fields an earlier statement may have assigned
  std::vector<Stmt*>* out_ = nullptr;
  std::vector<VariableId>* temps_ = nullptr;             // of the statement being checked
  std::vector<std::unordered_map<Name, Binding>> scopes_;   // function scope first, then comprehension scopes
  struct NameUse {
    uint32_t sites = 0;
    uint32_t passes = 0;           // sites that are targets of a `for`
    bool in_loop = false;
    bool again_in_loop = false;    // by another statement than such a `for`
    bool by_closure = false;
    bool by_call = false;          // given to a `ref` parameter
    bool by_pattern = false;       // bound in a `case`, which assigns a variable that is there already
  };
  std::unordered_map<Name, NameUse> name_uses_;          // assignments found by the prescan
  std::unordered_set<Name> local_names_, global_names_, nonlocal_names_;
  std::unordered_set<Name> closure_names_;               // mentioned in functions inside this one
  std::unordered_map<Name, NominalInfo*> local_classes_;
  std::unordered_map<Name, Symbol> local_imports_;
  std::unordered_map<const Expr*, PlaceKey> assigning_;  // root: values of `(n := …)`, and where each lies
  std::unordered_map<ast::Expr*, Expr*> replaced_;       // sub-expressions whose value is already there
  std::vector<std::tuple<MakeClosure*, BodyChecker*, BodyChecker*>> incomplete_;   // root: closure, where it is made, its body
  bool discards_result_ = false;                         // a lambda for a callback without a result
  static constexpr int MAX_PROBES = 2;                   // nested looks at a type double the work each
  int probes_ = 0;
  bool takes_elements_ = false;                          // the loop that is built next binds names to each
  int hidden_names_ = 0;                                 // given to variables that no source names
  Flow outer_flow_;                                      // closures: what was known in the parent where it was made
  std::deque<VariableFacts> variable_facts_;
  bool finished_ = false;
  void decide_boxes();
};

}  // namespace meteor::typed
