// --check-facts: what the compiler believed is asserted where it is used (mir/facts.h says what each construct
// believes). Without the option nothing is emitted. With it LLVM is told nothing of what is believed, or it would take
// the assertions away again.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/function_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

using mir::Fact;
using mir::Op;
using types::Kind;

// ---- Helpers: one function for each test that stands in many places --------

void ModuleEmitter::deny(Builder& b, llvm::Value* broken, Fact fact, llvm::Value* site) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* fails = llvm::BasicBlock::Create(context_, "broken", function);
  auto* next = llvm::BasicBlock::Create(context_, "", function);
  b.CreateCondBr(broken, fails, next, unlikely_);
  b.SetInsertPoint(fails);
  call_runtime(b, RuntimeFunction::met_fact_broken, {site, c_string(mir::text_of(fact))});
  b.CreateUnreachable();
  b.SetInsertPoint(next);
}

llvm::Value* ModuleEmitter::fact_site(Builder& b) const {
  llvm::Constant* nowhere = llvm::ConstantPointerNull::get(layout_.pointer_type());
  return fact_site_ && b.GetInsertBlock()->getParent() == fact_function_ ? fact_site_ : nowhere;
}

void ModuleEmitter::set_fact_site(llvm::Function* function, const mir::Function& source, source::Span span) {
  if (!options_.check_facts) return;
  fact_function_ = function;
  if (!span.valid()) span = source.span;
  fact_site_ = span.valid() ? site(source, span) : nullptr;
}

namespace {

llvm::Value* header_word(Builder& b, llvm::Value* object, llvm::Type* type, uint64_t offset) {
  return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), object, offset));
}

}  // namespace

llvm::Constant* ModuleEmitter::freed_type() {
  return module_->getOrInsertGlobal("met_freed_type",
                                    llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), sizeof(met_type)));
}

// void(object, site)
llvm::Function* ModuleEmitter::alive_test() {
  if (alive_test_) return alive_test_;
  llvm::PointerType* pointer = layout_.pointer_type();
  alive_test_ =
      make_function(llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {pointer, pointer}, false), "fact: alive");
  Builder b(llvm::BasicBlock::Create(context_, "entry", alive_test_));
  llvm::Value* object = alive_test_->getArg(0);
  deny(b, b.CreateIsNull(object), Fact::Initialised, alive_test_->getArg(1));
  deny(b, b.CreateICmpEQ(header_word(b, object, pointer, offsetof(met_object, type)), freed_type()), Fact::StillValid,
       alive_test_->getArg(1));
  b.CreateRetVoid();
  return alive_test_;
}

void ModuleEmitter::believe_alive(Builder& b, llvm::Value* object) {
  if (options_.check_facts) b.CreateCall(alive_test(), {object, fact_site(b)});
}

// void(object, site): others may hold it, which the runtime marks in the count.
llvm::Function* ModuleEmitter::own_test() {
  if (own_test_) return own_test_;
  llvm::PointerType* pointer = layout_.pointer_type();
  own_test_ = make_function(llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {pointer, pointer}, false),
                            "fact: not frozen");
  Builder b(llvm::BasicBlock::Create(context_, "entry", own_test_));
  llvm::Value* object = own_test_->getArg(0);
  b.CreateCall(alive_test(), {object, own_test_->getArg(1)});
  auto* count = b.CreateLoad(b.getInt32Ty(), object);
  count->setAtomic(llvm::AtomicOrdering::Monotonic);
  deny(b, b.CreateICmpSLT(count, b.getInt32(0)), Fact::NotFrozen, own_test_->getArg(1));
  b.CreateRetVoid();
  return own_test_;
}

// void(object, type, site): the object is one of the type or of a subclass.
llvm::Function* ModuleEmitter::instance_test() {
  if (instance_test_) return instance_test_;
  llvm::PointerType* pointer = layout_.pointer_type();
  instance_test_ = make_function(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {pointer, pointer, pointer}, false), "fact: type");
  Builder b(llvm::BasicBlock::Create(context_, "entry", instance_test_));
  llvm::Value* object = instance_test_->getArg(0);
  llvm::Value* wanted = instance_test_->getArg(1);
  llvm::Value* site = instance_test_->getArg(2);
  b.CreateCall(alive_test(), {object, site});
  llvm::Value* type = header_word(b, object, pointer, offsetof(met_object, type));
  emit_if(b, b.CreateICmpNE(type, wanted), unlikely_,
          [&] { deny(b, b.CreateNot(b.CreateCall(is_subtype(), {type, wanted})), Fact::ThisType, site); });
  b.CreateRetVoid();
  return instance_test_;
}

