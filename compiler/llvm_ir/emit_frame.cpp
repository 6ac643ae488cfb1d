// Functions with a frame. The body is one LLVM function: it starts at state 0 with its arguments in registers, on the caller's
// stack, and writes the frame only where it suspends. `resume` is how everybody else goes on with it: it loads what
// was saved, and leaves the result in the frame. Layouts are those of compiler/mir/frames.h.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/function_emitter.h"
#include "compiler/mir/async_mode.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

using mir::FrameLayout;
using mir::Suspension;
using typed::FrameKind;

namespace {

constexpr unsigned FRAME_PARAMS = 3;   // frame, state, error: before the function's own

}  // namespace

// ---- Bodies ------------------------------------------------------------------

llvm::Value* FunctionEmitter::frame_at(llvm::Value* frame, uint64_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), frame, offset); }

// The variable that a parameter refers to: given at the start, in the frame after each suspension.
llvm::Value* FunctionEmitter::referred_by_frame(uint32_t param) {
  if (frame_->suspensions.empty()) return ir_->getArg(FRAME_PARAMS + param);
  llvm::Value* kept = b_.CreateLoad(m_.layout().pointer_type(), frame_at(ir_->getArg(0), frame_->slot[param]));
  return b_.CreateSelect(b_.CreateICmpEQ(ir_->getArg(1), b_.getInt32(0)), ir_->getArg(FRAME_PARAMS + param), kept);
}

// Where control enters: at the start, or where it was suspended.
void FunctionEmitter::emit_frame_entry() {
  llvm::Value* state = ir_->getArg(1);
  auto* start = new_block("start");
  auto* nowhere = new_block("nowhere");
  auto* dispatch = b_.CreateSwitch(state, nowhere, static_cast<unsigned>(frame_->suspensions.size() + 1));
  dispatch->addCase(b_.getInt32(0), start);
  for (uint32_t k = 0; k < frame_->suspensions.size(); ++k) {
    resume_blocks_.push_back(new_block("resume"));
    dispatch->addCase(b_.getInt32(k + 1), resume_blocks_.back());
  }
  b_.SetInsertPoint(nowhere);
  b_.CreateUnreachable();
  b_.SetInsertPoint(start);
  for (uint32_t i = 0; i < f_.param_count; ++i)
    if (!f_.locals[i].by_reference) m_.store(b_, ir_->getArg(FRAME_PARAMS + i), slots_[i], f_.locals[i].type);
}

void FunctionEmitter::copy_local(llvm::Value* from, llvm::Value* to, TypeId type) {
  const Rep& rep = m_.layout().rep(type);
  llvm::Align align(rep.align);
  if (rep.size > 32) b_.CreateMemCpy(to, align, from, align, rep.size);
  else b_.CreateStore(load_parts(from, rep.memory), to);
}

// Stores what is needed later, and leaves with `status` and, for a yield, the value.
void FunctionEmitter::suspend(uint32_t state, llvm::Value* yielded) {
  llvm::Value* frame = ir_->getArg(0);
  const Suspension& at = frame_->suspensions[state - 1];
  for (mir::LocalId local : at.saved) {
    llvm::Value* place = frame_at(frame, frame_->slot[local.index]);
    if (f_.local(local).by_reference) b_.CreateStore(slots_[local.index], place);
    else if (!frame_->home[local.index]) copy_local(slots_[local.index], place, f_.local(local).type);
  }
  b_.CreateStore(m_.frame_resume(f_.id), frame_at(frame, offsetof(met_frame, resume)));
  b_.CreateStore(b_.getInt32(state), frame_at(frame, offsetof(met_frame, state)));
  llvm::Constant* no_error = llvm::ConstantPointerNull::get(m_.layout().pointer_type());
  llvm::Constant* pending = llvm::ConstantExpr::getIntToPtr(b_.getInt64(reinterpret_cast<uintptr_t>(MET_PENDING)), m_.layout().pointer_type());
  if (yielded) m_.store(b_, yielded, result_slot_, f_.result);
  else if (returns_.has_result) b_.CreateStore(llvm::Constant::getNullValue(m_.layout().rep(f_.result).memory), result_slot_);
  b_.CreateStore(yielded ? no_error : pending, error_slot_);
  b_.CreateBr(return_block_);
}

// The block where the function goes on after that suspension, everything loaded.
void FunctionEmitter::start_resumed(uint32_t state) {
  llvm::Value* frame = ir_->getArg(0);
  b_.SetInsertPoint(resume_blocks_[state - 1]);
  for (mir::LocalId local : frame_->suspensions[state - 1].saved)
    if (!frame_->home[local.index] && !f_.local(local).by_reference) copy_local(frame_at(frame, frame_->slot[local.index]), slots_[local.index], f_.local(local).type);
}

