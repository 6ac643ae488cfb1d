// One MIR function → LLVM IR. Locals live in stack slots, which LLVM turns into registers; every MIR block starts one LLVM
// block, and every error edge leaves it through a cold block.
#pragma once

#include <vector>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/module_emitter.h"

namespace meteor::llvm_ir {

class FunctionEmitter {
 public:
  FunctionEmitter(ModuleEmitter& module, const mir::Function& function, llvm::Function* ir);

  void emit();

 private:
  using Inst = mir::Inst;
  using Operand = mir::Operand;
  using Place = mir::Place;

  void emit_slots();
  void find_zeroed();
  void keep_in_memory();
  bool may_be_zero(const Place& place) const;
  bool may_hold_object(const Place& place) const;
  void emit_return();
  llvm::Value* load_parts(llvm::Value* address, llvm::Type* type);
  void emit_inst(const Inst& inst);
  void emit_terminator(const mir::Block& block);

  // ---- Places and operands (emit_place.cpp)
  llvm::Value* slot(mir::LocalId id) const {
    CHECK(slots_[id.index]);   // not in a register
    return slots_[id.index];
  }
  struct Location {
    llvm::Value* at = nullptr;      // memory, or
    llvm::Value* value = nullptr;   // a register's value
    llvm::MDNode* tag = nullptr;
    llvm::Value* owner = nullptr;   // the object that it is a part of; null: a variable
    TypeId owner_type;
  };
  Location locate(const Place& place);
  llvm::Value* address(const Place& place, llvm::MDNode** found_tag = nullptr);   // and what else may be there
  TypeId type_of(const Place& place) const;
  void guard_ended(mir::GlobalId global);
  llvm::Value* is_empty(llvm::Value* value, TypeId type);   // all zero bits; null: the type has such a value
  llvm::Value* value(const Operand& operand);     // in registers; a Copy is counted, a Ref is the address
  llvm::Value* constant(const Operand& operand);
  void set(const Inst& inst, llvm::Value* value); // into the destination, which holds nothing
  TypeId dst_type(const Inst& inst) const { return type_of(inst.dst); }

  // ---- Errors
  // Goes to the error edge when `error` is not null.
  void check_error(const Inst& inst, llvm::Value* error);
  // Goes to the error edge with the error that `hook` makes when `failed` holds.
  void check(const Inst& inst, llvm::Value* failed, FunctionId hook, llvm::ArrayRef<llvm::Value*> args = {});
  void leave_with(const Inst& inst, llvm::Value* error);

  // ---- Families
  void emit_assign(const Inst& inst);
  void emit_drop(const Inst& inst);
  void emit_trace(const Inst& inst);
  void emit_unary(const Inst& inst);        // emit_arith.cpp
  void emit_binary(const Inst& inst);
  llvm::Value* emit_int_binary(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed);
  llvm::Value* emit_float_binary(const Inst& inst, llvm::Value* a, llvm::Value* b);
  void check_overflow(const Inst& inst, llvm::Value* failed, llvm::Value* a, llvm::Value* b);
  llvm::Value* overflowing(const Inst& inst, llvm::Intrinsic::ID id, llvm::Value* a, llvm::Value* b);
  llvm::Value* emit_shift(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed);
  llvm::Value* emit_floor_div(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed);
  llvm::Value* emit_mod(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed);
  llvm::Value* emit_int_pow(const Inst& inst, llvm::Value* a, llvm::Value* b, bool is_signed);
  void emit_compare(const Inst& inst);      // emit_compare.cpp
  void emit_same(const Inst& inst);
  llvm::Value* text_equal(llvm::Value* a, llvm::Value* b);
  void emit_convert(const Inst& inst);      // emit_convert.cpp
  void emit_reinterpret(const Inst& inst);
  llvm::Value* float_to_int(const Inst& inst, llvm::Value* from, const Rep& to, bool is_signed);
  llvm::Value* int_to_int(const Inst& inst, llvm::Value* from, TypeId from_type, TypeId to_type);
  void emit_new(const Inst& inst);          // emit_make.cpp
  void emit_make_record(const Inst& inst);
  void emit_make_enum(const Inst& inst);
  void emit_enum_tag(const Inst& inst);
  void emit_make_some(const Inst& inst);
  void emit_take_some(const Inst& inst);
  void emit_make_closure(const Inst& inst);
  void emit_make_cell(const Inst& inst);
  void emit_make_dyn(const Inst& inst);
  void emit_make_any(const Inst& inst);
  void emit_unbox(const Inst& inst);
  void emit_is_type(const Inst& inst);
  void emit_make_weak(const Inst& inst);
  void emit_concat(const Inst& inst);
  void emit_mark_dead(const Inst& inst);
  llvm::Value* box(llvm::Value* value, TypeId type);
  llvm::Value* object_of(const Operand& operand);   // of a class, dyn or any
  void emit_type_name_of(const Inst& inst);
  void emit_call(const Inst& inst);         // emit_call.cpp
  void count_arguments(const Inst& inst, const std::vector<llvm::Value*>& args, bool retain);
  void finish_call(const Inst& inst, const std::vector<llvm::Value*>& args, const CallShape& shape, llvm::Value* result);
  void emit_virtual_call(const Inst& inst);
  void emit_dyn_call(const Inst& inst);
  void emit_value_call(const Inst& inst);
  void emit_intrinsic(const Inst& inst);    // emit_intrinsic.cpp
  llvm::Value* emit_raw_intrinsic(const Inst& inst, const std::vector<llvm::Value*>& args);
  llvm::Value* emit_math_intrinsic(const Inst& inst, const std::vector<llvm::Value*>& args);
  void emit_raw_drop_all(llvm::Value* first, llvm::Value* count, TypeId type);