// void(memory, first, end, site): bytes of a buffer that the runtime has measured; of other memory nothing is known.
llvm::Function* ModuleEmitter::range_test() {
  if (range_test_) return range_test_;
  llvm::PointerType* pointer = layout_.pointer_type();
  llvm::Type* i64 = llvm::Type::getInt64Ty(context_);
  range_test_ = make_function(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {pointer, i64, i64, pointer}, false), "fact: in range");
  Builder b(llvm::BasicBlock::Create(context_, "entry", range_test_));
  llvm::Value* memory = range_test_->getArg(0);
  llvm::Value* first = range_test_->getArg(1);
  llvm::Value* end = range_test_->getArg(2);
  llvm::Value* site = range_test_->getArg(3);
  emit_if(b, b.CreateICmpNE(first, end), nullptr, [&] {
    deny(b, b.CreateIsNull(memory), Fact::InRange, site);
    auto word = [&](int64_t offset) {
      return b.CreateLoad(i64, b.CreateGEP(b.getInt8Ty(), memory, b.getInt64(static_cast<uint64_t>(offset))));
    };
    emit_if(b, b.CreateICmpEQ(word(-8), b.getInt64(MET_MEASURE_MARK)), nullptr, [&] {
      llvm::Value* outside = b.CreateOr(b.CreateICmpUGT(end, word(-16)), b.CreateICmpSLT(first, b.getInt64(0)));
      deny(b, b.CreateOr(outside, b.CreateICmpSGT(first, end)), Fact::InRange, site);
    });
  });
  b.CreateRetVoid();
  return range_test_;
}

// ---- Assertions ------------------------------------------------------------

void FunctionEmitter::believe(Fact fact, const Belief& belief) {
  if (!checks_facts()) return;
  llvm::Value* site = m_.fact_site(b_);
  switch (fact) {
    case Fact::Nothing: return;
    case Fact::NotNull: return m_.deny(b_, m_.is_null(b_, belief.value, belief.type), fact, site);
    case Fact::ThisType: return believe_type(belief, site);
    case Fact::ThisCase: {
      llvm::Value* number =
          belief.value ? m_.case_number(b_, belief.value, belief.type) : m_.case_number_at(b_, belief.at, belief.type);
      return m_.deny(b_, b_.CreateICmpNE(number, b_.getInt64(belief.case_index)), fact, site);
    }
    case Fact::Initialised:
      if (llvm::Value* empty = is_empty(belief.value, belief.type)) m_.deny(b_, empty, fact, site);
      return;
    case Fact::StillValid: return m_.believe_alive(b_, belief.value);
    case Fact::NotFrozen:
      if (!is_made_to_be_shared(belief.type)) b_.CreateCall(m_.own_test(), {belief.value, site});
      return;
    case Fact::InRange:
      if (!m_.options().sanitize_address)
        b_.CreateCall(m_.range_test(), {belief.value, belief.first, belief.end, site});
      return;
    case Fact::NeverRaises: return m_.deny(b_, b_.CreateIsNotNull(belief.value), fact, site);
    case Fact::Fits: return m_.deny(b_, belief.value, fact, site);
    case Fact::NotReached: return m_.deny(b_, b_.getTrue(), fact, site);
    case Fact::StaysHere: {  // one strong reference, the local's own, and no weak one
      constexpr uint64_t COUNTS =
          uint64_t(MET_WEAK_COUNT_MASK) << 32 | 0xffffffff;  // not the flags: a constructor may have failed
      llvm::Value* counts = b_.CreateAnd(b_.CreateLoad(b_.getInt64Ty(), belief.value), b_.getInt64(COUNTS));
      return m_.deny(b_, b_.CreateICmpNE(counts, b_.getInt64(1)), fact, site);
    }
    case Fact::AtHome:
      m_.call_runtime(b_, RuntimeFunction::met_fact_at_home, {site, m_.c_string(mir::text_of(fact))});
      return;
    case Fact::Alone:
      return;  // the walk that a proven crossing skips is made all the same: mir::ProvenCrossings::Assert
  }
}

