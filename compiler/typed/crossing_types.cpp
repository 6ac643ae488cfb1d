// Types as isolates see them: which belong to the isolate that made them, and whose values several may hold at once.
#include <algorithm>

#include "compiler/typed/checker.h"

namespace meteor::typed {

bool Checker::is_pinned(TypeId type) {
  constexpr int BASES_MAX = 100;
  for (int steps = 0; type.valid() && steps < BASES_MAX; ++steps, type = base_of(type)) {
    NominalInfo* info = nominal_info(type);
    if (!info) return false;
    if (info->is_pinned) return true;
    if (!info->is_shareable) continue;
    return info->gives_to_many && !std::ranges::all_of(types.get(unifier.shallow(type)).args, [&](TypeId arg) { return may_be_held_by_many(arg); });
  }
  return false;
}

bool Checker::may_be_held_by_many(TypeId type) {
  type = resolve(type);
  const types::Type t = types.get(type);
  switch (t.kind) {
    case Kind::Bool: case Kind::Int: case Kind::Float: case Kind::Str: case Kind::Bytes: case Kind::Null: case Kind::Frozen: case Kind::Error: return true;
    case Kind::Tuple: case Kind::Optional: return std::ranges::all_of(t.args, [&](TypeId arg) { return may_be_held_by_many(arg); });
    case Kind::Class: return nominal_info(type)->is_shareable && !is_pinned(type);
    case Kind::Enum: if (is_recursive_enum(type)) return false; [[fallthrough]];   // its boxes are counted here
    case Kind::Struct: {
      NominalInfo* info = nominal_info(type);
      ensure_fields(info);
      Subst subst = arguments_of(type);
      auto fits = [&](const FieldInfo& f) { return may_be_held_by_many(apply(f.type, subst)); };
      return std::ranges::all_of(info->fields, fits) && std::ranges::all_of(info->cases, [&](const CaseInfo& one) { return std::ranges::all_of(one.fields, fits); });
    }
    default: return false;
  }
}

}  // namespace meteor::typed