  // ---- Checked facts (emit_facts.cpp). Without --check-facts these emit nothing.
  struct Belief {
    llvm::Value* value = nullptr;
    llvm::Value* at = nullptr;      // ThisCase: where the enum lies, if not in `value`
    TypeId type;                    // of the value; ThisType: what it is believed to be
    uint32_t case_index = 0;
    bool is_boxed = false;          // ThisType: out of an `any` or `dyn`
    llvm::Value* first = nullptr;   // InRange: bytes
    llvm::Value* end = nullptr;
  };
  bool checks_facts() const { return m_.options().check_facts; }
  void believe(mir::Fact fact, const Belief& belief);
  void believe_type(const Belief& belief, llvm::Value* site);
  void believe_params();
  void believe_operands(const Inst& inst);
  void believe_written(const Place& place);
  void mark_const(const Place& place);
  void believe_initialised(const Place& place, llvm::Value* loaded);
  void believe_memory(const Inst& inst, const std::vector<llvm::Value*>& args);
  llvm::Value* peek(const Operand& operand);        // counts nothing
  bool is_made_to_be_shared(TypeId type) const;

  // ---- Objects that lie in the stack frame (emit_stack_object.cpp)
  llvm::Value* storage(const Place& place) const { return place.is_local() ? storages_[place.local.index] : nullptr; }
  llvm::Value* emit_constant_array(const std::vector<llvm::Value*>& leaves, TypeId type);
  void emit_new_on_stack(const Inst& inst);
  void assign_on_stack(const Inst& inst);
  void drop_on_stack(mir::LocalId local);
  void note_filled(mir::LocalId local);

  // ---- Frames (emit_frame.cpp)
  void emit_frame_entry();
  llvm::Value* referred_by_frame(uint32_t param);
  void suspend(uint32_t state, llvm::Value* yielded);
  void start_resumed(uint32_t state);
  void suspend_if_pending(const Inst& inst, llvm::Value* status, const Operand* asked);
  void copy_local(llvm::Value* from, llvm::Value* to, TypeId type);
  llvm::Value* frame_at(llvm::Value* frame, uint64_t offset);
  llvm::Value* resume_frame(llvm::Value* frame, llvm::Value* error);   // which may be null
  void set_apart(llvm::Value* child, llvm::Value* parent);
  uint32_t current_state() const { return frame_->state_of(mir::BlockId(block_), inst_); }
  void emit_await(const Inst& inst);
  void emit_park(const Inst& inst);
  void emit_checkpoint(const Inst& inst);
  void emit_heed(const Inst& inst);
  void emit_require_home(const Inst& inst);
  void emit_require_stack(const Inst& inst);   // emit_stack.cpp
  void emit_run_frame(const Inst& inst);
  void begin_asking(const Operand& asked);
  void end_asking(const Operand& asked);
  void emit_yield(const Inst& inst);
  void emit_resume_generator(const Inst& inst);
  void emit_frame_value(const Inst& inst);
  void emit_make_future(const Inst& inst);

  llvm::BasicBlock* new_block(const char* name = "") { return llvm::BasicBlock::Create(m_.context(), name, ir_); }

  ModuleEmitter& m_;
  const mir::Function& f_;
  llvm::Function* ir_;
  Builder b_;
  std::vector<llvm::Value*> slots_;
  std::vector<llvm::Value*> storages_;     // per local: where its object lies if that is in the stack frame; the slot only says whether there is one
  std::vector<bool> in_register_;          // per local: it has no slot
  std::vector<llvm::Value*> registers_;    // what those hold
  std::vector<llvm::BasicBlock*> blocks_;
  CallShape returns_;
  const mir::FrameLayout* frame_ = nullptr;        // of a body that suspends
  std::vector<llvm::BasicBlock*> resume_blocks_;   // per suspension
  uint32_t block_ = 0, inst_ = 0;                  // what is being emitted
  llvm::BasicBlock* return_block_ = nullptr;
  llvm::Value* result_slot_ = nullptr;
  llvm::Value* error_slot_ = nullptr;
  std::vector<bool> zeroed_;   // locals that may be all zero bits when they are dropped
};

}  // namespace meteor::llvm_ir
