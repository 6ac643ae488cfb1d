#include "compiler/mir/erased_types.h"

namespace meteor::mir {

using types::Kind;
using types::TypeId;

namespace {

std::string exactly(TypeId type) { return "=" + std::to_string(type.index); }

}  // namespace

const std::string& ErasedTypes::loose(TypeId type) {
  auto found = loose_.find(type);
  if (found != loose_.end()) return found->second;
  std::string made = make_loose(type);
  return loose_.emplace(type, std::move(made)).first->second;
}

const std::string& ErasedTypes::strict(TypeId type) {
  auto found = strict_.find(type);
  if (found != strict_.end()) return found->second;
  const types::Type& info = types_.get(type);
  bool is_instance = types_.is_nominal(type) && !info.args.empty();
  std::string made = is_instance ? "n" + std::to_string(info.nominal.index) + arguments(info) : exactly(type);
  return strict_.emplace(type, std::move(made)).first->second;
}

std::string ErasedTypes::make_loose(TypeId type) {
  const types::Type& info = types_.get(type);
  switch (info.kind) {
    case Kind::Class: return info.args.empty() ? layout_of_class(type) : strict(type);
    case Kind::Struct:
    case Kind::Enum: return strict(type);
    case Kind::Tuple:
    case Kind::Optional:
    case Kind::Weak:
    case Kind::Cell:
    case Kind::RawPtr: return "k" + std::to_string(static_cast<int>(info.kind)) + arguments(info);
    default: return exactly(type);
  }
}

std::string ErasedTypes::arguments(const types::Type& type) {
  std::string all = "(";
  for (TypeId arg : type.args) all += loose(arg) + ",";
  return all + ")";
}

// A reference to it may be read ahead of a test, so its size counts; what its references point to does not.
std::string ErasedTypes::layout_of_class(TypeId type) {
  auto found = program_.nominals.find(type);
  if (found == program_.nominals.end()) return exactly(type);
  const typed::Nominal& nominal = found->second;
  if (nominal.has_frame || nominal.is_pinned || nominal.is_shareable) return exactly(type);
  std::string layout = "c(";
  for (const typed::Field& field : nominal.fields) {
    TypeId at = field.type;
    while (types_.kind(at) == Kind::Optional && types_.kind(types_.arg(at)) == Kind::Class) at = types_.arg(at);
    Kind kind = types_.kind(at);
    layout += kind == Kind::Class || kind == Kind::Any || kind == Kind::Weak || kind == Kind::RawPtr || kind == Kind::Cell ? "p" : exactly(at);
  }
  return layout + ")";
}

}  // namespace meteor::mir
