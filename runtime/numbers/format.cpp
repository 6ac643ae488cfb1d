// Values and a format spec → text: sign, prefix, digits in groups, and padding, laid out as Python does.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/numbers/digits.h"
#include "runtime/numbers/format_spec.h"
#include "runtime/numbers/numbers.h"
#include "runtime/numbers/shortest.h"
#include "runtime/text/view.h"

namespace meteor::numbers {
namespace {

using namespace meteor::text;

constexpr int64_t PRECISION_MAX = INT32_MAX - 1024;
constexpr int64_t DEFAULT_PRECISION = 6;

// A number taken apart: sign, prefix (0x), digits before the point, and what follows them (.5e+10).
struct NumberParts {
  char sign = 0;
  const char* prefix = "";
  const char* digits = "";
  int64_t digit_count = 0;
  const char* rest = "";
  int64_t rest_size = 0;
  bool percent = false;
};

char sign_of(bool negative, const FormatSpec& spec) {
  if (negative) return '-';
  return spec.sign == '+' || spec.sign == ' ' ? spec.sign : char(0);
}

// A fill character, ready to be repeated.
struct Fill {
  explicit Fill(uint32_t scalar) : size(write_scalar(bytes, scalar)) {}
  uint8_t* write(uint8_t* to, int64_t count) const {
    for (int64_t i = 0; i < count; i++, to += size) memcpy(to, bytes, size_t(size));
    return to;
  }
  uint8_t bytes[4];
  int64_t size;
};

uint8_t* write_raw(uint8_t* to, const void* from, int64_t size) {
  if (size != 0) memcpy(to, from, size_t(size));
  return to + size;
}

// Digits with separators, and zeros before them up to min_width; a separator never comes first. Written from the right,
// so the first pass only measures.
struct Grouping {
  char separator;  // 0: none
  int64_t group;
};

int64_t write_grouped(char* to, int64_t total, const char* digits, int64_t count, int64_t min_width,
                      Grouping grouping) {
  int64_t size = 0;
  for (;;) {
    int64_t left = count > min_width ? count : min_width;
    if (left < 1) left = 1;
    int64_t chunk = grouping.separator != 0 && grouping.group < left ? grouping.group : left;
    for (int64_t i = 0; i < chunk; i++) {
      char digit = count > 0 ? digits[count - 1] : '0';
      if (count > 0) count--;
      if (to != nullptr) to[total - size - 1] = digit;
      size++;
    }
    min_width -= chunk;
    if (count <= 0 && min_width <= 0) return size;
    if (to != nullptr) to[total - size - 1] = grouping.separator;
    size++;
    min_width--;
  }
}

met_str lay_out(const NumberParts& number, const FormatSpec& spec) {
  int64_t prefix_size = int64_t(strlen(number.prefix));
  int64_t fixed = (number.sign != 0) + prefix_size + number.rest_size + number.percent;
  int64_t min_digits = spec.fill == '0' && spec.align == '=' ? spec.width - fixed : 0;
  bool binary = spec.type == 'b' || spec.type == 'o' || spec.type == 'x' || spec.type == 'X';
  Grouping grouping = {spec.grouping, binary ? 4 : 3};
  int64_t digits =
      number.digit_count == 0 ? 0 : write_grouped(nullptr, 0, number.digits, number.digit_count, min_digits, grouping);
  int64_t padding = spec.width - fixed - digits;
  if (padding < 0) padding = 0;
  int64_t left = spec.align == '>' ? padding : spec.align == '^' ? padding / 2 : 0;
  int64_t inner = spec.align == '=' ? padding : 0;

  Fill fill(spec.fill);
  int64_t total;
  if (__builtin_mul_overflow(padding, fill.size, &total) || __builtin_add_overflow(total, fixed + digits, &total))
    met_out_of_memory(-1);
  Writer out(total);
  uint8_t* to = fill.write(out.data, left);
  if (number.sign != 0) *to++ = uint8_t(number.sign);
  to = write_raw(to, number.prefix, prefix_size);
  to = fill.write(to, inner);
  if (digits > 0)
    write_grouped(reinterpret_cast<char*>(to), digits, number.digits, number.digit_count, min_digits, grouping);
  to = write_raw(to + digits, number.rest, number.rest_size);
  if (number.percent) *to++ = '%';
  fill.write(to, padding - left - inner);
  return out.finish();
}

met_str fail(bool* ok, const char* message) {
  *ok = false;
  return make_c(message);
}

// ---- integers ----

met_str format_char(bool negative, uint64_t value, const FormatSpec& spec, bool* ok) {
  if (spec.sign != 0) return fail(ok, "Sign not allowed with integer format specifier 'c'");
  if (spec.alternate) return fail(ok, "Alternate form (#) not allowed with integer format specifier 'c'");
  if (negative || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
    return fail(ok, "%c arg not in range(0x110000)");
  uint8_t bytes[4];
  NumberParts number;
  number.rest = reinterpret_cast<const char*>(bytes);
  number.rest_size = write_scalar(bytes, uint32_t(value));
  FormatSpec by_scalars = spec;
  if (spec.width > 0) by_scalars.width += number.rest_size - 1;
  return lay_out(number, by_scalars);
}

// How a float without type letter and precision is written.
enum class Shortest { DOUBLE, FLOAT };

met_str format_double(double value, const FormatSpec& spec, Shortest shortest, bool* ok);

met_str format_integer(bool negative, uint64_t value, const met_str& spec_text, bool* ok) {
  FormatSpec spec;
  met_str problem = EMPTY;
  *ok = parse_format_spec(spec_text, "int", '>', &spec, &problem);
  if (!*ok) return problem;
  int64_t base = 10;
  const char* prefix = "";
  switch (spec.type) {
    case 0:
    case 'd':
    case 'n':
    case 'c': break;
    case 'b':
      base = 2;
      prefix = "0b";
      break;
    case 'o':
      base = 8;
      prefix = "0o";
      break;
    case 'x':
      base = 16;
      prefix = "0x";
      break;
    case 'X':
      base = 16;
      prefix = "0X";
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case '%': return format_double(negative ? -double(value) : double(value), spec, Shortest::DOUBLE, ok);
    default: *ok = false; return unknown_format_code(spec.type, "int");
  }
  if (spec.precision >= 0) return fail(ok, "Precision not allowed in integer format specifier");
  if (spec.no_negative_zero) return fail(ok, "Negative zero coercion (z) not allowed in integer format specifier");
  if (spec.type == 'c') return format_char(negative, value, spec, ok);
  char digits[DIGITS_MAX];
  NumberParts number;
  number.sign = sign_of(negative, spec);
  if (spec.alternate) number.prefix = prefix;
  number.digits = digits;
  number.digit_count = base == 10 ? write_digits(digits, value) : write_digits(digits, value, base, spec.type == 'X');
  return lay_out(number, spec);
}

// ---- floats ----

// Text that printf made, in memory that grows when precision asks for it.
class PrintedFloat {
 public:
  PrintedFloat() = default;
  PrintedFloat(const PrintedFloat&) = delete;
  ~PrintedFloat() {
    if (text != short_) free(text);
  }

  void print(char format, int64_t precision, double value) {
    char pattern[] = {'%', '.', '*', format, 0};
    size = snprintf(short_, sizeof short_, pattern, int(precision), value);
    text = short_;
    if (size >= int64_t(sizeof short_)) {
      text = static_cast<char*>(malloc(size_t(size) + 1));
      if (text == nullptr) met_out_of_memory(size);
      size = snprintf(text, size_t(size) + 1, pattern, int(precision), value);
    }
  }

  char* text = short_;
  int64_t size = 0;

 private:
  char short_[128];
};

// What %g makes of the digits of "%.*e": fixed or exponent form, zeros at the end kept only when asked for.
struct GeneralForm {
  bool keep_zeros;      // the # flag
  bool add_point_zero;  // no type letter: 1.0 rather than 1
};

void write_general(met_builder* to, const char* printed, int64_t precision, GeneralForm form) {
  const char* e = strchr(printed, 'e');
  int64_t exponent = strtol(e + 1, nullptr, 10);
  met_builder digits = {};
  for (const char* at = printed; at < e; at++)
    if (*at >= '0' && *at <= '9') met_builder_append_byte(&digits, *at);
  int64_t count = digits.size;
  if (!form.keep_zeros)
    while (count > 1 && digits.data[count - 1] == '0') count--;
  bool scientific = exponent < -4 || exponent >= precision - (form.add_point_zero ? 1 : 0);
  int64_t point = scientific ? 1 : exponent + 1;  // digits before the point
  if (point <= 0) met_builder_append_byte(to, '0');
  for (int64_t i = 0; i < point; i++) met_builder_append_byte(to, i < count ? digits.data[i] : '0');
  int64_t shown = point > 0 ? point : 0;
  if (count > shown || form.keep_zeros || (form.add_point_zero && !scientific)) met_builder_append_byte(to, '.');
  for (int64_t i = point; i < 0; i++) met_builder_append_byte(to, '0');
  met_builder_append_raw(to, digits.data + shown, count > shown ? count - shown : 0);
  if (count <= shown && form.add_point_zero && !scientific && !form.keep_zeros) met_builder_append_byte(to, '0');
  if (scientific) {
    char text[16];
    int64_t size = snprintf(text, sizeof text, "e%c%02lld", exponent < 0 ? '-' : '+',
                            static_cast<long long>(exponent < 0 ? -exponent : exponent));
    met_builder_append_raw(to, reinterpret_cast<uint8_t*>(text), size);
  }
  met_builder_free(&digits);
}

void write_shortest(met_builder* to, double value, bool alternate, Shortest shortest) {
  char text[FLOAT_TEXT_MAX + 1];
  int64_t size = shortest == Shortest::FLOAT ? write_float32(text, float(value)) : write_float(text, value);
  text[size] = 0;
  int64_t mantissa =
      alternate && strchr(text, '.') == nullptr ? strchr(text, 'e') - text : size;  // 1e+16 lacks a point
  met_builder_append_raw(to, reinterpret_cast<uint8_t*>(text), mantissa);
  if (mantissa < size) met_builder_append_byte(to, '.');
  met_builder_append_raw(to, reinterpret_cast<uint8_t*>(text) + mantissa, size - mantissa);
}

// value >= 0 with that many digits after the point, when it is of everyday size; else 0 and nothing is written. Exact:
// value is c × 2^-s, so value × 10^precision is an integer over 2^s, which is rounded half to even.
constexpr int64_t QUICK_PRECISION_MAX = 17;
constexpr int64_t QUICK_TEXT_MAX = 40;

int64_t write_fixed_quickly(char* to, double value, int64_t precision) {
  static constexpr uint64_t POWERS[] = {1,
                                        10,
                                        100,
                                        1000,
                                        10000,
                                        100000,
                                        1000000,
                                        10000000,
                                        100000000,
                                        1000000000,
                                        10000000000,
                                        100000000000,
                                        1000000000000,
                                        10000000000000,
                                        100000000000000,
                                        1000000000000000,
                                        10000000000000000,
                                        100000000000000000};
  if (precision > QUICK_PRECISION_MAX || !(value < 0x1p52) || (value != 0 && value < 0x1p-70)) return 0;
  uint64_t bits;
  memcpy(&bits, &value, 8);
  uint64_t c = bits == 0 ? 0 : (bits & ((1ull << 52) - 1)) | 1ull << 52;
  int64_t s = bits == 0 ? 1 : 1075 - int64_t(bits >> 52);  // 1 … 122
  unsigned __int128 scaled = static_cast<unsigned __int128>(c) * POWERS[precision];
  unsigned __int128 whole = scaled >> s, rest = scaled - (whole << s),
                    half = static_cast<unsigned __int128>(1) << (s - 1);
  if (rest > half || (rest == half && (whole & 1))) whole++;
  if (whole >> 63) return 0;
  uint64_t before = uint64_t(whole) / POWERS[precision], after = uint64_t(whole) % POWERS[precision];
  int64_t size = write_digits(to, before);
  if (precision == 0) return size;
  to[size++] = '.';
  for (int64_t i = precision; i-- > 0; after /= 10) to[size + i] = char('0' + after % 10);
  return size + precision;
}

// The number without its sign, as the type letter wants it.
void write_magnitude(met_builder* to, double value, char type, int64_t precision, bool alternate, Shortest shortest) {
  if (type == 'r') {
    write_shortest(to, value, alternate, shortest);
    return;
  }
  PrintedFloat printed;
  if (type == 'g' || type == 's') {  // 's': no type letter but a precision
    if (precision == 0) precision = 1;
    printed.print('e', precision - 1, value);
    write_general(to, printed.text, precision, {alternate, type == 's'});
    return;
  }
  printed.print(type, precision, value);
  char* e = strchr(printed.text, 'e');
  int64_t mantissa = e == nullptr ? printed.size : e - printed.text;
  met_builder_append_raw(to, reinterpret_cast<uint8_t*>(printed.text), mantissa);
  if (alternate && precision == 0) met_builder_append_byte(to, '.');
  met_builder_append_raw(to, reinterpret_cast<uint8_t*>(printed.text + mantissa), printed.size - mantissa);
}

bool is_all_zero(const met_builder& text) {
  for (int64_t i = 0; i < text.size && text.data[i] != 'e'; i++)
    if (text.data[i] >= '1' && text.data[i] <= '9') return false;
  return true;
}

// The type letter decides the notation.
met_str format_double(double value, const FormatSpec& spec, Shortest shortest, bool* ok) {
  if (spec.precision > PRECISION_MAX) return fail(ok, "precision too big");
  bool upper = spec.type == 'E' || spec.type == 'F' || spec.type == 'G';
  char type = char(upper ? spec.type | 32 : spec.type);
  int64_t precision = spec.precision;
  bool percent = type == '%';
  if (type == 0) type = precision < 0 ? 'r' : 's';
  if (type == 'n') type = 'g';
  if (percent) {
    type = 'f';
    value *= 100;
  }
  if (precision < 0) precision = DEFAULT_PRECISION;

  bool finite = isfinite(value), negative = signbit(value) && !isnan(value);
  met_builder text = {};
  char quick[QUICK_TEXT_MAX + 1];
  int64_t quick_size =
      type == 'f' && finite && !spec.alternate ? write_fixed_quickly(quick, fabs(value), precision) : 0;
  if (quick_size > 0) {
    text = {reinterpret_cast<uint8_t*>(quick), quick_size, 0};  // borrowed: no capacity
  } else if (finite) {
    write_magnitude(&text, fabs(value), type, precision, spec.alternate, shortest);
  } else {
    met_builder_append_raw(&text, reinterpret_cast<const uint8_t*>(isnan(value) ? "nan" : "inf"), 3);
  }
  if (finite && negative && spec.no_negative_zero && is_all_zero(text)) negative = false;
  char* chars = reinterpret_cast<char*>(text.data);
  int64_t digit_count = 0;
  while (digit_count < text.size && chars[digit_count] >= '0' && chars[digit_count] <= '9') digit_count++;
  for (int64_t i = 0; upper && i < text.size; i++)
    if (chars[i] >= 'a' && chars[i] <= 'z') chars[i] = char(chars[i] - 32);

  NumberParts number;
  number.sign = sign_of(negative, spec);
  number.digits = chars;
  number.digit_count = digit_count;
  number.rest = chars + digit_count;
  number.rest_size = text.size - digit_count;
  number.percent = percent;
  met_str result = lay_out(number, spec);
  if (text.capacity > 0) met_builder_free(&text);
  return result;
}

met_str format_floating(double value, Shortest shortest, const met_str& spec_text, bool* ok) {
  FormatSpec spec;
  met_str problem = EMPTY;
  *ok = parse_format_spec(spec_text, "float", '>', &spec, &problem);
  if (!*ok) return problem;
  switch (spec.type) {
    case 0:
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'n':
    case '%': return format_double(value, spec, shortest, ok);
    default: *ok = false; return unknown_format_code(spec.type, "float");
  }
}

}  // namespace
}  // namespace meteor::numbers

using namespace meteor::numbers;

extern "C" {

met_str met_format_int(int64_t value, met_str spec, bool* ok) {
  return format_integer(value < 0, magnitude(value), spec, ok);
}

met_str met_format_uint(uint64_t value, met_str spec, bool* ok) { return format_integer(false, value, spec, ok); }

met_str met_format_float(double value, met_str spec, bool* ok) {
  return format_floating(value, Shortest::DOUBLE, spec, ok);
}

met_str met_format_float32(float value, met_str spec, bool* ok) {
  return format_floating(value, Shortest::FLOAT, spec, ok);
}

met_str met_format_wants(met_str spec_text, int64_t* type, int64_t* precision, bool* alternate, bool* ok) {
  FormatSpec spec;
  met_str problem = meteor::text::EMPTY;
  *ok = parse_format_spec(spec_text, "number", '>', &spec, &problem);
  *type = int64_t(spec.type);
  *precision = spec.precision;
  *alternate = spec.alternate;
  return problem;
}

met_str met_format_number(bool negative, met_str digits, met_str rest, met_str spec_text, bool* ok) {
  FormatSpec spec;
  met_str problem = meteor::text::EMPTY;
  *ok = parse_format_spec(spec_text, "number", '>', &spec, &problem);
  if (!*ok) return problem;
  NumberParts number;
  number.sign = sign_of(negative, spec);
  if (spec.alternate) {
    if (spec.type == 'b') number.prefix = "0b";
    if (spec.type == 'o') number.prefix = "0o";
    if (spec.type == 'x') number.prefix = "0x";
    if (spec.type == 'X') number.prefix = "0X";
  }
  meteor::text::View before = meteor::text::view(digits), after = meteor::text::view(rest);
  number.digits = reinterpret_cast<const char*>(before.data);
  number.digit_count = before.size;
  number.rest = reinterpret_cast<const char*>(after.data);
  number.rest_size = after.size;
  return lay_out(number, spec);
}

met_str met_format_str(met_str value, met_str spec_text, bool* ok) {
  FormatSpec spec;
  met_str problem = meteor::text::EMPTY;
  *ok = parse_format_spec(spec_text, "str", '<', &spec, &problem);
  if (!*ok) return problem;
  if (spec.type != 0 && spec.type != 's') {
    *ok = false;
    return unknown_format_code(spec.type, "str");
  }
  if (spec.sign != 0)
    return fail(ok, spec.sign == ' ' ? "Space not allowed in string format specifier"
                                     : "Sign not allowed in string format specifier");
  if (spec.no_negative_zero) return fail(ok, "Negative zero coercion (z) not allowed in string format specifier");
  if (spec.alternate) return fail(ok, "Alternate form (#) not allowed in string format specifier");
  if (spec.align == '=') return fail(ok, "'=' alignment not allowed in string format specifier");
  int64_t length = met_str_len(value);
  met_str shown = spec.precision >= 0 && spec.precision < length ? met_str_slice(value, 0, spec.precision)
                                                                 : meteor::text::kept(value);
  int64_t padding = spec.width - met_str_len(shown);
  if (padding <= 0) return shown;
  int64_t left = spec.align == '>' ? padding : spec.align == '^' ? padding / 2 : 0;
  Fill fill(spec.fill);
  int64_t shown_size = met_str_size(shown), total;
  if (__builtin_mul_overflow(padding, fill.size, &total) || __builtin_add_overflow(total, shown_size, &total))
    met_out_of_memory(-1);
  meteor::text::Writer out(total);
  uint8_t* to = fill.write(out.data, left);
  met_str_copy_to(shown, to);
  fill.write(to + shown_size, padding - left);
  met_str_release(shown);
  return out.finish();
}

}  // extern "C"
