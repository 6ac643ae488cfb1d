#include <algorithm>

#include <llvm/IR/InlineAsm.h>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/function_emitter.h"
#include "compiler/llvm_ir/registers.h"
#include "compiler/mir/flow.h"

namespace meteor::llvm_ir {

using mir::Op;
using mir::TerminatorKind;

namespace {

bool may_allocate(const mir::Inst& inst) {
  switch (inst.op) {
    case Op::Call: return inst.call != mir::CallKind::Intrinsic;
    case Op::New: case Op::MakeEnum: case Op::MakeClosure: case Op::MakeCell: case Op::MakeDyn: case Op::MakeAny: case Op::Concat: case Op::MakeFuture:
    case Op::Await: return true;
    default: return false;
  }
}

}  // namespace

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, const mir::Function& function, llvm::Function* ir)
    : m_(module), f_(function), ir_(ir), b_(module.context()) {}

void FunctionEmitter::emit() {
  auto* entry = new_block("entry");
  b_.SetInsertPoint(entry);
  m_.debug().start_function(f_, ir_);
  for (size_t i = 0; i < f_.blocks.size(); ++i) blocks_.push_back(new_block());
  return_block_ = new_block("return");
  returns_ = m_.shape_of(f_);
  if (returns_.has_result) result_slot_ = b_.CreateAlloca(m_.layout().rep(f_.result).memory, nullptr, "result");
  if (returns_.raises) error_slot_ = b_.CreateAlloca(m_.layout().pointer_type(), nullptr, "error");
  m_.debug().set_location(b_, f_.span);
  find_zeroed();
  if (f_.has_frame()) frame_ = &m_.frames().layout(f_.id);
  emit_slots();
  believe_params();
  CHECK(!blocks_.empty());
  if (frame_) {
    if (m_.options().optimise) keep_in_memory();
    emit_frame_entry();
  }
  b_.CreateBr(blocks_[0]);
  bool notes_places = m_.notes_places(f_);
  for (mir::BlockId id : mir::reachable_blocks(f_)) {
    const mir::Block& block = f_.blocks[id.index];
    b_.SetInsertPoint(blocks_[id.index]);
    block_ = id.index;
    m_.set_compact(block.is_cold);
    for (inst_ = 0; inst_ < block.insts.size(); ++inst_) {
      m_.debug().set_location(b_, block.insts[inst_].span);
      m_.set_fact_site(ir_, f_, block.insts[inst_].span);
      if (notes_places && may_allocate(block.insts[inst_])) m_.note_place(b_, f_, block.insts[inst_].span);
      emit_inst(block.insts[inst_]);
    }
    m_.debug().set_location(b_, block.terminator.span);
    m_.set_fact_site(ir_, f_, block.terminator.span);
    emit_terminator(block);
  }
  m_.set_compact(false);
  emit_return();
  for (llvm::BasicBlock* block : blocks_)
    if (block->empty()) block->eraseFromParent();   // nothing reaches it
}

// What is not in a register gets a slot; parameters are stored into theirs, Ref parameters are the slot.
void FunctionEmitter::emit_slots() {
  slots_.resize(f_.locals.size());
  registers_.resize(f_.locals.size());
  storages_.resize(f_.locals.size());
  in_register_ = find_registers(f_, m_.layout(), {frame_, m_.options().debug == DebugLevel::Full});
  unsigned first = f_.environment.valid() ? 1 : 0;
  for (uint32_t i = 0; i < f_.locals.size(); ++i) {
    const mir::Local& local = f_.locals[i];
    bool is_param = i < f_.param_count;
    if (is_param && local.by_reference) {
      slots_[i] = frame_ ? referred_by_frame(i) : ir_->getArg(first + i);
      continue;
    }
    if (local.on_stack) storages_[i] = b_.CreateAlloca(m_.layout().class_object(local.type));
    if (in_register_[i]) {
      if (is_param) registers_[i] = ir_->getArg(first + i);
      continue;
    }
    bool is_environment = f_.environment.valid() && f_.environment.index == i;
    llvm::Type* type = is_environment ? static_cast<llvm::Type*>(m_.layout().pointer_type()) : m_.layout().rep(local.type).memory;
    bool lives_in_frame = frame_ && frame_->home[i];
    slots_[i] = lives_in_frame ? frame_at(ir_->getArg(0), frame_->slot[i]) : b_.CreateAlloca(type);
    if (!local.name.empty()) slots_[i]->setName(llvm::StringRef(local.name.text().data(), local.name.text().size()));
    if (is_environment) b_.CreateStore(ir_->getArg(0), slots_[i]);
    else if (is_param && !frame_) m_.store(b_, ir_->getArg(first + i), slots_[i], local.type);
    if (!is_environment && !lives_in_frame) m_.debug().declare_variable(b_, local, is_param ? i + 1 : 0, slots_[i], m_.layout());
  }
}

