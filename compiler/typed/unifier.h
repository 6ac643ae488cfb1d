// Inference variables and unification. A variable stands for one type, found
// from any of its uses; binding is undone by nobody.
#pragma once

#include <functional>
#include <vector>

#include "compiler/typed/typed.h"
#include "compiler/types/types.h"

namespace meteor::typed {

class Unifier {
 public:
  explicit Unifier(types::TypeStore& types) : types_(types) {}

  TypeId fresh(Span origin = {});
  // The type with every bound variable replaced, at all depths.
  TypeId resolve(TypeId type);
  // Only the outermost constructor is made known.
  TypeId shallow(TypeId type);
  bool is_var(TypeId type) { return types_.kind(shallow(type)) == types::Kind::Var; }
  bool has_unbound(TypeId type) { return types_.has_var(resolve(type)); }
  // Makes the two equal if possible. On failure some inner variables may have been bound.
  bool unify(TypeId a, TypeId b);
  // What a variable was bound to, which may be another variable; invalid: nothing yet.
  TypeId next(TypeId var) const { return vars_[types_.get(var).var.index].bound; }
  // Could they be made equal? Binds nothing.
  bool could_unify(TypeId a, TypeId b);
  Span origin(types::VarId var) const { return vars_[var.index].origin; }
  // Of an unbound variable: the representative of its class.
  types::VarId root(types::VarId var);

 private:
  struct Var {
    TypeId bound;
    Span origin;
  };
  bool occurs(types::VarId var, TypeId type);
  bool unify_with_trail(TypeId as_a, TypeId as_b);
  types::TypeStore& types_;
  std::vector<Var> vars_;
  std::vector<types::VarId> trail_;
};

}  // namespace meteor::typed
