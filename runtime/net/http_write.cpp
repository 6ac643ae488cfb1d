// Writes the head of an HTTP/1 message for std/http/write.met, in one go: headers from a list of texts (a name, its value, and so on), or from where
// they were read (the spots of http_head.cpp), then those that only whoever sends the message can know.
//
// Invariant: met_http_head_room is at least what met_http_put_head writes.
#include <string.h>
#include <strings.h>

#include "runtime/numbers/digits.h"
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

enum Flag : int64_t { CLOSE = 1, CHUNKED = 2 };
constexpr int64_t ROOM_FOR_THE_REST = 256;

struct Spot {
  uint32_t name, name_size, value, value_size;
};

// std/http/write.met declares the same fields in the same order.
struct Answer {
  int64_t status;
  int64_t length;   // below 0: it is not written
  int64_t flags;
  met_str reason;
  met_str date;     // the whole line, for those who say none themselves
  met_str raw, spots;
  const met_str* items;
  int64_t count;    // of items
};

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

// Of one connection only: a proxy does not pass them on.
bool is_hop(View name) {
  switch (name.size) {
    case 2: return is_word(name, "te");
    case 7: return is_word(name, "trailer") || is_word(name, "upgrade");
    case 10: return is_word(name, "connection") || is_word(name, "keep-alive");
    case 16: return is_word(name, "proxy-connection");
    case 17: return is_word(name, "transfer-encoding");
    case 18: return is_word(name, "proxy-authenticate");
    case 19: return is_word(name, "proxy-authorization");
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

uint8_t* put_field(uint8_t* to, View name, View value, bool& has_date) {
  if (is_framing(name)) return to;
  if (name.size == 4 && is_word(name, "date")) has_date = true;
  to = put(to, name.data, name.size);
  to = put(to, ": ");
  to = put(to, value.data, value.size);
  return put(to, "\r\n");
}

}  // namespace

extern "C" {

bool met_http_is_framing(met_str name) { return is_framing(view(name)); }
bool met_http_is_hop(met_str name) { return is_hop(view(name)); }

int64_t met_http_head_room(const Answer* answer) {
  int64_t room = ROOM_FOR_THE_REST + size_of(answer->reason) + size_of(answer->date);
  for (int64_t i = 0; i < answer->count; ++i) room += size_of(answer->items[i]) + 2;
  return room + size_of(answer->raw) + size_of(answer->spots);   // four bytes more per header, of whose spot there are sixteen
}

// How much it is.
int64_t met_http_put_head(const Answer* answer, uint8_t* data, int64_t at) {
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
  bool has_date = false;
  for (int64_t i = 0; i + 1 < answer->count; i += 2) to = put_field(to, view(answer->items[i]), view(answer->items[i + 1]), has_date);
  const uint8_t* raw = data_of(answer->raw);
  const uint8_t* spots = data_of(answer->spots);
  for (int64_t i = 0; i < size_of(answer->spots); i += int64_t(sizeof(Spot))) {
    Spot spot;
    memcpy(&spot, spots + i, sizeof spot);
    to = put_field(to, {raw + spot.name, spot.name_size}, {raw + spot.value, spot.value_size}, has_date);
  }
  if (!has_date) to = put(to, data_of(answer->date), size_of(answer->date));
  if (answer->length >= 0) {
    to = put(to, "content-length: ");
    to += meteor::numbers::write_digits(reinterpret_cast<char*>(to), uint64_t(answer->length));
    to = put(to, "\r\n");
  }
  if (answer->flags & CHUNKED) to = put(to, "transfer-encoding: chunked\r\n");
  if (answer->flags & CLOSE) to = put(to, "connection: close\r\n");
  to = put(to, "\r\n");
  return to - (data + at);
}

}  // extern "C"
