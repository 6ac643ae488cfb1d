// The checker's program-wide state: declarations, types, instances.
// Bodies are checked by BodyChecker (body.h), one per function instance.
//
// A function is checked once for each set of concrete types it is used with.
// While a body is being checked its calls may still contain inference
// variables; instances are therefore fixed ("finished") only when the
// outermost body under way has been checked and every variable is known.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/typed/check.h"
#include "compiler/typed/entities.h"
#include "compiler/typed/flow.h"
#include "compiler/typed/hierarchy.h"
#include "compiler/typed/isolate_reach.h"
#include "compiler/typed/lent_names.h"
#include "compiler/typed/typed.h"
#include "compiler/typed/unifier.h"
#include "compiler/typed/written_names.h"

namespace meteor::typed {

using diagnostics::Code;
using diagnostics::Diagnostic;

// One use of a function with certain types. `param_types` has self first where there is one.
struct Instance {
  FunctionInfo* info = nullptr;
  Subst subst;                     // class and function parameters, Self
  TypeId self_type;                // receiver's type, or invalid
  std::vector<TypeId> param_types;
  TypeId result;                   // may be a variable while checking
  FunctionId function;
  FrameKind frame{};               // of its body; a `def` becomes async when it calls an async function it was given
  bool body_started = false, body_done = false;
  bool fixed = false;              // its types are final
  bool result_inferred = false;
  Instance* canonical = nullptr;   // an equal instance found when the types became known
  Instance* asked_by = nullptr;    // whose body needed it first; null: a function that is no instance, or the module
  Span asked_at;                   // the user's call that first needed it, perhaps through the library
  TypeId told;                     // lifted: what it has to give, where others do; what is wrong then is not reported
  TypeId lifted_from;              // lifted: the declared result, until the body has told which of lifted_results it is
  bool is_lifted = false;          // takes something frozen where its declaration does not say so (frozen.h)
  Span written_at;                 // lifted: where its body, or what it calls, changes something frozen; valid: it can't be called
  std::string written;             // what was said there
  FunctionInfo* writer = nullptr;
  bool freezes_result = false;     // lifted: freezes what it made, so that all it gives is frozen
  std::unordered_map<const ast::TypeExpr*, TypeId> local_types;   // lifted: of variables whose written type is plain and that hold something frozen
  bool is_given_up = false;        // lifted: its body is to be checked once more, with these
};

// A method or field found on a type.
struct Member {
  enum Kind : uint8_t { None, Field, Methods, Const } kind = None;
  uint32_t field_index = 0;        // in the flattened list, base's fields first
  FieldInfo* field = nullptr;
  TypeId field_type;               // in terms of the receiver's arguments
  Overloads* methods = nullptr;
  Subst subst;                     // owner's parameters (and Self) for this receiver
  NominalInfo* owner = nullptr;    // where it was found
  ast::ConstDecl* constant = nullptr;
  TypeId trait;                    // found through this trait; invalid: the type's own
  std::vector<Member> rivals;      // this and the others that traits of the type have under the name: a call must say which
  explicit operator bool() const { return kind != None; }
};

// What can be done with a value whose type is only known at run time.
enum class AnyFunction : uint8_t { Text, Quoted, Equal, Hash, Json, Truth, Length, Item, Elements, Contains };
constexpr size_t ANY_FUNCTIONS = static_cast<size_t>(AnyFunction::Contains) + 1;

// A call whose callee instance is fixed when the types are known.
struct PendingCall {
  Call* call = nullptr;
  MakeClosure* closure = nullptr;  // or a function used as a value
  Instance* instance = nullptr;
  TypeId constructed;              // a constructor call: of this class
  FunctionId caller;
};

// A function that stands for the tables where something frozen is given (lifted_calls.h); one for all calls of the same types.
struct LiftedDispatch {
  struct Entry {
    TypeId type;
    Instance* instance = nullptr;
  };
  struct Refusal {
    TypeId type;
    Span declared_at;
  };
  FunctionId function;
  std::vector<Entry> entries;
  std::vector<Refusal> refusals;   // what can't give what the others give
  size_t built = 0;                // entries in its body
  bool by_table = false;           // some types are called as they are: structs that their method changes
};

// A call through a table with something frozen: every implementation must leave that as it is.
struct LiftedCall {
  TypeId receiver;                 // the class or `dyn`, without `frozen`
  FunctionInfo* method = nullptr;  // as declared there
  Subst subst;
  bool frozen_self = false;
  std::vector<TypeId> param_types;
  TypeId result;
  Span span;
  FunctionId caller;
  uint32_t slot = 0;               // of the trait's table
  Call* call = nullptr;
  LiftedDispatch* dispatch = nullptr;   // what it calls instead (lifted_calls.h)
};

// A lambda whose parameter types are not known yet.
struct PendingLambda {
  ast::FunctionDecl* decl = nullptr;
  BodyChecker* home = nullptr;
  TypeId type;
  MakeClosure* closure = nullptr;
  Flow flow;
  bool done = false;
};

struct TypeScope {                 // what type names mean in a place
  ModuleInfo* module = nullptr;
  const std::vector<TypeParamInfo>* params[8] = {};
  size_t count = 0;
  TypeId self;                     // `Self`
  const std::unordered_map<Name, NominalInfo*>* locals = nullptr;   // classes declared inside the function
  std::function<Symbol(Name)> imports;   // names imported inside the function
  bool fresh_args = false;         // `Stack` alone means `Stack<_>` with arguments to be inferred
  void push(const std::vector<TypeParamInfo>& list) { if (count < 8) params[count++] = &list; }
};

FrameKind frame_kind(const ast::FunctionDecl* decl);
const char* frame_class(FrameKind kind);               // of core: what a call of such a function gives
bool awaits(ast::Block block);                         // itself, not a function inside it
bool awaits(ast::Expr* expr);

class Checker {
 public:
  Checker(const CheckInput& input, types::TypeStore& types, Program& program, diagnostics::Sink& sink);
  ~Checker();
  bool run();

