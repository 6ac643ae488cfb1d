#include "compiler/llvm_ir/shared_types.h"

#include <set>
#include <utility>
#include <vector>

namespace meteor::llvm_ir {

using types::Kind;
using types::TypeId;

SharedTypes::SharedTypes(const mir::Program& program, bool as_if_isolates) : program_(program), has_isolates_(as_if_isolates || program.typed->starts_isolates()) {
  if (!has_isolates_) return;
  for (const typed::Global& global : program.typed->globals)
    if (global.is_const) add(global.type);
  for (uint32_t i = 0; i < program.types->size(); ++i)
    if (program.types->kind(TypeId(i)) == Kind::Frozen) add(program.types->arg(TypeId(i)));
  for (const auto& [type, nominal] : program.typed->nominals)
    if (nominal.is_shareable) shared_.insert(type);
  add_views();
  // An instance may be seen as one of a base class.
  bool grew = true;
  while (grew) {
    grew = false;
    for (const auto& [type, nominal] : program.typed->nominals)
      if (nominal.base.valid() && shared_.contains(type)) grew |= shared_.insert(nominal.base).second;
  }
}

// A `frozen list<T>` is seen as a `list<frozen T>` by what reads it.
void SharedTypes::add_views() {
  const types::TypeStore& types = *program_.types;
  auto plain = [&](TypeId type) {
    std::vector<TypeId> args;
    for (TypeId arg : types.get(type).args) {
      while (types.kind(arg) == Kind::Frozen || types.kind(arg) == Kind::Optional) arg = types.arg(arg);
      args.push_back(arg);
    }
    return std::pair(types.get(type).nominal, std::move(args));
  };
  std::vector<TypeId> found;
  do {
    std::set<std::pair<types::NominalId, std::vector<TypeId>>> shared;
    for (TypeId type : shared_)
      if (!types.get(type).args.empty()) shared.insert(plain(type));
    found.clear();
    for (const auto& [type, nominal] : program_.typed->nominals)
      if (!types.get(type).args.empty() && !shared_.contains(type) && shared.contains(plain(type))) found.push_back(type);
    for (TypeId type : found) add(type);
  } while (!found.empty());
}

void SharedTypes::add(TypeId type) {
  const types::Type& t = program_.types->get(type);
  switch (t.kind) {
    case Kind::Any: case Kind::Dyn: case Kind::Func: anything_ = true; return;
    case Kind::Class: case Kind::Struct: case Kind::Enum: break;
    default:
      for (TypeId arg : t.args) add(arg);
      return;
  }
  if (!shared_.insert(type).second) return;
  auto found = program_.typed->nominals.find(type);
  if (found == program_.typed->nominals.end()) return;
  const typed::Nominal& nominal = found->second;
  for (const typed::Field& field : nominal.fields) add(field.type);
  for (const typed::EnumCase& one : nominal.cases)
    for (const typed::Field& field : one.fields) add(field.type);
  for (TypeId arg : t.args) add(arg);
  for (const auto& [other, info] : program_.typed->nominals)
    if (info.base == type) add(other);
}

bool SharedTypes::may_be_shared(TypeId type) const {
  if (!has_isolates_) return false;
  auto wraps = [&](Kind kind) { return kind == Kind::Frozen || kind == Kind::Optional || kind == Kind::Weak; };
  while (wraps(program_.types->kind(type))) type = program_.types->arg(type);
  Kind kind = program_.types->kind(type);
  if (anything_ || kind == Kind::Any || kind == Kind::Dyn || kind == Kind::Func) return true;
  return shared_.contains(type);
}

}  // namespace meteor::llvm_ir
