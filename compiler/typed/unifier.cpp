// Union by binding one variable to the other type; the trail lets could_unify
// take back what it bound.
#include "compiler/typed/unifier.h"

#include "compiler/base/check.h"

namespace meteor::typed {

using types::Kind;
using types::Type;
using types::VarId;

TypeId Unifier::fresh(Span origin) {
  vars_.push_back({TypeId(), origin});
  return types_.var(VarId(static_cast<uint32_t>(vars_.size() - 1)));
}

TypeId Unifier::shallow(TypeId type) {
  while (types_.kind(type) == Kind::Var) {
    TypeId bound = vars_[types_.get(type).var.index].bound;
    if (!bound.valid()) return type;
    type = bound;
  }
  return type;
}

TypeId Unifier::resolve(TypeId type) {
  if (!type.valid() || !types_.has_var(type)) return type;
  return types_.map_leaves(type, [&](TypeId leaf) {
    if (types_.kind(leaf) != Kind::Var) return leaf;
    TypeId known = shallow(leaf);
    return known == leaf ? leaf : resolve(known);
  });
}

VarId Unifier::root(VarId var) { return types_.get(shallow(types_.var(var))).var; }

bool Unifier::occurs(VarId var, TypeId type) {
  type = shallow(type);
  const Type& t = types_.get(type);
  if (t.kind == Kind::Var) return t.var == var;
  if (!types_.has_var(type)) return false;
  for (TypeId arg : t.args)
    if (occurs(var, arg)) return true;
  return false;
}

bool Unifier::unify(TypeId a, TypeId b) {
  bool done = unify_with_trail(a, b);
  trail_.clear();
  return done;
}

bool Unifier::could_unify(TypeId a, TypeId b) {
  bool done = unify_with_trail(a, b);
  for (VarId var : trail_) vars_[var.index].bound = TypeId();
  trail_.clear();
  return done;
}

bool Unifier::unify_with_trail(TypeId as_a, TypeId as_b) {
  TypeId a = shallow(as_a), b = shallow(as_b);
  if (a == b) return true;
  const Type& ta = types_.get(a);
  const Type& tb = types_.get(b);
  auto bind = [&](VarId var, TypeId to) {
    if (occurs(var, to)) return false;
    vars_[var.index].bound = to;
    trail_.push_back(var);
    return true;
  };
  // To the variable, not what it stands for: that one may say more (Checker::bounds_behind).
  if (ta.kind == Kind::Var) return bind(ta.var, as_b);
  if (tb.kind == Kind::Var) return bind(tb.var, as_a);
  if (ta.kind == Kind::Error || tb.kind == Kind::Error) return true;
  if (ta.kind != tb.kind || ta.args.size() != tb.args.size()) return false;
  if (ta.nominal != tb.nominal || ta.width != tb.width || ta.is_signed != tb.is_signed || ta.is_async != tb.is_async) return false;
  if (ta.kind == Kind::Param) return false;
  if (ta.modes != tb.modes) return false;
  if (ta.args.empty()) return false;
  for (size_t i = 0; i < ta.args.size(); ++i)
    if (!unify_with_trail(ta.args[i], tb.args[i])) return false;
  return true;
}

}  // namespace meteor::typed