  // -- shared state (BodyChecker is a close friend in spirit; it reads these)
  const CheckInput& input;
  types::TypeStore& types;
  Program& program;
  diagnostics::Sink& sink;
  base::NameTable& names;
  Unifier unifier;

  // A mistake that shows only inside the library is reported at the user's call, once.
  Diagnostic& error(Code code, Span span, std::string message);
  Span call_site;                                       // the user's call that instances made now are for
  Name name(std::string_view text) { return names.intern(text); }
  std::string text(TypeId type) { return types.text(unifier.resolve(type)); }
  // "a `str`", "an `int`".
  std::string text_with_article(TypeId type);
  TypeId resolve(TypeId type) { return unifier.resolve(type); }
  Kind kind(TypeId type) { return types.kind(unifier.shallow(type)); }

  // -- declarations (collect.cpp)
  void collect();
  ModuleInfo* core_module() { return core_; }
  Symbol find_symbol(ModuleInfo* module, Name name);
  NominalInfo* nominal_info(TypeId type);
  NominalInfo* core_nominal(std::string_view name);
  TypeId core_type(std::string_view name, std::vector<TypeId> args = {});
  Overloads* core_function(std::string_view name);
  void ensure_header(NominalInfo* info);
  void ensure_fields(NominalInfo* info);
  void ensure_header(ImplInfo* info);
  void ensure_signature(FunctionInfo* info);
  void ensure_bounds(std::vector<TypeParamInfo>& params, const TypeScope& scope);
  std::vector<NominalInfo*>& all_nominals() { return nominal_list_; }
  std::deque<ModuleInfo>& all_modules() { return modules_; }
  Hierarchy& hierarchy() { return hierarchy_; }
  void refuse_decorators(const ModuleInfo* module, const ast::ConstDecl* decl);
  NominalInfo* declare_class(ast::ClassDecl* decl, ModuleInfo* module, bool bind_name);
  FunctionInfo* make_function(ast::FunctionDecl* decl, ModuleInfo* module);
  const std::unordered_set<Name>& reassigned_fields();   // field names some code assigns outside constructors
  const WrittenNames& written_names();
  const FieldWrites& field_writes(FunctionInfo* info);

