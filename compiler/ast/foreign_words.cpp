// The table of other languages' words.
#include "compiler/ast/foreign_words.h"

namespace meteor::ast {

namespace {

using enum ForeignKind;

constexpr ForeignWord WORDS[] = {
    {"None", "null", Literal},
    {"True", "true", Literal},
    {"False", "false", Literal},
    {"let", "", Declaration},
    {"var", "", Declaration},
    {"val", "", Declaration},
    {"auto", "", Declaration},
    {"mut", "", Declaration},
    {"fn", "def", Function},
    {"fun", "def", Function},
    {"func", "def", Function},
    {"function", "def", Function},
    {"except", "catch", Statement},
    {"match", "switch", Statement},
    {"elsif", "elif", Statement},
    {"elseif", "elif", Statement},
    {"throw", "raise", Statement},
    {"interface", "trait", Statement},
    {"protocol", "trait", Statement},
    {"foreach", "for", Statement},
    {"unless", "if not", Statement},
    {"until", "while not", Statement},
    {"delete", "del", Statement},
    {"include", "import", Statement},
    {"require", "import", Statement},
    {"using", "import", Statement},
    {"use", "import", Statement},
    {"public", "pub", Statement},
    {"go", "a task is started in a scope: `await scope as s:` and `s.spawn(f())`", Refused},
    {"package", "leave it out: a module has the name of its file", Refused},
    {"data", "leave it out: a class or struct gets its constructor from its fields", Refused},
    {"abstract", "leave it out: what a class must have is written as a `trait`", Refused},
};

}  // namespace

const ForeignWord* find_foreign_word(std::string_view word) {
  for (const ForeignWord& entry : WORDS) {
    if (entry.word == word) return &entry;
  }
  return nullptr;
}

const ForeignWord* find_foreign_literal(std::string_view word) {
  if (word.size() < 4 || word.size() > 5 || (word[0] != 'N' && word[0] != 'T' && word[0] != 'F')) return nullptr;
  const ForeignWord* entry = find_foreign_word(word);
  return entry != nullptr && entry->kind == Literal ? entry : nullptr;
}

}  // namespace meteor::ast
