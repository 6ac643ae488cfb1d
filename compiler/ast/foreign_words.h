// Words of other languages and what Meteor says instead.
#pragma once

#include <string_view>

namespace meteor::ast {

enum class ForeignKind : unsigned char {
  Literal,        // None, True, nil: a value written otherwise
  Declaration,    // let, var: left out before a name
  Function,       // fn, function: `def`
  Statement,      // throw, foreach: another word begins the statement
  Name,           // this, println: a name the checker does not find
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
