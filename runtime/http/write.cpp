// Writes the head of an HTTP/1 message for std/http/write.met, in one go: headers from a list of texts (a name, its value, and so on), or from where
// they were read (field.h), then those that only whoever sends the message can know.
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "runtime/http/field.h"
#include "runtime/http/parts.h"
#include "runtime/numbers/digits.h"
#include "runtime/os/clock.h"

using namespace meteor::net;
using namespace meteor::text;

namespace {

constexpr int64_t ROOM_FOR_THE_REST = 256;

// "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n" of this second.
struct DateLine {
  time_t second;
  int64_t size;
  char text[48];
};
__thread DateLine date_line;

const DateLine& date_of_now() {
  time_t now = meteor::os::wall_seconds();
  DateLine& line = date_line;
  if (line.second != now || line.size == 0) [[unlikely]] {
    static const char DAYS[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char MONTHS[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    tm at;
    gmtime_r(&now, &at);
    line.size = snprintf(line.text, sizeof line.text, "date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n", DAYS[at.tm_wday], at.tm_mday, MONTHS[at.tm_mon], at.tm_year + 1900, at.tm_hour,
                         at.tm_min, at.tm_sec);
    line.second = now;
  }
  return line;
}

bool is_word(View v, const char* word) { return strncasecmp(reinterpret_cast<const char*>(v.data), word, size_t(v.size)) == 0; }

// Those of one connection, and those that say how long the message is: whoever writes a message makes them himself.
bool is_framing(View name) {
  switch (name.size) {
    case 10: return is_word(name, "connection") || is_word(name, "keep-alive");
    case 14: return is_word(name, "content-length");
    case 17: return is_word(name, "transfer-encoding");
    default: return false;
  }
}

uint8_t* put(uint8_t* to, const void* from, int64_t size) {
  memcpy(to, from, size_t(size));
  return to + size;
}
template <size_t N>
uint8_t* put(uint8_t* to, const char (&text)[N]) {
  return put(to, text, N - 1);
}

constexpr uint8_t CLOSE_WORD[] = {'c', 'l', 'o', 's', 'e'};

struct Seen {
  bool date, close;
};

uint8_t* put_field(uint8_t* to, View name, View value, Seen& seen) {
  if (is_framing(name)) {
    if (name.size == 10 && is_word(name, "connection")) seen.close |= has_part(value, {CLOSE_WORD, sizeof CLOSE_WORD});
    return to;
  }
  if (name.size == 4 && is_word(name, "date")) seen.date = true;
  to = put(to, name.data, name.size);
  to = put(to, ": ");
  to = put(to, value.data, value.size);
  return put(to, "\r\n");
}

// At least what is written.
int64_t room_for(const Answer& answer) {
  int64_t room = ROOM_FOR_THE_REST + size_of(answer.reason) + size_of(answer.name) + size_of(answer.value);
  for (int64_t i = 0; i < answer.count; ++i) room += size_of(answer.items[i]) + 2;
  if (spot_count(answer.spots) > 0) room += size_of(answer.raw) + spot_count(answer.spots) * 4;
  return room;
}

}  // namespace

extern "C" {

bool met_http_is_framing(met_str name) { return is_framing(view(name)); }

// How much has been written to data[at ..]; below 0: so much room is needed.
int64_t met_http_put_head(Answer* answer, uint8_t* data, int64_t at, int64_t capacity) {
  if (int64_t room = room_for(*answer); room > capacity - at) return -room;
  uint8_t* to = data + at;
  if (answer->status == 200) {
    to = put(to, "HTTP/1.1 200 OK\r\n");
  } else {
    to = put(to, "HTTP/1.1 ");
    to += meteor::numbers::write_digits(reinterpret_cast<char*>(to), uint64_t(answer->status));
    *to++ = ' ';
    to = put(to, data_of(answer->reason), size_of(answer->reason));
    to = put(to, "\r\n");
  }
  Seen seen = {};
  for (int64_t i = 0; i + 1 < answer->count; i += 2) to = put_field(to, view(answer->items[i]), view(answer->items[i + 1]), seen);
  const uint8_t* spots = data_of(answer->spots);
  for (int64_t i = 0; i < spot_count(answer->spots); ++i) {
    Field field = field_at(view(answer->raw), spot_at(spots, i));
    to = put_field(to, field.name, field.value, seen);
  }
  if (size_of(answer->name) > 0) to = put_field(to, view(answer->name), view(answer->value), seen);
  if (!seen.date) {
    const DateLine& date = date_of_now();
    to = put(to, date.text, date.size);
  }
  if (answer->length >= 0) {
    to = put(to, "content-length: ");
    to += meteor::numbers::write_digits(reinterpret_cast<char*>(to), uint64_t(answer->length));
    to = put(to, "\r\n");
  }
  if (seen.close) answer->flags |= Answer::CLOSE;
  if (answer->flags & Answer::CHUNKED) to = put(to, "transfer-encoding: chunked\r\n");
  if (answer->flags & Answer::CLOSE) to = put(to, "connection: close\r\n");
  else if (answer->flags & Answer::KEEP)
    to = put(to, "connection: keep-alive\r\n");
  to = put(to, "\r\n");
  return to - (data + at);
}

}  // extern "C"
