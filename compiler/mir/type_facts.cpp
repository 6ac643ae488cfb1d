// Facts are computed on demand and remembered; a type that is asked about while its own answer is computed (a recursive
// class) counts as No there, which makes the whole the least fixpoint.
#include "compiler/mir/type_facts.h"

namespace meteor::mir {

using types::Kind;
using types::TypeId;

TypeFacts::TypeFacts(const typed::Program& program, const types::TypeStore& types) : program_(program), types_(types) {
  auto watch = [&](TypeId type) {
    if (types_.kind(type) != Kind::Weak) return;
    TypeId seen = types_.arg(type);
    while (types_.kind(seen) == Kind::Optional || types_.kind(seen) == Kind::Frozen) seen = types_.arg(seen);
    watched_[seen] = true;
    something_observable_ = true;
  };
  for (const auto& [type, nominal] : program_.nominals) {
    if ((nominal.del.valid() && !nominal.del_is_internal) || nominal.has_frame) something_observable_ = true;
    if (nominal.base.valid()) subclasses_[nominal.base].push_back(type);
    for (const typed::Field& field : nominal.fields) watch(field.type);
  }
}

bool TypeFacts::needs_drop(TypeId type) const {
  if (needs_drop_.size() <= type.index) needs_drop_.resize(type.index + 1, Unknown);
  Answer known = needs_drop_[type.index];
  if (known == Unknown) {
    needs_drop_[type.index] = Busy;
    known = compute_needs_drop(type);
    needs_drop_[type.index] = known;
  }
  return known == Yes;
}

bool TypeFacts::any_field(const typed::Nominal& nominal, bool (TypeFacts::*fact)(TypeId) const) const {
  for (const typed::Field& field : nominal.fields)
    if ((this->*fact)(field.type)) return true;
  for (const typed::EnumCase& c : nominal.cases)
    for (const typed::Field& field : c.fields)
      if ((this->*fact)(field.type)) return true;
  return false;
}

TypeFacts::Answer TypeFacts::compute_needs_drop(TypeId type) const {
  const types::Type& t = types_.get(type);
  auto any_arg = [&] {
    for (TypeId arg : t.args)
      if (needs_drop(arg)) return Yes;
    return No;
  };
  switch (t.kind) {
    case Kind::Str: case Kind::Bytes: case Kind::Any: case Kind::Class: case Kind::Func: case Kind::Dyn: case Kind::Weak:
    case Kind::Cell:
      return Yes;
    case Kind::Optional: case Kind::Tuple: case Kind::Frozen: return any_arg();
    case Kind::Struct: case Kind::Enum: {
      auto found = program_.nominals.find(type);
      if (found == program_.nominals.end()) return No;
      if (found->second.is_recursive) return Yes;
      return any_field(found->second, &TypeFacts::needs_drop) ? Yes : No;
    }
    default: return No;
  }
}

bool TypeFacts::drop_is_observable(TypeId type) const {
  if (!something_observable_) return false;
  if (observable_.size() <= type.index) observable_.resize(type.index + 1, Unknown);
  Answer known = observable_[type.index];
  if (known == Unknown) {
    observable_[type.index] = Busy;
    known = compute_observable(type);
    observable_[type.index] = known;
  }
  return known == Yes;
}

TypeFacts::Answer TypeFacts::compute_observable(TypeId type) const {
  const types::Type& t = types_.get(type);
  switch (t.kind) {
    case Kind::Any: case Kind::Func: case Kind::Dyn: return Yes;
    case Kind::Optional: case Kind::Tuple: case Kind::Frozen: case Kind::Cell: case Kind::RawPtr:
      for (TypeId arg : t.args)
        if (drop_is_observable(arg)) return Yes;
      return No;
    case Kind::Class: case Kind::Struct: case Kind::Enum: {
      auto found = program_.nominals.find(type);
      if (found == program_.nominals.end()) return No;
      if ((found->second.del.valid() && !found->second.del_is_internal) || found->second.has_frame || watched_.contains(type)) return Yes;
      for (TypeId base = found->second.base; base.valid();) {
        if (watched_.contains(base)) return Yes;
        auto up = program_.nominals.find(base);
        if (up == program_.nominals.end()) break;
        base = up->second.base;
      }
      if (any_field(found->second, &TypeFacts::drop_is_observable)) return Yes;
      auto subclasses = subclasses_.find(type);
      if (subclasses != subclasses_.end())
        for (TypeId subclass : subclasses->second)
          if (drop_is_observable(subclass)) return Yes;
      return No;
    }
    default: return No;
  }
}

bool TypeFacts::is_class_reference(TypeId type) const {
  Kind kind = types_.kind(type);
  if (kind == Kind::Optional || kind == Kind::Frozen) return types_.kind(types_.arg(type)) != Kind::Optional && is_class_reference(types_.arg(type));
  return kind == Kind::Class;
}

}  // namespace meteor::mir
