#include "compiler/pipeline/follow_ons.h"

#include <gtest/gtest.h>

namespace meteor::pipeline {
namespace {

using diagnostics::Code;

struct FollowOns : ::testing::Test {
  source::Sources sources;
  diagnostics::Sink sink;
  source::FileId file;
  size_t syntax_count = 0;

  void open(std::string text) { file = sources.add("main.met", std::move(text)); }
  void report(Code code, std::string_view at, std::string message = "") {
    size_t start = sources.text(file).find(at);
    ASSERT_NE(start, std::string_view::npos) << at;
    sink.report(code, {file, uint32_t(start), uint32_t(start + at.size())}, std::move(message));
  }
  void end_of_syntax() { syntax_count = sink.mark(); }
  std::string left() {
    drop_follow_ons(sink, syntax_count, {"sorted"}, sources);
    std::string text;
    for (const diagnostics::Diagnostic& d : sink.all()) (text += text.empty() ? "" : " ") += sources.text(d.span);
    return text;
  }
};

TEST_F(FollowOns, nothing_is_lost_without_a_reason) {
  open("a = 1 + x\nb = 2 + y\nc: int = z\n");
  report(Code::UnknownName, "x");
  report(Code::UnknownName, "y");
  report(Code::TypeMismatch, "z");
  EXPECT_EQ(left(), "x y z");
  EXPECT_EQ(sink.error_count(), 3u);
}

TEST_F(FollowOns, a_missing_name_is_told_once_in_each_file) {
  open("a = x1\ndef f(v: x1) -> int:\n    return x1\nb = y\n");
  report(Code::UnknownName, "x1");
  size_t type = sources.text(file).find("x1)");
  sink.report(Code::UnknownType, {file, uint32_t(type), uint32_t(type + 2)}, "");
  report(Code::UnknownName, "y");
  source::FileId other = sources.add("other.met", "x1\n");
  sink.report(Code::UnknownName, {other, 0, 2}, "");
  EXPECT_EQ(left(), "x1 y x1");
}

TEST_F(FollowOns, a_part_that_can_not_be_read_and_what_uses_it_is_left_alone) {
  open("class Box:\n    size: int\n    def get(self -> int:\n        return nothing1\n\ndef use(b: Box):\n    nothing2\n\ndef apart(n: int):\n    sorted(nothing3)\n");
  report(Code::UnclosedBracket, "(self");
  end_of_syntax();
  report(Code::UnknownName, "nothing1");
  report(Code::UnknownName, "nothing2");
  report(Code::UnknownName, "nothing3");
  EXPECT_EQ(left(), "(self nothing3");
}

TEST_F(FollowOns, of_the_syntax_errors_of_a_line_the_first_stands) {
  open("x = Square1.5)\ny = 2 2 3\n");
  report(Code::UnexpectedToken, ".5");
  report(Code::UnexpectedToken, ")");
  report(Code::UnexpectedToken, "2 2");
  end_of_syntax();
  EXPECT_EQ(left(), ".5 2 2");
}

TEST_F(FollowOns, what_belongs_to_a_broken_statement_is_no_mistake_of_its_own) {
  open("def f(n: int):\n    swich n:\n        case 1: pass\n        default: pass\ndef g():\n    catch Error: pass\n");
  report(Code::UnexpectedToken, "n:\n        case");
  report(Code::UnexpectedToken, "case");
  report(Code::UnexpectedToken, "default");
  report(Code::UnexpectedToken, "catch");
  end_of_syntax();
  EXPECT_EQ(left(), "n:\n        case catch");
}

TEST_F(FollowOns, the_block_below_a_line_that_could_not_be_read_is_left_alone) {
  open("enumm Msg:\n    Move(x: int)\n\n    Say(text: str)\ny = 1 1\n");
  report(Code::UnexpectedToken, "Msg");
  report(Code::UnexpectedToken, ": int");
  report(Code::UnexpectedToken, ": str");
  report(Code::UnexpectedToken, "1 1");
  end_of_syntax();
  EXPECT_EQ(left(), "Msg 1 1");
}

TEST_F(FollowOns, a_variable_that_is_not_assigned_is_told_once_in_each_function) {
  open("def f():\n    print(bad, bad + 1)\n    bad = 1\n\ndef g():\n    bad - 1\n");
  report(Code::UnassignedVariable, "bad", "m");
  report(Code::UnassignedVariable, "bad + 1", "m");
  report(Code::UnassignedVariable, "bad - 1", "m");
  EXPECT_EQ(left(), "bad bad - 1");
}

}  // namespace
}  // namespace meteor::pipeline
