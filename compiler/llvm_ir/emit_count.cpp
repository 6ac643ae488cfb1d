// Counting: retain and release of a value of any type, inlined where it is a few instructions, through generated glue
// functions where it is not.
// Invariant: a class reference needs no test (immortal objects are never of a class the program can name, and counting one
// would only move a number that is never compared); texts are tested, because literals lie in read-only memory.
#include <algorithm>

#include "compiler/base/check.h"
#include "compiler/llvm_ir/module_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

namespace {

// Records with more counted parts than this are counted by a function.
constexpr int MAX_INLINE_PARTS = 3;

// Where other isolates may be changing the count the read is an atomic one; that costs nothing.
llvm::LoadInst* read_count(llvm::IRBuilderBase& b, llvm::Value* object, bool may_be_shared) {
  llvm::LoadInst* count = b.CreateLoad(b.getInt32Ty(), object);
  if (may_be_shared) count->setAtomic(llvm::AtomicOrdering::Monotonic);
  return count;
}

}  // namespace

void ModuleEmitter::note_retain(Builder& b) {
  if (!options_.report_counting) return;
  if (!retains_) {
    retains_ = new llvm::GlobalVariable(*module_, b.getInt64Ty(), false, llvm::GlobalValue::InternalLinkage, b.getInt64(0), "retains");
  }
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), retains_), b.getInt64(1)), retains_);
}

// An object that other isolates may hold too has the top bit in its count.
void ModuleEmitter::retain_object(Builder& b, llvm::Value* object, bool may_be_shared) {
  believe_alive(b, object);
  note_retain(b);
  llvm::Value* count = tags_.mark(read_count(b, object, may_be_shared), tags_.count());
  auto retain_own = [&] { tags_.mark(b.CreateStore(b.CreateAdd(count, b.getInt32(1)), object), tags_.count()); };
  if (!may_be_shared) return retain_own();
  emit_if_else(b, b.CreateICmpSGE(count, b.getInt32(0)), retain_own, [&] { call_runtime(b, RuntimeFunction::met_shared_retain, {object}); });
}

void ModuleEmitter::release_object(Builder& b, llvm::Value* object, bool may_be_shared) {
  believe_alive(b, object);
  llvm::Value* before = tags_.mark(read_count(b, object, may_be_shared), tags_.count());
  auto release_own = [&] {
    llvm::Value* count = b.CreateSub(before, b.getInt32(1));
    tags_.mark(b.CreateStore(count, object), tags_.count());
    emit_if(b, b.CreateICmpEQ(count, b.getInt32(0)), unlikely_, [&] { call_runtime(b, RuntimeFunction::met_object_drop, {object}); });
  };
  if (!may_be_shared) return release_own();
  emit_if_else(b, b.CreateICmpSGE(before, b.getInt32(0)), release_own, [&] { call_runtime(b, RuntimeFunction::met_shared_release, {object}); });
}

// A text that points to an object has a positive second word: small ones and null have the top bit, zeroed memory is 0.
// That is tested in place; the rest is a call, so that code which handles texts stays small.
void ModuleEmitter::count_text(Builder& b, llvm::Value* text, GlueKind kind) {
  emit_if(b, b.CreateICmpSGT(b.CreateExtractValue(text, 1), b.getInt64(0)), nullptr, [&] {
    llvm::Value* object = b.CreateIntToPtr(b.CreateExtractValue(text, 0), layout_.pointer_type());
    b.CreateCall(text_counter(kind), {object});
  });
}

llvm::Function* ModuleEmitter::text_counter(GlueKind kind) {
  llvm::Function*& function = kind == GlueKind::Retain ? text_retain_ : text_release_;
  if (function) return function;
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {layout_.pointer_type()}, false);
  function = make_function(type, kind == GlueKind::Retain ? "retain str" : "release str");
  function->addFnAttr(llvm::Attribute::NoInline);
  Builder b(llvm::BasicBlock::Create(context_, "entry", function));
  llvm::Value* object = function->getArg(0);
  believe_alive(b, object);
  if (shared_.has_isolates()) {
    if (kind == GlueKind::Retain) note_retain(b);
    call_runtime(b, kind == GlueKind::Retain ? RuntimeFunction::met_text_retain : RuntimeFunction::met_text_release, {object});
    b.CreateRetVoid();
    return function;
  }
  llvm::Value* count = b.CreateLoad(b.getInt32Ty(), object);
  emit_if(b, b.CreateICmpSGT(count, b.getInt32(0)), nullptr, [&] {   // not a literal
    if (kind == GlueKind::Retain) {
      note_retain(b);
      b.CreateStore(b.CreateAdd(count, b.getInt32(1)), object);
      return;
    }
    llvm::Value* less = b.CreateSub(count, b.getInt32(1));
    b.CreateStore(less, object);
    emit_if(b, b.CreateICmpEQ(less, b.getInt32(0)), nullptr, [&] { call_runtime(b, RuntimeFunction::met_object_drop, {object}); });
  });
  b.CreateRetVoid();
  return function;
}

