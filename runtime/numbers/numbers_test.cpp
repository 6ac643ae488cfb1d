// Numbers as text and back, against Python's results (numbers_cases.def).
#include "runtime/numbers/numbers.h"

#include <gtest/gtest.h>
#include <math.h>
#include <string.h>

#include <string>

#include "runtime/numbers/hash.h"
#include "runtime/os/os.h"
#include "runtime/text/text.h"

namespace {

std::string take(met_str owned) {
  std::string s(size_t(met_str_size(owned)), 0);
  met_str_copy_to(owned, reinterpret_cast<uint8_t*>(s.data()));
  met_str_release(owned);
  return s;
}

// A borrowed argument: released when the full expression ends.
struct Arg {
  Arg(const std::string& s) : value(met_str_make(reinterpret_cast<const uint8_t*>(s.data()), int64_t(s.size()))) {}
  Arg(const char* s) : Arg(std::string(s)) {}
  Arg(const Arg&) = delete;
  ~Arg() { met_str_release(value); }
  operator met_str() const { return value; }
  met_str value;
};

struct FloatCase {
  uint64_t bits;
  const char* text;
};

template <class Value>
struct FormatCase {
  Value value;
  const char* spec;
  bool ok;
  const char* text;
};

#define FLOAT_CASE(...)
#define FORMAT_INT_CASE(...)
#define FORMAT_FLOAT_CASE(...)
#define FORMAT_STR_CASE(...)
#define CASE(...) {__VA_ARGS__},

#undef FLOAT_CASE
#define FLOAT_CASE CASE
const FloatCase FLOATS[] = {
#include "runtime/numbers/numbers_cases.def"
};
#undef FLOAT_CASE
#define FLOAT_CASE(...)

#undef FORMAT_INT_CASE
#define FORMAT_INT_CASE CASE
const FormatCase<int64_t> INT_FORMATS[] = {
#include "runtime/numbers/numbers_cases.def"
};
#undef FORMAT_INT_CASE
#define FORMAT_INT_CASE(...)

#undef FORMAT_FLOAT_CASE
#define FORMAT_FLOAT_CASE CASE
const FormatCase<double> FLOAT_FORMATS[] = {
#include "runtime/numbers/numbers_cases.def"
};
#undef FORMAT_FLOAT_CASE
#define FORMAT_FLOAT_CASE(...)

#undef FORMAT_STR_CASE
#define FORMAT_STR_CASE CASE
const FormatCase<const char*> STR_FORMATS[] = {
#include "runtime/numbers/numbers_cases.def"
};

double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

TEST(NumbersTest, floats_print_as_in_python) {
  for (const FloatCase& c : FLOATS) EXPECT_EQ(take(met_float_text(from_bits(c.bits))), c.text);
}

TEST(NumbersTest, floats_read_back_the_same_and_no_shorter_text_would) {
  meteor::numbers::RandomState state;
  met_random_seed(&state, 12);
  for (int i = 0; i < 100'000; i++) {
    double value = from_bits(uint64_t(met_random_next(&state)));
    if (!isfinite(value)) continue;
    std::string text = take(met_float_text(value));
    bool ok = false;
    ASSERT_EQ(met_float_parse(Arg(text), &ok), value) << text;
    ASSERT_TRUE(ok);
    int digits = 0;
    for (char c : text.substr(0, text.find('e'))) digits += c >= '0' && c <= '9';
    if (text.find('e') == std::string::npos || digits < 2) continue;
    char shorter[64];
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
    ASSERT_NE(strtod(shorter, nullptr), value) << text;
  }
}

TEST(NumbersTest, narrow_floats_print_by_their_own_precision) {
  EXPECT_EQ(take(met_float32_text(0.1f)), "0.1");
  EXPECT_EQ(take(met_float32_text(16777216.0f)), "16777216.0");
  EXPECT_EQ(take(met_float32_text(1e-45f)), "1e-45");
  EXPECT_EQ(take(met_float32_text(3.4028235e38f)), "3.4028235e+38");
  bool ok = false;
  EXPECT_EQ(take(met_format_float32(0.1f, Arg(""), &ok)), "0.1");
}

TEST(NumbersTest, format_specs_are_pythons) {
  bool ok = false;
  for (const auto& c : INT_FORMATS) {
    EXPECT_EQ(take(met_format_int(c.value, Arg(c.spec), &ok)), c.text) << c.value << " '" << c.spec << "'";
    EXPECT_EQ(ok, c.ok) << c.spec;
  }
  for (const auto& c : FLOAT_FORMATS) {
    EXPECT_EQ(take(met_format_float(c.value, Arg(c.spec), &ok)), c.text) << c.value << " '" << c.spec << "'";
    EXPECT_EQ(ok, c.ok) << c.spec;
  }
  for (const auto& c : STR_FORMATS) {
    EXPECT_EQ(take(met_format_str(Arg(c.value), Arg(c.spec), &ok)), c.text) << c.value << " '" << c.spec << "'";
    EXPECT_EQ(ok, c.ok) << c.spec;
  }
  EXPECT_EQ(take(met_format_uint(UINT64_MAX, Arg(","), &ok)), "18,446,744,073,709,551,615");
}

TEST(NumbersTest, integers_parse_by_pythons_rules) {
  struct Case {
    const char* text;
    int64_t base, status, value;
  };
  for (const Case& c : {Case{" 42\n", 10, 0, 42},
                        {"-1_000", 10, 0, -1000},
                        {"0x_fF", 0, 0, 255},
                        {"0b101", 2, 0, 5},
                        {"ff", 16, 0, 255},
                        {"0o17", 0, 0, 15},
                        {"00", 0, 0, 0},
                        {"01", 0, 1, 0},
                        {"01", 10, 0, 1},
                        {"1__0", 10, 1, 0},
                        {"_1", 10, 1, 0},
                        {"1_", 10, 1, 0},
                        {"", 10, 1, 0},
                        {"-", 10, 1, 0},
                        {"0x", 0, 1, 0},
                        {"12a", 10, 1, 0},
                        {"zz", 36, 0, 1295},
                        {"9223372036854775807", 10, 0, INT64_MAX},
                        {"9223372036854775808", 10, 2, 0},
                        {"-9223372036854775808", 10, 0, INT64_MIN},
                        {"-9223372036854775809", 10, 2, 0},
                        {"99999999999999999999999", 10, 2, 0},
                        {"99999999999999999999999x", 10, 1, 0},
                        {"+7", 10, 0, 7},
                        {"+-7", 10, 1, 0}}) {
    int64_t status = -1;
    EXPECT_EQ(met_int_parse(Arg(c.text), c.base, &status), c.value) << c.text;
    EXPECT_EQ(status, c.status) << c.text;
  }
}

TEST(NumbersTest, floats_parse_by_pythons_rules) {
  bool ok = false;
  for (const char* bad : {"", "e5", "1e", "1__0", "_1", "1_.5", "1._5", "0x10", "infin", "1 2", "--1", "."}) {
    met_float_parse(Arg(bad), &ok);
    EXPECT_FALSE(ok) << bad;
  }
  EXPECT_EQ(met_float_parse(Arg(" 1_0.5e1_0 "), &ok), 10.5e10);
  EXPECT_EQ(met_float_parse(Arg("-.5"), &ok), -0.5);
  EXPECT_EQ(met_float_parse(Arg("5."), &ok), 5.0);
  EXPECT_EQ(met_float_parse(Arg("-Infinity"), &ok), -INFINITY);
  EXPECT_TRUE(isnan(met_float_parse(Arg("nan"), &ok)));
  EXPECT_EQ(met_float_parse(Arg("1e400"), &ok), INFINITY);
  EXPECT_EQ(met_float_parse(Arg(std::string(500, '1')), &ok), INFINITY);
  EXPECT_EQ(met_float_parse(Arg("0." + std::string(500, '0') + "1e500"), &ok), 0.1);
  EXPECT_TRUE(ok);
}

TEST(NumbersTest, integers_print) {
  EXPECT_EQ(take(met_int_text(0)), "0");
  EXPECT_EQ(take(met_int_text(INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(take(met_int_text(-100)), "-100");
  EXPECT_EQ(take(met_uint_text(UINT64_MAX)), "18446744073709551615");
  EXPECT_EQ(take(met_int_text_base(-255, 16, Arg("0x"))), "-0xff");
  EXPECT_EQ(take(met_int_text_base(INT64_MIN, 2, Arg("0b"))), "-0b1" + std::string(63, '0'));
}

TEST(NumbersTest, arithmetic_is_pythons) {
  bool flag = false;
  EXPECT_EQ(met_int_pow(3, 39, &flag), 4052555153018976267);
  EXPECT_FALSE(flag);
  met_int_pow(3, 40, &flag);
  EXPECT_TRUE(flag);
  EXPECT_EQ(met_int_pow(-2, 63, &flag), INT64_MIN);
  EXPECT_FALSE(flag);
  EXPECT_EQ(met_int_pow(0, 0, &flag), 1);
  EXPECT_EQ(met_float_mod(-7.5, 2), 0.5);
  EXPECT_EQ(met_float_mod(7.5, -2), -0.5);
  EXPECT_TRUE(signbit(met_float_mod(4, -2)));
  EXPECT_EQ(met_float_floor_div(-1, INFINITY), -1);
  EXPECT_EQ(met_float_floor_div(1, 0.1), 9);
  EXPECT_FALSE(signbit(met_float_floor_div(-1, -2)));
  EXPECT_EQ(met_round_digits(2.675, 2), 2.67);
  EXPECT_EQ(met_round_digits(0.5, 0), 0);
  EXPECT_EQ(met_round_digits(1250, -2), 1200);
  EXPECT_EQ(met_round_digits(1350, -2), 1400);
  EXPECT_EQ(met_round_digits(99, -2), 100);
  EXPECT_EQ(met_round_digits(-49, -2), 0);
  EXPECT_EQ(met_int_round_digits(25, -1, &flag), 20);
  EXPECT_EQ(met_int_round_digits(-35, -1, &flag), -40);
  met_int_round_digits(INT64_MAX, -1, &flag);
  EXPECT_TRUE(flag);
  EXPECT_EQ(met_int_sqrt(INT64_MAX), 3037000499);
  EXPECT_EQ(met_int_gcd(-12, 18, &flag), 6);
  EXPECT_EQ(met_int_pow_mod(-3, 5, 7), 2);
}

TEST(NumbersTest, hashes_depend_on_the_key_and_on_every_byte) {
  using meteor::numbers::hash_bytes;
  meteor::numbers::HashKey saved = meteor::numbers::hash_key;
  uint8_t data[64] = {};
  for (int64_t size = 0; size < 64; size++) {
    meteor::numbers::set_hash_key(1);
    uint64_t hash = hash_bytes(data, uint64_t(size));
    EXPECT_NE(hash, hash_bytes(data, uint64_t(size) + 1));
    for (int64_t i = 0; i < size; i++) {
      data[i] ^= 1;
      EXPECT_NE(hash_bytes(data, uint64_t(size)), hash) << size << " " << i;
      data[i] ^= 1;
    }
    EXPECT_EQ(hash_bytes(data, uint64_t(size)), hash);
    meteor::numbers::set_hash_key(2);
    EXPECT_NE(hash_bytes(data, uint64_t(size)), hash);
  }
  EXPECT_EQ(met_hash_float(0.0), met_hash_float(-0.0));
  meteor::numbers::hash_key = saved;
}

TEST(NumbersTest, random_numbers_are_even) {
  meteor::numbers::RandomState state;
  met_random_seed(&state, 42);
  int counts[6] = {};
  double sum = 0;
  for (int i = 0; i < 60'000; i++) {
    int64_t n = met_random_below(&state, 6);
    ASSERT_TRUE(n >= 0 && n < 6);
    counts[n]++;
    double x = met_random_float(&state);
    ASSERT_TRUE(x >= 0 && x < 1);
    sum += x;
  }
  for (int count : counts) EXPECT_NEAR(count, 10'000, 500);
  EXPECT_NEAR(sum / 60'000, 0.5, 0.01);
  meteor::numbers::RandomState again;
  met_random_seed(&again, 42);
  met_random_seed(&state, 42);
  EXPECT_EQ(met_random_next(&state), met_random_next(&again));
}

}  // namespace
