// str and bytes for std/core. A `met_str` parameter is borrowed, a result is owned. `met_str* out` (a `ref` parameter)
// holds a valid value: it is released and replaced. "index" counts Unicode scalars, "byte" counts bytes; both are in
// range already (0 <= lo <= hi <= length) unless said, negative ones are resolved by the caller. Invariant: a str is
// always valid UTF-8; bytes have the same representation and may hold anything.
#ifndef METEOR_RUNTIME_TEXT_H
#define METEOR_RUNTIME_TEXT_H

#include "runtime/abi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const met_type met_str_type;  // of every heap text, literals included

// ---- making and reading ----
met_str met_str_make(const uint8_t* data, int64_t bytes);  // copies; must be valid UTF-8
met_str met_str_from_c(const char* text);                  // copies up to the NUL; invalid UTF-8 is replaced by U+FFFD
int64_t met_str_len(met_str s);                            // scalars
int64_t met_str_size(met_str s);                           // bytes
bool met_str_is_ascii(met_str s);
int64_t met_str_byte_at(met_str s, int64_t byte);  // 0..255
void met_str_copy_to(met_str s, uint8_t* to);      // all its bytes, no NUL

// ---- index, slice, iterate ----
met_str met_str_char_at(met_str s, int64_t index);
met_str met_str_slice(met_str s, int64_t lo, int64_t hi);
met_str met_str_slice_step(met_str s, int64_t start, int64_t stop,
                           int64_t step);  // as Python's slice.indices gives them; step != 0
met_str met_str_byte_slice(met_str s, int64_t from_byte, int64_t to_byte);  // on scalar boundaries
met_str met_str_next_char(met_str s, int64_t* byte);  // the character at *byte (< size), which moves past it
int64_t met_str_byte_of_index(met_str s, int64_t index);
int64_t met_str_index_of_byte(met_str s, int64_t byte);
met_str met_str_reversed(met_str s);

// ---- search; -1 when absent ----
int64_t met_str_find(met_str s, met_str needle, int64_t lo, int64_t hi);  // indexes in, index out
int64_t met_str_rfind(met_str s, met_str needle, int64_t lo, int64_t hi);
int64_t met_str_count(met_str s, met_str needle, int64_t lo, int64_t hi);  // an empty needle counts hi - lo + 1
bool met_str_contains(met_str s, met_str needle);
bool met_str_starts_with(met_str s, met_str prefix);
bool met_str_ends_with(met_str s, met_str suffix);
int64_t met_str_find_from(met_str s, met_str needle, int64_t from_byte);  // bytes in, byte out; for split
int64_t met_str_rfind_before(met_str s, met_str needle,
                             int64_t before_byte);                // the last match that ends at or before before_byte
int64_t met_str_find_space(met_str s, int64_t from_byte);         // first whitespace at or after; size when none
int64_t met_str_skip_space(met_str s, int64_t from_byte);         // first non-whitespace at or after; size when none
int64_t met_str_find_space_back(met_str s, int64_t before_byte);  // end of the last whitespace before; 0 when none
int64_t met_str_skip_space_back(met_str s, int64_t before_byte);  // end of the last non-whitespace before; 0 when none
int64_t met_str_find_line_end(
    met_str s, int64_t from_byte,
    int64_t* next);  // end of this line without its \n, \r\n …; *next: where the next one starts

// ---- change ----
met_str met_str_replace(met_str s, met_str old_text, met_str new_text, int64_t max);  // max < 0: all
met_str met_str_repeat(met_str s, int64_t times);                                     // times <= 0: empty
met_str met_str_join(met_str separator, const met_str* parts, int64_t count);
met_str met_str_upper(met_str s);
met_str met_str_lower(met_str s);
met_str met_str_title(met_str s);
met_str met_str_capitalize(met_str s);
met_str met_str_swapcase(met_str s);
met_str met_str_casefold(met_str s);
met_str met_str_strip(met_str s);  // whitespace
met_str met_str_lstrip(met_str s);
met_str met_str_rstrip(met_str s);
met_str met_str_strip_chars(met_str s, met_str chars);
met_str met_str_lstrip_chars(met_str s, met_str chars);
met_str met_str_rstrip_chars(met_str s, met_str chars);
met_str met_str_remove_prefix(met_str s, met_str prefix);
met_str met_str_remove_suffix(met_str s, met_str suffix);
met_str met_str_pad_left(met_str s, int64_t width, met_str fill);   // rjust; fill is one character
met_str met_str_pad_right(met_str s, int64_t width, met_str fill);  // ljust
met_str met_str_center(met_str s, int64_t width, met_str fill);
met_str met_str_zfill(met_str s, int64_t width);
met_str met_str_expand_tabs(met_str s, int64_t tab_size);
met_str met_str_repr(met_str s);                     // "quoted", escapes as in Python