// A frame that does not lie inside the one that awaits it.
void FunctionEmitter::set_apart(llvm::Value* child, llvm::Value* parent) {
  llvm::Value* before = b_.CreateInBoundsGEP(b_.getInt8Ty(), child, b_.getInt64(-sizeof(met_frame*)));
  b_.CreateStore(parent, before);
  b_.CreateStore(b_.getInt32(MET_FRAME_APART), frame_at(child, offsetof(met_frame, up)));
}

void FunctionEmitter::emit_await(const Inst& inst) {
  uint32_t state = current_state();
  const Suspension& at = frame_->suspensions[state - 1];
  const mir::Function& callee = m_.mir_function(inst.function);
  llvm::PointerType* pointer = m_.layout().pointer_type();
  const FrameLayout& inner = m_.frames().layout(inst.function);
  llvm::Value* frame = ir_->getArg(0);
  llvm::Value* place = frame_at(frame, at.child_offset);
  std::vector<llvm::Value*> args;
  for (const Operand& arg : inst.args) args.push_back(value(arg));
  constexpr uint64_t BEFORE_BOXED = sizeof(met_frame*);   // MET_FRAME_APART
  llvm::Value* child = place;
  if (at.boxed) child = frame_at(m_.call_runtime(b_, RuntimeFunction::met_raw_alloc, {b_.getInt64(BEFORE_BOXED + inner.size)}), BEFORE_BOXED);
  args.insert(args.begin(), {child, b_.getInt32(0), llvm::ConstantPointerNull::get(pointer)});
  CallShape shape = m_.shape_of(callee);
  llvm::Value* returned = b_.CreateCall(shape.type, m_.function(inst.function), args);
  llvm::Value* status = shape.has_result ? b_.CreateExtractValue(returned, 1) : returned;

  auto* done = new_block("awaited");
  auto* not_done = new_block("not_done");
  auto* waits = new_block("suspend");
  auto* failed = new_block("raised");
  auto* next = new_block();
  auto release_child = [&](llvm::Value* which) {
    if (!at.boxed) return;
    llvm::Value* block = b_.CreateInBoundsGEP(b_.getInt8Ty(), which, b_.getInt64(-BEFORE_BOXED));
    m_.call_runtime(b_, RuntimeFunction::met_raw_free, {block, b_.getInt64(BEFORE_BOXED + inner.size)});
  };
  b_.CreateCondBr(b_.CreateIsNull(status), done, not_done, m_.likely());
  b_.SetInsertPoint(done);
  llvm::BasicBlock* forced = mir::naive_async() ? new_block("forced") : nullptr;   // goes on through the frame although nothing waits
  if (forced) {
    if (shape.has_result) m_.store(b_, b_.CreateExtractValue(returned, 0), frame_at(child, inner.result_offset), callee.result);
    b_.CreateBr(forced);
  } else {
    release_child(child);
    if (shape.has_result && (inst.dst.local.valid() || inst.dst.global.valid())) set(inst, b_.CreateExtractValue(returned, 0));
    b_.CreateBr(next);
  }

  b_.SetInsertPoint(not_done);
  llvm::Value* is_pending = b_.CreateICmpEQ(b_.CreatePtrToInt(status, b_.getInt64Ty()), b_.getInt64(reinterpret_cast<uintptr_t>(MET_PENDING)));
  auto* failed_at_once = new_block();
  b_.CreateCondBr(is_pending, waits, failed_at_once, m_.likely());
  b_.SetInsertPoint(failed_at_once);
  if (!forced) release_child(child);
  b_.CreateBr(forced ? forced : failed);

  b_.SetInsertPoint(waits);
  if (at.boxed) {
    set_apart(child, frame);
    b_.CreateStore(child, place);
  } else {
    b_.CreateStore(b_.getInt32(static_cast<uint32_t>(at.child_offset)), frame_at(child, offsetof(met_frame, up)));
  }
  suspend(state, nullptr);

  start_resumed(state);
  llvm::Value* error = ir_->getArg(2);
  if (forced) {
    llvm::BasicBlock* resumed = b_.GetInsertBlock();
    auto* landed = new_block("landed");
    b_.CreateBr(landed);
    b_.SetInsertPoint(forced);
    if (at.boxed) b_.CreateStore(child, place);
    for (bool save : {true, false})
      for (mir::LocalId local : at.saved) {
        if (frame_->home[local.index] || f_.local(local).by_reference) continue;
        llvm::Value* kept = frame_at(frame, frame_->slot[local.index]);
        if (save) copy_local(slots_[local.index], kept, f_.local(local).type);
        else copy_local(kept, slots_[local.index], f_.local(local).type);
      }
    b_.CreateBr(landed);
    b_.SetInsertPoint(landed);
    auto* came = b_.CreatePHI(pointer, 2);
    came->addIncoming(error, resumed);
    came->addIncoming(status, forced);
    error = came;
  }
  llvm::Value* again = frame_at(frame, at.child_offset);
  llvm::Value* resumed_child = at.boxed ? b_.CreateLoad(pointer, again) : again;
  auto* got = new_block();
  auto* failed_later = new_block();
  b_.CreateCondBr(b_.CreateIsNull(error), got, failed_later, m_.likely());
  b_.SetInsertPoint(got);
  if (shape.has_result && (inst.dst.local.valid() || inst.dst.global.valid())) {
    llvm::Value* result = m_.load(b_, frame_at(resumed_child, inner.result_offset), callee.result);
    release_child(resumed_child);
    set(inst, result);
  } else {
    release_child(resumed_child);
  }
  b_.CreateBr(next);
  b_.SetInsertPoint(failed_later);
  release_child(resumed_child);
  b_.CreateBr(failed);

  b_.SetInsertPoint(failed);
  auto* raised = b_.CreatePHI(pointer, 2);
  if (!forced) raised->addIncoming(status, failed_at_once);
  raised->addIncoming(error, failed_later);
  leave_with(inst, raised);
  b_.SetInsertPoint(next);
}

