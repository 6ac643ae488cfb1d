// Text at its edges: the sizes where the representation changes, and what lies beyond ASCII.
#include "runtime/text/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/numbers/numbers.h"
#include "runtime/os/threads.h"
#include "runtime/text/view.h"

namespace {

using meteor::text::EMPTY;

// Owns a met_str for the time of a test.
class Text {
 public:
  Text(const char* s) : Text(std::string(s)) {}
  Text(const std::string& s) : value(met_str_make(reinterpret_cast<const uint8_t*>(s.data()), int64_t(s.size()))) {}
  Text(met_str owned) : value(owned) {}
  Text(Text&& other) : value(other.value) { other.value = EMPTY; }
  Text(const Text&) = delete;
  ~Text() { met_str_release(value); }
  operator met_str() const { return value; }
  std::string str() const {
    std::string s(size_t(met_str_size(value)), 0);
    met_str_copy_to(value, reinterpret_cast<uint8_t*>(s.data()));
    return s;
  }
  met_str value;
};

std::string str(met_str owned) { return Text(owned).str(); }

TEST(TextTest, nothing_may_come_from_a_null_pointer) { EXPECT_EQ(met_str_len(meteor::text::make(nullptr, 0)), 0); }

TEST(TextTest, up_to_fifteen_bytes_live_in_the_value) {
  for (int64_t size : {0, 1, 14, 15, 16, 17, 100, 5000}) {
    std::string s(size_t(size), 'x');
    Text text(s);
    EXPECT_EQ(meteor::text::is_small(text.value), size <= 15);
    EXPECT_EQ(met_str_size(text), size);
    EXPECT_EQ(met_str_len(text), size);
    EXPECT_TRUE(met_str_is_ascii(text));
    EXPECT_EQ(text.str(), s);
    Text same(s);
    EXPECT_TRUE(met_str_equal(text, same));
    EXPECT_EQ(met_str_hash(text), met_str_hash(same));
    if (size <= 15) {
      EXPECT_EQ(text.value.word0, same.value.word0);
      EXPECT_EQ(text.value.word1, same.value.word1);
    } else {
      EXPECT_EQ(meteor::text::object_of(text.value)->text[size], 0);
    }
  }
}

TEST(TextTest, all_zero_bits_are_an_empty_text) {
  met_str zero = {0, 0};
  EXPECT_EQ(met_str_len(zero), 0);
  EXPECT_TRUE(met_str_equal(zero, EMPTY));
  EXPECT_TRUE(met_str_equal(EMPTY, zero));
  EXPECT_FALSE(met_str_equal(zero, met_str{0, MET_STR_NULL_WORD1}));
  EXPECT_EQ(met_str_compare(zero, EMPTY), 0);
  EXPECT_EQ(met_str_hash(zero), met_str_hash(EMPTY));
  met_str_retain(zero);
  met_str_release(zero);
  met_str_release(met_str{0, MET_STR_NULL_WORD1});
  EXPECT_EQ(str(met_str_upper(zero)), "");
}

TEST(TextTest, order_is_by_scalars) {
  std::vector<std::string> sorted = {"",
                                     std::string(1, '\0'),
                                     "a",
                                     std::string("a\0", 2),
                                     "a\1",
                                     "aa",
                                     "abcdefghijklmno",
                                     "abcdefghijklmnop",
                                     "abcdefghijklmnopq",
                                     "b",
                                     "é",
                                     "日本",
                                     "😀"};
  for (size_t i = 0; i < sorted.size(); i++)
    for (size_t k = 0; k < sorted.size(); k++) {
      int32_t order = met_str_compare(Text(sorted[i]), Text(sorted[k]));
      EXPECT_EQ(order < 0, i < k) << i << " " << k;
      EXPECT_EQ(order > 0, i > k) << i << " " << k;
      EXPECT_EQ(met_str_equal(Text(sorted[i]), Text(sorted[k])), i == k);
    }
}

TEST(TextTest, literals_are_never_counted_nor_written) {
  static const struct {
    met_object header;
    uint64_t size, scalars, crumb;
    char text[24];
  } literal = {{MET_IMMORTAL, 0, &met_str_type}, 20, 0, 0, "ééééé0123456789"};
  met_str text = {reinterpret_cast<uint64_t>(&literal), 20};
  EXPECT_EQ(met_str_len(text), 15);
  met_str_retain(text);
  met_str_release(text);
  met_str_release(text);
  EXPECT_EQ(literal.header.strong, MET_IMMORTAL);
  EXPECT_EQ(str(met_str_slice(text, 4, 7)), "é01");
}

TEST(TextTest, indexes_are_found_from_where_the_last_one_was) {
  std::string all;
  for (int i = 0; i < 100; i++) all += i % 3 == 0 ? "a" : i % 3 == 1 ? "é" : "日";
  Text text(all);
  auto at = [&](int64_t i) { return str(met_str_char_at(text, i)); };
  const char* expected[] = {"a", "é", "日"};
  for (int64_t i : {0, 99, 98, 50, 51, 49, 2, 97, 0, 33}) EXPECT_EQ(at(i), expected[i % 3]) << i;
  EXPECT_EQ(str(met_str_slice(text, 97, 100)), "é日a");
  EXPECT_EQ(str(met_str_slice(text, 1, 3)), "é日");
}

TEST(TextTest, concat_joins_and_keeps_what_needs_no_copy) {
  Text long_text(std::string(40, 'l'));
  met_str parts[] = {EMPTY, long_text, EMPTY};
  met_str same = met_str_concat(parts, 3);
  EXPECT_EQ(same.word0, long_text.value.word0);
  met_str_release(same);
  met_str small[] = {Text("ab"), Text("é"), Text("cdefghijk")};
  EXPECT_EQ(str(met_str_concat(small, 3)), "abécdefghijk");
  met_str mixed[] = {long_text, small[1]};
  Text joined(met_str_concat(mixed, 2));
  EXPECT_EQ(met_str_len(joined), 41);
  EXPECT_FALSE(met_str_is_ascii(joined));
  EXPECT_EQ(met_str_size(met_str_concat(parts, 0)), 0);
}

met_str plus(met_str a, met_str b) {
  met_str parts[2] = {a, b};
  return met_str_concat(parts, 2);
}

TEST(TextTest, a_text_built_piece_by_piece_shares_memory_without_disturbing_earlier_values) {
  Text text("");
  std::string expected;
  std::vector<Text> earlier;
  std::vector<std::string> earlier_expected;
  int moves = 0;
  for (int i = 0; i < 20000; i++) {
    Text piece(i % 100 == 99 ? "é" : "ab");
    expected += piece.str();
    Text longer(plus(text, piece));
    moves += longer.value.word0 != text.value.word0;
    if (i % 500 == 3) {
      earlier.emplace_back(meteor::text::kept(text));
      earlier_expected.push_back(text.str());
    }
    if (i % 700 == 2) EXPECT_EQ(met_str_len(longer), met_str_len(Text(expected)));
    if (i % 1100 == 5) Text other(plus(text, Text("something else")));  // takes the place after `text` first
    std::swap(text.value, longer.value);
  }
  EXPECT_EQ(text.str(), expected);
  EXPECT_LT(moves, 1000);  // nearly all below 1 KB
  for (size_t i = 0; i < earlier.size(); i++) {
    EXPECT_EQ(earlier[i].str(), earlier_expected[i]);
    EXPECT_EQ(met_str_len(earlier[i]), met_str_len(Text(earlier_expected[i])));
    EXPECT_TRUE(met_str_equal(earlier[i], Text(earlier_expected[i])));
    EXPECT_EQ(met_str_hash(earlier[i]), met_str_hash(Text(earlier_expected[i])));
  }
}

TEST(TextTest, a_text_may_be_added_to_itself) {
  Text text(met_str_repeat(Text("0123456789"), 200));
  Text longer(plus(text, Text("x")));
  Text twice(plus(longer, longer));
  EXPECT_EQ(twice.str(), longer.str() + longer.str());
  Text again(plus(longer, longer));
  EXPECT_TRUE(met_str_equal(twice, again));
}

TEST(TextTest, indexes_count_scalars) {
  Text text("héllo, 日本語 😀!");
  EXPECT_EQ(met_str_len(text), 13);
  EXPECT_EQ(str(met_str_char_at(text, 1)), "é");
  EXPECT_EQ(str(met_str_char_at(text, 8)), "本");
  EXPECT_EQ(str(met_str_slice(text, 7, 10)), "日本語");
  EXPECT_EQ(str(met_str_slice(text, 5, 5)), "");
  EXPECT_EQ(str(met_str_slice_step(text, 12, -1, -1)), "!😀 語本日 ,olléh");
  EXPECT_EQ(str(met_str_slice_step(text, 0, 13, 5)), "h, ");
  EXPECT_EQ(str(met_str_slice_step(Text("abcdefghij"), 8, 1, -3)), "ifc");
  EXPECT_EQ(str(met_str_reversed(text)), "!😀 語本日 ,olléh");
  int64_t byte = 0;
  std::string walked;
  while (byte < met_str_size(text)) walked += str(met_str_next_char(text, &byte));
  EXPECT_EQ(walked, text.str());
  EXPECT_EQ(met_str_byte_of_index(text, 8), 11);
  EXPECT_EQ(met_str_index_of_byte(text, 11), 8);
}

TEST(TextTest, search_speaks_in_indexes) {
  Text text("äbc äbc äbc");
  EXPECT_EQ(met_str_find(text, Text("äb"), 0, 11), 0);
  EXPECT_EQ(met_str_find(text, Text("äb"), 1, 11), 4);
  EXPECT_EQ(met_str_find(text, Text("äb"), 1, 5), -1);
  EXPECT_EQ(met_str_rfind(text, Text("bc"), 0, 10), 5);
  EXPECT_EQ(met_str_find(text, EMPTY, 3, 11), 3);
  EXPECT_EQ(met_str_rfind(text, EMPTY, 3, 9), 9);
  EXPECT_EQ(met_str_count(text, Text("c"), 0, 11), 3);
  EXPECT_EQ(met_str_count(text, EMPTY, 0, 11), 12);
  EXPECT_EQ(met_str_count(Text("aaaa"), Text("aa"), 0, 4), 2);
  EXPECT_TRUE(met_str_contains(text, EMPTY));
  EXPECT_TRUE(met_str_starts_with(text, Text("äbc ")));
  EXPECT_FALSE(met_str_ends_with(text, Text("xäbc")));
}

TEST(TextTest, replace_repeat_join_pad) {
  EXPECT_EQ(str(met_str_replace(Text("abcabc"), Text("b"), Text("--"), -1)), "a--ca--c");
  EXPECT_EQ(str(met_str_replace(Text("abcabc"), Text("b"), Text("é"), 1)), "aécabc");
  EXPECT_EQ(str(met_str_replace(Text("aé"), EMPTY, Text("."), -1)), ".a.é.");
  EXPECT_EQ(str(met_str_replace(Text("abc"), EMPTY, Text("."), 2)), ".a.bc");
  EXPECT_EQ(str(met_str_repeat(Text("é-"), 3)), "é-é-é-");
  EXPECT_EQ(str(met_str_repeat(Text("ab"), -1)), "");
  met_str parts[] = {Text("a"), Text("b"), Text("c")};
  EXPECT_EQ(str(met_str_join(Text(", "), parts, 3)), "a, b, c");
  EXPECT_EQ(str(met_str_join(Text(", "), parts, 0)), "");
  EXPECT_EQ(str(met_str_center(Text("ab"), 7, Text("*"))), "***ab**");
  EXPECT_EQ(str(met_str_zfill(Text("-42"), 6)), "-00042");
  EXPECT_EQ(str(met_str_expand_tabs(Text("a\tbc\td"), 4)), "a   bc  d");
  EXPECT_EQ(str(met_str_strip(Text("\u3000 x y\n"))), "x y");
  EXPECT_EQ(str(met_str_strip_chars(Text("éxaé"), Text("é"))), "xa");
  EXPECT_EQ(str(met_str_remove_prefix(Text("prefix"), Text("pre"))), "fix");
}

TEST(TextTest, case_mappings_are_the_full_ones) {
  EXPECT_EQ(str(met_str_upper(Text("straße ﬁn"))), "STRASSE FIN");
  EXPECT_EQ(str(met_str_lower(Text("ΟΔΥΣΣΕΥΣ Σ"))), "οδυσσευς σ");
  EXPECT_EQ(str(met_str_lower(Text("İ"))), "i̇");
  EXPECT_EQ(str(met_str_title(Text("they're bill's ǆungla"))), "They'Re Bill'S ǅungla");
  EXPECT_EQ(str(met_str_capitalize(Text("éCOLE"))), "École");
  EXPECT_EQ(str(met_str_swapcase(Text("aBcÉ"))), "AbCé");
  EXPECT_EQ(str(met_str_casefold(Text("Straße"))), "strasse");
}

TEST(TextTest, classification_is_pythons) {
  EXPECT_TRUE(met_str_isdigit(Text("1²")));
  EXPECT_FALSE(met_str_isdecimal(Text("²")));
  EXPECT_TRUE(met_str_isnumeric(Text("½五")));
  EXPECT_TRUE(met_str_isalpha(Text("éß日")));
  EXPECT_FALSE(met_str_isalpha(EMPTY));
  EXPECT_TRUE(met_str_isalnum(Text("a1")));
  EXPECT_TRUE(met_str_isspace(Text(" \u2003\x1c")));
  EXPECT_TRUE(met_str_isupper(Text("A1É")));
  EXPECT_FALSE(met_str_isupper(Text("1")));
  EXPECT_TRUE(met_str_istitle(Text("Hello World")));
  EXPECT_FALSE(met_str_istitle(Text("Hello world")));
  EXPECT_TRUE(met_str_isidentifier(Text("_é1")));
  EXPECT_FALSE(met_str_isidentifier(Text("1a")));
  EXPECT_FALSE(met_str_isprintable(Text("a\n")));
  EXPECT_TRUE(met_str_isprintable(EMPTY));
}

TEST(TextTest, quotes_as_a_program_would_write_it) {
  EXPECT_EQ(str(met_str_repr(Text("a\"b\\c\n\t\r"))), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(str(met_str_repr(Text(std::string("\0\x7f", 2)))), R"("\x00\x7f")");
  EXPECT_EQ(str(met_str_repr(Text("é\u00a0\u2028\U000e0001😀'"))), R"("é\xa0\u2028\U000e0001😀'")");
  EXPECT_EQ(str(met_bytes_repr(Text("a\xff\n\""))), R"(b"a\xff\n\"")");
}

TEST(TextTest, utf8_is_checked_with_the_place_of_the_error) {
  int64_t error = 0;
  for (const char* bad : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", "\xf8\x88\x80\x80\x80"}) {
    met_str_release(met_bytes_decode(Text(std::string("0123456789é") + bad), &error));
    EXPECT_EQ(error, 12) << bad;
  }
  Text good("0123456789é日😀");
  Text decoded(met_bytes_decode(good, &error));
  EXPECT_EQ(error, -1);
  EXPECT_EQ(decoded.str(), good.str());
  EXPECT_EQ(str(met_bytes_decode_replace(Text("a\xe2\x82z\xff"))), "a\ufffdz\ufffd");
  EXPECT_EQ(str(met_bytes_decode_ignore(Text("a\xe2\x82z\xff"))), "az");
  EXPECT_EQ(str(met_bytes_decode_latin1(Text("\xe9"))), "é");
  EXPECT_EQ(str(met_str_encode_latin1(Text("aé"), &error)), "a\xe9");
  EXPECT_EQ(str(met_str_encode_latin1(Text("aé日"), &error)), "");
  EXPECT_EQ(error, 2);
}

TEST(TextTest, bytes_and_hex) {
  int64_t error = 0;
  EXPECT_EQ(str(met_bytes_hex(Text("\x01\xab"))), "01ab");
  EXPECT_EQ(str(met_bytes_from_hex(Text("01 aB"), &error)), "\x01\xab");
  EXPECT_EQ(error, -1);
  met_str_release(met_bytes_from_hex(Text("01 a"), &error));
  EXPECT_EQ(error, 4);
  met_str_release(met_bytes_from_hex(Text("0x"), &error));
  EXPECT_EQ(error, 1);
  EXPECT_EQ(met_bytes_find(Text("abcabc"), Text("bc"), 2, 6), 4);
  EXPECT_EQ(met_bytes_find_byte(Text("abc"), 'c', 0), 2);
  EXPECT_EQ(str(met_bytes_slice_step(Text("abcdef"), 5, -1, -2)), "fdb");
  EXPECT_EQ(str(met_bytes_filled(3, 'z')), "zzz");
  EXPECT_EQ(met_str_ord(Text("é")), 0xe9);
  EXPECT_EQ(met_str_ord(Text("ab")), -1);
  bool ok = false;
  EXPECT_EQ(str(met_str_from_scalar(0x1f600, &ok)), "😀");
  EXPECT_TRUE(ok);
  met_str_from_scalar(0xd800, &ok);
  EXPECT_FALSE(ok);
}

TEST(TextTest, builder_and_lines) {
  met_builder builder = {};
  for (int i = 0; i < 100; i++) met_builder_append(&builder, Text(std::to_string(i)));
  met_builder_append_scalar(&builder, 0x65e5);
  met_builder_append_byte(&builder, '!');
  std::string expected;
  for (int i = 0; i < 100; i++) expected += std::to_string(i);
  EXPECT_EQ(str(met_builder_take(&builder)), expected + "日!");
  EXPECT_EQ(builder.capacity, 0);

  Text text("a\r\nb\n\nc\u2028d");
  std::vector<std::string> lines;
  for (int64_t from = 0, next = 0; from < met_str_size(text); from = next) {
    int64_t end = met_str_find_line_end(text, from, &next);
    lines.push_back(str(met_str_byte_slice(text, from, end)));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "", "c", "d"}));
}

TEST(TextTest, counts_come_back_to_where_they_were) {
  Text text(std::string(100, 'x'));
  auto count = [&] { return meteor::text::object_of(text.value)->header.strong; };
  EXPECT_EQ(count(), 1u);
  Text same(met_str_strip(text));
  EXPECT_EQ(count(), 2u);
  met_multi_isolate = true;
  met_str_retain(text);
  EXPECT_EQ(count(), 3u);
  met_str_release(text);
  met_multi_isolate = false;
  EXPECT_EQ(count(), 2u);
}

TEST(TextTest, a_huge_text) {
  Text text(met_str_repeat(Text("0123456789é"), 1'000'000));
  EXPECT_EQ(met_str_len(text), 11'000'000);
  EXPECT_EQ(met_str_size(text), 12'000'000);
  EXPECT_EQ(str(met_str_char_at(text, 10'999'999)), "é");
  EXPECT_EQ(met_str_rfind(text, Text("9é0"), 0, 11'000'000), 10'999'987);
}

}  // namespace