  // -- functions with a frame (check_async.cpp)
  TypeId framed_result(FrameKind kind, TypeId written, Span span);
  bool is_coloured(const Instance& instance, size_t param);   // colour.cpp
  bool calls_coloured(const Instance& instance);
  TypeId produced_of(TypeId framed);                    // what a Future, Generator or Stream gives
  TypeId future_value(TypeId type);                     // T of a Future<T> or a class derived from it; else invalid
  bool is_unrun_future(TypeId type);                    // a Future itself, which only an `await` runs; a task runs by itself
  bool holds_unrun_future(TypeId type);                 // or an optional, a tuple or a collection of them

  // -- type expressions (resolve_type.cpp)
  TypeId resolve_type(ast::TypeExpr* expr, const TypeScope& scope);
  TypeScope scope_of(FunctionInfo* info);
  TypeScope scope_of(NominalInfo* info);
  TypeId apply(TypeId type, const Subst& subst);
  bool check_key_type(TypeId key, Span span);           // of a dict or set as written: must be hashable; reports
  TypeId unhashable_part(TypeId type);                  // what of it can't be hashed; invalid: nothing
  TypeId optional_of(TypeId type);
  TypeId list_of(TypeId element) { return core_type("list", {element}); }

  // -- members, traits (members.cpp)
  enum class Wanted : uint8_t { Any, WithBody };
  // -- impls (trait_impls.cpp). A trait is always meant with its type arguments.
  Member find_own_member(TypeId type, Name name);
  Member find_impl_method(TypeId type, TypeId trait, Name name);   // what answers for the trait's method
  Member find_bound_member(TypeId type, const std::vector<TypeId>& bounds, Name name);
  TypeId trait_with(NominalInfo* trait, const Subst& subst);
  std::vector<TypeId> with_supertraits(TypeId trait, TypeId self);   // itself first, each once
  bool builds_on(TypeId trait, TypeId super, TypeId self);
  std::vector<TypeId> traits_of(TypeId type);   // all that it has, with those that they build on
  std::vector<TypeId> uses_of_trait(TypeId type, NominalInfo* trait);   // `Handler<Login>` and `Handler<Logout>` of one type
  std::vector<TypeId> traits_declaring(const std::vector<TypeId>& traits, TypeId self, Name name);
  bool is_overridden_default(FunctionInfo* method);     // some type has a method of its own instead of the trait's default
  FunctionInfo* getter_of(const Member& field, Name property);   // a method that reads the field
  const std::vector<TypeId>* bounds_behind(TypeId type);   // of the type parameter that this type stands for in a body; null: none
  TypeId stand_for(TypeId type, std::vector<TypeId> bounds);
  TypeId resolve_parts(TypeId type);                       // resolved, but parts that stand for type parameters stay what they are
  Member find_trait_method(TypeId type, TypeId trait, Name n, Wanted wanted);   // of the trait or those it builds on
  bool names_self(const FunctionInfo* method);
  bool is_pinned(TypeId type);                             // an instance never leaves its isolate
  bool may_be_held_by_many(TypeId type);                   // a value that several isolates can hold at once
  Subst arguments_of(TypeId type);                         // a nominal type's parameters, with what this one has for them
  Member find_member(TypeId type, Name name);
  // All fields of a class, base's first, in terms of `type`'s arguments.
  struct FlatField { FieldInfo* info; TypeId type; };
  const std::vector<FlatField>& flat_fields(TypeId type);
  TypeId base_of(TypeId type);                          // direct base class or invalid
  bool is_subclass(TypeId type, TypeId base);           // unifies arguments
  bool could_be_subclass(TypeId type, TypeId base);     // binds nothing
  FunctionId any_function(AnyFunction which);           // made at the end, over all types the program boxes
  bool implements(TypeId type, TypeId trait);
  bool has_method(TypeId type, std::string_view name) { return find_member(type, this->name(name)).kind == Member::Methods; }
  std::vector<std::pair<FunctionInfo*, Subst>> trait_methods(TypeId trait, TypeId self);   // slot order
  bool has_changing_operator(TypeId type);
  bool mutates_self(FunctionInfo* info);
  const LendingFunctions& lending_functions();             // of the program
  std::vector<ImplInfo*> impls_for(TypeId type);
  std::string implementers_of(TypeId trait);
  bool is_overridden(NominalInfo* owner, Name method);
  bool has_derived_text(NominalInfo* info);
  bool has_derived_json(NominalInfo* info);
  bool check_json_fields(NominalInfo* info);
  TypeId json_type(std::string_view name);              // a class of std's module json; invalid when nobody imports it
  Member find_virtual_member(TypeId type, Name name);   // what a class has in its table: no impl changes that
  std::optional<uint32_t> virtual_slot(TypeId type, FunctionInfo* method, const Subst& subst);
  bool check_bounds(const std::vector<TypeParamInfo>& params, const Subst& subst, Span span);
  void check_trait_conformance(NominalInfo* info);
  void check_impl_conformance(ImplInfo* info);
  void check_coherence();                               // of all impls together (coherence.cpp)
  std::deque<ImplInfo>& all_impls() { return impls_; }
  // Methods the compiler writes: derived Str/Eq/Hash/Ord, for nominal types (derive.cpp) and tuples.
  Overloads* derived_method(TypeId type, Name name);
  bool may_derive(TypeId type, std::string_view trait);

