#include "compiler/source/sources.h"

#include <gtest/gtest.h>

namespace meteor::source {

TEST(Sources, LinesEndInAnyStyle) {
  Sources sources;
  FileId file = sources.add("a.met", "one\ntwo\r\nthree\rfour");
  EXPECT_EQ(sources.line_count(file), 4u);
  EXPECT_EQ(sources.line_text(file, 1), "one");
  EXPECT_EQ(sources.line_text(file, 2), "two");
  EXPECT_EQ(sources.line_text(file, 3), "three");
  EXPECT_EQ(sources.line_text(file, 4), "four");
  EXPECT_EQ(sources.position(file, 9).line, 3u);
  EXPECT_EQ(sources.line_text(file, 5), "");
}

TEST(Sources, ColumnsCountScalars) {
  Sources sources;
  FileId file = sources.add("a.met", "x\nhéé€𝄞b");
  uint32_t b = uint32_t(sources.text(file).find('b'));
  EXPECT_EQ(sources.position(file, b).line, 2u);
  EXPECT_EQ(sources.position(file, b).column, 6u);
  EXPECT_EQ(sources.position(file, uint32_t(sources.text(file).size())).column, 7u);
}

TEST(Sources, ByteOrderMarkIsNoColumn) {
  Sources sources;
  FileId file = sources.add("a.met", "\xEF\xBB\xBFx = 1");
  EXPECT_EQ(sources.position(file, 3).column, 1u);
  EXPECT_EQ(sources.line_text(file, 1), "x = 1");
}

TEST(Sources, LongLinesAreCheapToPointInto) {
  Sources sources;
  std::string text;
  for (int i = 0; i < 2'000'000; i++) text += "é ";
  FileId file = sources.add("a.met", text);
  // Two million questions about one line of six megabytes: seconds if each counted from the line's beginning.
  for (uint32_t i = 0; i < 2'000; i++) ASSERT_EQ(sources.position(file, i * 3000).column, i * 2000 + 1);
}

TEST(Sources, PositionsOutsideAreTheEnd) {
  Sources sources;
  FileId file = sources.add("a.met", "");
  EXPECT_EQ(sources.position(file, 99).line, 1u);
  EXPECT_EQ(sources.position(file, 99).column, 1u);
  EXPECT_EQ(sources.text(Span{file, 5, 9}), "");
}

}  // namespace meteor::source
