// Numbers and durations.
#include <charconv>
#include <cstring>

#include "compiler/tokens/lexer.h"

namespace meteor::tokens {

using diagnostics::Code;
using diagnostics::Diagnostic;

namespace {

struct Unit {
  std::string_view text;
  uint64_t ns;
};

constexpr Unit UNITS[] = {
    {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"min", 60'000'000'000}, {"h", 3'600'000'000'000},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  char lower = char(c | 0x20);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' + 10 : 99;
}

std::string without_underscores(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    if (c != '_') out += c;
  }
  return out;
}

}  // namespace

// Underscores stand between digits only.
const char* Lexer::skip_digits(const char* at, bool& has_bad_underscore) const {
  while (is_digit(*at) || *at == '_') {
    if (*at == '_' && !is_digit(at[1])) has_bad_underscore = true;
    at++;
  }
  return at;
}

void Lexer::lex_number() {
  uint32_t start = offset();
  if (*at_ == '0') {
    char mark = char(at_[1] | 0x20);
    int radix = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    if (radix != 0) return lex_radix_number(start, radix);
  }
  bool has_bad_underscore = false;
  bool is_float = false;
  const char* at = skip_digits(at_, has_bad_underscore);
  // `1..5` is a range and `1.max(2)` a call.
  if (*at == '.' && at[1] != '.') {
    bool is_exponent = (at[1] | 0x20) == 'e' && (is_digit(at[2]) || ((at[2] == '+' || at[2] == '-') && is_digit(at[3])));
    if (is_digit(at[1])) {
      is_float = true;
      at = skip_digits(at + 1, has_bad_underscore);
    } else if (is_exponent || !is_ident_start_at(at + 1)) {
      is_float = true;
      at++;
    }
  }
  if ((*at | 0x20) == 'e' && (is_digit(at[1]) || ((at[1] == '+' || at[1] == '-') && is_digit(at[2])))) {
    is_float = true;
    at = skip_digits(at + 2, has_bad_underscore);
  }
  std::string_view digits(at_, size_t(at - at_));
  const char* suffix_end = skip_ident(at);
  std::string_view suffix(at, size_t(suffix_end - at));
  at_ = suffix_end;
  if (has_bad_underscore) report(Code::InvalidNumber, start, offset(), "an underscore in a number stands between two digits");

  for (const Unit& unit : UNITS) {
    if (suffix != unit.text) continue;
    if (!make_duration(start, digits, unit.ns)) report(Code::InvalidNumber, start, offset(), "this duration is longer than 292 years");
    return;
  }
  if (!suffix.empty()) {
    Diagnostic& d = report(Code::InvalidNumber, start, offset(), "`" + std::string(suffix) + "` cannot follow a number");
    d.notes.push_back("the units of durations are ns, us, ms, s, min and h");
  }

  Literal literal;
  if (is_float) {
    std::string text = without_underscores(digits);
    auto result = std::from_chars(text.data(), text.data() + text.size(), literal.real);
    if (result.ec == std::errc::result_out_of_range) {
      // from_chars leaves the value alone; strtod's answer (zero or infinity) is what other languages give.
      literal.real = std::strtod(text.c_str(), nullptr);
    }
    push_literal(TokenKind::Float, start, literal);
    return;
  }
  for (char c : digits) {
    if (c == '_') continue;
    uint64_t digit = uint64_t(c - '0');
    if (literal.integer > (UINT64_MAX - digit) / 10) literal.too_big = true;
    literal.integer = literal.integer * 10 + digit;
  }
  if (digits.size() > 1 && digits[0] == '0' && literal.integer != 0 && suffix.empty()) {
    size_t zeros = digits.find_first_not_of("0_");
    Diagnostic& d = report(Code::InvalidNumber, start, offset(), "a number does not begin with 0");
    d.help = "write it without the zero, or with `0o` if it is octal";
    d.edits.push_back({span(start, start + uint32_t(zeros)), ""});
  }
  push_literal(TokenKind::Int, start, literal);
}

void Lexer::lex_radix_number(uint32_t start, int radix) {
  const char* from = at_ + 2;
  at_ = skip_ident(from);
  Literal literal;
  bool has_digit = false;
  for (const char* at = from; at < at_; at++) {
    if (*at == '_') {
      if (at + 1 == at_ || at[1] == '_') report(Code::InvalidNumber, start, offset(), "an underscore in a number stands between two digits");
      continue;
    }
    int digit = digit_value(*at);
    if (digit >= radix) {
      uint32_t here = uint32_t(at - begin_);
      uint32_t end = uint32_t(skip_ident(at) - begin_);
      report(Code::InvalidNumber, start, offset(), "`" + std::string(begin_ + here, end - here) + "` is not part of a number in base " + std::to_string(radix));
      break;
    }
    has_digit = true;
    if (literal.integer > (UINT64_MAX - uint64_t(digit)) / uint64_t(radix)) literal.too_big = true;
    literal.integer = literal.integer * uint64_t(radix) + uint64_t(digit);
  }
  if (!has_digit) report(Code::InvalidNumber, start, offset(), "digits are missing after `" + std::string(begin_ + start, 2) + "`");
  push_literal(TokenKind::Int, start, literal);
}

// Exact for decimals; beyond a nanosecond it cuts off. False when it does not fit.
bool Lexer::make_duration(uint32_t start, std::string_view digits, uint64_t unit_ns) {
  Literal literal;
  bool fits = true;
  std::string text = without_underscores(digits);
  if (text.find_first_of("eE") != std::string::npos) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    value *= double(unit_ns);
    fits = value < 9.2e18;
    literal.integer = fits ? uint64_t(value + 0.5) : 0;
  } else {
    unsigned __int128 total = 0;
    size_t at = 0;
    for (; at < text.size() && text[at] != '.'; at++) {
      total = total * 10 + unsigned(text[at] - '0');
      if (total > UINT64_MAX) fits = false, total = 0;
    }
    total *= unit_ns;
    unsigned __int128 part = unit_ns;
    for (at++; at < text.size() && part > 0; at++) {
      // Twenty digits of fraction are below every unit; `part` shrinks to zero with them.
      total += part * unsigned(text[at] - '0') / 10;
      part /= 10;
    }
    if (total > uint64_t(INT64_MAX)) fits = false;
    literal.integer = fits ? uint64_t(total) : 0;
  }
  push_literal(TokenKind::Duration, start, literal);
  return fits;
}

}  // namespace meteor::tokens