// ---- classify, as Python's methods of these names ----
bool met_str_isdigit(met_str s);
bool met_str_isdecimal(met_str s);
bool met_str_isnumeric(met_str s);
bool met_str_isalpha(met_str s);
bool met_str_isalnum(met_str s);
bool met_str_isspace(met_str s);
bool met_str_isupper(met_str s);
bool met_str_islower(met_str s);
bool met_str_istitle(met_str s);
bool met_str_isidentifier(met_str s);
bool met_str_isprintable(met_str s);

// ---- single scalars ----
met_str met_str_from_scalar(int64_t scalar, bool* ok);  // chr; not ok for surrogates and out of range
int64_t met_str_ord(met_str s);                         // -1 unless exactly one scalar

// ---- bytes ----
met_str met_bytes_make(const uint8_t* data, int64_t size);  // copies
met_str met_bytes_filled(int64_t size, int64_t byte);
met_str met_bytes_slice(met_str b, int64_t lo, int64_t hi);
met_str met_bytes_slice_step(met_str b, int64_t start, int64_t stop, int64_t step);
int64_t met_bytes_find(met_str b, met_str needle, int64_t lo, int64_t hi);
int64_t met_bytes_rfind(met_str b, met_str needle, int64_t lo, int64_t hi);
int64_t met_bytes_count(met_str b, met_str needle, int64_t lo, int64_t hi);
int64_t met_bytes_find_byte(met_str b, int64_t byte, int64_t from);
met_str met_bytes_replace(met_str b, met_str old_bytes, met_str new_bytes, int64_t max);
met_str met_bytes_join(met_str separator, const met_str* parts, int64_t count);
met_str met_bytes_hex(met_str b);                                // a str
met_str met_bytes_from_hex(met_str text, int64_t* error_index);  // spaces between pairs allowed; -1: fine
met_str met_bytes_decode(
    met_str b,
    int64_t* error_byte);  // UTF-8 → str; *error_byte: first bad byte, -1 when fine (the result is "" otherwise)
met_str met_bytes_decode_replace(met_str b);  // bad sequences become U+FFFD
met_str met_bytes_decode_ignore(met_str b);
met_str met_bytes_decode_latin1(met_str b);
met_str met_str_encode(met_str s);                               // UTF-8 bytes, shares the memory
met_str met_str_encode_latin1(met_str s, int64_t* error_index);  // -1: fine
met_str met_bytes_repr(met_str b);                               // b"…"
// starts_with, ends_with, contains, hash, equal, compare, concat, repeat, byte_at, size, copy_to: the met_str_
// functions serve bytes too.
uint32_t* met_limbs_memory(met_str limbs);  // of 16 bytes or more: where they lie, as long as somebody holds them
met_str met_bytes_upper(met_str b);         // ASCII letters only, likewise the next
met_str met_bytes_lower(met_str b);
met_str met_bytes_strip(met_str b);

// ---- raw memory as text (Buffer) ----
void met_memory_put(uint8_t* data, int64_t at, met_str source);              // copies the bytes of source to data + at
int64_t met_memory_find(const uint8_t* data, int64_t size, met_str needle);  // byte offset, -1
bool met_memory_is_utf8(uint8_t* data, int64_t size, int64_t* error_byte);

// ---- building: a Meteor struct { data: c_ptr<uint8>, size: int, capacity: int }, passed by ref; zeroed = empty ----
typedef struct met_builder {
  uint8_t* data;
  int64_t size;
  int64_t capacity;
} met_builder;

void met_builder_reserve(met_builder* builder, int64_t more);
void met_builder_append(met_builder* builder, met_str s);
void met_builder_append_raw(met_builder* builder, const uint8_t* data, int64_t bytes);
void met_builder_append_byte(met_builder* builder, int64_t byte);
void met_builder_append_scalar(met_builder* builder, int64_t scalar);
met_str met_builder_text(const met_builder* builder);  // a copy; must be valid UTF-8
met_str met_builder_take(met_builder* builder);        // the text; the builder is empty afterwards
void met_builder_free(met_builder* builder);

#ifdef __cplusplus
}
#endif
#endif