// Where values live across many suspensions, each would be joined with its saved copy after every one of them, and LLVM takes time by the
// square of such joins: they stay in memory instead, whose address LLVM is made to believe is known elsewhere.
void FunctionEmitter::keep_in_memory() {
  constexpr size_t MOST_JOINS = 200;
  size_t joins = 0;
  std::vector<bool> saved(f_.locals.size());
  for (const mir::Suspension& at : frame_->suspensions) {
    joins += at.saved.size();
    for (mir::LocalId local : at.saved) saved[local.index] = true;
  }
  if (joins <= MOST_JOINS) return;
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {m_.layout().pointer_type()}, false);
  llvm::InlineAsm* nothing = llvm::InlineAsm::get(type, "", "r,~{memory}", true);
  for (size_t i = 0; i < saved.size(); ++i)
    if (saved[i] && slots_[i] && llvm::isa<llvm::AllocaInst>(slots_[i])) b_.CreateCall(nothing, {slots_[i]});
}

// All ways out meet in one block, where the result is put together from its parts: LLVM joins parts, but not aggregates.
void FunctionEmitter::emit_return() {
  b_.SetInsertPoint(return_block_);
  if (return_block_->hasNPredecessors(0)) {
    b_.CreateUnreachable();
    return;
  }
  llvm::Value* result = returns_.has_result ? m_.from_memory(b_, load_parts(result_slot_, m_.layout().rep(f_.result).memory), f_.result) : nullptr;
  llvm::Value* error = returns_.raises ? b_.CreateLoad(m_.layout().pointer_type(), error_slot_) : nullptr;
  if (!result && !error) {
    b_.CreateRetVoid();
    return;
  }
  if (result && error) {
    llvm::Value* both = b_.CreateInsertValue(llvm::PoisonValue::get(ir_->getReturnType()), result, 0);
    b_.CreateRet(b_.CreateInsertValue(both, error, 1));
    return;
  }
  b_.CreateRet(result ? result : error);
}

llvm::Value* FunctionEmitter::load_parts(llvm::Value* address, llvm::Type* type) {
  bool is_array = type->isArrayTy();
  if (!type->isStructTy() && !is_array) return b_.CreateLoad(type, address);
  llvm::Value* whole = llvm::PoisonValue::get(type);
  unsigned count = is_array ? static_cast<unsigned>(type->getArrayNumElements()) : type->getStructNumElements();
  for (unsigned i = 0; i < count; ++i) {
    llvm::Type* part = is_array ? type->getArrayElementType() : type->getStructElementType(i);
    llvm::Value* at = b_.CreateConstInBoundsGEP2_32(type, address, 0, i);
    whole = b_.CreateInsertValue(whole, load_parts(at, part), i);
  }
  return whole;
}