  // -- instances (instances.cpp)
  // `told`: of a lifted instance, what its result has to be.
  Instance* instantiate(FunctionInfo* info, Subst subst, TypeId self_type, std::vector<TypeId> param_types, TypeId told = {});
  void lift_result(Instance* instance);
  // The lifted instance that such a call reaches when its receiver is a `type`; null when there is none.
  Instance* lifted_implementation(const LiftedCall& call, TypeId type, TypeId told = {});
  Instance* peek_implementation(const LiftedCall& call, TypeId type);   // the same; reports nothing, and decides nothing about one whose body is being checked
  bool check_frozen_ends();
  bool check_lifted_calls();                            // what calls through tables reach; true when there was something new
  LiftedDispatch& dispatch_of(LiftedCall& call);
  void build_dispatch(const LiftedCall& call, LiftedDispatch& to);
  bool build_dispatches();
  void report_refused_dispatches();
  void settle_lifted(Instance* instance);
  Diagnostic& lifted_error(Span span, const std::string& message);
  void report_lifted(const Instance& instance, Span call);
  void declare_instance(Instance* instance);            // gives it a function id and parameters
  void check_instance_body(Instance* instance);
  bool check_body_once(Instance* instance);
  void give_up(BodyChecker& body);                      // forgets what its calls and closures asked for
  FunctionId function_of(Instance* instance);           // after the types are known
  // `inside`: for functions whose names say little, so that their symbols are the same in every program.
  Function& make_typed_function(std::string name, Span span, const ModuleInfo* inside = nullptr);
  IsolateReach reach;
  std::vector<LiftedCall> lifted_calls;
  std::map<std::pair<FunctionInfo*, size_t>, bool> reads_only_known;   // reads_only.h
  Instance* body_under_way = nullptr;                                  // the innermost instance being checked
  int quiet_lifts = 0;                                  // lifted instances are only looked at: what is wrong with them is reported when a call reaches them
  bool peeks = false;                                   // the next instance is looked at as far as it is known
  Instance* lifted_body = nullptr;                      // the lifted instance being checked: its mistakes are those of the call that gave it something frozen
  Span user_call;                                       // the program's own call that the library's instances being made are for
  bool is_of_library(Span span) const;                  // is it in a file of std?
  bool is_construction(const Expr* value) const;        // a call of a constructor, whose callee is not fixed yet
  void add_pending(PendingCall call) { pending_.push_back(call); }
  void add_unfinished(std::unique_ptr<BodyChecker> body);
  void check_depth_enter() { ++depth_; }
  void check_depth_leave();
  uint32_t trait_table(TypeId type, TypeId trait);
  void note_type(TypeId type);                          // a concrete type the program uses
  FunctionId constructor(TypeId type, Instance* init);
  void queue(Instance* instance) { queue_.push_back(instance); }
  std::string unique_symbol(const std::string& wanted);