// The shape that park and run_frame share: `status` is what trying gave; when it is MET_PENDING the function suspends, and goes on
// here when resumed. A stream that is asked knows the frame while it waits, and lets
// go of its asker when it has given something.
void FunctionEmitter::suspend_if_pending(const Inst& inst, llvm::Value* status, const Operand* asked) {
  uint32_t state = current_state();
  llvm::PointerType* pointer = m_.layout().pointer_type();
  auto* not_done = new_block("not_done");
  auto* waits = new_block("suspend");
  auto* failed = new_block("raised");
  auto* next = new_block();
  b_.CreateCondBr(b_.CreateIsNull(status), next, not_done);
  b_.SetInsertPoint(not_done);
  llvm::Value* is_pending = b_.CreateICmpEQ(b_.CreatePtrToInt(status, b_.getInt64Ty()), b_.getInt64(reinterpret_cast<uintptr_t>(MET_PENDING)));
  b_.CreateCondBr(is_pending, waits, failed, m_.likely());
  b_.SetInsertPoint(waits);
  if (asked) b_.CreateStore(ir_->getArg(0), frame_at(value(*asked), m_.field_offset(asked->type, "_asked_in")));
  suspend(state, nullptr);
  start_resumed(state);
  llvm::Value* error = ir_->getArg(2);
  llvm::BasicBlock* resumed = b_.GetInsertBlock();
  b_.CreateCondBr(b_.CreateIsNull(error), next, failed, m_.likely());
  b_.SetInsertPoint(failed);
  auto* raised = b_.CreatePHI(pointer, 2);
  raised->addIncoming(status, not_done);
  raised->addIncoming(error, resumed);
  if (asked) end_asking(*asked);
  leave_with(inst, raised);
  b_.SetInsertPoint(next);
  if (asked) end_asking(*asked);
}

void FunctionEmitter::emit_park(const Inst& inst) {
  RuntimeFunction how = inst.args.empty() ? RuntimeFunction::met_park : RuntimeFunction::met_give_way;
  suspend_if_pending(inst, m_.call_runtime(b_, how, {ir_->getArg(0)}), nullptr);
}

