// Frames of RFC 6455 for std/http/websocket.met: the bytes of one, and the mask over what clients send.
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

// The key's first byte is the lowest in memory.
void mask(uint8_t* to, const uint8_t* from, int64_t size, uint32_t key) {
  uint64_t wide = key | uint64_t(key) << 32;
  int64_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word = load_word(from + i) ^ wide;
    memcpy(to + i, &word, 8);
  }
  for (; i < size; ++i) to[i] = from[i] ^ uint8_t(key >> 8 * (i & 3));
}

// Where in a text of UTF-8 a piece of it ended: how many bytes of a character are missing, and what the next one may
// be.
struct Place {
  uint8_t missing, least, most;
};
constexpr int64_t NO_TEXT = -1;

// The place behind a character's first byte; none of its bytes is missing when there is no such character.
Place begun_by(uint8_t c) {
  if (c >= 0xc2 && c <= 0xdf) return {1, 0x80, 0xbf};
  if (c >= 0xe0 && c <= 0xef) return {2, uint8_t(c == 0xe0 ? 0xa0 : 0x80), uint8_t(c == 0xed ? 0x9f : 0xbf)};
  if (c >= 0xf0 && c <= 0xf4) return {3, uint8_t(c == 0xf0 ? 0x90 : 0x80), uint8_t(c == 0xf4 ? 0x8f : 0xbf)};
  return {0, 0, 0};
}

uint32_t random_key() {
  uint32_t key = 0;
  met_random_bytes(reinterpret_cast<uint8_t*>(&key), sizeof key);
  return key;
}

}  // namespace

extern "C" {

met_str met_websocket_unmask(met_str data, met_str key) {
  View view_of_data = view(data);
  uint32_t four = 0;
  memcpy(&four, data_of(key), 4);
  Writer writer(view_of_data.size);
  mask(writer.data, view_of_data.data, view_of_data.size, four);
  return writer.finish(false);
}

// Reads on in a text from the place where the piece before ended, 0 at its beginning; -1: this is no UTF-8, whatever
// follows.
int64_t met_websocket_read_text(met_str data, int64_t from) {
  Place place = {uint8_t(from), uint8_t(from >> 8), uint8_t(from >> 16)};
  View text = view(data);
  for (int64_t i = 0; i < text.size; ++i) {
    uint8_t c = text.data[i];
    if (place.missing > 0) {
      if (c < place.least || c > place.most) return NO_TEXT;
      place = {uint8_t(place.missing - 1), 0x80, 0xbf};
    } else if (c >= 0x80) {
      place = begun_by(c);
      if (place.missing == 0) return NO_TEXT;
    }
  }
  return place.missing == 0 ? 0 : place.missing | place.least << 8 | place.most << 16;
}

met_str met_websocket_frame(int64_t opcode, bool ends, bool masked, met_str data) {
  View view_of_data = view(data);
  int64_t size = view_of_data.size;
  int64_t head = 2 + (size < 126 ? 0 : size < 65'536 ? 2 : 8) + (masked ? 4 : 0);
  Writer writer(head + size);
  uint8_t* to = writer.data;
  *to++ = uint8_t(opcode | (ends ? 128 : 0));
  uint8_t mark = masked ? 128 : 0;
  if (size < 126) {
    *to++ = uint8_t(size) | mark;
  } else {
    int wide = size < 65'536 ? 2 : 8;
    *to++ = uint8_t(wide == 2 ? 126 : 127) | mark;
    for (int i = wide - 1; i >= 0; --i) *to++ = uint8_t(size >> 8 * i);
  }
  if (masked) {
    uint32_t key = random_key();
    memcpy(to, &key, 4);
    mask(to + 4, view_of_data.data, size, key);
  } else {
    memcpy(to, view_of_data.data, size_t(size));
  }
  return writer.finish(false);
}

}  // extern "C"