// `type` is what the value is seen as: a class, an optional of one, or what an `any` or `dyn` holds in a box.
void FunctionEmitter::believe_type(const Belief& belief, llvm::Value* site) {
  TypeId wanted = m_.layout().strip(belief.type);
  bool is_optional = m_.types().kind(wanted) == Kind::Optional;
  if (is_optional) wanted = m_.layout().strip(m_.types().arg(wanted));
  bool is_class = m_.types().kind(wanted) == Kind::Class;
  if (!is_class && !belief.is_boxed) return;
  // A `frozen list<T>` is read as a `list<frozen T>`, which it was not made as, or may have been made as one.
  // A frozen function is used as a plain one.
  auto holds_frozen = [&](TypeId type, auto& again) -> bool {
    return m_.types().kind(type) == Kind::Frozen || m_.types().kind(type) == Kind::Func ||
           std::ranges::any_of(m_.types().get(type).args, [&](TypeId arg) { return again(arg, again); });
  };
  bool is_frozen = m_.types().kind(belief.type) == Kind::Frozen && !m_.types().get(wanted).args.empty();
  if (is_class && (is_frozen || (!belief.is_boxed && holds_frozen(wanted, holds_frozen)))) return;
  llvm::Constant* type = is_class ? m_.class_descriptor(wanted) : m_.box_descriptor(wanted);
  auto test = [&] { b_.CreateCall(m_.instance_test(), {belief.value, type, site}); };
  if (!is_optional) return test();
  m_.emit_if(b_, b_.CreateIsNotNull(belief.value), nullptr, test);
}

// Instances of these guard themselves with a lock, or are written by one isolate while another counts them: to read
// their count would be a race.
bool FunctionEmitter::is_made_to_be_shared(TypeId type) const {
  auto found = m_.typed().nominals.find(m_.layout().strip(type));
  return found != m_.typed().nominals.end() && (found->second.is_shareable || found->second.is_lent);
}

// ---- What constructs believe -----------------------------------------------

// The class instances that a function is given: whoever called it may have been wrong about them.
void FunctionEmitter::believe_params() {
  if (!checks_facts() || f_.has_frame()) return;
  m_.set_fact_site(ir_, f_, f_.span);
  unsigned first = f_.environment.valid() ? 1 : 0;
  for (uint32_t i = 0; i < f_.param_count; ++i)
    if (!f_.locals[i].by_reference && m_.layout().kind(f_.locals[i].type) == Kind::Class)
      believe(Fact::ThisType, {.value = ir_->getArg(first + i), .type = f_.locals[i].type});
}

llvm::Value* FunctionEmitter::peek(const Operand& operand) {
  if (operand.kind == mir::OperandKind::Const) return constant(operand);
  if (operand.kind == mir::OperandKind::Ref) return address(operand.place);
  Location found = locate(operand.place);
  return found.value ? found.value : m_.load(b_, found.at, type_of(operand.place), found.tag);
}

// What an instruction believes before it is carried out.
void FunctionEmitter::believe_operands(const Inst& inst) {
  if (!checks_facts()) return;
  Fact fact = mir::fact_of(inst.op);
  switch (inst.op) {
    case Op::TakeSome: return believe(fact, {.value = peek(inst.args[0]), .type = inst.args[0].type});
    case Op::Unbox: {
      llvm::Value* held = peek(inst.args[0]);
      if (m_.layout().rep(inst.args[0].type).shape == Shape::Dyn) held = b_.CreateExtractValue(held, 0);
      TypeId type = inst.type.valid() ? inst.type : dst_type(inst);
      bool is_seen_whole = m_.layout().kind(type) == Kind::Any || m_.layout().kind(type) == Kind::Dyn;
      if (!is_seen_whole) believe(fact, {.value = held, .type = type, .is_boxed = true});
      return;
    }
    case Op::Reinterpret: {
      TypeId to = dst_type(inst);
      bool is_object =
          m_.layout().rep(to).shape == Shape::Object && m_.layout().rep(inst.args[0].type).shape == Shape::Object;
      if (is_object) believe(fact, {.value = peek(inst.args[0]), .type = to});
      return;
    }
    case Op::Assign: return believe_written(inst.dst);
    case Op::Call:
      for (const Operand& arg : inst.args)
        if (arg.kind == mir::OperandKind::Ref) believe_written(arg.place);
      return;
    default: return;
  }
}