// One load and one branch while the slice lasts.
void FunctionEmitter::emit_checkpoint(const Inst& inst) {
  llvm::GlobalVariable* over = m_.slice_over();
  auto* load = b_.CreateLoad(b_.getInt8Ty(), b_.CreateThreadLocalAddress(over));
  load->setVolatile(true);
  load->setAtomic(llvm::AtomicOrdering::Monotonic);   // the watch sets it
  auto* ended = new_block("slice_over");
  auto* next = new_block();
  b_.CreateCondBr(b_.CreateIsNotNull(load), ended, next, m_.unlikely());
  b_.SetInsertPoint(ended);
  suspend_if_pending(inst, m_.call_runtime(b_, RuntimeFunction::met_give_up_turn, {ir_->getArg(0)}), nullptr);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

// One load and one branch where nobody has been cancelled.
void FunctionEmitter::emit_heed(const Inst& inst) {
  auto* load = b_.CreateLoad(b_.getInt8Ty(), b_.CreateThreadLocalAddress(m_.may_stop()));
  auto* look = new_block("may_stop");
  auto* next = new_block();
  b_.CreateCondBr(b_.CreateIsNotNull(load), look, next, m_.unlikely());
  b_.SetInsertPoint(look);
  check_error(inst, m_.call_runtime(b_, RuntimeFunction::met_heed, {}));
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

void FunctionEmitter::emit_run_frame(const Inst& inst) {
  TypeId type = inst.args[0].type;
  llvm::Value* child = frame_at(value(inst.args[0]), m_.frame_offset(type));
  llvm::Value* error = nullptr;
  if (inst.args.size() > 1) m_.retain(b_, error = value(inst.args[1]), inst.args[1].type);
  if (!m_.is_stream(type)) {
    set_apart(child, ir_->getArg(0));
    return suspend_if_pending(inst, resume_frame(child, error), nullptr);
  }
  begin_asking(inst.args[0]);
  suspend_if_pending(inst, resume_frame(child, error), &inst.args[0]);
}

// A stream is a strand of its own, of whoever asks it (runtime/scope/streams.h).
void FunctionEmitter::begin_asking(const Operand& asked) {
  llvm::Value* stream = value(asked);
  llvm::Value* strand = b_.CreateThreadLocalAddress(m_.running_strand());
  b_.CreateStore(b_.CreateLoad(m_.layout().pointer_type(), strand), frame_at(stream, m_.field_offset(asked.type, "_asker")));
  b_.CreateStore(stream, strand);
}

void FunctionEmitter::end_asking(const Operand& asked) {
  llvm::PointerType* pointer = m_.layout().pointer_type();
  llvm::Value* asker = frame_at(value(asked), m_.field_offset(asked.type, "_asker"));
  b_.CreateStore(b_.CreateLoad(pointer, asker), b_.CreateThreadLocalAddress(m_.running_strand()));
  b_.CreateStore(llvm::ConstantPointerNull::get(pointer), asker);
}

llvm::Value* FunctionEmitter::resume_frame(llvm::Value* frame, llvm::Value* error) {
  llvm::PointerType* pointer = m_.layout().pointer_type();
  auto* type = llvm::FunctionType::get(pointer, {pointer, pointer}, false);
  llvm::Value* code = b_.CreateLoad(pointer, frame_at(frame, offsetof(met_frame, resume)));
  return b_.CreateCall(type, code, {frame, error ? error : llvm::ConstantPointerNull::get(pointer)});
}

void FunctionEmitter::emit_yield(const Inst& inst) {
  uint32_t state = current_state();
  suspend(state, value(inst.args[0]));
  start_resumed(state);
  check_error(inst, ir_->getArg(2));
}

// A generator never suspends its consumer: it gives a value, ends, or raises.
void FunctionEmitter::emit_resume_generator(const Inst& inst) {
  llvm::Value* frame = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), value(inst.args[0]), m_.frame_offset(inst.args[0].type));
  check_error(inst, resume_frame(frame, nullptr));
  const Rep& rep = m_.layout().rep(dst_type(inst));
  set(inst, m_.load(b_, frame_at(frame, m_.result_offset(rep)), dst_type(inst)));
}

void FunctionEmitter::emit_frame_value(const Inst& inst) {
  llvm::Value* frame = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), value(inst.args[0]), m_.frame_offset(inst.args[0].type));
  if (inst.intrinsic == typed::Intrinsic::FrameTake) b_.CreateStore(b_.getInt32(MET_STATE_EMPTY), frame_at(frame, offsetof(met_frame, state)));
  if (!inst.dst.local.valid()) return;   // nothing was returned
  TypeId type = dst_type(inst);
  llvm::Value* at = frame_at(frame, m_.result_offset(m_.layout().rep(type)));
  if (inst.intrinsic == typed::Intrinsic::FrameValue) m_.retain_at(b_, at, type);
  set(inst, m_.load(b_, at, type));
}

void FunctionEmitter::emit_make_future(const Inst& inst) {
  const mir::Function& body = m_.mir_function(inst.function);
  const FrameLayout& layout = m_.frames().layout(inst.function);
  std::vector<llvm::Value*> args;
  for (const Operand& arg : inst.args) args.push_back(value(arg));
  uint64_t offset = m_.frame_offset(m_.frame_class(inst.function, inst.type));
  llvm::Value* object = m_.new_object(b_, m_.future_descriptor(inst.function, inst.type), offset + layout.size, offset + MET_FRAME_SLOTS);
  llvm::Value* frame = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), object, offset);
  for (uint32_t i = 0; i < args.size(); ++i) {
    if (body.locals[i].by_reference) b_.CreateStore(args[i], frame_at(frame, layout.slot[i]));
    else m_.store(b_, args[i], frame_at(frame, layout.slot[i]), body.locals[i].type);
  }
  b_.CreateStore(m_.frame_resume(inst.function), frame_at(frame, offsetof(met_frame, resume)));
  if (body.frame == FrameKind::AsyncGenerator) m_.call_runtime(b_, RuntimeFunction::met_stream_made, {object});
  set(inst, object);
}

