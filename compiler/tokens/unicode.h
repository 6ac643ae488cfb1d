// What the lexer needs to know of UTF-8 and Unicode.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace meteor::tokens {

// Letters; digits and marks may follow. ASCII is answered too.
bool is_ident_start(uint32_t scalar);
bool is_ident_continue(uint32_t scalar);

struct Scalar {
  uint32_t value = 0;
  uint32_t length = 0;   // bytes; 0 when what stands there is not UTF-8
};
Scalar decode_utf8(const char* at, const char* end);
void append_utf8(std::string& out, uint32_t scalar);

// The first byte of `text` from `from` on that is not UTF-8, or `text.size()`.
size_t find_invalid_utf8(std::string_view text, size_t from);

}  // namespace meteor::tokens
