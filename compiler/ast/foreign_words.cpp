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
    {"public", "pub", Statement},
    {"nil", "null", Name},
    {"NULL", "null", Name},
    {"nullptr", "null", Name},
    {"undefined", "null", Name},
    {"this", "self", Name},
    {"println", "print", Name},
    {"printf", "print", Name},
    {"puts", "print", Name},
    {"echo", "print", Name},
    {"isinstance", "is", Name},
    {"String", "str", Name},
    {"string", "str", Name},
    {"boolean", "bool", Name},
    {"Boolean", "bool", Name},
    {"integer", "int", Name},
    {"Integer", "int", Name},
    {"i64", "int", Name},
    {"u8", "uint8", Name},
    {"i32", "int32", Name},
    {"u32", "uint32", Name},
    {"u64", "uint64", Name},
    {"f64", "float", Name},
    {"f32", "float32", Name},
    {"usize", "int", Name},
    {"size_t", "int", Name},
    {"List", "list", Name},
    {"Dict", "dict", Name},
    {"Vec", "list", Name},
    {"Array", "list", Name},
    {"HashMap", "dict", Name},
    {"Map", "dict", Name},
    {"Exception", "Error", Name},
    {"BaseException", "Error", Name},
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