// ---- What belongs to a frame -----------------------------------------------------

llvm::GlobalVariable* ModuleEmitter::slice_over() {
  if (slice_over_) return slice_over_;
  return slice_over_ = new llvm::GlobalVariable(*module_, llvm::Type::getInt8Ty(context_), false, llvm::GlobalValue::ExternalLinkage, nullptr, "met_slice_over",
                                                nullptr, llvm::GlobalValue::InitialExecTLSModel);
}

llvm::GlobalVariable* ModuleEmitter::may_stop() {
  if (may_stop_) return may_stop_;
  return may_stop_ = new llvm::GlobalVariable(*module_, llvm::Type::getInt8Ty(context_), false, llvm::GlobalValue::ExternalLinkage, nullptr, "met_may_stop",
                                              nullptr, llvm::GlobalValue::InitialExecTLSModel);
}

// The first field of the runtime's Isolate.
llvm::GlobalVariable* ModuleEmitter::running_strand() {
  if (running_strand_) return running_strand_;
  return running_strand_ = new llvm::GlobalVariable(*module_, layout_.pointer_type(), false, llvm::GlobalValue::ExternalLinkage, nullptr, "met_isolate",
                                                    nullptr, llvm::GlobalValue::InitialExecTLSModel);
}

mir::Frames& ModuleEmitter::frames() {
  if (!frames_) {
    frames_ = std::make_unique<mir::Frames>(program_, [this](TypeId type) {
      const Rep& rep = layout_.rep(type);
      if (rep.shape == Shape::Nothing) return mir::SizeAndAlign{};
      return mir::SizeAndAlign{rep.size, rep.align};
    });
  }
  return *frames_;
}

uint64_t ModuleEmitter::result_offset(const Rep& rep) const { return (MET_FRAME_SLOTS + rep.align - 1) / rep.align * rep.align; }

// Futures, generators and streams are classes of the core library whose last fields are those of met_frame.
uint64_t ModuleEmitter::frame_offset(TypeId type) { return field_offset(type, "_resume"); }

uint64_t ModuleEmitter::field_offset(TypeId type, std::string_view field) {
  type = layout_.strip(type);
  const typed::Nominal& nominal = typed().nominal(type);
  for (unsigned i = 0; i < nominal.fields.size(); ++i)
    if (nominal.fields[i].name.text() == field)
      return module_->getDataLayout().getStructLayout(layout_.class_object(type))->getElementOffset(Layout::HEADER_PARTS + i);
  CHECK(!"a class without this field");
  return 0;
}

// A future is made as a Task, which a scope can start as it is.
TypeId ModuleEmitter::frame_class(FunctionId body, TypeId made) {
  if (mir_function(body).frame != FrameKind::Async) return layout_.strip(made);
  for (const auto& [type, nominal] : typed().nominals)
    if (nominal.base == layout_.strip(made) && nominal.is_task) return type;
  CHECK(!"a future whose task class is not there");
  return {};
}

// What the runtime calls when it ends frames.
void ModuleEmitter::emit_frame_hooks() {
  const typed::RuntimeHooks& hooks = typed().hooks;
  emit_hooks({{hooks.cancelled, "met_hook_cancelled"}, {hooks.suppress, "met_hook_suppress"}, {hooks.is_error, "met_hook_is_error"}, {hooks.report_uncaught, "met_hook_report"}});
}

void ModuleEmitter::emit_hooks(std::initializer_list<std::pair<FunctionId, const char*>> exported) {
  for (const auto& [hook, name] : exported) {
    const mir::Function& target = mir_function(hook);
    CallShape shape = shape_of(target);
    std::vector<llvm::Type*> params(target.param_count, layout_.pointer_type());
    llvm::Type* result = shape.has_result ? layout_.rep(target.result).value : llvm::Type::getVoidTy(context_);
    llvm::Function* wrapper = make_function(llvm::FunctionType::get(result, params, false), name);
    wrapper->setLinkage(llvm::GlobalValue::ExternalLinkage);
    if (result->isIntegerTy(1)) wrapper->addRetAttr(llvm::Attribute::ZExt);
    Builder b(llvm::BasicBlock::Create(context_, "entry", wrapper));
    std::vector<llvm::Value*> args;
    for (llvm::Argument& arg : wrapper->args()) args.push_back(&arg);
    llvm::Value* returned = b.CreateCall(shape.type, function(hook), args);
    if (!shape.has_result) {
      b.CreateRetVoid();   // an error of a report has nowhere to go
      continue;
    }
    b.CreateRet(shape.raises ? b.CreateExtractValue(returned, 0) : returned);
  }
}