// The same as in place, null test included.
llvm::Function* ModuleEmitter::object_release(bool may_be_shared) {
  llvm::Function*& function = object_releases_[may_be_shared];
  if (function) return function;
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {layout_.pointer_type()}, false);
  function = make_function(type, "release object");
  function->addFnAttr(llvm::Attribute::NoInline);
  Builder b(llvm::BasicBlock::Create(context_, "entry", function));
  llvm::Value* object = function->getArg(0);
  emit_if(b, b.CreateIsNotNull(object), nullptr, [&] { release_object(b, object, may_be_shared); });
  b.CreateRetVoid();
  return function;
}

llvm::Function* ModuleEmitter::text_release() {
  if (whole_text_release_) return whole_text_release_;
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {llvm::Type::getInt64Ty(context_), llvm::Type::getInt64Ty(context_)}, false);
  llvm::Function* function = whole_text_release_ = make_function(type, "release text");
  function->addFnAttr(llvm::Attribute::NoInline);
  Builder b(llvm::BasicBlock::Create(context_, "entry", function));
  emit_if(b, b.CreateICmpSGT(function->getArg(1), b.getInt64(0)), nullptr, [&] {
    b.CreateCall(text_counter(GlueKind::Release), {b.CreateIntToPtr(function->getArg(0), layout_.pointer_type())});
  });
  b.CreateRetVoid();
  return function;
}

bool ModuleEmitter::release_by_call(Builder& b, llvm::Value* value, const Rep& rep, bool shared) {
  switch (rep.shape) {
    case Shape::Text: b.CreateCall(text_release(), {b.CreateExtractValue(value, 0), b.CreateExtractValue(value, 1)}); return true;
    case Shape::Object: b.CreateCall(object_release(shared), {value}); return true;
    case Shape::Func: b.CreateCall(object_release(shared), {b.CreateExtractValue(value, 1)}); return true;
    case Shape::Dyn: b.CreateCall(object_release(shared), {b.CreateExtractValue(value, 0)}); return true;
    default: return false;
  }
}

void ModuleEmitter::retain(Builder& b, llvm::Value* value, TypeId type) {
  const Rep& rep = layout_.rep(type);
  if (rep.plain) return;
  bool shared = shared_.may_be_shared(type);
  auto when = [&](llvm::Value* condition, auto&& body) { emit_if(b, condition, nullptr, body); };
  switch (rep.shape) {
    case Shape::Text: count_text(b, value, GlueKind::Retain); break;
    case Shape::Object:
      if (rep.nullable) when(b.CreateIsNotNull(value), [&] { retain_object(b, value, shared); });
      else retain_object(b, value, shared);
      break;
    case Shape::BoxedEnum: {
      llvm::Value* word = b.CreatePtrToInt(value, b.getInt64Ty());
      when(b.CreateICmpUGE(word, b.getInt64(MET_ENUM_UNIT_LIMIT)), [&] { retain_object(b, value, shared); });
      break;
    }
    case Shape::Func: {
      llvm::Value* environment = b.CreateExtractValue(value, 1);
      when(b.CreateIsNotNull(environment), [&] { retain_object(b, environment, shared); });
      break;
    }
    case Shape::Dyn: {
      llvm::Value* object = b.CreateExtractValue(value, 0);
      if (rep.nullable) when(b.CreateIsNotNull(object), [&] { retain_object(b, object, shared); });
      else retain_object(b, object, shared);
      break;
    }
    case Shape::Weak:
      when(b.CreateIsNotNull(value), [&] {
        llvm::Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), value, offsetof(met_object, weak));
        if (shared_.has_isolates())  // one whose object is gone may have been left on both sides
          b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, at, b.getInt32(1), llvm::MaybeAlign(),
                            llvm::AtomicOrdering::Monotonic);
        else b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt32Ty(), at), b.getInt32(1)), at);
      });
      break;
    default: {
      llvm::Value* room = temporary(b, rep.memory);
      b.CreateStore(value, room);
      retain_at(b, room, type);
    }
  }
}

void ModuleEmitter::release(Builder& b, llvm::Value* value, TypeId type, bool maybe_zero) {
  const Rep& rep = layout_.rep(type);
  if (rep.plain) return;
  bool shared = shared_.may_be_shared(type);
  if (compact_ && release_by_call(b, value, rep, shared)) return;
  auto when = [&](llvm::Value* condition, auto&& body) { emit_if(b, condition, nullptr, body); };
  switch (rep.shape) {
    case Shape::Text: count_text(b, value, GlueKind::Release); break;
    case Shape::Object:
      if (rep.nullable || maybe_zero) when(b.CreateIsNotNull(value), [&] { release_object(b, value, shared); });
      else release_object(b, value, shared);
      break;
    case Shape::BoxedEnum: {
      llvm::Value* word = b.CreatePtrToInt(value, b.getInt64Ty());
      when(b.CreateICmpUGE(word, b.getInt64(MET_ENUM_UNIT_LIMIT)), [&] { release_object(b, value, shared); });
      break;
    }
    case Shape::Func: {
      llvm::Value* environment = b.CreateExtractValue(value, 1);
      when(b.CreateIsNotNull(environment), [&] { release_object(b, environment, shared); });
      break;
    }
    case Shape::Dyn: {
      llvm::Value* object = b.CreateExtractValue(value, 0);
      if (rep.nullable || maybe_zero) when(b.CreateIsNotNull(object), [&] { release_object(b, object, shared); });
      else release_object(b, object, shared);
      break;
    }
    case Shape::Weak: call_runtime(b, RuntimeFunction::met_weak_release, {value}); break;
    default: {
      llvm::Value* room = temporary(b, rep.memory);
      b.CreateStore(value, room);
      release_at(b, room, type, maybe_zero);
    }
  }
}

