// One mistake, one message; all mistakes of a file; what is right stays in the tree.
#include <gtest/gtest.h>

#include "compiler/ast/parsed.h"

namespace meteor::ast {

namespace {

std::string errors(std::string source) { return Parsed(std::move(source)).errors(); }
std::string tree(std::string source) { return Parsed(std::move(source)).tree(); }

// What the first diagnostic's edits make of the source.
std::string fixed(const std::string& source) {
  Parsed parsed(source);
  if (parsed.sink.all().empty()) return "no diagnostic";
  std::string out = source;
  auto edits = parsed.sink.all()[0].edits;
  for (size_t i = edits.size(); i-- > 0;) out.replace(edits[i].span.start, edits[i].span.end - edits[i].span.start, edits[i].text);
  return out;
}

}  // namespace

TEST(Recovery, AllMistakesAreReported) {
  EXPECT_EQ(errors("x = = 1\ny = 2\nz = (1 +)\nf(1 2, 3 4)\nclass:\n    a: int\n    b int\ndef g(:\n    pass\nw = 3 4\n"),
            "1 expected-expression, 3 expected-expression, 4 unexpected-token, 4 unexpected-token, 5 expected-name, 7 unexpected-token, 8 unclosed-bracket, 10 unexpected-token");
}

TEST(Recovery, WhatIsRightStays) {
  EXPECT_EQ(tree("a = 1\nb = = 2\nc = 3\n"), "(= a 1)\n(= b <error>)\n(= c 3)\n");
  EXPECT_EQ(tree("f(a, b c, d)\n"), "(call f a b d)\n");
  EXPECT_EQ(tree("if x = 1:\n    a\nb\n"), "(if x\n  a)\nb\n");
  EXPECT_EQ(tree("class A:\n    x: int\n    y + 1\n    def f(self): pass\n"), "(class A\n  (field x: int)\n  (field y: <error>)\n  (def f(self)\n    (pass)))\n");
}

TEST(Recovery, Headers) {
  EXPECT_EQ(errors("if x = 1:\n    a\n"), "1 unexpected-token");
  EXPECT_EQ(errors("while x y:\n    a\n    b\n"), "1 unexpected-token");
  EXPECT_EQ(errors("for x xs:\n    a\n"), "1 unexpected-token");
  EXPECT_EQ(errors("def f(x y):\n    a\n"), "1 unexpected-token");
  EXPECT_EQ(errors("def f\n    a\n"), "1 unexpected-token");
  EXPECT_EQ(errors("class A(B:\n    a: int\n"), "1 unclosed-bracket");
  EXPECT_EQ(errors("if f(x:\n    a\n"), "1 unclosed-bracket");
  EXPECT_EQ(errors("if x {\n    a\n}\nb\n"), "1 unexpected-token");
  EXPECT_EQ(errors("if x return 1\n"), "1 missing-colon");
  EXPECT_EQ(fixed("if x return 1\n"), "if x: return 1\n");
  EXPECT_EQ(errors("for x in xs print(x)\n"), "1 missing-colon");
  EXPECT_EQ(errors("fro x in xs:\n    a\n    b\nc\n"), "1 unexpected-token");
}

TEST(Recovery, Blocks) {
  EXPECT_EQ(errors("if x:\ny\n"), "2 expected-block");
  EXPECT_EQ(errors("def f():\n\ndef g(): pass\n"), "3 expected-block");
  EXPECT_EQ(errors("if x:"), "1 expected-block");
  EXPECT_EQ(errors("def f()\ng()\n"), "1 expected-block");
  EXPECT_EQ(errors("a\n    b\n    c\nd\n"), "2 unexpected-indent");
  EXPECT_EQ(errors("try:\n    a\nb\n"), "1 expected-block");
  EXPECT_EQ(errors("for x in y: if x: z\n"), "1 unexpected-token");
  EXPECT_EQ(errors("x\nelse:\n    a\nb\n"), "2 unexpected-token");
  EXPECT_EQ(errors("switch x:\n    a\n    case 1: b\n    c = 2\n"), "2 unexpected-token, 4 unexpected-token");
}

TEST(Recovery, UnfinishedInput) {
  EXPECT_EQ(errors("x ="), "1 expected-expression");
  EXPECT_EQ(errors("x."), "1 expected-name");
  EXPECT_EQ(errors("f("), "1 unclosed-bracket");
  EXPECT_EQ(errors("f(a, b\nc = 1\n"), "1 unclosed-bracket");
  EXPECT_EQ(errors("x = [1, 2\n\ndef f():\n    return 1\n"), "1 unclosed-bracket");
  EXPECT_EQ(errors("def f("), "1 unclosed-bracket, 1 expected-block");
  EXPECT_EQ(errors("import\nfrom x import\nfrom\n"), "1 expected-name, 2 expected-name, 3 expected-name");
  EXPECT_EQ(errors("x: list<int = 3\n"), "1 unexpected-token");
  EXPECT_EQ(errors("@\ndef f(): pass\n"), "1 expected-name");
  EXPECT_EQ(errors("@a\nx = 1\n"), "2 unexpected-token");
  EXPECT_EQ(errors("pub\n"), "1 unexpected-token");
}

TEST(Recovery, AssignmentTargets) {
  EXPECT_EQ(errors("f() = 1\n1 = 2\na + b = 3\na?.b = 4\n*a = 5\na, *b, *c = d\na == b = c\n(a, b) += 1\nx! = 2\nfor f() in x: pass\n"),
            "1 invalid-assignment-target, 2 invalid-assignment-target, 3 invalid-assignment-target, 4 invalid-assignment-target, 5 invalid-assignment-target, "
            "6 invalid-assignment-target, 7 invalid-assignment-target, 8 invalid-assignment-target, 9 invalid-assignment-target, 10 invalid-assignment-target");
}

TEST(Recovery, KeywordsAsNames) {
  EXPECT_EQ(errors("ref = 1\nprint(ref)\nref.x = ref + 1\n"), "1 unexpected-token");
  EXPECT_EQ(errors("def f(from: int, class): pass\n"), "1 unexpected-token, 1 unexpected-token");
  EXPECT_EQ(errors("class = 1\n"), "1 unexpected-token");
}

TEST(Recovery, SpecialMethodsNeedSelf) {
  EXPECT_EQ(errors("class A:\n    def __init__(): pass\n    def make() -> A: return A()\n    def __len__(x) -> int: return 1\n"), "2 expected-name, 4 expected-name");
  EXPECT_EQ(errors("class A:\n    def __init__"), "2 unexpected-token");
}

TEST(Recovery, FStrings) {
  EXPECT_EQ(errors("x = f\"{}\"\ny = f\"{a b}\" + f\"{c:}\"\n"), "1 expected-expression, 2 unexpected-token");
  EXPECT_EQ(errors("print(f\"{x\")\ny = 1\n"), "1 unterminated-string");
  EXPECT_EQ(errors("f(a b f\"{x}c{y}\", d)\ne\n"), "1 unexpected-token");
}

TEST(Recovery, OtherLanguages) {
  EXPECT_EQ(errors("x = None\ny = True\nz is None\n"), "1 python-spelling, 2 python-spelling, 3 python-spelling");
  EXPECT_EQ(fixed("x = None\n"), "x = null\n");
  EXPECT_EQ(fixed("a && b\n"), "a and b\n");
  EXPECT_EQ(fixed("a || b\n"), "a or b\n");
  EXPECT_EQ(fixed("if !a: pass\n"), "if not a: pass\n");
  EXPECT_EQ(fixed("i++\n"), "i += 1\n");
  EXPECT_EQ(fixed("i--\n"), "i -= 1\n");
  EXPECT_EQ(fixed("a === b\n"), "a == b\n");
  EXPECT_EQ(fixed("let x = 1\n"), "x = 1\n");
  EXPECT_EQ(fixed("let mut x = 1\n"), "x = 1\n");
  EXPECT_EQ(fixed("var x: int = 1\n"), "x: int = 1\n");
  EXPECT_EQ(fixed("fn f(x: int) -> int: return x\n"), "def f(x: int) -> int: return x\n");
  EXPECT_EQ(fixed("function f():\n    pass\n"), "def f():\n    pass\n");
  EXPECT_EQ(fixed("try: a\nexcept E as e: b\n"), "try: a\ncatch E as e: b\n");
  EXPECT_EQ(fixed("try: a\ncatch (A, B) as e: b\n"), "try: a\ncatch A | B as e: b\n");
  EXPECT_EQ(fixed("match x:\n    case 1: a\n"), "switch x:\n    case 1: a\n");
  EXPECT_EQ(fixed("if a: b\nelsif c: d\n"), "if a: b\nelif c: d\n");
  EXPECT_EQ(fixed("throw E()\n"), "raise E()\n");
  EXPECT_EQ(fixed("interface A:\n    def f(self)\n"), "trait A:\n    def f(self)\n");
  EXPECT_EQ(fixed("print \"a\", b\n"), "print(\"a\", b)\n");
  EXPECT_EQ(fixed("f = lambda a, b: a + b\n"), "f = (a, b) -> a + b\n");
  EXPECT_EQ(fixed("f = lambda a: a\n"), "f = a -> a\n");
  EXPECT_EQ(fixed("x = new A(1)\n"), "x = A(1)\n");
  EXPECT_EQ(fixed("x: list[int] = []\n"), "x: list<int> = []\n");
  EXPECT_EQ(fixed("x: int | None = null\n"), "x: int? = null\n");
  EXPECT_EQ(fixed("super().f()\n"), "super.f()\n");
  EXPECT_EQ(fixed("switch x:\n    case 1: a\n    else: b\n"), "switch x:\n    case 1: a\n    default: b\n");
  EXPECT_EQ(fixed("enum A:\n    case B\n"), "enum A:\n    B\n");
  EXPECT_EQ(errors("x = a ? b : c\n"), "1 python-spelling");
  EXPECT_EQ(errors("// comment\nx = 1\n"), "1 expected-expression");
  EXPECT_EQ(errors("xs.map(x => x + 1)\n"), "1 python-spelling");
  EXPECT_EQ(errors("if (x := f()): pass\n"), "");
  EXPECT_EQ(errors("if x := f(): pass\n"), "1 unexpected-token");
  EXPECT_EQ(errors("x := f()\n"), "1 python-spelling");
  EXPECT_EQ(errors("class A:\n    ...\n"), "2 python-spelling");
}

// The parser goes on with what was meant, so the words cost one message each.
TEST(Recovery, ForeignWordsAreUnderstood) {
  EXPECT_EQ(tree("try: a\nexcept E as e: b\nmatch x:\n    case None: c\nlet y = !z && w\n"),
            "(try\n  a\n  (catch E as e\n    b))\n(switch x\n  (case null\n    c))\n(= y (and (not z) w))\n");
}

TEST(Recovery, LexerAndParserAgreeOnOrder) {
  Parsed parsed("x = = 1\ny = \"abc\nz = $\n");
  EXPECT_EQ(parsed.errors(), "1 expected-expression, 2 unterminated-string, 3 invalid-character");
}

}  // namespace meteor::ast
