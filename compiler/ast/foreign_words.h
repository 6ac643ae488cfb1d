// Words of other languages' grammar and what Meteor says instead. Names of their libraries are in foreign_names.h.
#pragma once

#include <string_view>

namespace meteor::ast {

enum class ForeignKind : unsigned char {
  Literal,        // None, True, nil: a value written otherwise
  Declaration,    // let, var: left out before a name
  Function,       // fn, function: `def`
  Statement,      // throw, foreach: another word begins the statement
  Refused,        // go, package: `instead` is the help, and the line is given up
};

struct ForeignWord {
  std::string_view word;
  std::string_view instead;   // empty: left out
  ForeignKind kind;
};

// Null when the word has no such meaning elsewhere.
const ForeignWord* find_foreign_word(std::string_view word);
// None, True and False are never Meteor names; `nil` and the like may be.
const ForeignWord* find_foreign_literal(std::string_view word);

}  // namespace meteor::ast
