// A place that is assigned, resolved once: it can be read, then written.
#pragma once

#include <functional>
#include <vector>

#include "compiler/typed/body.h"

namespace meteor::typed {

// What happens between finding a place and writing it.
enum class Until : uint8_t {
  Written,   // nothing
  Updated,   // it is read
  CodeRan,   // it is read, and code of the user may run: what leads to the place is found once, before that
};

struct Target {
  enum Kind : uint8_t { None, Place, Item, Property } kind = None;   // None: reported already
  Expr* place = nullptr;             // Place: a variable, module variable or field
  Expr* object = nullptr;            // Item: written with `__setitem__`; Property: with the setter
  Name property;
  Expr* index = nullptr;
  TypeId type;                       // what it takes; invalid for Item
  Span span;
  bool is_weak = false;
  bool initializes = false;
  uint32_t own_field = UINT32_MAX;   // a field of self in `__init__`
  const char* why = nullptr;         // why it has this type
  Span why_span;
  std::vector<PlaceKey> relies_on;   // CodeRan: optional structs that it is part of, known not to be null when it was found
  // A struct inside a collection is changed as a copy, which these put back, last first.
  std::vector<std::function<void()>> write_back;
};

// Is this field or variable, which holds a struct, part of something frozen, or of a const?
bool lies_in_frozen(BodyChecker& body, Expr* place);

// A `local` is named: its first use in an isolate runs its initializer.
void use_local(BodyChecker& body, GlobalInfo* global, Span span);

// May code of the user run when this is evaluated?
bool may_run_code(BodyChecker& body, ast::Expr* expr);

// Objects and indexes are evaluated into temps where they must not be evaluated twice.
Target resolve_target(BodyChecker& body, ast::Expr* target, Until until);
// After the code that ran: false when it may have ended what the place relies on, which is reported.
bool is_still_there(BodyChecker& body, ast::Expr* written, Target& target);
Expr* load(BodyChecker& body, Target& target);
// The object that the place is part of goes into a temp: what others assign later does not move the place.
void find_object_once(BodyChecker& body, Expr*& place);
// The optional structs that a place is part of and that others could set to null while a callee has it by reference; outermost first.
std::vector<Expr*> shared_optionals(BodyChecker& body, Expr* place);
// `write`, if none of them is null any more.
void emit_unless_null(BodyChecker& body, std::span<Expr* const> optionals, Span span, const std::function<void()>& write);
void store(BodyChecker& body, Target& target, Expr* value, Span value_span);

}  // namespace meteor::typed