bool ModuleEmitter::is_wide(TypeId type) {
  const Rep& rep = layout_.rep(type);
  if (rep.shape == Shape::TaggedEnum) return true;
  if (rep.shape != Shape::Record) return false;
  int counted = 0;
  for (TypeId part : rep.parts) {
    if (layout_.is_plain(part)) continue;
    Shape shape = layout_.rep(part).shape;
    counted += shape == Shape::Record || shape == Shape::TaggedOptional ? MAX_INLINE_PARTS : 1;
  }
  return counted > MAX_INLINE_PARTS;
}

// retain/release of the value behind a pointer, as a function of its own.
llvm::Function* ModuleEmitter::glue(GlueKind kind, TypeId type) {
  type = layout_.strip(type);
  auto key = std::pair(kind, type.index);
  auto found = glue_.find(key);
  if (found != glue_.end()) return found->second;
  auto* function_type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {layout_.pointer_type()}, false);
  llvm::Function* function = make_function(function_type, (kind == GlueKind::Retain ? "retain " : "release ") + type_text(type));
  glue_[key] = function;
  Builder b(llvm::BasicBlock::Create(context_, "entry", function));
  count_parts_at(b, function->getArg(0), type, kind, true);
  b.CreateRetVoid();
  return function;
}

void ModuleEmitter::count_parts_at(Builder& b, llvm::Value* address, TypeId type, GlueKind kind, bool maybe_zero) {
  const Rep& rep = layout_.rep(type);
  auto count = [&](llvm::Value* at, TypeId part) {
    if (layout_.is_plain(part)) return;
    if (kind == GlueKind::Retain) retain_at(b, at, part);
    else release_at(b, at, part, maybe_zero);
  };
  switch (rep.shape) {
    case Shape::Record:
      for (unsigned i = 0; i < rep.parts.size(); ++i)
        if (!layout_.is_plain(rep.parts[i])) count(b.CreateStructGEP(rep.memory, address, i), rep.parts[i]);
      break;
    case Shape::TaggedOptional: {
      llvm::Value* present = b.CreateLoad(b.getInt8Ty(), address);
      emit_if(b, b.CreateICmpNE(present, b.getInt8(0)), nullptr, [&] { count(b.CreateStructGEP(rep.memory, address, 1), rep.parts[0]); });
      break;
    }
    case Shape::TaggedEnum: {
      llvm::Function* function = b.GetInsertBlock()->getParent();
      auto* done = llvm::BasicBlock::Create(context_, "done", function);
      auto* choice = b.CreateSwitch(b.CreateLoad(b.getInt32Ty(), address), done);
      for (uint32_t c = 0; c < rep.cases.size(); ++c) {
        const CaseLayout& layout = rep.cases[c];
        if (std::ranges::all_of(layout.parts, [&](TypeId part) { return layout_.is_plain(part); })) continue;
        auto* block = llvm::BasicBlock::Create(context_, "", function, done);
        choice->addCase(b.getInt32(c), block);
        b.SetInsertPoint(block);
        for (unsigned i = 0; i < layout.parts.size(); ++i)
          if (!layout_.is_plain(layout.parts[i])) count(payload_address(b, address, rep, c, i), layout.parts[i]);
        b.CreateBr(done);
      }
      b.SetInsertPoint(done);
      break;
    }
    default: CHECK(!"only aggregates have parts");
  }
}

void ModuleEmitter::retain_at(Builder& b, llvm::Value* address, TypeId type) {
  const Rep& rep = layout_.rep(type);
  if (rep.plain) return;
  if (is_wide(type)) b.CreateCall(glue(GlueKind::Retain, type), {address});
  else if (rep.shape == Shape::Record || rep.shape == Shape::TaggedOptional) count_parts_at(b, address, type, GlueKind::Retain, false);
  else retain(b, load(b, address, type), type);
}

void ModuleEmitter::release_at(Builder& b, llvm::Value* address, TypeId type, bool maybe_zero) {
  const Rep& rep = layout_.rep(type);
  if (rep.plain) return;
  if (is_wide(type)) b.CreateCall(glue(GlueKind::Release, type), {address});
  else if (rep.shape == Shape::Record || rep.shape == Shape::TaggedOptional) count_parts_at(b, address, type, GlueKind::Release, maybe_zero);
  else release(b, load(b, address, type), type, maybe_zero);
}

}  // namespace meteor::llvm_ir
