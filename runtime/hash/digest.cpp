// MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4): blocks are folded into the state as they fill up.
#include <string.h>

#include "runtime/hash/hash.h"
#include "runtime/text/view.h"

using namespace meteor::text;

namespace {

struct Hasher {
  uint64_t state[8];
  uint64_t total;        // bytes so far
  uint32_t kind;
  uint32_t used;         // bytes in `block`
  uint8_t block[128];
};
static_assert(sizeof(Hasher) <= MET_HASHER_BYTES);

uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }
template <typename Word>
Word rotate_right(Word x, int n) { return x >> n | x << (8 * sizeof(Word) - n); }

template <typename Word>
Word load_big(const uint8_t* from) {
  Word x;
  memcpy(&x, from, sizeof x);
  return sizeof x == 4 ? Word(__builtin_bswap32(uint32_t(x))) : Word(__builtin_bswap64(x));
}
uint32_t load_little(const uint8_t* from) { uint32_t x; memcpy(&x, from, 4); return x; }

constexpr uint32_t MD5_SINES[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1,
    0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453,
    0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942,
    0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05,
    0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d,
    0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr int MD5_SHIFTS[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

void md5_block(uint64_t* state, const uint8_t* block) {
  uint32_t a = uint32_t(state[0]), b = uint32_t(state[1]), c = uint32_t(state[2]), d = uint32_t(state[3]);
  for (int i = 0; i < 64; i++) {
    uint32_t f;
    int word;
    switch (i >> 4) {
      case 0: f = (b & c) | (~b & d); word = i; break;
      case 1: f = (d & b) | (~d & c); word = (5 * i + 1) & 15; break;
      case 2: f = b ^ c ^ d; word = (3 * i + 5) & 15; break;
      default: f = c ^ (b | ~d); word = (7 * i) & 15; break;
    }
    uint32_t sum = a + f + MD5_SINES[i] + load_little(block + 4 * word);
    a = d;
    d = c;
    c = b;
    b += rotate(sum, MD5_SHIFTS[(i >> 4) * 4 + (i & 3)]);
  }
  state[0] = uint32_t(state[0] + a);
  state[1] = uint32_t(state[1] + b);
  state[2] = uint32_t(state[2] + c);
  state[3] = uint32_t(state[3] + d);
}

void sha1_block(uint64_t* state, const uint8_t* block) {
  uint32_t w[80];
  for (int i = 0; i < 16; i++) w[i] = load_big<uint32_t>(block + 4 * i);
  for (int i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  uint32_t a = uint32_t(state[0]), b = uint32_t(state[1]), c = uint32_t(state[2]), d = uint32_t(state[3]), e = uint32_t(state[4]);
  for (int i = 0; i < 80; i++) {
    uint32_t f, k;
    if (i < 20) f = (b & c) | (~b & d), k = 0x5a827999;
    else if (i < 40) f = b ^ c ^ d, k = 0x6ed9eba1;
    else if (i < 60) f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
    else f = b ^ c ^ d, k = 0xca62c1d6;
    uint32_t next = rotate(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  state[0] = uint32_t(state[0] + a);
  state[1] = uint32_t(state[1] + b);
  state[2] = uint32_t(state[2] + c);
  state[3] = uint32_t(state[3] + d);
  state[4] = uint32_t(state[4] + e);
}

// The fractions of the cube roots of the first primes: 64 bits for SHA-512, their upper halves for SHA-256.
constexpr uint64_t ROUNDS[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538, 0x59f111f1b605d019,
    0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3,
    0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65, 0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b, 0xa2bfe8a14cf10364, 0xa81a664bbc423001,
    0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb,
    0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c, 0xd186b8c721c0c207,
    0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a,
    0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

// By how much the words of one member of the family are turned; the last of the schedule's are shifts.
struct Turns {
  int large0[3], large1[3], small0[3], small1[3];
};
constexpr Turns SHA256 = {{2, 13, 22}, {6, 11, 25}, {7, 18, 3}, {17, 19, 10}};
constexpr Turns SHA512 = {{28, 34, 39}, {14, 18, 41}, {1, 8, 7}, {19, 61, 6}};

template <typename Word>
Word mix(Word x, const int (&turns)[3]) { return rotate_right(x, turns[0]) ^ rotate_right(x, turns[1]) ^ rotate_right(x, turns[2]); }
template <typename Word>
Word mix_shifted(Word x, const int (&turns)[3]) { return rotate_right(x, turns[0]) ^ rotate_right(x, turns[1]) ^ x >> turns[2]; }

// The constants of the shorter words are the upper halves of those of the longer ones.
template <typename Word, int COUNT, const Turns& TURNS>
void sha2_block(uint64_t* state, const uint8_t* block) {
  Word w[COUNT];
  for (int i = 0; i < 16; i++) w[i] = load_big<Word>(block + sizeof(Word) * i);
  for (int i = 16; i < COUNT; i++) w[i] = w[i - 16] + mix_shifted(w[i - 15], TURNS.small0) + w[i - 7] + mix_shifted(w[i - 2], TURNS.small1);
  Word v[8];
  for (int i = 0; i < 8; i++) v[i] = Word(state[i]);
  for (int i = 0; i < COUNT; i++) {
    Word choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    Word t1 = v[7] + mix(v[4], TURNS.large1) + choice + Word(ROUNDS[i] >> (64 - 8 * sizeof(Word))) + w[i];
    Word majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    Word t2 = mix(v[0], TURNS.large0) + majority;
    memmove(v + 1, v, 7 * sizeof(Word));
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) state[i] = Word(state[i] + v[i]);
}
constexpr auto sha256_block = sha2_block<uint32_t, 64, SHA256>;
constexpr auto sha512_block = sha2_block<uint64_t, 80, SHA512>;

struct Kind {
  void (*fold)(uint64_t* state, const uint8_t* block);
  uint32_t block;        // bytes
  uint32_t digest;       // bytes
  uint32_t word;         // bytes of a word of the state
  bool little;
  uint64_t start[8];
};

constexpr Kind KINDS[] = {
    {md5_block, 64, 16, 4, true, {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}},
    {sha1_block, 64, 20, 4, false, {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}},
    {sha256_block, 64, 32, 4, false, {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}},
    {sha512_block, 128, 64, 8, false,
     {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
      0x1f83d9abfb41bd6b, 0x5be0cd19137e2179}},
    {sha256_block, 64, 28, 4, false, {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4}},
    {sha512_block, 128, 48, 8, false,
     {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511,
      0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4}},
};

}  // namespace

extern "C" {

void met_hasher_start(uint8_t* hasher, int64_t kind) {
  Hasher* h = reinterpret_cast<Hasher*>(hasher);
  memcpy(h->state, KINDS[kind].start, sizeof h->state);
  h->total = 0;
  h->kind = uint32_t(kind);
  h->used = 0;
}

static void update(uint8_t* hasher, const uint8_t* data, int64_t bytes) {
  Hasher* h = reinterpret_cast<Hasher*>(hasher);
  const Kind& kind = KINDS[h->kind];
  h->total += uint64_t(bytes);
  size_t left = size_t(bytes);
  if (h->used != 0) {
    size_t take = kind.block - h->used < left ? kind.block - h->used : left;
    memcpy(h->block + h->used, data, take);
    h->used += uint32_t(take);
    data += take;
    left -= take;
    if (h->used < kind.block) return;
    kind.fold(h->state, h->block);
    h->used = 0;
  }
  for (; left >= kind.block; data += kind.block, left -= kind.block) kind.fold(h->state, data);
  if (left != 0) memcpy(h->block, data, left);
  h->used = uint32_t(left);
}

void met_hasher_update(uint8_t* hasher, uint8_t* data, int64_t bytes) { update(hasher, data, bytes); }
void met_hasher_update_text(uint8_t* hasher, met_str data) { update(hasher, data_of(data), size_of(data)); }

met_str met_hasher_finish(uint8_t* hasher) {
  Hasher* h = reinterpret_cast<Hasher*>(hasher);
  const Kind& kind = KINDS[h->kind];
  uint64_t bits = h->total * 8;
  uint8_t padding[128 + 16] = {0x80};
  uint32_t length = kind.block / 8;   // bytes of the length at the end
  uint32_t zeros = (2 * kind.block - 1 - length - h->used) % kind.block;
  for (int i = 0; i < 8; i++) padding[1 + zeros + (kind.little ? uint32_t(i) : length - 1 - uint32_t(i))] = uint8_t(bits >> (8 * i));
  update(hasher, padding, 1 + zeros + length);
  uint8_t digest[64];
  for (uint32_t i = 0; i < kind.digest; i++) {
    uint32_t shift = kind.little ? i % 4 : kind.word - 1 - i % kind.word;
    digest[i] = uint8_t(h->state[i / kind.word] >> (8 * shift));
  }
  return met_bytes_make(digest, kind.digest);
}

}  // extern "C"