  // -- globals (globals.cpp)
  void ensure_global(GlobalInfo* global, Span use);
  bool functions_mention(ModuleInfo* module, Name n);   // is there a function in the module in which the name occurs?
  void find_safe_globals(ModuleInfo* module);           // those assigned at the top before any call of the module's own code
  GlobalInfo* global_of(GlobalId id) { return id.index < global_by_id_.size() ? global_by_id_[id.index] : nullptr; }
  GlobalInfo* make_global(ModuleInfo* module, Name name, Span span);
  GlobalInfo* make_const(ModuleInfo* module, Name full_name, ast::ConstDecl* decl);
  std::deque<GlobalInfo>& globals() { return globals_; }
  std::unordered_set<Name> early_names;                 // what may be read before the statements of modules run (const_order.cpp)

  // -- limits (type_limits.cpp): what doubles or grows without end is reported, and not followed
  bool is_too_large(TypeId type) const;
  Diagnostic& report_too_large(TypeId type, Span span, uint32_t most_depth = 0);   // 0: that of any type
  bool has_endless_types(Instance* instance);      // it would be one of ever more; says so
  void show_chain(Diagnostic& d, Instance* last);  // which instance needed which, from the first one on
  void check_value_size(TypeId type);
  Span grows_in;                                        // the declaration at hand
  std::deque<PendingLambda> lambdas;                    // of all bodies under way
  // Runs the lambdas whose parameter types are known by now. True if any ran.
  bool run_ready_lambdas();

 private:
  friend class BodyChecker;
  void declare_module(ModuleInfo* module, ast::Module* tree);
  void declare_statement(ModuleInfo* module, ast::Stmt* stmt);
  void declare_function(ModuleInfo* module, ast::FunctionDecl* decl);
  void declare_impl(ModuleInfo* module, ast::ImplDecl* decl);
  void bind_imports(ModuleInfo* module, ast::Block block);
  void bind_import(ModuleInfo* module, ast::ImportStmt* import);
  // What `path` means where `importer` imports it: the library sees only the library, a project's module its own project first.
  ModuleInfo* find_module(const ModuleInfo* importer, const std::string& path) const;
  ModuleInfo* package(const ModuleInfo* importer, const std::string& path);
  void for_each_imported(const ModuleInfo* importer, ast::ImportStmt* import, const std::function<void(Name, Symbol, Span)>& found);   // reports what there is not
  bool bind(ModuleInfo* module, Name name, Symbol symbol, Span span);
  void add_builtin_types();
  void check_module_body(ModuleInfo* module);
  FunctionId run_by_loop(const Function& waiting, ModuleInfo* module);
  void check_declared_functions(ModuleInfo* module);
  void make_entry();
  void order_initializers();
  void run_queue();
  void finish_pending();
  void finish_program();
  void build_nominal(TypeId type);
  void build_vtables();
  void build_trait_tables();
  FunctionId table_slot(TypeId type, TypeId trait, FunctionInfo* required, const Subst& subst);
  bool is_recursive_enum(TypeId type);
  bool is_inner_loop(const FunctionInfo* info) const;
  bool build_any_functions();
  std::string key_of(Instance* instance);
  std::string instance_name(Instance* instance);

