// Cutting and measuring source lines.
#include "compiler/diagnostics/excerpt.h"

#include <algorithm>

namespace meteor::diagnostics {

namespace {

constexpr uint32_t TAB_WIDTH = 4;
constexpr std::string_view CUT = "…";

struct Range {
  uint32_t first, last;
};

constexpr Range ZERO_WIDTH[] = {{0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}};
constexpr Range DOUBLE_WIDTH[] = {{0x1100, 0x115F}, {0x2E80, 0x303E}, {0x3041, 0xA4CF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
                                  {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <size_t N>
bool contains(const Range (&ranges)[N], uint32_t c) {
  return std::any_of(ranges, ranges + N, [c](Range r) { return c >= r.first && c <= r.last; });
}

// A byte that is not UTF-8 counts as the mark that stands for it.
uint32_t next_scalar(std::string_view text, size_t& at) {
  uint8_t first = uint8_t(text[at]);
  size_t length = first < 0x80 ? 1 : utf8_length(text, at);
  if (length <= 1) {
    at++;
    return length == 1 ? first : 0xFFFD;
  }
  uint32_t scalar = first & (0x7Fu >> length);
  for (size_t i = 1; i < length; i++) scalar = scalar << 6 | (uint8_t(text[at + i]) & 0x3F);
  at += length;
  return scalar;
}

// Moves `at` left to the beginning of a character.
size_t character_start(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  for (int i = 0; i < 3 && at > 0 && at < text.size() && (uint8_t(text[at]) & 0xC0) == 0x80; i++) at--;
  return at;
}

}  // namespace

size_t utf8_length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : uint8_t(0); };
  auto tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  uint8_t first = byte(at);
  if (first >= 0xC2 && first <= 0xDF && tail(at + 1)) return 2;
  uint8_t second = byte(at + 1);
  if (first >= 0xE0 && first <= 0xEF && tail(at + 1) && tail(at + 2)) {
    bool valid = (first != 0xE0 || second >= 0xA0) && (first != 0xED || second < 0xA0);
    return valid ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4 && tail(at + 1) && tail(at + 2) && tail(at + 3)) {
    bool valid = (first != 0xF0 || second >= 0x90) && (first != 0xF4 || second < 0x90);
    return valid ? 4 : 0;
  }
  return 0;
}

uint32_t next_width(std::string_view text, size_t& at) {
  uint32_t scalar = next_scalar(text, at);
  if (scalar == '\t') return TAB_WIDTH;
  if (scalar < 0x300) return 1;
  if (contains(ZERO_WIDTH, scalar)) return 0;
  return contains(DOUBLE_WIDTH, scalar) ? 2 : 1;
}

uint32_t Excerpt::column_of(uint32_t at) const {
  if (at < offset) return 0;
  uint32_t column = left_columns;
  size_t end = std::min<size_t>(at - offset, shown.size());
  for (size_t i = 0; i < end;) column += next_width(shown, i);
  return column;
}

Excerpt make_excerpt(std::string_view line, uint32_t focus_start, uint32_t focus_end, uint32_t max_width) {
  Excerpt excerpt;
  // Bytes stand for columns here: an excerpt may be narrower than allowed, never much wider.
  size_t start = 0;
  size_t end = line.size();
  if (line.size() > max_width) {
    size_t focus = std::min<size_t>(focus_end > focus_start ? focus_end - focus_start : 1, max_width);
    size_t before = (max_width - focus) / 2;
    start = focus_start > before && size_t(focus_start) + focus > max_width ? focus_start - before : 0;
    start = character_start(line, std::min(start, line.size() - max_width));
    end = character_start(line, start + max_width);
  }
  excerpt.offset = uint32_t(start);
  excerpt.shown = line.substr(start, end - start);
  if (start > 0) {
    excerpt.text = CUT;
    excerpt.left_columns = 1;
  }
  for (size_t i = 0; i < excerpt.shown.size();) {
    char c = excerpt.shown[i];
    size_t length = uint8_t(c) < 0x80 ? 1 : utf8_length(excerpt.shown, i);
    if (c == '\t') {
      excerpt.text.append(TAB_WIDTH, ' ');
    } else if (length == 0) {
      excerpt.text += "\uFFFD";
    } else if (uint8_t(c) < 0x20 || c == 0x7F) {
      excerpt.text += '?';
    } else {
      excerpt.text += excerpt.shown.substr(i, length);
    }
    i += length > 0 ? length : 1;
  }
  if (end < line.size()) excerpt.text += CUT;
  return excerpt;
}

}  // namespace meteor::diagnostics
