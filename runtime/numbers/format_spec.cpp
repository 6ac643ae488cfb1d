// Format specification text → FormatSpec, with Python's messages for what is wrong.
#include "runtime/numbers/format_spec.h"

#include <stdio.h>

#include "runtime/os/os.h"
#include "runtime/text/view.h"

namespace meteor::numbers {
namespace {

using namespace meteor::text;

bool is_align(uint32_t scalar) { return scalar == '<' || scalar == '>' || scalar == '=' || scalar == '^'; }

struct Scalars {
  const uint8_t* at;
  const uint8_t* end;

  uint32_t peek() const {
    const uint8_t* from = at;
    return at < end ? next_scalar(from) : 0;
  }
  bool take(uint32_t wanted) {
    if (at == end || *at != wanted) return false;
    at++;
    return true;
  }
};

// Gives false when the number does not fit.
bool take_number(Scalars& text, int64_t* number, bool* any) {
  *any = false;
  int64_t value = 0;
  while (text.at < text.end && *text.at >= '0' && *text.at <= '9') {
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *text.at - '0', &value))
      return false;
    text.at++;
    *any = true;
  }
  if (*any) *number = value;
  return true;
}

void take_align(Scalars& text, FormatSpec* spec) {
  const uint8_t* second = text.at;
  if (text.at == text.end) return;
  uint32_t first = next_scalar(second);
  if (second < text.end && is_align(*second)) {
    spec->fill = first;
    spec->align = char(*second);
    spec->align_given = true;
    text.at = second + 1;
  } else if (is_align(first)) {
    spec->align = char(first);
    spec->align_given = true;
    text.at = second;
  }
}

met_str cannot_specify(char what, uint32_t with) {
  char message[64];
  if (with > ' ' && with < 0x7f)
    snprintf(message, sizeof message, "Cannot specify '%c' with '%c'.", what, char(with));
  else
    snprintf(message, sizeof message, "Cannot specify '%c' with '\\x%x'.", what, with);
  return make_c(message);
}

met_str invalid_specifier(const met_str& text, const char* kind) {
  met_str parts[] = {make_c("Invalid format specifier '"), text, make_c("' for object of type '"), make_c(kind),
                     make_c("'")};
  met_str message = met_str_concat(parts, 5);
  for (int i = 0; i < 5; i++)
    if (i != 1) met_str_release(parts[i]);
  return message;
}

// So many characters can be written, of the longest there are.
bool has_room(int64_t characters) {
  constexpr int64_t LARGE = 1 << 24, LONGEST = 4;
  return characters <= LARGE || (characters <= INT64_MAX / LONGEST && met_has_room(characters * LONGEST));
}

met_str too_large(const char* what, int64_t characters) {
  char message[96];
  snprintf(message, sizeof message, "a %s of %lld characters is more than memory can hold", what,
           static_cast<long long>(characters));
  return make_c(message);
}

bool grouping_fits(uint32_t type, char grouping) {
  switch (type) {
    case 0:
    case 'd':
    case 'e':
    case 'f':
    case 'g':
    case 'E':
    case 'F':
    case 'G':
    case '%': return true;
    case 'b':
    case 'o':
    case 'x':
    case 'X': return grouping == '_';
    default: return false;
  }
}

}  // namespace

met_str unknown_format_code(uint32_t type, const char* kind) {
  char message[96];
  if (type > ' ' && type < 0x7f)
    snprintf(message, sizeof message, "Unknown format code '%c' for object of type '%s'", char(type), kind);
  else
    snprintf(message, sizeof message, "Unknown format code '\\x%x' for object of type '%s'", type, kind);
  return make_c(message);
}

static bool take_grouping(Scalars& text, FormatSpec* spec, met_str* problem) {
  if (text.take(',')) spec->grouping = ',';
  if (text.take('_')) {
    if (spec->grouping != 0) {
      *problem = make_c("Cannot specify both ',' and '_'.");
      return false;
    }
    spec->grouping = '_';
  }
  if (spec->grouping == '_' && text.peek() == ',') {
    *problem = make_c("Cannot specify both ',' and '_'.");
    return false;
  }
  return true;
}

static bool take_precision(Scalars& text, const char* kind, FormatSpec* spec, met_str* problem) {
  bool any = false;
  if (!take_number(text, &spec->precision, &any)) {
    *problem = make_c("Too many decimal digits in format string");
    return false;
  }
  if (!any) {
    *problem = make_c("Format specifier missing precision");
    return false;
  }
  if (kind[0] != 's' && !has_room(spec->precision)) {  // a text is cut
    *problem = too_large("precision", spec->precision);
    return false;
  }
  return true;
}

bool parse_format_spec(const met_str& spec_text, const char* kind, char default_align, FormatSpec* spec,
                       met_str* problem) {
  View v = view(spec_text);
  Scalars text = {v.data, v.end()};
  spec->align = default_align;
  bool fill_given = false, any = false;
  take_align(text, spec);
  fill_given = spec->align_given && is_align(v.data[0]) == false;
  if (spec->align_given && v.size > 1 && text.at - v.data == 2)
    fill_given = true;  // a fill that is itself an align sign

  uint32_t next = text.peek();
  if (next == '+' || next == '-' || next == ' ') {
    spec->sign = char(next);
    text.at++;
  }
  spec->no_negative_zero = text.take('z');
  spec->alternate = text.take('#');
  if (!fill_given && text.take('0')) {
    spec->fill = '0';
    if (!spec->align_given && default_align == '>') spec->align = '=';
  }
  if (!take_number(text, &spec->width, &any)) {
    *problem = make_c("Too many decimal digits in format string");
    return false;
  }
  if (!has_room(spec->width)) {
    *problem = too_large("width", spec->width);
    return false;
  }
  if (!take_grouping(text, spec, problem)) return false;
  if (text.take('.') && !take_precision(text, kind, spec, problem)) return false;
  if (text.at < text.end) {
    spec->type = next_scalar(text.at);
    if (text.at < text.end) {
      *problem = invalid_specifier(spec_text, kind);
      return false;
    }
  }
  if (spec->grouping != 0 && !grouping_fits(spec->type == 0 && kind[0] == 's' ? 's' : spec->type, spec->grouping)) {
    *problem = cannot_specify(spec->grouping, spec->type == 0 ? 's' : spec->type);
    return false;
  }
  return true;
}

}  // namespace meteor::numbers
