// Questions about whole texts, with the answers of Python's methods of the same names.
#include "runtime/text/unicode.h"
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

bool is_ascii_letter(uint32_t scalar) { return (scalar | 32) - 'a' < 26; }
bool is_ascii_digit(uint32_t scalar) { return scalar - '0' < 10; }

// Not empty, and every scalar has the property.
template <class Has>
bool every(const met_str& s, Has has) {
  View v = view(s);
  if (v.size == 0) return false;
  for (const uint8_t* at = v.data; at < v.end();)
    if (!has(next_scalar(at))) return false;
  return true;
}

bool upper_at(uint32_t scalar) { return scalar < 0x80 ? scalar - 'A' < 26 : is_upper(scalar); }
bool lower_at(uint32_t scalar) { return scalar < 0x80 ? scalar - 'a' < 26 : is_lower(scalar); }
bool title_at(uint32_t scalar) { return scalar >= 0x80 && is_title(scalar); }

}  // namespace

extern "C" {

bool met_str_isdigit(met_str s) {
  return every(s, [](uint32_t c) { return c < 0x80 ? is_ascii_digit(c) : is_digit(c); });
}

bool met_str_isdecimal(met_str s) {
  return every(s, [](uint32_t c) { return c < 0x80 ? is_ascii_digit(c) : is_decimal(c); });
}

bool met_str_isnumeric(met_str s) {
  return every(s, [](uint32_t c) { return c < 0x80 ? is_ascii_digit(c) : is_numeric(c); });
}

bool met_str_isalpha(met_str s) {
  return every(s, [](uint32_t c) { return c < 0x80 ? is_ascii_letter(c) : is_alpha(c); });
}

bool met_str_isalnum(met_str s) {
  return every(s, [](uint32_t c) {
    return c < 0x80 ? is_ascii_letter(c) || is_ascii_digit(c) : is_alpha(c) || is_digit(c) || is_numeric(c);
  });
}

bool met_str_isspace(met_str s) { return every(s, is_space); }

bool met_str_isprintable(met_str s) {
  return size_of(s) == 0 || every(s, [](uint32_t c) { return c < 0x80 ? c >= ' ' && c != 0x7f : is_printable(c); });
}

bool met_str_isupper(met_str s) {
  bool any = false;
  return every(s,
               [&any](uint32_t c) {
                 any = any || upper_at(c);
                 return !lower_at(c) && !title_at(c);
               }) &&
         any;
}

bool met_str_islower(met_str s) {
  bool any = false;
  return every(s,
               [&any](uint32_t c) {
                 any = any || lower_at(c);
                 return !upper_at(c) && !title_at(c);
               }) &&
         any;
}

bool met_str_istitle(met_str s) {
  bool any = false, in_word = false;
  return every(s,
               [&](uint32_t c) {
                 bool begins = upper_at(c) || title_at(c);
                 bool goes_on = lower_at(c);
                 bool fits = begins ? !in_word : !goes_on || in_word;
                 in_word = begins || goes_on;
                 any = any || in_word;
                 return fits;
               }) &&
         any;
}

bool met_str_isidentifier(met_str s) {
  bool first = true;
  return every(s, [&first](uint32_t c) {
    bool fits = c == '_' || (first ? (c < 0x80 ? is_ascii_letter(c) : is_identifier_start(c))
                                   : (c < 0x80 ? is_ascii_letter(c) || is_ascii_digit(c) : is_identifier_more(c)));
    first = false;
    return fits;
  });
}

}  // extern "C"
