// What all functions of one module share: declarations, type descriptors, literals, counting glue, thunks.
// Everything is made on first use; `run` empties the list of functions whose bodies are still to be emitted.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/llvm_ir/access_tags.h"
#include "compiler/llvm_ir/emit.h"
#include "compiler/llvm_ir/emit_debug.h"
#include "compiler/llvm_ir/layout.h"
#include "compiler/llvm_ir/shared_types.h"
#include "compiler/mir/regions/region_types.h"
#include "compiler/llvm_ir/runtime_function.h"
#include "compiler/mir/facts.h"
#include "compiler/mir/frames.h"
#include "compiler/mir/mir.h"
#include "compiler/mir/type_facts.h"
#include "compiler/source/sources.h"

namespace meteor::llvm_ir {

using Builder = llvm::IRBuilder<>;
using mir::FunctionId;

// How a function is called: its LLVM type, and where its result and error are.
struct CallShape {
  llvm::FunctionType* type = nullptr;
  bool raises = false;
  bool has_result = false;   // with `raises`: element 0 is the result, element 1 the error; without a result the error alone
};

class ModuleEmitter {
 public:
  ModuleEmitter(const mir::Program& program, const source::Sources& sources, const EmitOptions& options, llvm::LLVMContext& context);

  std::unique_ptr<llvm::Module> run();

  // ---- Functions (emit_module.cpp, emit_thunk.cpp)
  const mir::Function& mir_function(FunctionId id) const { return program_.functions[id.index]; }
  llvm::Function* function(FunctionId id);
  // Where several isolates run, alike classes may be counted in different ways.
  FunctionId code_of(FunctionId id) const { return shared_.has_isolates() ? id : shared_code_[id.index]; }
  CallShape shape_of(const mir::Function& function);
  CallShape make_shape(llvm::ArrayRef<llvm::Type*> params, TypeId result, bool raises);
  llvm::Type* param_type(TypeId type, bool by_reference);
  // The error that a failed check gives: what `hook` makes, or what it raises.
  llvm::Function* error_maker(FunctionId hook);
  // With the raising convention, as tables of virtual functions hold them.
  llvm::Function* table_entry(FunctionId id);
  // The same for a receiver of `type` that lies in a box.
  llvm::Function* boxed_table_entry(FunctionId id, TypeId type);
  // The same for a class: where subclasses may override the method, it is looked up in the object's own type.
  llvm::Function* class_trait_entry(FunctionId id, TypeId type);
  // As the code of a func value: takes the environment first.
  llvm::Function* func_entry(FunctionId id);
  // The function in slot `slot` of the object's type.
  llvm::Value* virtual_function(Builder& b, llvm::Value* object, uint32_t slot);
  llvm::Function* runtime(RuntimeFunction which);
  llvm::Value* call_runtime(Builder& b, RuntimeFunction which, llvm::ArrayRef<llvm::Value*> args);
  llvm::FunctionCallee c_function(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> params);

  const SharedTypes& shared() const { return shared_; }

  // ---- Data (emit_type.cpp, emit_literal.cpp)
  llvm::Constant* class_descriptor(TypeId type);
  llvm::Constant* class_drop(TypeId type);   // ends what an instance holds, not its memory; a null pointer: nothing to do
  llvm::Constant* box_descriptor(TypeId type);
  llvm::Constant* cell_descriptor(TypeId type);
  llvm::Constant* environment_descriptor(FunctionId id);
  llvm::Constant* enum_case_descriptor(TypeId type, uint32_t case_index);
  llvm::Constant* trait_table(uint32_t index);
  llvm::GlobalVariable* global(mir::GlobalId id);
  const typed::Global& global_of(mir::GlobalId id) const;
  llvm::Constant* c_string(std::string_view text);
  llvm::Constant* text_literal(std::string_view text, bool is_bytes);
  llvm::Constant* constant_data(llvm::Constant* data, uint64_t align);   // in the program, for nobody to change
  llvm::Constant* site(const mir::Function& function, source::Span span);
  // With the leak check: where the user's code is, before it makes something or calls what may (emit_allocate.cpp).
  bool notes_places(const mir::Function& function) const;
  void note_place(Builder& b, const mir::Function& function, source::Span span);
  llvm::Constant* null_of(TypeId type);   // of an Optional or any

