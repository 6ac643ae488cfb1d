// Digests for std/hash.met. A hasher is 256 bytes that the caller owns; `start` makes it one of a kind, `finish` writes the
// digest and leaves the hasher used up.
#ifndef METEOR_RUNTIME_HASH_H
#define METEOR_RUNTIME_HASH_H

#include "runtime/abi/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MET_MD5 = 0, MET_SHA1 = 1, MET_SHA256 = 2, MET_SHA512 = 3, MET_SHA224 = 4, MET_SHA384 = 5 };

#define MET_HASHER_BYTES 256

void met_hasher_start(uint8_t* hasher, int64_t kind);
void met_hasher_update(uint8_t* hasher, uint8_t* data, int64_t bytes);
void met_hasher_update_text(uint8_t* hasher, met_str data);
met_str met_hasher_finish(uint8_t* hasher);        // bytes

int64_t met_crc32(met_str data, int64_t before);   // of what `before` covers followed by data; 0 of nothing
int64_t met_crc32_memory(const uint8_t* data, int64_t bytes, int64_t before);
int64_t met_fnv1a(met_str data);                   // 64 bits
int64_t met_siphash(met_str data, int64_t key0, int64_t key1);   // SipHash-2-4
bool met_equal_constant_time(met_str a, met_str b);              // the time depends on the sizes alone

#ifdef __cplusplus
}
#endif
#endif
