// Scalars → properties and case mappings.
#include "runtime/text/unicode.h"

#include <utf8proc.h>

namespace meteor::text {
namespace {

struct Range {
  uint32_t first, last;
};

struct Mapping {
  uint32_t from;
  uint16_t to[3];
};

// Each list takes its own lines of the table and skips the others.
#define DIGIT_RANGE(...)
#define NUMERIC_RANGE(...)
#define LOWER_RANGE(...)
#define UPPER_RANGE(...)
#define ID_START_RANGE(...)
#define ID_START_EXCEPTION(...)
#define ID_MORE_RANGE(...)
#define ID_MORE_EXCEPTION(...)
#define CASE_IGNORABLE_RANGE(...)
#define UPPER_SEQUENCE(...)
#define TITLE_SEQUENCE(...)
#define RANGE_LINE(first, last) {first, last},
#define MAPPING_LINE(from, a, b, c) {from, {a, b, c}},

#undef DIGIT_RANGE
#define DIGIT_RANGE RANGE_LINE
constexpr Range DIGITS[] = {
#include "runtime/text/unicode_tables.def"
};
#undef DIGIT_RANGE
#define DIGIT_RANGE(...)

#undef NUMERIC_RANGE
#define NUMERIC_RANGE RANGE_LINE
constexpr Range NUMERICS[] = {
#include "runtime/text/unicode_tables.def"
};
#undef NUMERIC_RANGE
#define NUMERIC_RANGE(...)

#undef LOWER_RANGE
#define LOWER_RANGE RANGE_LINE
constexpr Range LOWERS[] = {
#include "runtime/text/unicode_tables.def"
};
#undef LOWER_RANGE
#define LOWER_RANGE(...)

#undef UPPER_RANGE
#define UPPER_RANGE RANGE_LINE
constexpr Range UPPERS[] = {
#include "runtime/text/unicode_tables.def"
};
#undef UPPER_RANGE
#define UPPER_RANGE(...)

#undef ID_START_RANGE
#define ID_START_RANGE RANGE_LINE
constexpr Range ID_STARTS[] = {
#include "runtime/text/unicode_tables.def"
};
#undef ID_START_RANGE
#define ID_START_RANGE(...)

#undef ID_START_EXCEPTION
#define ID_START_EXCEPTION RANGE_LINE
constexpr Range ID_START_EXCEPTIONS[] = {
#include "runtime/text/unicode_tables.def"
};
#undef ID_START_EXCEPTION
#define ID_START_EXCEPTION(...)

#undef ID_MORE_RANGE
#define ID_MORE_RANGE RANGE_LINE
constexpr Range ID_MORES[] = {
#include "runtime/text/unicode_tables.def"
};
#undef ID_MORE_RANGE
#define ID_MORE_RANGE(...)

#undef ID_MORE_EXCEPTION
#define ID_MORE_EXCEPTION RANGE_LINE
constexpr Range ID_MORE_EXCEPTIONS[] = {
#include "runtime/text/unicode_tables.def"
};
#undef ID_MORE_EXCEPTION
#define ID_MORE_EXCEPTION(...)

#undef CASE_IGNORABLE_RANGE
#define CASE_IGNORABLE_RANGE RANGE_LINE
constexpr Range CASE_IGNORABLES[] = {
#include "runtime/text/unicode_tables.def"
};
#undef CASE_IGNORABLE_RANGE
#define CASE_IGNORABLE_RANGE(...)

#undef UPPER_SEQUENCE
#define UPPER_SEQUENCE MAPPING_LINE
constexpr Mapping UPPER_SEQUENCES[] = {
#include "runtime/text/unicode_tables.def"
};
#undef UPPER_SEQUENCE
#define UPPER_SEQUENCE(...)

#undef TITLE_SEQUENCE
#define TITLE_SEQUENCE MAPPING_LINE
constexpr Mapping TITLE_SEQUENCES[] = {
#include "runtime/text/unicode_tables.def"
};
#undef TITLE_SEQUENCE

template <int COUNT>
bool is_in(const Range (&ranges)[COUNT], uint32_t scalar) {
  int lo = 0, hi = COUNT;
  while (lo < hi) {
    int middle = (lo + hi) / 2;
    if (ranges[middle].last < scalar)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo < COUNT && ranges[lo].first <= scalar;
}

template <int COUNT>
int map_sequence(const Mapping (&mappings)[COUNT], uint32_t scalar, uint32_t* to) {
  int lo = 0, hi = COUNT;
  while (lo < hi) {
    int middle = (lo + hi) / 2;
    if (mappings[middle].from < scalar)
      lo = middle + 1;
    else
      hi = middle;
  }
  if (lo == COUNT || mappings[lo].from != scalar) return 0;
  int count = 0;
  for (; count < 3 && mappings[lo].to[count] != 0; count++) to[count] = mappings[lo].to[count];
  return count;
}

constexpr uint32_t category_bit(int category) { return 1u << category; }
constexpr uint32_t LETTERS = category_bit(UTF8PROC_CATEGORY_LU) | category_bit(UTF8PROC_CATEGORY_LL) |
                             category_bit(UTF8PROC_CATEGORY_LT) | category_bit(UTF8PROC_CATEGORY_LM) |
                             category_bit(UTF8PROC_CATEGORY_LO);
constexpr uint32_t DECIMAL = category_bit(UTF8PROC_CATEGORY_ND);
constexpr uint32_t NUMBERS = DECIMAL | category_bit(UTF8PROC_CATEGORY_NL) | category_bit(UTF8PROC_CATEGORY_NO);
constexpr uint32_t ID_START = LETTERS | category_bit(UTF8PROC_CATEGORY_NL);
constexpr uint32_t ID_MORE = ID_START | DECIMAL | category_bit(UTF8PROC_CATEGORY_MN) |
                             category_bit(UTF8PROC_CATEGORY_MC) | category_bit(UTF8PROC_CATEGORY_PC);
constexpr uint32_t IGNORABLE = category_bit(UTF8PROC_CATEGORY_MN) | category_bit(UTF8PROC_CATEGORY_ME) |
                               category_bit(UTF8PROC_CATEGORY_CF) | category_bit(UTF8PROC_CATEGORY_LM) |
                               category_bit(UTF8PROC_CATEGORY_SK);
constexpr uint32_t UNPRINTABLE = category_bit(UTF8PROC_CATEGORY_CN) | category_bit(UTF8PROC_CATEGORY_CC) |
                                 category_bit(UTF8PROC_CATEGORY_CF) | category_bit(UTF8PROC_CATEGORY_CS) |
                                 category_bit(UTF8PROC_CATEGORY_CO) | category_bit(UTF8PROC_CATEGORY_ZS) |
                                 category_bit(UTF8PROC_CATEGORY_ZL) | category_bit(UTF8PROC_CATEGORY_ZP);

bool has_category(uint32_t scalar, uint32_t set) {
  return (set & category_bit(utf8proc_category(int32_t(scalar)))) != 0;
}

constexpr uint32_t CAPITAL_I_WITH_DOT = 0x130;

}  // namespace

bool is_decimal(uint32_t scalar) { return has_category(scalar, DECIMAL); }
bool is_digit(uint32_t scalar) { return has_category(scalar, DECIMAL) || is_in(DIGITS, scalar); }
bool is_numeric(uint32_t scalar) { return has_category(scalar, NUMBERS) || is_in(NUMERICS, scalar); }
bool is_alpha(uint32_t scalar) { return has_category(scalar, LETTERS); }
bool is_upper(uint32_t scalar) {
  return has_category(scalar, category_bit(UTF8PROC_CATEGORY_LU)) || is_in(UPPERS, scalar);
}
bool is_lower(uint32_t scalar) {
  return has_category(scalar, category_bit(UTF8PROC_CATEGORY_LL)) || is_in(LOWERS, scalar);
}
bool is_title(uint32_t scalar) { return has_category(scalar, category_bit(UTF8PROC_CATEGORY_LT)); }
bool is_case_ignorable(uint32_t scalar) { return has_category(scalar, IGNORABLE) || is_in(CASE_IGNORABLES, scalar); }

bool is_identifier_start(uint32_t scalar) {
  if (has_category(scalar, ID_START)) return !is_in(ID_START_EXCEPTIONS, scalar);
  return is_in(ID_STARTS, scalar);
}

bool is_identifier_more(uint32_t scalar) {
  if (has_category(scalar, ID_MORE)) return !is_in(ID_MORE_EXCEPTIONS, scalar);
  return is_in(ID_MORES, scalar);
}

bool is_printable(uint32_t scalar) { return scalar == ' ' || !has_category(scalar, UNPRINTABLE); }

int upper_of(uint32_t scalar, uint32_t* to) {
  if (int count = map_sequence(UPPER_SEQUENCES, scalar, to)) return count;
  to[0] = uint32_t(utf8proc_toupper(int32_t(scalar)));
  return 1;
}

int lower_of(uint32_t scalar, uint32_t* to) {
  if (scalar == CAPITAL_I_WITH_DOT) {
    to[0] = 'i';
    to[1] = 0x307;  // combining dot above
    return 2;
  }
  to[0] = uint32_t(utf8proc_tolower(int32_t(scalar)));
  return 1;
}

int title_of(uint32_t scalar, uint32_t* to) {
  if (int count = map_sequence(TITLE_SEQUENCES, scalar, to)) return count;
  to[0] = uint32_t(utf8proc_totitle(int32_t(scalar)));
  return 1;
}

int casefold_of(uint32_t scalar, uint32_t* to) {
  int last_class = 0;
  utf8proc_int32_t folded[CASE_MAPPING_MAX];
  auto count = utf8proc_decompose_char(int32_t(scalar), folded, CASE_MAPPING_MAX, UTF8PROC_CASEFOLD, &last_class);
  if (count < 1 || count > CASE_MAPPING_MAX) {
    to[0] = scalar;
    return 1;
  }
  for (int i = 0; i < count; i++) to[i] = uint32_t(folded[i]);
  return int(count);
}

}  // namespace meteor::text
