// Functions that walk what an object holds. Only programs made for the leak check or with several isolates have them.
#include <algorithm>

#include "compiler/llvm_ir/module_emitter.h"
#include "runtime/abi/abi.h"

namespace meteor::llvm_ir {

bool ModuleEmitter::has_raw_elements(TypeId field) {
  return layout_.kind(field) == types::Kind::RawPtr && !layout_.is_plain(types().arg(layout_.strip(field)));
}

llvm::Constant* ModuleEmitter::make_object_visit(const std::string& name, llvm::StructType* object, const std::vector<TypeId>& fields,
                                                 const std::vector<std::string_view>& names) {
  llvm::PointerType* pointer = layout_.pointer_type();
  bool nothing_inside = std::ranges::all_of(fields, [&](TypeId field) { return layout_.is_plain(field) && !has_raw_elements(field); });
  if (nothing_inside || !has_visits()) return llvm::ConstantPointerNull::get(pointer);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {pointer, pointer, pointer}, false);
  llvm::Function* visit = make_function(type, "visit " + name);
  Builder b(llvm::BasicBlock::Create(context_, "entry", visit));
  for (unsigned i = 0; i < fields.size(); ++i) {
    llvm::Value* address = b.CreateStructGEP(object, visit->getArg(0), Layout::HEADER_PARTS + i);
    llvm::Constant* field = c_string(i < names.size() ? names[i] : "");
    if (!layout_.is_plain(fields[i])) visit_at(b, address, fields[i], visit->getArg(1), visit->getArg(2), field);
    else if (has_raw_elements(fields[i])) visit_elements(b, object, fields, names, i, field);
  }
  b.CreateRetVoid();
  return visit;
}

// The library's containers keep elements in raw memory: `_len` of them (list), or `_used` entries of which those whose
// `_marks` are 0 have been removed (dict, set), or `_count` of them from `_head` on in a ring of `_room` (channels).
void ModuleEmitter::visit_elements(Builder& b, llvm::StructType* object, const std::vector<TypeId>& fields, const std::vector<std::string_view>& names,
                                   unsigned index, llvm::Constant* field) {
  auto find = [&](std::string_view name) { return static_cast<size_t>(std::ranges::find(names, name) - names.begin()); };
  size_t count_at = find("_len");
  size_t marks_at = names.size();
  if (count_at == names.size()) {
    count_at = find("_used");
    marks_at = find("_marks");
  }
  size_t head_at = names.size();
  if (count_at == names.size()) {
    count_at = find("_count");
    head_at = find("_head");
  }
  if (count_at == names.size()) return;
  llvm::Function* visit = b.GetInsertBlock()->getParent();
  auto read = [&](size_t at) {
    return load(b, b.CreateStructGEP(object, visit->getArg(0), Layout::HEADER_PARTS + static_cast<unsigned>(at)), fields[at]);
  };
  llvm::Value* count = read(count_at);
  llvm::Value* marks = marks_at < names.size() ? read(marks_at) : nullptr;
  llvm::Value* head = head_at < names.size() ? read(head_at) : nullptr;
  llvm::Value* last = head ? b.CreateSub(read(find("_room")), b.getInt64(1)) : nullptr;
  llvm::Value* elements = read(index);
  TypeId element = types().arg(layout_.strip(fields[index]));

  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(context_, "elements", visit);
  auto* body = llvm::BasicBlock::Create(context_, "", visit);
  auto* done = llvm::BasicBlock::Create(context_, "", visit);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  auto* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(b.getInt64(0), before);
  b.CreateCondBr(b.CreateICmpSLT(i, count), body, done);
  b.SetInsertPoint(body);
  auto visit_one = [&] {
    llvm::Value* slot = head ? b.CreateAnd(b.CreateAdd(head, i), last) : i;
    llvm::Value* at = b.CreateInBoundsGEP(layout_.rep(element).memory, elements, slot);
    visit_at(b, at, element, visit->getArg(1), visit->getArg(2), field);
  };
  if (marks) {
    llvm::Value* mark = b.CreateLoad(b.getInt32Ty(), b.CreateInBoundsGEP(b.getInt32Ty(), marks, i));
    emit_if(b, b.CreateICmpNE(mark, b.getInt32(0)), nullptr, visit_one);
  } else {
    visit_one();
  }
  i->addIncoming(b.CreateAdd(i, b.getInt64(1)), b.GetInsertBlock());
  b.CreateBr(loop);
  b.SetInsertPoint(done);
}

void ModuleEmitter::visit_at(Builder& b, llvm::Value* address, TypeId type, llvm::Value* context, llvm::Value* visit, llvm::Constant* field) {
  const Rep& rep = layout_.rep(type);
  if (rep.plain) return;
  auto* visit_type = llvm::FunctionType::get(b.getVoidTy(), {layout_.pointer_type(), layout_.pointer_type(), layout_.pointer_type()}, false);
  auto call = [&](llvm::Value* object, llvm::Value* condition) {
    emit_if(b, condition, nullptr, [&] { b.CreateCall(visit_type, visit, {context, object, field}); });
  };
  switch (rep.shape) {
    case Shape::Weak: {
      llvm::Value* object = load(b, address, type);
      llvm::Value* marked = b.CreateIntToPtr(b.CreateOr(b.CreatePtrToInt(object, b.getInt64Ty()), b.getInt64(MET_VISIT_WEAK)), layout_.pointer_type());
      call(marked, b.CreateIsNotNull(object));
      break;
    }
    case Shape::Text: {
      llvm::Value* value = load(b, address, type);
      llvm::Value* object = b.CreateIntToPtr(b.CreateExtractValue(value, 0), layout_.pointer_type());
      call(object, b.CreateICmpSGT(b.CreateExtractValue(value, 1), b.getInt64(0)));
      break;
    }
    case Shape::Object: {
      llvm::Value* object = load(b, address, type);
      call(object, b.CreateIsNotNull(object));
      break;
    }
    case Shape::BoxedEnum: {
      llvm::Value* object = load(b, address, type);
      call(object, b.CreateICmpUGE(b.CreatePtrToInt(object, b.getInt64Ty()), b.getInt64(MET_ENUM_UNIT_LIMIT)));
      break;
    }
    case Shape::Func:
    case Shape::Dyn: {
      llvm::Value* object = b.CreateExtractValue(load(b, address, type), rep.shape == Shape::Func ? 1 : 0);
      call(object, b.CreateIsNotNull(object));
      break;
    }
    case Shape::Record:
      for (unsigned i = 0; i < rep.parts.size(); ++i) visit_at(b, b.CreateStructGEP(rep.memory, address, i), rep.parts[i], context, visit, field);
      break;
    case Shape::TaggedOptional: {
      llvm::Value* present = b.CreateLoad(b.getInt8Ty(), address);
      emit_if(b, b.CreateICmpNE(present, b.getInt8(0)), nullptr,
              [&] { visit_at(b, b.CreateStructGEP(rep.memory, address, 1), rep.parts[0], context, visit, field); });
      break;
    }
    case Shape::TaggedEnum:
      for (uint32_t c = 0; c < rep.cases.size(); ++c) {
        llvm::Value* tag = b.CreateLoad(b.getInt32Ty(), address);
        emit_if(b, b.CreateICmpEQ(tag, b.getInt32(c)), nullptr, [&] {
          for (unsigned i = 0; i < rep.cases[c].parts.size(); ++i)
            visit_at(b, payload_address(b, address, rep, c, i), rep.cases[c].parts[i], context, visit, field);
        });
      }
      break;
    default: break;
  }
}

}  // namespace meteor::llvm_ir
