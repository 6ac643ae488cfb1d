// Integers → text.
#include "runtime/numbers/digits.h"

#include <string.h>

#include "runtime/numbers/numbers.h"
#include "runtime/text/view.h"

namespace meteor::numbers {
namespace {

constexpr char PAIRS[] =
    "000102030405060708091011121314151617181920212223242526272829303132333435363738394041424344454647484950515253545556"
    "57585960616263646566676869"
    "707172737475767778798081828384858687888990919293949596979899";

}  // namespace

int64_t write_digits(char* to, uint64_t value) {
  char text[20];
  char* at = text + sizeof text;
  while (value >= 100) {
    at -= 2;
    memcpy(at, PAIRS + value % 100 * 2, 2);
    value /= 100;
  }
  if (value >= 10) {
    at -= 2;
    memcpy(at, PAIRS + value * 2, 2);
  } else {
    *--at = char('0' + value);
  }
  int64_t count = text + sizeof text - at;
  memcpy(to, at, size_t(count));
  return count;
}

int64_t write_digits(char* to, uint64_t value, int64_t base, bool upper) {
  const char* letters = upper ? "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "0123456789abcdefghijklmnopqrstuvwxyz";
  char text[DIGITS_MAX];
  char* at = text + sizeof text;
  do {
    *--at = letters[value % uint64_t(base)];
    value /= uint64_t(base);
  } while (value != 0);
  int64_t count = text + sizeof text - at;
  memcpy(to, at, size_t(count));
  return count;
}

}  // namespace meteor::numbers

using namespace meteor::numbers;
using meteor::text::make_known;

extern "C" {

met_str met_int_text(int64_t value) {
  char text[24];
  text[0] = '-';
  int64_t sign = value < 0;
  int64_t count = sign + write_digits(text + sign, magnitude(value));
  return make_known(reinterpret_cast<uint8_t*>(text), count, true);
}

met_str met_uint_text(uint64_t value) {
  char text[24];
  int64_t count = write_digits(text, value);
  return make_known(reinterpret_cast<uint8_t*>(text), count, true);
}

met_str met_int_text_base(int64_t value, int64_t base, met_str prefix) {
  char digits[DIGITS_MAX];
  int64_t count = write_digits(digits, magnitude(value), base, false);
  int64_t sign = value < 0, prefix_size = met_str_size(prefix);
  meteor::text::Writer writer(sign + prefix_size + count);
  writer.data[0] = '-';
  met_str_copy_to(prefix, writer.data + sign);
  memcpy(writer.data + sign + prefix_size, digits, size_t(count));
  return writer.finish();
}

}  // extern "C"
