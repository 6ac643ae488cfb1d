// Short hashes: CRC-32 (IEEE 802.3), FNV-1a, SipHash-2-4; and a comparison that tells nothing by its time.
#include <string.h>

#include "runtime/hash/hash.h"
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

struct CrcTables {
  uint32_t of[8][256];
  constexpr CrcTables() : of() {
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t c = i;
      for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
      of[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; i++)
      for (int t = 1; t < 8; t++) of[t][i] = of[t - 1][i] >> 8 ^ of[0][of[t - 1][i] & 255];
  }
};
constexpr CrcTables CRC;

uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }

struct Sip {
  uint64_t a, b, c, d;
  void round() {
    a += b;
    b = rotate(b, 13) ^ a;
    a = rotate(a, 32);
    c += d;
    d = rotate(d, 16) ^ c;
    a += d;
    d = rotate(d, 21) ^ a;
    c += b;
    b = rotate(b, 17) ^ c;
    c = rotate(c, 32);
  }
  void take(uint64_t word) {
    d ^= word;
    round();
    round();
    a ^= word;
  }
};

}  // namespace

extern "C" {

int64_t met_crc32_memory(const uint8_t* data, int64_t bytes, int64_t before) {
  uint32_t crc = ~uint32_t(before);
  for (; bytes >= 8; data += 8, bytes -= 8) {
    uint64_t word = load_word(data) ^ crc;
    crc = CRC.of[7][word & 255] ^ CRC.of[6][word >> 8 & 255] ^ CRC.of[5][word >> 16 & 255] ^ CRC.of[4][word >> 24 & 255] ^
          CRC.of[3][word >> 32 & 255] ^ CRC.of[2][word >> 40 & 255] ^ CRC.of[1][word >> 48 & 255] ^ CRC.of[0][word >> 56];
  }
  for (; bytes > 0; data++, bytes--) crc = crc >> 8 ^ CRC.of[0][(crc ^ *data) & 255];
  return int64_t(~crc);
}

int64_t met_crc32(met_str data, int64_t before) { return met_crc32_memory(data_of(data), size_of(data), before); }

int64_t met_fnv1a(met_str data) {
  uint64_t hash = 0xcbf29ce484222325;
  View v = view(data);
  for (int64_t i = 0; i < v.size; i++) hash = (hash ^ v.data[i]) * 0x100000001b3;
  return int64_t(hash);
}

int64_t met_siphash(met_str data, int64_t key0, int64_t key1) {
  uint64_t k0 = uint64_t(key0), k1 = uint64_t(key1);
  Sip sip = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
  View v = view(data);
  int64_t i = 0;
  for (; i + 8 <= v.size; i += 8) sip.take(load_word(v.data + i));
  uint64_t last = uint64_t(v.size) << 56;
  for (int64_t at = 0; i + at < v.size; at++) last |= uint64_t(v.data[i + at]) << (8 * at);
  sip.take(last);
  sip.c ^= 0xff;
  for (int r = 0; r < 4; r++) sip.round();
  return int64_t(sip.a ^ sip.b ^ sip.c ^ sip.d);
}

bool met_equal_constant_time(met_str a, met_str b) {
  View x = view(a), y = view(b);
  if (x.size != y.size) return false;
  uint8_t different = 0;
  for (int64_t i = 0; i < x.size; i++) different |= x.data[i] ^ y.data[i];
  return *const_cast<volatile uint8_t*>(&different) == 0;
}

}  // extern "C"
