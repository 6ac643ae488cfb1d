// Frames of RFC 6455 for std/http/websocket.met: the bytes of one, and the mask over what clients send.
#include <string.h>
#include <sys/random.h>

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

uint32_t random_key() {
  uint32_t key = 0;
  while (getrandom(&key, sizeof(key), 0) != sizeof(key)) {}
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
