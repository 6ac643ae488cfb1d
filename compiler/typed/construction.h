// `self` in `__init__` (reference: classes, "Making an object"): until every field has a value, its fields may be
// assigned and read back, and nothing else may be done with it. So nobody ever meets an object with a field that has no
// value.
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// The variable `self` as the object of `self.field`, which is allowed from the start; null: anything else.
Expr* own_field_object(BodyChecker& b, ast::Expr* object, Name member);
// A read of `self.field` before it has a value; an update and a `ref` argument read it too.
bool refuse_unset_field(BodyChecker& b, const Member& field, Span span);
// A use of `self` as a whole, in the constructor or in a function inside it. Reports and gives true while fields have
// no value.
bool refuse_unfinished_self(BodyChecker& b, Span span);
bool refuse_unfinished_self(BodyChecker& b, VariableId used,
                            Span span);  // if that variable is the constructor's `self`
// `self = …` in a constructor, which would leave the object that is being made.
bool refuse_assigning_self(BodyChecker& b, VariableId assigned, Span span);
// `super.__init__(…)` of this constructor may hand out `self`: then the fields that the base does not know must have
// their values.
bool refuse_early_base_init(BodyChecker& b, FunctionInfo* base_init, TypeId base, Span span);

// `super.__init__` anywhere but in `__init__` itself, where it may have run before, or where fields that it assigns
// have values: what it would replace is not dropped.
bool refuse_second_base_init(BodyChecker& b, const Overloads* base_init, TypeId base, Span span);
// `x.__init__(…)`: only making an object runs it.
bool refuse_init_call(BodyChecker& b, ast::MemberExpr* callee, ast::CallExpr* call);
// `super.__init__` of this constructor has run: all fields of the base have values.
void note_base_init(BodyChecker& b, TypeId base, Span span);
// At the end of a constructor: a base with an `__init__` of its own has it called on every path.
bool refuse_missing_base_init(BodyChecker& b);
// Whether `super.__init__` may have given the field a value on the way here.
bool base_may_have_set(BodyChecker& b, uint32_t field);
// The first call of `super.__init__` in a body; invalid: none.
Span find_base_init(ast::Block body);

}  // namespace meteor::typed
