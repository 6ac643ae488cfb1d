#include "compiler/tokens/lex.h"

#include <gtest/gtest.h>

#include "compiler/tokens/print_tokens.h"

namespace meteor::tokens {

namespace {

struct Lexed {
  source::Sources sources;
  diagnostics::Sink sink;
  base::NameTable names;
  base::Arena arena;
  TokenList list;
  std::string text;

  explicit Lexed(std::string source) {
    source::FileId file = sources.add("a.met", std::move(source));
    list = lex(file, sources, sink, names, arena);
    text = print(list, file, sources);
  }

  std::string errors() const {
    std::string out;
    for (const auto& d : sink.all()) (out += out.empty() ? "" : " ") += name_of(d.code);
    return out;
  }
};

std::string lexed(std::string source) {
  Lexed result(std::move(source));
  EXPECT_EQ(result.errors(), "");
  return result.text;
}

std::string errors(std::string source) { return Lexed(std::move(source)).errors(); }

}  // namespace

TEST(Lex, Layout) {
  EXPECT_EQ(lexed("if a:\n    b\n\n    # c\n    d\ne\n"), "if a :\nINDENT b\nd\nDEDENT e\nEND\nown-line # c\n");
  EXPECT_EQ(lexed("a\n  b\n    c\nd"), "a\nINDENT b\nINDENT c\nDEDENT DEDENT d\nEND\n");
  EXPECT_EQ(lexed("a\n  b"), "a\nINDENT b\nDEDENT END\n");
  EXPECT_EQ(lexed(""), "END\n");
  EXPECT_EQ(lexed("\n\n  \n# only\n"), "END\nown-line # only\n");
  EXPECT_EQ(lexed("  a\nb\n"), "INDENT a\nDEDENT b\nEND\n");
}

TEST(Lex, LineEndsAndByteOrderMark) {
  EXPECT_EQ(lexed("\xEF\xBB\xBFif a:\r\n\tb\r\nc\r\n"), "if a :\nINDENT b\nDEDENT c\nEND\n");
  EXPECT_EQ(lexed("a\rb\r"), "a\nb\nEND\n");
  EXPECT_EQ(lexed("a = 1 + \\\n    2\nb"), "a = 1 + 2\nb\nEND\n");
  EXPECT_EQ(lexed("\"\"\"x\r\ny\"\"\""), "\"x\\ny\"\nEND\n");
}

TEST(Lex, BracketsJoinLines) {
  EXPECT_EQ(lexed("f(1,\n2, # two\n  [3\n])\nb"), "f ( 1 , 2 , [ 3 ] )\nb\nEND\ntrailing # two\n");
}

TEST(Lex, BracketsKnowTheirPartner) {
  Lexed result("f(a[0], {1})\n");
  const Token& open = result.list.tokens[1];
  EXPECT_EQ(result.list.tokens[open.literal].kind, TokenKind::RightParen);
  EXPECT_EQ(open.literal + 3, result.list.tokens.size());   // NEWLINE and END follow
}

TEST(Lex, AnonymousDefInBrackets) {
  EXPECT_EQ(lexed("f(def (x: int) -> int:\n    y = x\n    return y\n)\nz\n"),
            "f ( def ( x : int ) -> int :\nINDENT y = x\nreturn y\nDEDENT )\nz\nEND\n");
  EXPECT_EQ(lexed("f(1, def (x):\n        return x)\nz\n"), "f ( 1 , def ( x ) :\nINDENT return x\nDEDENT )\nz\nEND\n");
  EXPECT_EQ(lexed("f(\n    def (x)\n        if x:\n            a\n    , 2)\n"),
            "f ( def ( x )\nINDENT if x :\nINDENT a\nDEDENT DEDENT , 2 )\nEND\n");
  EXPECT_EQ(lexed("f(def (x): x,\n  3)\n"), "f ( def ( x ) : x , 3 )\nEND\n");
  EXPECT_EQ(lexed("f(def (x):\n    g(def (y):\n        return y\n    )\n)\nz"),
            "f ( def ( x ) :\nINDENT g ( def ( y ) :\nINDENT return y\nDEDENT )\nDEDENT )\nz\nEND\n");
}

TEST(Lex, Numbers) {
  EXPECT_EQ(lexed("42 0xff 0b101 0o17 1_000 0 00\n"), "42 255 5 15 1000 0 0\nEND\n");
  EXPECT_EQ(lexed("1.5 2e-3 1. .5 1_0.2_5 1e3\n"), "float:1.5 float:0.002 float:1 float:0.5 float:10.25 float:1000\nEND\n");
  EXPECT_EQ(lexed("18446744073709551615 18446744073709551616\n"), "18446744073709551615 too-big\nEND\n");
  EXPECT_EQ(lexed("1..5 1.max(2) x[1:2]\n"), "1 .. 5 1 . max ( 2 ) x [ 1 : 2 ]\nEND\n");
  EXPECT_EQ(lexed("250us 20ms 5s 3min 2h 1.5s 0.25ms 7ns\n"), "250000ns 20000000ns 5000000000ns 180000000000ns 7200000000000ns 1500000000ns 250000ns 7ns\nEND\n");
  EXPECT_EQ(errors("1abc\n"), "invalid-number");
  EXPECT_EQ(errors("0xg\n"), "invalid-number");
  EXPECT_EQ(errors("0b2\n"), "invalid-number");
  EXPECT_EQ(errors("0x\n"), "invalid-number");
  EXPECT_EQ(errors("1__0\n"), "invalid-number");
  EXPECT_EQ(errors("1_\n"), "invalid-number");
  EXPECT_EQ(errors("007\n"), "invalid-number");
  EXPECT_EQ(errors("99999999999999999h\n"), "invalid-number");
}

TEST(Lex, Strings) {
  EXPECT_EQ(lexed(R"("a" 'b' """c"d""" r"\n" b"e" rb'\x' "")" "\n"), "\"a\" \"b\" \"c\\\"d\" \"\\\\n\" b\"e\" b\"\\\\x\" \"\"\nEND\n");
  EXPECT_EQ(lexed(R"("\t\\\'\"\x41\u00e9\U0001F600\u{e9}\101\
")" "\n"), "\"\t\\\\'\\\"Aé😀éA\"\nEND\n");
  EXPECT_EQ(lexed("\"\"\"a\nb\"\"\"\n"), "\"a\\nb\"\nEND\n");
  EXPECT_EQ(errors("x = \"abc\ny\n"), "unterminated-string");
  EXPECT_EQ(errors("print(\"abc)\ny\n"), "unterminated-string");
  EXPECT_EQ(errors("if f(\"abc):\n    y\n"), "unterminated-string");
  EXPECT_EQ(errors("x = \"\"\"abc\ny\n"), "unterminated-string");
  EXPECT_EQ(errors("\"\\q\"\n"), "invalid-escape");
  EXPECT_EQ(errors("\"\\x4\"\n"), "invalid-escape");
  EXPECT_EQ(errors("\"\\ud800\"\n"), "invalid-escape");
  EXPECT_EQ(errors("b\"é\"\n"), "invalid-character");
}

TEST(Lex, FStrings) {
  EXPECT_EQ(lexed(R"(f"a{x}b{y:.2f}{{}}")" "\n"), "f\" \"a\" {{ x }} \"b\" {{ y :: \".2f\" }} \"{}\" \"f\nEND\n");
  EXPECT_EQ(lexed(R"(f"{x!r:>{w}}")" "\n"), "f\" {{ x !r :: \">\" {{ w }} }} \"f\nEND\n");
  EXPECT_EQ(lexed(R"(f"{d["k"]}{f"{1}"}")" "\n"), "f\" {{ d [ \"k\" ] }} {{ f\" {{ 1 }} \"f }} \"f\nEND\n");
  EXPECT_EQ(lexed(R"(f"{x != y}{x!}{x=}{ {1: 2}[1] }")" "\n"), "f\" {{ x != y }} {{ x ! }} {{ x = }} {{ { 1 : 2 } [ 1 ] }} \"f\nEND\n");
  EXPECT_EQ(lexed("f\"\"\"{\n x\n}\n\"\"\"\n"), "f\" {{ x }} \"\\n\" \"f\nEND\n");
  EXPECT_EQ(lexed("rf\"\\{x}\" f\"{f(\n1)}\"\n"), "f\" \"\\\\\" {{ x }} \"f f\" {{ f ( 1 ) }} \"f\nEND\n");
  EXPECT_EQ(errors("f\"{x\"\ny\n"), "unterminated-string");
  EXPECT_EQ(errors("print(f\"{x\")\ny\n"), "unterminated-string");
  EXPECT_EQ(errors("f\"{x:>3\"\ny\n"), "unterminated-string");
  EXPECT_EQ(errors("f\"{foo(x}\"\ny\n"), "unclosed-bracket");
  EXPECT_EQ(errors("f\"abc\ny\n"), "unterminated-string");
  EXPECT_EQ(errors("f\"}\"\n"), "unexpected-token");
}

TEST(Lex, Names) {
  EXPECT_EQ(lexed("größe 变量 _x1 assert default scope type\n"), "größe 变量 _x1 assert default scope type\nEND\n");
  Lexed result("def assert\n");
  EXPECT_EQ(result.list.tokens[0].kind, TokenKind::Def);
  EXPECT_EQ(result.list.tokens[1].kind, TokenKind::Ident);
}

TEST(Lex, Symbols) {
  EXPECT_EQ(lexed("a ?. b ?? c ?\?= d ! != -> .. ** **= // //= << <<= >> >>= &+ &- &* &+= && ||\n"),
            "a ?. b ?? c ?\?= d ! != -> .. ** **= // //= << <<= >> >>= &+ &- &* &+= && ||\nEND\n");
}

TEST(Lex, WhatIsNoToken) {
  EXPECT_EQ(errors("a $ b\n"), "invalid-character");
  EXPECT_EQ(errors("$$$$ `` \\ x\n"), "invalid-character invalid-character invalid-character");
  EXPECT_EQ(errors(std::string("a\0b\n", 4)), "invalid-character");
  EXPECT_EQ(errors("a = \"caf\xe9\"\nb = \xff\n"), "invalid-utf8");
  Lexed quotes("x = “a”\n");
  ASSERT_FALSE(quotes.sink.all().empty());
  EXPECT_EQ(quotes.sink.all()[0].edits[0].text, "\"");
}

TEST(Lex, Indentation) {
  EXPECT_EQ(errors("if a:\n        b\n\tc\n"), "mixed-tabs");
  EXPECT_EQ(errors("if a:\n\tb\n        c\n"), "mixed-tabs");
  EXPECT_EQ(errors("if a:\n\tif b:\n\t    c\n\td\n"), "");
  EXPECT_EQ(errors("if a:\n        b\n    c\n    d\ne\n"), "inconsistent-indent");
  EXPECT_EQ(Lexed("if a:\n    if b:\n        c\n       d\n    e\n").text, "if a :\nINDENT if b :\nINDENT c\nd\nDEDENT e\nDEDENT END\n");
}

TEST(Lex, BracketsAlwaysNest) {
  EXPECT_EQ(errors("f(1\ng = 2\n"), "unclosed-bracket");
  EXPECT_EQ(errors("f((1)\n\ndef g():\n    pass\n"), "unclosed-bracket");
  EXPECT_EQ(Lexed("f(1\ng = 2\n").text, "f ( 1 )\ng = 2\nEND\n");
  EXPECT_EQ(errors("f(1]\ng\n"), "unclosed-bracket");
  EXPECT_EQ(errors("f([1)\ng\n"), "unclosed-bracket");
  EXPECT_EQ(errors("f)\ng\n"), "unexpected-token");
  EXPECT_EQ(errors("f(1, [2\n"), "unclosed-bracket");
  EXPECT_EQ(lexed("f(1,\nif_ := 2)\n").substr(0, 3), "f (");
}

TEST(Lex, CommentsKeepTheirPlace) {
  Lexed result("a # one\n  # two\nb(# three\n)\n");
  ASSERT_EQ(result.list.comments.size(), 3u);
  EXPECT_FALSE(result.list.comments[0].own_line);
  EXPECT_EQ(result.list.comments[0].start, 2u);
  EXPECT_TRUE(result.list.comments[1].own_line);
  EXPECT_FALSE(result.list.comments[2].own_line);
}

}  // namespace meteor::tokens