  // ---- Frames (emit_frame.cpp)
  mir::Frames& frames();
  llvm::GlobalVariable* slice_over();
  llvm::GlobalVariable* may_stop();
  llvm::GlobalVariable* running_strand();
  llvm::Function* frame_resume(FunctionId body);
  void emit_frame_hooks();
  void emit_hooks(std::initializer_list<std::pair<FunctionId, const char*>> exported);   // functions of core under C names
  llvm::GlobalVariable* is_elsewhere();                // emit_isolate.cpp: 1 in all isolates but the first
  llvm::GlobalVariable* stack_end();                   // emit_stack.cpp: below it little is left of the thread's stack
  void emit_isolate_hooks();                           // emit_isolate.cpp
  llvm::Constant* frame_info(FunctionId body);
  llvm::Constant* future_descriptor(FunctionId body, TypeId made);
  TypeId frame_class(FunctionId body, TypeId made);    // of the object that is made
  uint64_t frame_offset(TypeId type);                  // of the frame in an object of this class
  uint64_t field_offset(TypeId type, std::string_view field);
  bool is_stream(TypeId type) { return typed().nominal(layout_.strip(type)).is_stream; }
  uint64_t result_offset(const Rep& rep) const;        // of a result so represented, in a frame
  void drop_frame_params(Builder& b, FunctionId body, llvm::Value* frame);

  // ---- Counting (emit_count.cpp). `maybe_zero`: the value may be all zero bits, which count nothing.
  void retain(Builder& b, llvm::Value* value, TypeId type);
  void release(Builder& b, llvm::Value* value, TypeId type, bool maybe_zero = false);
  void retain_at(Builder& b, llvm::Value* address, TypeId type);
  void release_at(Builder& b, llvm::Value* address, TypeId type, bool maybe_zero = false);
  // In code that hardly ever runs, or that is not optimised, a release is a call: that is the smallest it can be.
  void set_compact(bool compact) { compact_ = compact || !options_.optimise; }
  void retain_object(Builder& b, llvm::Value* object, bool may_be_shared = false);
  void release_object(Builder& b, llvm::Value* object, bool may_be_shared = false);
  // A module variable of the type is gone when the last `__del__`s run.
  bool ends_early(TypeId type) const { return type_facts_.drop_is_observable(type); }
  bool can_change(TypeId type) const { return regions_.can_alias(type); }
  // Calls `visit` for every counted reference in the value at `address` (emit_visit.cpp).
  bool has_visits() const { return options_.leak_check || shared_.has_isolates(); }
  void visit_at(Builder& b, llvm::Value* address, TypeId type, llvm::Value* context, llvm::Value* visit, llvm::Constant* field);

  // ---- Allocation (emit_allocate.cpp): a new object with count 1 and a zeroed payload.
  llvm::Value* new_object(Builder& b, llvm::Constant* descriptor, llvm::StructType* object);
  llvm::Value* new_object(Builder& b, llvm::Constant* descriptor, uint64_t size, uint64_t zeroed);   // of the first so many bytes the payload is zeroed

  // ---- Checked facts (emit_facts.cpp)
  void set_fact_site(llvm::Function* function, const mir::Function& source, source::Span span);   // what is emitted next
  llvm::Value* fact_site(Builder& b) const;                                                       // null in glue
  void deny(Builder& b, llvm::Value* broken, mir::Fact fact, llvm::Value* site);
  void believe_alive(Builder& b, llvm::Value* object);
  llvm::Function* own_test();
  llvm::Function* instance_test();
  llvm::Function* range_test();
  bool starts_isolates() const { return starts_isolates_; }

  // ---- Shared code
  llvm::Function* int_power(llvm::Type* type, bool is_signed);   // emit_arith.cpp
  llvm::Function* text_equal();                                  // emit_compare.cpp
  llvm::Function* is_subtype();                                  // emit_make.cpp

