#include "compiler/diagnostics/render.h"

#include <gtest/gtest.h>

namespace meteor::diagnostics {

namespace {

struct Fixture {
  source::Sources sources;
  source::FileId file;
  Sink sink;

  explicit Fixture(std::string text) { file = sources.add("a.met", std::move(text)); }

  // The `nth` occurrence of `what`.
  source::Span find(std::string_view what, int nth = 0) {
    size_t at = sources.text(file).find(what);
    while (nth-- > 0) at = sources.text(file).find(what, at + 1);
    return {file, uint32_t(at), uint32_t(at + what.size())};
  }
};

}  // namespace

TEST(RenderText, PointsAtTheSource) {
  Fixture f("x = 1\nname = wrong + x\n");
  f.sink.report(Code::UnexpectedToken, f.find("wrong"), "no such name").label = "not declared";
  EXPECT_EQ(render_text(f.sink.all()[0], f.sources),
            "error[unexpected-token]: no such name\n"
            " --> a.met:2:8\n"
            "  |\n"
            "2 | name = wrong + x\n"
            "  |        ^^^^^ not declared\n");
}

TEST(RenderText, ShowsExpectedFoundNotesAndHelp) {
  Fixture f("x: int = \"a\"\n");
  Diagnostic& d = f.sink.report(Code::UnexpectedToken, f.find("\"a\""), "the types differ");
  d.expected = "int";
  d.found = "str";
  d.notes.push_back("a note\nof two lines");
  d.labels.push_back({f.find("int"), "because of this"});
  d.help = "convert it";
  EXPECT_EQ(render_text(d, f.sources),
            "error[unexpected-token]: the types differ\n"
            " --> a.met:1:10\n"
            "  |\n"
            "1 | x: int = \"a\"\n"
            "  |    ---   ^^^\n"
            "  |    |\n"
            "  |    because of this\n"
            "  |\n"
            "  = expected: int\n"
            "  =    found: str\n"
            "  = note: a note\n"
            "          of two lines\n"
            "  = help: convert it\n");
}

TEST(RenderText, ShowsTheEditedLine) {
  Fixture f("try: x\nexcept E: y\n");
  Diagnostic& d = f.sink.report(Code::PythonSpelling, f.find("except"), "m");
  d.help = "write `catch`";
  d.edits.push_back({f.find("except"), "catch"});
  EXPECT_EQ(render_text(d, f.sources),
            "error[python-spelling]: m\n"
            " --> a.met:2:1\n"
            "  |\n"
            "2 | except E: y\n"
            "  | ^^^^^^\n"
            "help: write `catch`\n"
            "  |\n"
            "2 | catch E: y\n"
            "  | ~~~~~\n");
}

TEST(RenderText, ShowsALineThatIsPutBeforeAnother) {
  Fixture f("def f():\n    n += 1\n");
  Diagnostic& d = f.sink.report(Code::UnassignedVariable, f.find("n +="), "m");
  d.help = "write `nonlocal n`";
  source::Span start = f.find("n +=");
  start.end = start.start;
  d.edits.push_back({start, "nonlocal n\n    "});
  EXPECT_EQ(render_text(d, f.sources),
            "error[unassigned-variable]: m\n"
            " --> a.met:2:5\n"
            "  |\n"
            "2 |     n += 1\n"
            "  |     ^^^^\n"
            "help: write `nonlocal n`\n"
            "  |\n"
            "2 |     nonlocal n\n"
            "  |     ~~~~~~~~~~\n");
}

TEST(RenderText, LabelsOnOtherLinesAndFiles) {
  Fixture f("a\nb\nc\nd\ne\n");
  source::FileId other = f.sources.add("b.met", "first\nsecond\n");
  Diagnostic& d = f.sink.report(Code::UnexpectedToken, f.find("e"), "m");
  d.labels.push_back({f.find("a"), "one"});
  d.labels.push_back({f.find("c"), "two"});
  d.labels.push_back({{other, 6, 12}, "three"});
  EXPECT_EQ(render_text(d, f.sources),
            "error[unexpected-token]: m\n"
            " --> a.met:5:1\n"
            "  |\n"
            "1 | a\n"
            "  | - one\n"
            "2 | b\n"
            "3 | c\n"
            "  | - two\n"
            "4 | d\n"
            "5 | e\n"
            "  | ^\n"
            " ::: b.met:2:1\n"
            "  |\n"
            "2 | second\n"
            "  | ------ three\n");
}

TEST(RenderText, WideCharactersTabsAndTheEndOfTheLine) {
  Fixture f("\tx = \"日本\" + y\n");
  EXPECT_NE(render_text(f.sink.report(Code::UnexpectedToken, f.find("y"), "m"), f.sources).find("    x = \"日本\" + y\n  |                  ^\n"), std::string::npos);
  Fixture g("x = 1 +\n");
  EXPECT_NE(render_text(g.sink.report(Code::UnexpectedToken, {g.file, 7, 8}, "m"), g.sources).find("x = 1 +\n  |        ^\n"), std::string::npos);
}

TEST(RenderText, CutsLongLines) {
  std::string text(5'000'000, 'a');
  text += " wrong ";
  text += std::string(5'000'000, 'b');
  Fixture f(text);
  std::string shown = render_text(f.sink.report(Code::UnexpectedToken, f.find("wrong"), "m"), f.sources);
  EXPECT_LT(shown.size(), 500u);
  EXPECT_NE(shown.find("a wrong b"), std::string::npos);
  size_t word = shown.find("wrong");
  size_t caret = shown.find("^^^^^");
  size_t word_line = shown.rfind('\n', word);
  size_t caret_line = shown.rfind('\n', caret);
  // The mark of the cut is three bytes but one column.
  EXPECT_EQ(word - word_line, caret - caret_line + 2);
}

TEST(RenderText, ReportsHaveAnEnd) {
  Fixture f(std::string(200, 'x'));
  for (uint32_t i = 0; i < 120; i++) f.sink.report(Code::UnexpectedToken, {f.file, i, i + 1}, std::string(1'000'000, 'm'));
  std::string text = render_text(f.sink, f.sources);
  EXPECT_TRUE(text.ends_with("… and 70 more\n"));
  EXPECT_LT(text.size(), 100'000u);
}

TEST(RenderText, ColoursOnlyWhenAsked) {
  Fixture f("x\n");
  Diagnostic& d = f.sink.report(Code::UnexpectedToken, f.find("x"), "m");
  EXPECT_EQ(render_text(d, f.sources).find('\x1b'), std::string::npos);
  TextOptions options;
  options.colours = true;
  EXPECT_NE(render_text(d, f.sources, options).find("\x1b[1;31merror[unexpected-token]\x1b[0m"), std::string::npos);
}

TEST(RenderJson, OneObjectPerLine) {
  Fixture f("é = wrong\n");
  Diagnostic& d = f.sink.report(Code::UnexpectedToken, f.find("wrong"), "say \"no\"\t\x01");
  d.label = "here";
  d.labels.push_back({f.find("é"), "there"});
  d.notes.push_back("n");
  d.help = "h";
  d.edits.push_back({f.find("wrong"), "right"});
  EXPECT_EQ(render_json(f.sink, f.sources),
            "{\"name\":\"unexpected-token\",\"severity\":\"error\",\"message\":\"say \\\"no\\\"\\t\\u0001\",\"file\":\"a.met\",\"line\":1,\"column\":5,\"end_line\":1,"
            "\"end_column\":10,\"label\":\"here\",\"expected\":\"\",\"found\":\"\",\"labels\":[{\"file\":\"a.met\",\"line\":1,\"column\":1,\"end_line\":1,\"end_column\":2,"
            "\"text\":\"there\"}],\"notes\":[\"n\"],\"help\":\"h\",\"edits\":[{\"file\":\"a.met\",\"line\":1,\"column\":5,\"end_line\":1,\"end_column\":10,\"text\":\"right\"}]}\n");
}

TEST(RenderJson, IsValidUtf8WhateverTheSource) {
  Fixture f("x\n");
  f.sink.report(Code::UnexpectedToken, f.find("x"), "a\xff\xc3");
  EXPECT_NE(render_json(f.sink, f.sources).find("\"a\\ufffd\\ufffd\""), std::string::npos);
}

TEST(Sink, DropsTheSameMistakeAtTheSamePlace) {
  Fixture f("x y\n");
  f.sink.report(Code::UnexpectedToken, f.find("x"), "first");
  f.sink.report(Code::UnexpectedToken, f.find("x"), "again").help = "not kept";
  f.sink.report(Code::UnexpectedToken, f.find("y"), "second");
  f.sink.report(Code::ExpectedType, f.find("x"), "third");
  EXPECT_EQ(f.sink.all().size(), 3u);
  EXPECT_EQ(f.sink.error_count(), 3u);
  EXPECT_EQ(f.sink.all()[0].help, "");
}

TEST(Sink, RewindForgets) {
  Fixture f("x y\n");
  f.sink.report(Code::UnexpectedToken, f.find("x"), "kept");
  size_t mark = f.sink.mark();
  f.sink.report(Code::UnexpectedToken, f.find("y"), "forgotten");
  f.sink.rewind(mark);
  EXPECT_EQ(f.sink.error_count(), 1u);
  f.sink.report(Code::UnexpectedToken, f.find("y"), "again");
  EXPECT_EQ(f.sink.all().back().message, "again");
}

TEST(Sink, SortsByPlace) {
  Fixture f("x y\n");
  f.sink.report(Code::UnexpectedToken, f.find("y"), "2");
  f.sink.report(Code::ExpectedType, f.find("x"), "1");
  f.sink.sort_from(0);
  EXPECT_EQ(f.sink.all()[0].message, "1");
}

}  // namespace meteor::diagnostics