// ptr resume(frame, error)
llvm::Function* ModuleEmitter::frame_resume(FunctionId id) {
  auto found = frame_resumes_.find(id);
  if (found != frame_resumes_.end()) return found->second;
  const mir::Function& body = mir_function(id);
  const FrameLayout& layout = frames().layout(id);
  llvm::PointerType* pointer = layout_.pointer_type();
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  llvm::Function* resume = make_function(llvm::FunctionType::get(pointer, {pointer, pointer}, false), body.name + " (resume)");
  frame_resumes_[id] = resume;
  set_owner(resume, body);
  resume->setPrefixData(frame_info(id));
  llvm::Value* frame = resume->getArg(0);
  llvm::Value* error = resume->getArg(1);
  Builder b(llvm::BasicBlock::Create(context_, "entry", resume));
  debug_.start_wrapper(b, body, resume);
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context_, name, resume); };
  auto at = [&](uint64_t offset) { return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, offset); };
  bool yields = body.frame != FrameKind::Async;
  llvm::Constant* null = llvm::ConstantPointerNull::get(pointer);
  CallShape shape = shape_of(body);
  llvm::Value* state = b.CreateLoad(i32, at(offsetof(met_frame, state)));
  auto* fresh = block("fresh");
  auto* later = block("later");
  auto* ended = block("ended");
  b.CreateCondBr(b.CreateICmpEQ(state, b.getInt32(0)), fresh, later);

  std::vector<std::pair<llvm::BasicBlock*, llvm::Value*>> statuses;
  auto finish = [&](llvm::Value* returned) {   // the result, if any, goes into the frame
    llvm::Value* status = !shape.raises ? null : shape.has_result ? b.CreateExtractValue(returned, 1) : returned;
    llvm::Value* result = !shape.has_result ? nullptr : shape.raises ? b.CreateExtractValue(returned, 0) : returned;
    if (result) {
      auto* store_block = block("");
      auto* next = block("");
      b.CreateCondBr(b.CreateIsNull(status), store_block, next);
      b.SetInsertPoint(store_block);
      store(b, result, at(layout.result_offset), body.result);
      b.CreateBr(next);
      b.SetInsertPoint(next);
    }
    statuses.emplace_back(b.GetInsertBlock(), status);
    b.CreateBr(ended);
  };

  b.SetInsertPoint(fresh);
  auto* cancelled = block("cancelled");
  auto* start = block("start");
  b.CreateCondBr(b.CreateIsNull(error), start, cancelled, likely_);
  b.SetInsertPoint(cancelled);   // before it started: it never runs
  drop_frame_params(b, id, frame);
  b.CreateStore(b.getInt32(MET_STATE_EMPTY), at(offsetof(met_frame, state)));
  b.CreateRet(error);
  b.SetInsertPoint(start);
  std::vector<llvm::Value*> args, rest;
  if (body.has_frame()) {
    args = {frame, b.getInt32(0), null};
    rest = {frame, state, error};
  }
  for (uint32_t i = 0; i < body.param_count; ++i) {
    if (body.locals[i].by_reference) args.push_back(b.CreateLoad(pointer, at(layout.slot[i])));
    else args.push_back(load(b, at(layout.slot[i]), body.locals[i].type));
    rest.push_back(llvm::PoisonValue::get(args.back()->getType()));
  }
  if (yields) b.CreateStore(b.getInt32(MET_STATE_RUNNING), at(offsetof(met_frame, state)));
  finish(b.CreateCall(shape.type, function(id), args));

  b.SetInsertPoint(later);
  if (body.has_frame()) {
    if (yields) b.CreateStore(b.getInt32(MET_STATE_RUNNING), at(offsetof(met_frame, state)));
    finish(b.CreateCall(shape.type, function(id), rest));
  } else {
    b.CreateUnreachable();
  }

  b.SetInsertPoint(ended);
  auto* status = b.CreatePHI(pointer, static_cast<unsigned>(statuses.size()));
  for (auto& [from, value] : statuses) status->addIncoming(value, from);
  if (yields) {   // a yield has set the state; RUNNING means it is at its end
    llvm::Value* now = b.CreateLoad(i32, at(offsetof(met_frame, state)));
    llvm::Value* is_over = b.CreateICmpEQ(now, b.getInt32(MET_STATE_RUNNING));
    b.CreateStore(b.CreateSelect(is_over, b.getInt32(MET_STATE_EMPTY), now), at(offsetof(met_frame, state)));
  } else {
    auto* over = block("over");
    auto* out = block("out");
    llvm::Value* pending = b.CreateICmpEQ(b.CreatePtrToInt(status, b.getInt64Ty()), b.getInt64(reinterpret_cast<uintptr_t>(MET_PENDING)));
    b.CreateCondBr(pending, out, over);
    b.SetInsertPoint(over);
    llvm::Value* end = b.CreateSelect(b.CreateIsNull(status), b.getInt32(MET_STATE_DONE), b.getInt32(MET_STATE_EMPTY));
    b.CreateStore(end, at(offsetof(met_frame, state)));
    b.CreateBr(out);
    b.SetInsertPoint(out);
  }
  b.CreateRet(status);
  return resume;
}