  ModuleInfo* core_ = nullptr;
  std::deque<ModuleInfo> modules_;
  using ModulesByName = std::unordered_map<std::string, ModuleInfo*>;
  ModulesByName library_modules_, project_modules_;     // a name may be in both
  std::map<std::string, ModuleInfo> packages_;          // folders that imports name
  std::unordered_map<ast::Module*, ModuleInfo*> module_of_tree_;
  std::deque<NominalInfo> nominals_;
  std::vector<NominalInfo*> nominal_list_;              // by NominalId
  Hierarchy hierarchy_;
  std::deque<FunctionInfo> functions_;
  std::deque<ImplInfo> impls_;
  std::unordered_map<std::string, std::vector<ImplInfo*>> impls_by_target_;
  std::deque<AliasInfo> aliases_;
  std::deque<GlobalInfo> globals_;
  std::vector<GlobalInfo*> global_by_id_;               // null for hidden flags
  std::deque<Instance> instances_;
  std::unordered_map<std::string, Instance*> instance_by_key_;
  std::vector<PendingCall> pending_;
  std::deque<Instance*> queue_;
  std::vector<std::unique_ptr<BodyChecker>> given_up_;     // bodies that were checked once more
  std::vector<std::unique_ptr<BodyChecker>> unfinished_;   // checked bodies whose types may not all be known yet
  std::unordered_map<TypeId, std::vector<FlatField>> flat_fields_;
  std::unordered_map<std::string, uint32_t> trait_tables_;
  std::unordered_map<std::string, FunctionId> constructors_;
  std::unordered_set<TypeId> noted_types_;
  std::vector<TypeId> noted_order_;
  std::unordered_map<std::string, int> symbol_counts_;
  std::unordered_map<std::string, Overloads> derived_;
  std::unordered_set<Name> reassigned_fields_;
  bool reassigned_ready_ = false;
  std::unique_ptr<WrittenNames> written_names_;
  std::unordered_map<FunctionInfo*, FieldWrites> field_writes_;
  std::vector<std::pair<FunctionId, ModuleInfo*>> const_initializers_;   // in order of dependence within a module
  FunctionId any_functions_[ANY_FUNCTIONS];
  std::optional<size_t> any_built_for_[ANY_FUNCTIONS];   // how many boxed types each knows
  std::unordered_map<TypeId, uint64_t> value_words_;
  uint64_t value_words(TypeId type);
  bool said_too_large_ = false;
  bool said_too_many_ = false;
  Diagnostic ignored_;                                  // takes what is said about a mistake reported already
  std::unordered_set<TypeId> boxed_types_;              // what is put into any and dyn
  std::vector<TypeId> boxed_order_;
  std::unique_ptr<LendingFunctions> lending_functions_;
  std::unordered_map<ast::ConstDecl*, GlobalInfo*> class_consts_;   // of types that are not generic
  std::unordered_set<TypeId> frozen_ends_;              // classes whose `__del__` has been checked for frozen objects
  size_t frozen_ends_done_ = 0;                         // how many of the noted types have been looked at for them
  std::map<std::string, LiftedDispatch> dispatches_;    // by the types of the call
  std::map<size_t, size_t> lifted_done_;                // by lifted call: how many of the noted types it has been checked for
  std::unordered_map<NominalInfo*, std::unordered_set<Name>> told_fields_;   // fields that `__init__` assigns and the class does not declare
  int depth_ = 0;
  bool virtual_json_used_ = false;                      // some `__to_json__` likewise
  bool virtual_text_used_ = false;                      // some `__str__` is called through the vtable
  bool finishing_ = false;
  uint32_t next_param_owner_ = 1;
  bool keys_checkable_ = false;                         // all classes and impls are known
  std::vector<std::pair<TypeId, Span>> unchecked_keys_;
  std::unordered_set<TypeId> hash_guard_;               // types being looked at by unhashable_part

  std::string impl_key(TypeId type);
  // One declaration that gives a type a trait: an impl, a class header, or a `dyn` that is the trait itself.
  struct TraitSource {
    ImplInfo* impl = nullptr;
    NominalInfo* header = nullptr;
    TypeId at;                                          // the class of it or above it that has the trait
    Subst subst;
    TypeId trait;
    uint32_t level = 0;                                 // how many classes above
  };
  std::vector<TraitSource> trait_sources(TypeId type);  // nearest first
  void choose_source(const TraitSource& source, TypeId have, TypeId trait);
  bool match_impl(ImplInfo* impl, TypeId at, Subst& subst);
  bool match_target(ImplInfo* impl, TypeId pattern, TypeId type, Subst& subst);
  Member find_added_member(TypeId type, Name name);
  Member find_trait_member(TypeId type, Name name);
  Member with_other_uses(TypeId type, Member own, Name name);
  Member declared_in(TypeId trait, TypeId self, Name name);
  Member answered_by(TypeId trait, TypeId wanted, TypeId self, Name name, Wanted which);
  Member one_of(std::vector<Member> found);
  bool has_by_declaration(TypeId type, TypeId trait);
  std::vector<std::pair<TypeId, TypeId>> asked_bounds_;   // whether a type has a trait, being found out
  std::unordered_map<uint32_t, std::vector<TypeId>> bounds_of_var_;   // variables that stand for type parameters
  Overloads* parse_derived(const std::string& source, const std::string& key, TypeId type, ModuleInfo* module, NominalInfo* owner);
  void fill_type_params(std::vector<TypeParamInfo>& out, std::span<ast::TypeParam> params, uint32_t owner);
};

}  // namespace meteor::typed
