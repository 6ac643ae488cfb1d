#include "compiler/llvm_ir/access_tags.h"

#include <llvm/IR/MDBuilder.h>

namespace meteor::llvm_ir {

using mir::TypeId;

AccessTags::AccessTags(const typed::Program& program, const types::TypeStore& types, llvm::LLVMContext& context)
    : program_(program),
      types_(types),
      context_(context),
      root_(llvm::MDBuilder(context).createTBAARoot("meteor")),
      raw_(make("element")),
      count_(make("count")),
      cell_(make("cell")),
      capture_(make("capture")),
      text_(make("text")),
      erased_(program, types) {}

llvm::MDNode* AccessTags::make(const std::string& name) {
  llvm::MDBuilder builder(context_);
  llvm::MDNode* type = builder.createTBAAScalarTypeNode(name, root_);
  return builder.createTBAAStructTagNode(type, type, 0);
}

// The same in every program, for the library's parts (object/units.h); types that have one name get one tag, and may then meet.
std::string AccessTags::owner_name(TypeId type) const {
  const types::Type& info = types_.get(type);
  if (!types_.is_nominal(type)) return types_.text(type);
  std::string name = types_.nominal_name(info.nominal).name;
  for (TypeId arg : info.args) name += types_.kind(arg) == types::Kind::Class ? " object" : " " + types_.text(arg);
  return name;
}

// An inherited field is the same field in every subclass: it belongs to the class that declares it.
llvm::MDNode* AccessTags::field(TypeId type, uint32_t index) {
  while (true) {
    auto found = program_.nominals.find(type);
    if (found == program_.nominals.end() || !found->second.base.valid()) break;
    auto base = program_.nominals.find(found->second.base);
    if (base == program_.nominals.end() || index >= base->second.fields.size()) break;
    type = found->second.base;
  }
  uint32_t owner = erased_.as_owner_of_fields(type);
  llvm::MDNode*& tag = fields_[{owner, index}];
  if (tag) return tag;
  auto found = program_.nominals.find(type);
  bool is_object = found != program_.nominals.end() && index < found->second.fields.size() && types_.kind(found->second.fields[index].type) == types::Kind::Class;
  tag = make((is_object ? OBJECT : FIELD) + owner_name(type) + "." + std::to_string(index));
  return tag;
}

llvm::MDNode* AccessTags::global(mir::GlobalId id) {
  llvm::MDNode*& tag = globals_[id.index];
  if (!tag) tag = make("global " + (id.index < program_.globals.size() ? program_.globals[id.index].symbol : "made by the compiler"));
  return tag;
}

}  // namespace meteor::llvm_ir