void ModuleEmitter::drop_frame_params(Builder& b, FunctionId id, llvm::Value* frame) {
  const mir::Function& body = mir_function(id);
  const FrameLayout& layout = frames().layout(id);
  for (uint32_t i = body.param_count; i-- > 0;)
    if (!body.locals[i].by_reference && !layout_.is_plain(body.locals[i].type)) release_at(b, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, layout.slot[i]), body.locals[i].type);
}

llvm::Constant* ModuleEmitter::frame_info(FunctionId id) {
  const mir::Function& body = mir_function(id);
  const FrameLayout& layout = frames().layout(id);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  std::vector<llvm::Constant*> lines;
  auto line_of = [&](source::Span span) { return llvm::ConstantInt::get(i32, span.valid() ? sources_.start_of(span).line : 0); };
  lines.push_back(line_of(body.span));
  for (const Suspension& at : layout.suspensions) lines.push_back(line_of(at.span));
  auto awaited_by = [&](const Suspension& at) -> llvm::Constant* {
    const mir::Inst& inst = body.blocks[at.block.index].insts[at.inst];
    FunctionId part = inst.op == mir::Op::Await ? FunctionId() : inst.function;
    return part.valid() ? c_string(mir_function(part).name) : llvm::ConstantPointerNull::get(layout_.pointer_type());
  };
  llvm::Constant* awaits = llvm::ConstantPointerNull::get(layout_.pointer_type());
  if (std::ranges::any_of(layout.suspensions, [&](const Suspension& at) { return !awaited_by(at)->isNullValue(); })) {
    std::vector<llvm::Constant*> names{llvm::ConstantPointerNull::get(layout_.pointer_type())};
    for (const Suspension& at : layout.suspensions) names.push_back(awaited_by(at));
    auto* names_type = llvm::ArrayType::get(layout_.pointer_type(), names.size());
    awaits = new llvm::GlobalVariable(*module_, names_type, true, llvm::GlobalValue::PrivateLinkage, llvm::ConstantArray::get(names_type, names), "awaits");
  }
  auto* array = llvm::ArrayType::get(i32, lines.size());
  auto* table = new llvm::GlobalVariable(*module_, array, true, llvm::GlobalValue::PrivateLinkage, llvm::ConstantArray::get(array, lines), "lines");
  std::string_view file = body.span.valid() ? sources_.path(body.span.file) : std::string_view();
  auto* type = llvm::StructType::get(context_, {layout_.pointer_type(), layout_.pointer_type(), i32, i32, layout_.pointer_type(), layout_.pointer_type()});
  auto* info = llvm::ConstantStruct::get(type, {c_string(body.name), c_string(file), llvm::ConstantInt::get(i32, layout.size),
                                                llvm::ConstantInt::get(i32, lines.size()), table, awaits});
  return new llvm::GlobalVariable(*module_, type, true, llvm::GlobalValue::PrivateLinkage, info, "frame " + body.name);
}

