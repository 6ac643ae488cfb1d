// Whatever the bytes, the parser ends with a tree and without a crash.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "compiler/ast/parsed.h"
#include "compiler/base/build_config.h"
#include "compiler/source/file_system.h"

namespace meteor::ast {

namespace {

std::string repeat(std::string_view text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (size_t i = 0; i < count; i++) out += text;
  return out;
}

std::vector<std::string> read_programs() {
  std::filesystem::path root = std::filesystem::path(base::SOURCE_STD_DIR).parent_path();
  source::DiskFileSystem disk;
  std::vector<std::string> texts;
  for (const char* folder : {"examples", "std", "tests/run"}) {
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator entry(root / folder, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() != ".met") continue;
      base::Result<std::string> text = disk.read(entry->path().string());
      if (text.ok()) texts.push_back(text.value());
    }
  }
  return texts;
}

// The tree can be walked whatever was parsed: printing touches every node.
void parse_and_walk(const std::string& text) {
  Parsed parsed(text);
  EXPECT_EQ(parsed.tree().find("<missing>"), std::string::npos) << text.substr(0, 3000);
}

}  // namespace

TEST(Robustness, DeepNestingIsOneMistake) {
  constexpr size_t N = 100'000;
  const std::pair<std::string, std::string> SHAPES[] = {
      {"x = " + repeat("(", N) + "1" + repeat(")", N), "paren"}, {"x = " + repeat("[", N) + repeat("]", N), "list"},
      {"x = " + repeat("{1: ", N) + "1" + repeat("}", N), "dict"}, {"x = " + repeat("f(", N) + repeat(")", N), "call"},
      {"x = " + repeat("-", N) + "1", "sign"}, {"x = " + repeat("not ", N) + "1", "not"}, {"x = " + repeat("await ", N) + "1", "await"},
      {"x = 1" + repeat(" + 1", N), "sum"}, {"x = 1" + repeat(" ** 1", N), "power"}, {"x = a" + repeat(" ?? a", N), "coalesce"},
      {"x = " + repeat("a if b else ", N) + "c", "ternary"}, {"x = " + repeat("a -> ", N) + "c", "lambda"}, {"x = f" + repeat("(1)", N), "calls"},
      {"x = f" + repeat(".a", N), "members"}, {"x = f" + repeat("!", N), "unwraps"}, {"x = a" + repeat(" and a", N), "and"},
      {"x: " + repeat("list<", N) + "int" + repeat(">", N), "type"}, {"x: " + repeat("(", N) + "int" + repeat(")", N), "tuple type"},
      {"x: " + repeat("dyn ", N) + "A", "dyn"}, {"x: " + repeat("func<> -> ", N) + "A", "func"},
      {"switch x:\n    case " + repeat("(", N) + "a" + repeat(")", N) + ": pass", "pattern"}, {"x = a is " + repeat("A(", N) + repeat(")", N), "is"},
      {"x = " + repeat("f\"{", N) + "1" + repeat("}\"", N), "f-string"}, {"x = f\"{a:" + repeat("{b:", N) + repeat("}", N) + "}\"", "format spec"},
      {"x = " + repeat("[*", N) + repeat("]", N), "star"}, {"x = " + repeat("[a for a in ", N) + repeat("]", N), "comprehension"},
      {"x = " + repeat("{**", N) + repeat("}", N), "double star"},
  };
  for (const auto& [text, name] : SHAPES) {
    Parsed parsed(text + "\nafter = 1\n");
    EXPECT_EQ(parsed.errors(), std::string(name == "pattern" ? "2" : "1") + " nesting-too-deep") << name;
    EXPECT_NE(parsed.tree().find("(= after 1)"), std::string::npos) << name;
  }
}

TEST(Robustness, DeepBlocksAreOneMistake) {
  for (const char* header : {"if x:", "class A:", "def f():", "while x:", "with x:", "shield:"}) {
    std::string text;
    for (size_t i = 0; i < 3000; i++) text += std::string(i, ' ') + header + "\n";
    text += std::string(3000, ' ') + "pass\nafter = 1\n";
    Parsed parsed(text);
    EXPECT_EQ(parsed.errors(), std::to_string(1001) + " nesting-too-deep") << header;
    EXPECT_NE(parsed.tree().find("(= after 1)"), std::string::npos) << header;
  }
}

