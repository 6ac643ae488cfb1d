// What Unicode says about a scalar: categories and case mappings from utf8proc, the rest from unicode_tables.def.
// Only what needs them includes this, so that a program without Unicode methods is linked without the tables.
#ifndef METEOR_RUNTIME_TEXT_UNICODE_H
#define METEOR_RUNTIME_TEXT_UNICODE_H

#include <stdint.h>

namespace meteor::text {

bool is_decimal(uint32_t scalar);
bool is_digit(uint32_t scalar);
bool is_numeric(uint32_t scalar);
bool is_alpha(uint32_t scalar);
bool is_upper(uint32_t scalar);
bool is_lower(uint32_t scalar);
bool is_title(uint32_t scalar);
inline bool is_cased(uint32_t scalar) { return is_upper(scalar) || is_lower(scalar) || is_title(scalar); }
bool is_case_ignorable(uint32_t scalar);
bool is_identifier_start(uint32_t scalar);
bool is_identifier_more(uint32_t scalar);
bool is_printable(uint32_t scalar);

// Full case mappings: up to three scalars into `to`; how many.
constexpr int CASE_MAPPING_MAX = 4;
int upper_of(uint32_t scalar, uint32_t* to);
int lower_of(uint32_t scalar, uint32_t* to);  // the final sigma is the caller's concern
int title_of(uint32_t scalar, uint32_t* to);
int casefold_of(uint32_t scalar, uint32_t* to);

}  // namespace meteor::text

#endif
