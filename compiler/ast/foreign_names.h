// Names of other languages' libraries and what stands for them here, by the place where they are written.
#pragma once

#include <string>
#include <string_view>

namespace meteor::ast {

struct ForeignName {
  std::string_view word;
  std::string_view instead;      // what to write in its place; empty: nothing can simply replace it
  std::string_view advice = {};  // the help, where "write `instead`" says too little
};

// The text of a diagnostic's help for such a name. `object` is what stands for `{}` in the advice.
std::string help_for(const ForeignName& found, std::string_view object = "…");

// Each gives null when the word has no such meaning elsewhere.
const ForeignName* find_foreign_value(std::string_view word);      // `isinstance`, `RuntimeError`, `@lru_cache`
const ForeignName* find_foreign_type(std::string_view word);       // `number`, `Optional`
const ForeignName* find_foreign_module(std::string_view word);     // `import functools`
const ForeignName* find_foreign_member(std::string_view word);     // `xs.push`
// Of one type or module only: these come before the names that are near in spelling.
const ForeignName* find_foreign_member_of(std::string_view type, std::string_view word);
const ForeignName* find_foreign_function_of(std::string_view module, std::string_view word);

}  // namespace meteor::ast
