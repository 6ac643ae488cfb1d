// Frozen values. What is read through one is frozen too, and no conversion leads back, so no path leads to a write.
//
// A function that only reads a parameter takes frozen and plain values alike: called with a frozen one it is checked (and made) once more
// with that parameter frozen. Such an instance is "lifted". Whatever it would change is an error of that call, so what a function writes is
// found through any number of calls. The library's collections are seen as collections of frozen elements; which of their methods only read
// is found on their source (reads_only.h).
#pragma once

#include "compiler/typed/body.h"

namespace meteor::typed {

// What a value of this type is once it is frozen: itself, if it is immutable anyway.
TypeId frozen_type(Checker& c, TypeId type);
// A declared type with `frozen` wherever `given` has it, which is what fits it but for that.
TypeId with_frozen_parts(Checker& c, TypeId declared, TypeId given);
// Is it frozen, or an optional or tuple of something that is?
bool holds_frozen(Checker& c, TypeId type);
// Does `frozen` stand anywhere in it, but in a function's type?
bool mentions_frozen(Checker& c, TypeId type);
// Numbers, text and other immutable values: what is copied, and frozen as it is.
bool is_copied_type(Checker& c, TypeId type);
// Does the library's `list`, `dict`, `set`, `Deque` or `Buffer` hold this value's data?
bool is_collection(Checker& c, TypeId type);
// May a value of one of these kinds be reached from one of this type?
bool reaches(Checker& c, TypeId type, std::initializer_list<Kind> kinds);
// May it hold a channel or its like, which changes although it is frozen, or what may have captured one?
bool may_hold_shareable(Checker& c, TypeId type);
// What a frozen type is looked at as, to find what it has.
TypeId read_as(Checker& c, TypeId frozen);
// A frozen collection as its methods see it: `list<frozen T>` of `frozen list<T>`.
TypeId collection_view(Checker& c, TypeId collection);

inline bool is_frozen(BodyChecker& body, Expr* value) { return body.c.kind(value->type) == Kind::Frozen; }
TypeId thawed_type(Checker& c, TypeId type);   // T of `frozen T`; else the type

// The value as the type inside, for what looks only at the reference itself: identity, a type test, a field that becomes frozen again.
Expr* thaw(BodyChecker& body, Expr* value);
// `frozen int` and its like as what they are.
Expr* thaw_copied(BodyChecker& body, Expr* value);
// What is reached through a frozen value: frozen, unless it is immutable anyway.
Expr* freeze_part(BodyChecker& body, Expr* value);

// An argument that may be frozen, and in `wanted` what the parameter becomes for it: a frozen one, or for what the library only reads a
// collection of frozen elements.
Expr* lift_argument(BodyChecker& body, Expr* value, FunctionInfo* callee, size_t param, TypeId& wanted);
// The type a parameter declared as `wanted` has in the instance that takes a `given`; invalid when `given` is not frozen or does not fit.
TypeId lifted_param(Checker& c, TypeId wanted, TypeId given);
bool is_lifted(Checker& c, const Instance& instance);
// Of a lifted instance: what its declared result may be, best first.
std::vector<TypeId> lifted_results(Checker& c, TypeId declared);


// Reports a write to something frozen; `type` is the one inside.
void refuse_frozen_write(BodyChecker& body, TypeId type, Span span);
// The receiver of a library collection's method as that sees it; null after an error, when the method may change it.
Expr* receive_frozen_collection(BodyChecker& body, Expr* receiver, FunctionInfo* method, Span span);

}  // namespace meteor::typed