  // ---- Values
  // `tag` says what else may be at the address (AccessTags); none: anything.
  llvm::Value* load(Builder& b, llvm::Value* address, TypeId type, llvm::MDNode* tag = nullptr);
  void store(Builder& b, llvm::Value* value, llvm::Value* address, TypeId type, llvm::MDNode* tag = nullptr);
  // Tells LLVM that what was loaded is an object of the class `type`, so that reads of its fields can be moved around.
  llvm::Value* mark_object(llvm::Value* loaded, TypeId type);
  llvm::Value* temporary(Builder& b, llvm::Type* type, const char* name = "");   // room in the frame of the current function
  llvm::Value* to_memory(Builder& b, llvm::Value* value, TypeId type);            // i1 → i8 for bool
  llvm::Value* from_memory(Builder& b, llvm::Value* value, TypeId type);
  llvm::Value* is_null(Builder& b, llvm::Value* value, TypeId type);
  llvm::Value* case_number(Builder& b, llvm::Value* value, TypeId type);          // as i64
  llvm::Value* case_number_at(Builder& b, llvm::Value* address, TypeId type);
  llvm::Value* payload_address(Builder& b, llvm::Value* base, const Rep& rep, uint32_t case_index, uint32_t index);
  llvm::Function* make_function(llvm::FunctionType* type, const llvm::Twine& name);
  bool is_library(const mir::Function& function) const;   // nothing in it depends on the program
  void set_owner(llvm::Function* function, const mir::Function& source);
  void set_owner(llvm::Constant* variable, bool is_library);
  template <typename Then, typename Else>
  void emit_if_else(Builder& b, llvm::Value* condition, Then&& then_body, Else&& else_body) {
    llvm::Function* function = b.GetInsertBlock()->getParent();
    auto* then_block = llvm::BasicBlock::Create(context_, "", function);
    auto* else_block = llvm::BasicBlock::Create(context_, "", function);
    auto* done = llvm::BasicBlock::Create(context_, "", function);
    b.CreateCondBr(condition, then_block, else_block, likely_);
    b.SetInsertPoint(then_block);
    then_body();
    b.CreateBr(done);
    b.SetInsertPoint(else_block);
    else_body();
    b.CreateBr(done);
    b.SetInsertPoint(done);
  }

  // Runs `body` only where `condition` holds.
  template <typename Body>
  void emit_if(Builder& b, llvm::Value* condition, llvm::MDNode* weights, Body&& body) {
    llvm::Function* function = b.GetInsertBlock()->getParent();
    auto* then_block = llvm::BasicBlock::Create(context_, "", function);
    auto* next = llvm::BasicBlock::Create(context_, "", function);
    b.CreateCondBr(condition, then_block, next, weights);
    b.SetInsertPoint(then_block);
    body();
    b.CreateBr(next);
    b.SetInsertPoint(next);
  }

  Layout& layout() { return layout_; }
  AccessTags& tags() { return tags_; }
  const mir::Program& program() const { return program_; }
  const typed::Program& typed() const { return *program_.typed; }
  const types::TypeStore& types() const { return *program_.types; }
  llvm::LLVMContext& context() { return context_; }
  llvm::Module& module() { return *module_; }
  DebugInfo& debug() { return debug_; }
  const EmitOptions& options() const { return options_; }
  llvm::MDNode* unlikely() const { return unlikely_; }
  llvm::MDNode* likely() const { return likely_; }
  std::string type_text(TypeId type) const;

 private:
  enum class GlueKind : uint8_t { Retain, Release };

  llvm::Constant* freed_type();
  llvm::Function* alive_test();

  void emit_main();
  void emit_count_report();
  llvm::Function* text_reader(const std::string& symbol);   // null: not one of those
  void emit_text_byte(Builder& b, llvm::Value* word0, llvm::Value* word1, llvm::Value* index);
  void emit_text_length(Builder& b, llvm::Value* word0, llvm::Value* word1);
  void mark_object_param(llvm::Function* function, unsigned index, TypeId type);
  void mark_object_result(llvm::Function* function, TypeId type);
  llvm::Function* make_thunk(FunctionId id, bool takes_environment, TypeId boxed_self, const char* suffix);
  llvm::Constant* make_descriptor(std::string_view name, llvm::StructType* object, uint32_t kind, llvm::Constant* drop, llvm::Constant* del,
                                  llvm::Constant* visit, bool is_library, TypeId class_type = {});
  llvm::Constant* make_object_drop(const std::string& name, llvm::StructType* object, const std::vector<TypeId>& fields, FunctionId before, uint32_t known = 0);
  llvm::Constant* make_object_visit(const std::string& name, llvm::StructType* object, const std::vector<TypeId>& fields,
                                    const std::vector<std::string_view>& names);
  bool has_raw_elements(TypeId field);
  void visit_elements(Builder& b, llvm::StructType* object, const std::vector<TypeId>& fields, const std::vector<std::string_view>& names,
                      unsigned index, llvm::Constant* field);
  llvm::Constant* make_del(FunctionId id);
  llvm::Constant* ancestors_of(TypeId type, uint32_t& depth);
  llvm::Function* allocator(uint64_t size, uint64_t zeroed);
  void note_retain(Builder& b);   // counted at run time
  void count_text(Builder& b, llvm::Value* text, GlueKind kind);
  llvm::Function* text_counter(GlueKind kind);
  bool release_by_call(Builder& b, llvm::Value* value, const Rep& rep, bool shared);
  llvm::Function* object_release(bool may_be_shared);
  llvm::Function* text_release();
  llvm::Function* glue(GlueKind kind, TypeId type);
  void count_parts_at(Builder& b, llvm::Value* address, TypeId type, GlueKind kind, bool maybe_zero);
  bool is_wide(TypeId type);