// Fields are zero until a constructor sets them, module variables until their module has run.
void FunctionEmitter::believe_initialised(const Place& place, llvm::Value* loaded) {
  bool may_be_unset = place.path.empty() ? place.global.valid() : place.path.back().kind == mir::ProjectionKind::Field;
  if (checks_facts() && may_be_unset) believe(Fact::Initialised, {.value = loaded, .type = type_of(place)});
}

// What a const reaches is marked as soon as it is there, so that a write to it is seen; in a program with isolates the
// runtime does it later.
void FunctionEmitter::mark_const(const Place& place) {
  if (!checks_facts() || !place.global.valid() || !place.path.empty()) return;
  const typed::Global& global = m_.global_of(place.global);
  llvm::Constant* null = llvm::ConstantPointerNull::get(m_.layout().pointer_type());
  if (global.is_const && !m_.layout().is_plain(global.type))
    m_.visit_at(b_, m_.global(place.global), global.type, null, m_.runtime(RuntimeFunction::met_share_visit), null);
}

// Elements behind raw pointers, in the argument order of typed/intrinsics.def.
void FunctionEmitter::believe_memory(const Inst& inst, const std::vector<llvm::Value*>& args) {
  if (!checks_facts()) return;
  Fact fact = mir::fact_of(inst.intrinsic);
  llvm::Value* size = inst.type.valid() ? b_.getInt64(m_.layout().rep(inst.type).size) : nullptr;
  auto range = [&](size_t memory, llvm::Value* first, llvm::Value* count) {
    believe(fact, {.value = args[memory],
                   .first = b_.CreateMul(first, size),
                   .end = b_.CreateMul(b_.CreateAdd(first, count), size)});
  };
  auto writes = [&](size_t memory) {
    if (inst.args[memory].kind != mir::OperandKind::Const) believe_written(inst.args[memory].place);
  };
  llvm::Value* one = b_.getInt64(1);
  switch (inst.intrinsic) {
    case typed::Intrinsic::RawGet:
    case typed::Intrinsic::RawPeek:
    case typed::Intrinsic::RawTake: return range(0, args[1], one);
    case typed::Intrinsic::RawInit:
    case typed::Intrinsic::RawSet: writes(0); return range(0, args[1], one);
    case typed::Intrinsic::RawSwap:
      writes(0);
      range(0, args[1], one);
      return range(0, args[2], one);
    case typed::Intrinsic::RawMove:
      writes(0);
      range(0, args[1], args[3]);
      return range(0, args[2], args[3]);
    case typed::Intrinsic::RawCopyTo:
      writes(0);
      range(0, args[1], args[4]);
      return range(2, args[3], args[4]);
    case typed::Intrinsic::RawZero: writes(0); return range(0, args[1], args[2]);
    case typed::Intrinsic::RawDropAll: return range(0, args[1], args[2]);
    case typed::Intrinsic::RawEqualBytes: range(0, b_.getInt64(0), args[2]); return range(1, b_.getInt64(0), args[2]);
    case typed::Intrinsic::RefCount:
    case typed::Intrinsic::IsUnique:
      if (args[0]->getType()->isPointerTy()) believe(fact, {.value = args[0]});
      return;
    default: return;
  }
}

// The object that a write to the place changes.
void FunctionEmitter::believe_written(const Place& place) {
  if (!checks_facts() || place.path.empty()) return;
  Location found = locate(place);
  if (found.owner) believe(Fact::NotFrozen, {.value = found.owner, .type = found.owner_type});
}

}  // namespace meteor::llvm_ir
