// Variables with a written type in a lifted instance (frozen.h). The type was written for plain values; what flows in
// here may be frozen. Then the variable's type becomes frozen at that place, and the body is checked once more.
// Each time more of a type is frozen, so this ends.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// What is written, with what this instance has found to be frozen.
TypeId annotated_type(BodyChecker& body, ast::TypeExpr* written);
// The written type of the variable in which this place, or the collection that it is part of, lies; null: none.
ast::TypeExpr* annotation_of(BodyChecker& body, Expr* place);
// Something that holds a frozen `given` goes where the variable's type says `wanted`. True when the body will be
// checked again for that; there is nothing to report then.
bool refine_annotation(BodyChecker& body, ast::TypeExpr* written, TypeId wanted, TypeId given);
// A new object where the variable's type has become frozen: frozen on the way in. Null for anything else.
Expr* freeze_new(BodyChecker& body, Expr* value, TypeId wanted);
// The body is to be checked again: what it says now does not count.
bool is_given_up(const BodyChecker& body);

// While it lives, what is converted goes into a variable with this written type.
class FillsAnnotation {
 public:
  FillsAnnotation(BodyChecker& body, ast::TypeExpr* written) : body_(body), outer_(body.filled_annotation_) {
    body.filled_annotation_ = written;
  }
  ~FillsAnnotation() { body_.filled_annotation_ = outer_; }
  FillsAnnotation(const FillsAnnotation&) = delete;
  FillsAnnotation& operator=(const FillsAnnotation&) = delete;

 private:
  BodyChecker& body_;
  ast::TypeExpr* outer_;
};

}  // namespace meteor::typed