void FunctionEmitter::emit_inst(const Inst& inst) {
  believe_operands(inst);
  switch (inst.op) {
    case Op::Assign: return emit_assign(inst);
    case Op::Unary: return emit_unary(inst);
    case Op::Binary: return emit_binary(inst);
    case Op::Compare: return emit_compare(inst);
    case Op::Not: return set(inst, b_.CreateNot(value(inst.args[0])));
    case Op::Convert: return emit_convert(inst);
    case Op::Reinterpret: return emit_reinterpret(inst);
    case Op::Call: return emit_call(inst);
    case Op::New: return emit_new(inst);
    case Op::MakeStruct:
    case Op::MakeTuple: return emit_make_record(inst);
    case Op::MakeEnum: return emit_make_enum(inst);
    case Op::EnumTag: return emit_enum_tag(inst);
    case Op::MakeSome: return emit_make_some(inst);
    case Op::TakeSome: return emit_take_some(inst);
    case Op::IsNull: return set(inst, m_.is_null(b_, value(inst.args[0]), inst.args[0].type));
    case Op::IsType: return emit_is_type(inst);
    case Op::MakeClosure: return emit_make_closure(inst);
    case Op::MakeCell: return emit_make_cell(inst);
    case Op::MakeDyn: return emit_make_dyn(inst);
    case Op::MakeAny: return emit_make_any(inst);
    case Op::Unbox: return emit_unbox(inst);
    case Op::MakeWeak: return emit_make_weak(inst);
    case Op::WeakGet: return set(inst, m_.call_runtime(b_, RuntimeFunction::met_weak_get, {value(inst.args[0])}));
    case Op::Same: return emit_same(inst);
    case Op::Concat: return emit_concat(inst);
    case Op::Drop: return emit_drop(inst);
    case Op::MarkDead: return emit_mark_dead(inst);
    case Op::Trace: return emit_trace(inst);
    case Op::MakeFuture: return emit_make_future(inst);
    case Op::Await: return emit_await(inst);
    case Op::Yield: return emit_yield(inst);
    case Op::Park: return emit_park(inst);
    case Op::Checkpoint: return emit_checkpoint(inst);
    case Op::Heed: return emit_heed(inst);
    case Op::RunFrame: return emit_run_frame(inst);
    case Op::ResumeGenerator: return emit_resume_generator(inst);
    case Op::RequireHome: return emit_require_home(inst);
    case Op::RequireStack: return emit_require_stack(inst);
    case Op::TypeNameOf: return emit_type_name_of(inst);
  }
  CHECK(!"an operation without a handler");
}

// The new value is in place before the old one dies: dropping may run code that reads the place.
void FunctionEmitter::emit_assign(const Inst& inst) {
  if (storage(inst.dst)) return assign_on_stack(inst);
  TypeId type = type_of(inst.dst);
  const Rep& rep = m_.layout().rep(type);
  bool by_memory = rep.size > 32 && inst.args[0].kind != mir::OperandKind::Const;
  if (by_memory && (inst.initializes || rep.plain)) {
    llvm::Value* from = address(inst.args[0].place);
    if (inst.args[0].kind == mir::OperandKind::Copy) m_.retain_at(b_, from, type);
    llvm::Align align(rep.align);
    b_.CreateMemMove(address(inst.dst), align, from, align, rep.size);
    return;
  }
  llvm::Value* fresh = value(inst.args[0]);
  if (inst.dst.is_local() && in_register_[inst.dst.local.index]) {
    registers_[inst.dst.local.index] = fresh;
    return;
  }
  llvm::MDNode* tag;
  llvm::Value* to = address(inst.dst, &tag);
  if (inst.initializes || rep.plain) {
    m_.store(b_, fresh, to, type, tag);
    return mark_const(inst.dst);
  }
  llvm::Value* old = m_.load(b_, to, type, tag);
  m_.store(b_, fresh, to, type, tag);
  m_.release(b_, old, type, may_be_zero(inst.dst));
  mark_const(inst.dst);
}

// Fields are zero until a constructor sets them, globals until their module has run; a local when some path left it empty.
bool FunctionEmitter::may_be_zero(const Place& place) const { return !place.is_local() || zeroed_[place.local.index]; }

// Zero itself, a struct that its constructor has yet to fill, and what such a local is moved to. An object on the stack is there
// whenever it is moved: what it was moved to holds it.
void FunctionEmitter::find_zeroed() {
  zeroed_.assign(f_.locals.size(), false);
  auto is_zero = [&](const mir::Operand& operand) {
    if (operand.kind == mir::OperandKind::Const) return operand.constant.kind == mir::ConstKind::Zero;
    return operand.place.is_local() && static_cast<bool>(zeroed_[operand.place.local.index]);
  };
  for (bool again = true; again;) {
    again = false;
    for (const mir::Block& block : f_.blocks)
      for (const Inst& inst : block.insts) {
        if ((inst.op != Op::Assign && inst.op != Op::MakeStruct) || !inst.dst.is_local() || zeroed_[inst.dst.local.index]) continue;
        bool moves_object = f_.local(inst.dst.local).on_stack && inst.args[0].kind != mir::OperandKind::Const;
        if (moves_object || !std::any_of(inst.args.begin(), inst.args.end(), is_zero)) continue;
        zeroed_[inst.dst.local.index] = again = true;
      }
  }
}