// The type of the object around a frame: a subclass of Task, Generator or Stream that knows how to end this frame.
llvm::Constant* ModuleEmitter::future_descriptor(FunctionId id, TypeId made) {
  auto found = future_descriptors_.find(id);
  if (found != future_descriptors_.end()) return found->second;
  const mir::Function& body = mir_function(id);
  const FrameLayout& layout = frames().layout(id);
  TypeId base = frame_class(id, made);
  const typed::Nominal& nominal = typed().nominal(base);
  uint64_t offset = frame_offset(base);
  llvm::PointerType* pointer = layout_.pointer_type();
  llvm::Type* i8 = llvm::Type::getInt8Ty(context_);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context_);
  llvm::StructType* base_object = layout_.class_object(base);
  auto* drop_type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {pointer}, false);
  auto frame_of = [&](Builder& b, llvm::Value* object) { return b.CreateConstInBoundsGEP1_64(i8, object, offset); };
  auto state_of = [&](Builder& b, llvm::Value* frame) { return b.CreateConstInBoundsGEP1_64(i8, frame, offsetof(met_frame, state)); };

  // Ends a frame that is suspended: it runs its clean-up with `Cancelled`.
  llvm::Function* del = make_function(drop_type, "close " + body.name);
  {
    Builder b(llvm::BasicBlock::Create(context_, "entry", del));
    llvm::Value* frame = frame_of(b, del->getArg(0));
    llvm::Value* state = b.CreateLoad(i32, state_of(b, frame));
    llvm::Value* suspended = b.CreateAnd(b.CreateICmpNE(state, b.getInt32(0)), b.CreateICmpULT(state, b.getInt32(MET_STATE_LAST)));
    emit_if(b, suspended, unlikely_, [&] {
      if (body.frame == FrameKind::Async) call_runtime(b, RuntimeFunction::met_task_close, {del->getArg(0)});
      else if (nominal.del.valid())
        b.CreateCall(drop_type, make_del(nominal.del), {del->getArg(0)});  // of a stream: it may wait
      else call_runtime(b, RuntimeFunction::met_frame_close, {frame});
    });
    b.CreateRetVoid();
  }
  llvm::Function* drop = make_function(drop_type, "drop " + body.name);
  {
    Builder b(llvm::BasicBlock::Create(context_, "entry", drop));
    for (unsigned i = 0; i < nominal.fields.size(); ++i)
      if (!layout_.is_plain(nominal.fields[i].type))
        release_at(b, b.CreateStructGEP(base_object, drop->getArg(0), Layout::HEADER_PARTS + i), nominal.fields[i].type, true);
    llvm::Value* frame = frame_of(b, drop->getArg(0));
    if (body.frame == FrameKind::Async) {   // what the runtime keeps for few tasks: a mark in the word before the frame
      llvm::Value* word = b.CreateLoad(b.getInt64Ty(), b.CreateInBoundsGEP(i8, frame, b.getInt64(-sizeof(void*))));
      llvm::Value* has_more = b.CreateICmpNE(b.CreateAnd(word, b.getInt64(MET_TASK_HAS_MORE)), b.getInt64(0));
      emit_if(b, has_more, unlikely_, [&] { b.CreateCall(module_->getOrInsertFunction("met_task_forget", drop_type), {drop->getArg(0)}); });
    }
    if (body.frame == FrameKind::AsyncGenerator) call_runtime(b, RuntimeFunction::met_stream_forget, {drop->getArg(0)});
    llvm::Value* state = b.CreateLoad(i32, state_of(b, frame));
    emit_if(b, b.CreateICmpEQ(state, b.getInt32(0)), nullptr, [&] { drop_frame_params(b, id, frame); });
    if (body.frame == FrameKind::Async && !layout_.is_plain(body.result))
      emit_if(b, b.CreateICmpEQ(state, b.getInt32(MET_STATE_DONE)), nullptr,
              [&] { release_at(b, b.CreateConstInBoundsGEP1_64(i8, frame, layout.result_offset), body.result); });
    b.CreateRetVoid();
  }

  llvm::Constant* base_type = class_descriptor(base);
  std::vector<llvm::Constant*> chain;
  for (TypeId at = base; at.valid(); at = typed().nominal(at).base) chain.push_back(class_descriptor(at));
  std::ranges::reverse(chain);
  auto* table = llvm::ArrayType::get(pointer, nominal.vtable.size());
  llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
  auto* type = llvm::StructType::get(context_, {pointer, i64, pointer, pointer, pointer, pointer, pointer, i32, i32, table});
  std::string name = type_text(base) + " of " + body.name;
  auto* variable = new llvm::GlobalVariable(*module_, type, true, llvm::GlobalValue::InternalLinkage, nullptr, "type " + name);
  future_descriptors_[id] = variable;
  set_owner(variable, is_library(body));
  chain.push_back(variable);
  auto* chain_type = llvm::ArrayType::get(pointer, chain.size());
  auto* ancestors = new llvm::GlobalVariable(*module_, chain_type, true, llvm::GlobalValue::PrivateLinkage, llvm::ConstantArray::get(chain_type, chain), "ancestors");
  llvm::Constant* null = llvm::ConstantPointerNull::get(pointer);
  std::vector<llvm::Constant*> slots;
  for (FunctionId slot : nominal.vtable) slots.push_back(slot.valid() ? table_entry(slot) : null);
  variable->setInitializer(llvm::ConstantStruct::get(
      type, {c_string(name), llvm::ConstantInt::get(i64, offset + layout.size), drop, del, null, base_type, ancestors,
             llvm::ConstantInt::get(i32, chain.size() - 1), llvm::ConstantInt::get(i32, MET_KIND_CLASS | MET_TYPE_PINNED), llvm::ConstantArray::get(table, slots)}));
  return variable;
}

}  // namespace meteor::llvm_ir
