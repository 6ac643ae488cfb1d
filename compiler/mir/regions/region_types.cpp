#include "compiler/mir/regions/region_types.h"

#include <algorithm>
#include <unordered_set>

namespace meteor::mir {

using types::Kind;

RegionTypes::RegionTypes(const Program& program, Others others, TypeId target)
    : program_(program), types_(*program.types), others_(others), target_(target) {
  for (const auto& [type, nominal] : program.typed->nominals) {
    if (nominal.base.valid()) subclasses_[nominal.base].push_back(type);
    has_del_ |= nominal.del.valid() && !nominal.del_is_internal;
    for (const typed::Field& field : nominal.fields) {
      TypeId seen = field.type;
      if (types_.kind(seen) != Kind::Weak) continue;
      for (seen = types_.arg(seen); types_.kind(seen) == Kind::Optional || types_.kind(seen) == Kind::Frozen;)
        seen = types_.arg(seen);
      watched_.insert(seen);
    }
  }
}

const typed::Nominal* RegionTypes::nominal(TypeId type) const {
  auto found = program_.typed->nominals.find(type);
  return found == program_.typed->nominals.end() ? nullptr : &found->second;
}

bool RegionTypes::is_shareable(TypeId type) const {
  while (types_.kind(type) == Kind::Optional) type = types_.arg(type);
  const typed::Nominal* found = types_.kind(type) == Kind::Class ? nominal(type) : nullptr;
  return found && found->is_shareable;
}

bool RegionTypes::is_frozen(TypeId type) const {
  while (types_.kind(type) == Kind::Optional) type = types_.arg(type);
  return types_.kind(type) == Kind::Frozen;
}

// Whether `has` holds for the type or for anything that its values may lead to, not looking into what isolates share.
template <typename F>
bool RegionTypes::any_part(TypeId root, F&& has) const {
  std::unordered_set<TypeId> seen{root};
  std::vector<TypeId> open{root};
  auto add = [&](TypeId type) {
    if (type.valid() && seen.insert(type).second) open.push_back(type);
  };
  while (!open.empty()) {
    TypeId type = open.back();
    open.pop_back();
    if (has(type)) return true;
    const types::Type& t = types_.get(type);
    switch (t.kind) {
      case Kind::Optional: case Kind::Tuple: case Kind::RawPtr: case Kind::Cell:
        for (TypeId arg : t.args) add(arg);
        break;
      case Kind::Class: case Kind::Struct: case Kind::Enum: {
        const typed::Nominal* found = nominal(type);
        if (!found || found->is_shareable) break;
        for (const typed::Field& field : found->fields) add(field.type);
        for (const typed::EnumCase& one : found->cases)
          for (const typed::Field& field : one.fields) add(field.type);
        for (TypeId arg : t.args) add(arg);
        if (auto below = subclasses_.find(type); below != subclasses_.end())
          for (TypeId subclass : below->second) add(subclass);
        break;
      }
      default: break;
    }
  }
  return false;
}

bool RegionTypes::can_alias(TypeId type) const {
  auto [known, is_new] = alias_.try_emplace(type, false);
  if (is_new)
    known->second = any_part(type, [&](TypeId part) { return target_.valid() ? is_target(part) || may_hide_target(part) : can_change(part); });
  return known->second;
}

bool RegionTypes::can_change(TypeId part) const {
  const typed::Nominal* found = nominal(part);
  switch (types_.kind(part)) {
    case Kind::Any: case Kind::Func: case Kind::Dyn: case Kind::Weak: case Kind::Cell: return true;
    case Kind::RawPtr: return others_ == Others::Tasks;
    case Kind::Class: return !found || !found->is_shareable;
    case Kind::Struct: case Kind::Enum: return !found || found->is_recursive;
    default: return false;
  }
}

// An object of a class is one of its bases too.
bool RegionTypes::is_target(TypeId type) const {
  if (!target_.valid() || type == target_) return true;
  if (types_.kind(type) == Kind::RawPtr && types_.kind(target_) == Kind::RawPtr) return types_.arg(type) == types_.arg(target_);
  if (types_.kind(target_) != Kind::Class) return false;
  for (const typed::Nominal* found = nominal(type); found && found->base.valid(); found = nominal(found->base))
    if (found->base == target_) return true;
  return false;
}

// Parts whose type does not tell what they hold.
bool RegionTypes::may_hide_target(TypeId part) const {
  const typed::Nominal* found = nominal(part);
  switch (types_.kind(part)) {
    case Kind::Any: case Kind::Func: case Kind::Dyn: case Kind::Weak: return true;
    case Kind::Class: return !found || found->has_frame;
    case Kind::Struct: case Kind::Enum: return !found;
    default: return false;
  }
}

bool RegionTypes::runs_code(TypeId type) const {
  if (!has_del_ || !can_alias(type)) return false;
  auto [known, is_new] = runs_code_.try_emplace(type, false);
  if (is_new)
    known->second = any_part(type, [&](TypeId part) {
      Kind kind = types_.kind(part);
      if (kind == Kind::Any || kind == Kind::Dyn || kind == Kind::Func) return true;
      const typed::Nominal* found = kind == Kind::Class ? nominal(part) : nullptr;
      return found && found->del.valid() && !found->del_is_internal;
    });
  return known->second;
}

bool RegionTypes::ends_visibly(TypeId type) const {
  auto [known, is_new] = ends_visibly_.try_emplace(type, false);
  if (is_new)
    known->second = any_part(type, [&](TypeId part) {
      const typed::Nominal* found = types_.kind(part) == Kind::Class ? nominal(part) : nullptr;
      if (!found) return false;
      if ((found->del.valid() && !found->del_is_internal) || found->has_frame) return true;
      for (TypeId seen = part; found; seen = found->base, found = seen.valid() ? nominal(seen) : nullptr)
        if (watched_.contains(seen)) return true;
      return false;
    });
  return known->second;
}

TypeId RegionTypes::obstacle(TypeId type) const {
  auto [known, is_new] = obstacles_.try_emplace(type);
  if (is_new)
    any_part(type, [&](TypeId part) {
      Kind kind = types_.kind(part);
      const typed::Nominal* found = kind == Kind::Class || kind == Kind::Struct || kind == Kind::Enum ? nominal(part) : nullptr;
      bool stops = kind == Kind::Any || kind == Kind::Dyn || kind == Kind::Func || kind == Kind::Weak || (found && (found->is_shareable || found->is_pinned || found->has_frame));
      if (stops) known->second = part;
      return stops;
    });
  return known->second;
}

}  // namespace meteor::mir