void FunctionEmitter::emit_drop(const Inst& inst) {
  if (storage(inst.args[0].place)) return drop_on_stack(inst.args[0].place.local);
  TypeId type = type_of(inst.args[0].place);
  if (m_.layout().is_plain(type)) return;
  Location found = locate(inst.args[0].place);
  bool maybe_zero = may_be_zero(inst.args[0].place);
  if (found.value) m_.release(b_, found.value, type, maybe_zero);
  else m_.release_at(b_, found.at, type, maybe_zero);
}

void FunctionEmitter::emit_trace(const Inst& inst) {
  if (!inst.span.valid()) return;
  m_.call_runtime(b_, RuntimeFunction::met_error_trace, {value(inst.args[0]), m_.site(inst.function.valid() ? m_.mir_function(inst.function) : f_, inst.span)});
}

// ---- Errors ----------------------------------------------------------------

void FunctionEmitter::leave_with(const Inst& inst, llvm::Value* error) {
  b_.CreateStore(error, slot(inst.error));
  b_.CreateBr(blocks_[inst.on_error.index]);
}

void FunctionEmitter::check_error(const Inst& inst, llvm::Value* error) {
  if (!inst.can_raise()) return;
  auto* failed = new_block("raised");
  auto* next = new_block();
  b_.CreateCondBr(b_.CreateIsNotNull(error), failed, next, m_.unlikely());
  b_.SetInsertPoint(failed);
  leave_with(inst, error);
  b_.SetInsertPoint(next);
}

void FunctionEmitter::check(const Inst& inst, llvm::Value* failed, FunctionId hook, llvm::ArrayRef<llvm::Value*> args) {
  if (!inst.can_raise() || !inst.checked) return;
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(failed); known && known->isZero()) return;
  auto* raise = new_block("fails");
  auto* next = new_block();
  b_.CreateCondBr(failed, raise, next, m_.unlikely());
  b_.SetInsertPoint(raise);
  leave_with(inst, b_.CreateCall(m_.error_maker(hook), args));
  b_.SetInsertPoint(next);
}

// ---- Terminators -----------------------------------------------------------

void FunctionEmitter::emit_terminator(const mir::Block& block) {
  const mir::Terminator& t = block.terminator;
  llvm::Constant* no_error = llvm::ConstantPointerNull::get(m_.layout().pointer_type());
  switch (t.kind) {
    case TerminatorKind::Goto: b_.CreateBr(blocks_[t.target.index]); return;
    case TerminatorKind::Branch: {
      llvm::MDNode* weights = nullptr;
      bool cold = f_.blocks[t.target.index].is_cold, other_cold = f_.blocks[t.other.index].is_cold;
      if (cold != other_cold) weights = cold ? m_.unlikely() : m_.likely();
      b_.CreateCondBr(value(t.value), blocks_[t.target.index], blocks_[t.other.index], weights);
      return;
    }
    case TerminatorKind::Switch: {
      llvm::Value* condition = value(t.value);
      auto* choice = b_.CreateSwitch(condition, blocks_[t.target.index], static_cast<unsigned>(t.cases.size()));
      for (const mir::SwitchTarget& one : t.cases)
        choice->addCase(llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(condition->getType(), one.value)), blocks_[one.block.index]);
      return;
    }
    case TerminatorKind::Return:
      if (returns_.has_result) m_.store(b_, value(t.value), result_slot_, f_.result);
      if (returns_.raises) b_.CreateStore(no_error, error_slot_);
      b_.CreateBr(return_block_);
      return;
    case TerminatorKind::Raise:
      CHECK(returns_.raises);
      b_.CreateStore(b_.CreateLoad(m_.layout().pointer_type(), slot(t.error)), error_slot_);
      b_.CreateBr(return_block_);
      return;
    case TerminatorKind::Unreachable:
      believe(mir::Fact::NotReached, {});
      b_.CreateUnreachable();
      return;
  }
}

}  // namespace meteor::llvm_ir