// Long is not deep.
TEST(Robustness, LongListsAreFine) {
  EXPECT_EQ(Parsed("x = [" + repeat("1, ", 200'000) + "1]\n").errors(), "");
  EXPECT_EQ(Parsed("if x: y\n" + repeat("elif x: y\n", 50'000)).errors(), "");
  EXPECT_EQ(Parsed("x = 1" + repeat(" < 1", 1000) + "\n").errors(), "");
  EXPECT_EQ(Parsed("x = " + repeat("\"a\" ", 50'000) + "\n").errors(), "");
  EXPECT_EQ(Parsed("x = 1" + repeat(" + 1", 1500) + "\n").errors(), "");
  EXPECT_EQ(Parsed("x = \"" + std::string(10'000'000, 'a') + "\"\n").errors(), "");
}

// Each of these would take minutes if anything were quadratic.
TEST(Robustness, LinearTime) {
  constexpr size_t N = 100'000;
  for (const std::string& text :
       {"x = a" + repeat("<b", N), "x = a" + repeat("<b", N) + repeat(">", N) + "()", "x = [" + repeat("(", N) + repeat("]", N), "x = f\"{" + repeat("[", N) + repeat(")", N) + "}\"",
        repeat(")", N), repeat("$ a ", N), repeat("x = \"a\n", N), repeat("(\n", N), repeat("let ", N), repeat("@a\n", N), repeat("x = = 1\n", N), repeat("f(def (x):\n", N),
        repeat("f\"{", N), repeat("if x: ", N), repeat("\"\"\"a", N), repeat("await scope(", N), std::string(N, '\0'), std::string(N, '\xff'), repeat("\t \n", N)}) {
    parse_and_walk(text);
  }
}

TEST(Robustness, RandomBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; i++) {
    std::string text(random() % 3000, ' ');
    for (char& c : text) c = char(random());
    parse_and_walk(text);
  }
}

TEST(Robustness, RandomTokens) {
  constexpr std::string_view PIECES[] = {
      "(", ")", "[", "]", "{", "}", ":", ";", "\n", "\n    ", "\n        ", "if ", "def ", "class ", "x", "1", "\"", "f'", "<", ">", ",", "=", "->", "?", "!", ".", "..", "switch ", "case ",
      "lambda ", "async ", "await ", "spawn ", "scope", "enum ", "trait ", "impl ", "for ", "in ", "try", "catch", "as ", "is ", "not ", "+", "-", "*", "**", "@", "pub ", "extern ", "\"C\"",
      "import ", "from ", "0x", "5s", "1.5", "'''", "\\", "$", "|", "&", "%", "\t", "owned ", "ref ", "frozen ", "dyn ", "func", "weak ", "const ", "default", "else", "elif", "finally",
      "with ", "while ", "yield ", "return ", "defer ", "select", "shield", "unsafe", "type ", "local ", "del ", "assert ", "None", "new ", "let ", "print ", "match ", "#c\n", "super", "struct ", "_"};
  std::mt19937 random(2);
  for (int i = 0; i < 2000; i++) {
    std::string text;
    for (size_t n = random() % 200; n > 0; n--) text += PIECES[random() % std::size(PIECES)];
    parse_and_walk(text);
  }
}

TEST(Robustness, TruncatedPrograms) {
  std::vector<std::string> programs = read_programs();
  ASSERT_FALSE(programs.empty());
  size_t budget = 1000;   // prefixes in all; every file gets some
  size_t per_file = budget / programs.size() + 1;
  std::mt19937 random(3);
  for (const std::string& text : programs) {
    if (text.empty()) continue;
    size_t step = text.size() / per_file + 1;
    for (size_t length = random() % step; length < text.size(); length += step) {
      parse_and_walk(text.substr(0, length));
      parse_and_walk(text.substr(length));
    }
  }
}

TEST(Robustness, DamagedPrograms) {
  std::mt19937 random(4);
  for (const std::string& text : read_programs()) {
    if (text.empty()) continue;
    for (int i = 0; i < 4; i++) {
      std::string damaged = text;
      for (int edits = 0; edits < 3; edits++) {
        size_t at = random() % damaged.size();
        if (random() % 2 == 0) damaged.erase(at, 1 + random() % 10);
        else damaged.insert(at, 1, "()[]{}:\"'\n\t<>=,.#\\"[random() % 18]);
        if (damaged.empty()) break;
      }
      parse_and_walk(damaged);
    }
  }
}

}  // namespace meteor::ast