  const mir::Program& program_;
  const source::Sources& sources_;
  EmitOptions options_;
  bool is_glue_quick_;
  bool has_parts_;
  bool starts_isolates_;
  llvm::LLVMContext& context_;
  std::unique_ptr<llvm::Module> module_;
  Layout layout_;
  SharedTypes shared_;
  mir::RegionTypes regions_;
  mir::TypeFacts type_facts_;
  AccessTags tags_;
  DebugInfo debug_;
  llvm::MDNode* unlikely_;
  llvm::MDNode* likely_;
  llvm::StructType* site_type_;

  std::unordered_map<FunctionId, llvm::Function*> functions_;
  std::vector<FunctionId> pending_;
  std::unordered_map<FunctionId, llvm::Function*> table_entries_, func_entries_, error_makers_;
  std::map<std::pair<uint32_t, uint32_t>, llvm::Function*> boxed_entries_, class_entries_;
  std::map<RuntimeFunction, llvm::Function*> runtime_;
  std::unordered_map<TypeId, llvm::Constant*> class_descriptors_, box_descriptors_, cell_descriptors_;
  std::unordered_map<FunctionId, llvm::Constant*> environment_descriptors_;
  std::map<std::pair<uint32_t, uint32_t>, llvm::Constant*> enum_descriptors_;
  std::unique_ptr<mir::Frames> frames_;
  llvm::GlobalVariable* slice_over_ = nullptr;
  llvm::GlobalVariable* may_stop_ = nullptr;
  llvm::GlobalVariable* running_strand_ = nullptr;
  llvm::GlobalVariable* is_elsewhere_ = nullptr;
  llvm::GlobalVariable* stack_end_ = nullptr;
  std::unordered_map<FunctionId, llvm::Function*> frame_resumes_;
  std::unordered_map<FunctionId, llvm::Constant*> future_descriptors_;
  std::unordered_map<uint32_t, llvm::Constant*> trait_tables_;
  std::unordered_map<uint32_t, llvm::GlobalVariable*> globals_;
  std::unordered_map<std::string, llvm::Constant*> strings_, texts_, bytes_;
  std::map<std::pair<const void*, std::pair<uint32_t, uint32_t>>, llvm::Constant*> sites_;
  std::map<std::pair<GlueKind, uint32_t>, llvm::Function*> glue_;
  std::map<std::pair<llvm::Type*, bool>, llvm::Function*> int_powers_;
  llvm::Function* text_equal_ = nullptr;
  llvm::Function* is_subtype_ = nullptr;
  llvm::Function* alive_test_ = nullptr;
  llvm::Function* own_test_ = nullptr;
  llvm::Function* instance_test_ = nullptr;
  llvm::Function* range_test_ = nullptr;
  llvm::Function* fact_function_ = nullptr;
  llvm::Constant* fact_site_ = nullptr;
  llvm::GlobalVariable* retains_ = nullptr;
  llvm::GlobalVariable* heap_ = nullptr;
  llvm::GlobalVariable* allocation_site_ = nullptr;
  std::map<std::string, llvm::Function*> text_readers_;
  std::map<uint64_t, llvm::Function*> allocators_;   // by size, and how much of it is zeroed
  bool compact_ = false;
  std::vector<FunctionId> shared_code_;   // mir::share_instances
  mir::ErasedTypes erased_;
  std::map<std::tuple<llvm::StructType*, uint32_t, std::vector<uint64_t>>, llvm::Function*> object_drops_;
  std::array<llvm::Function*, 2> object_releases_{};
  llvm::Function* whole_text_release_ = nullptr;
  llvm::Function* text_retain_ = nullptr;
  llvm::Function* text_release_ = nullptr;
};

}  // namespace meteor::llvm_ir
