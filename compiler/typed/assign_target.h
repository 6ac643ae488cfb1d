// A place that is assigned, resolved once: it can be read, then written.
#pragma once

#include <functional>
#include <vector>

#include "compiler/typed/body.h"

namespace meteor::typed {

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
  // A struct inside a collection is changed as a copy, which these put back, last first.
  std::vector<std::function<void()>> write_back;
};

// Is this field or variable, which holds a struct, part of something frozen, or of a const?
bool lies_in_frozen(BodyChecker& body, Expr* place);

// A `local` is named: its first use in an isolate runs its initializer.
void use_local(BodyChecker& body, GlobalInfo* global, Span span);

// `read_too`: objects and indexes are evaluated into temps where they must not be evaluated twice.
Target resolve_target(BodyChecker& body, ast::Expr* target, bool read_too);
Expr* load(BodyChecker& body, Target& target);
void store(BodyChecker& body, Target& target, Expr* value, Span value_span);

}  // namespace meteor::typed
