// Memory of one thread: blocks of up to 1 KB come from free lists by size (16-byte steps) that are filled from chunks;
// bigger ones from the C library. Every chunk belongs to a home, that of the thread that filled from it; a block that another
// thread frees goes back to its home's list of returns without a lock. The home of a thread that ended waits for the
// next one, so nothing has to be given back.
#ifndef METEOR_RUNTIME_MEMORY_HEAP_H
#define METEOR_RUNTIME_MEMORY_HEAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/memory/memory.h"
#include "runtime/os/threads.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define METEOR_PLAIN_MALLOC 1  // every block from the C library, so that the sanitizer sees its bounds and its end
#endif
#endif
#ifndef METEOR_PLAIN_MALLOC
#define METEOR_PLAIN_MALLOC 0
#endif

namespace meteor::memory {

constexpr uint64_t BLOCK_STEP = MET_BLOCK_STEP;
constexpr uint64_t SMALL_BLOCK_MAX = METEOR_PLAIN_MALLOC ? 0 : MET_SMALL_BLOCK_MAX;
constexpr uint64_t BLOCK_CLASSES = MET_SMALL_BLOCK_MAX / BLOCK_STEP + 1;
constexpr uint64_t BLOCK_MAX = uint64_t(1) << 47;

struct FreeBlock {
  FreeBlock* next;
};

// A place in the list of objects whose drop was put off: an object, or a WaitingNode when the object's header is in use
// (see drop.cpp).
using DropLink = uint64_t;

struct Home {
  FreeBlock* returns;              // a stack that other threads push to; atomic
  Home* next;                      // of those without a thread
  FreeBlock* free[BLOCK_CLASSES];  // what its last thread left
  char* chunk;
  char* chunk_end;
  char* region;
  char* region_end;
  uint64_t next_region_bytes;
};

constexpr uint64_t CHUNK_BYTES = 64 * 1024;  // and aligned to that, so that a block's address leads to its chunk

struct Chunk {
  Home* home;
  uint64_t unused;
};
static_assert(sizeof(Chunk) % BLOCK_STEP == 0);

inline Home* home_of(const void* block) { return reinterpret_cast<const Chunk*>(reinterpret_cast<uint64_t>(block) & ~(CHUNK_BYTES - 1))->home; }

struct Heap {
  FreeBlock* free[BLOCK_CLASSES];
  Home* home;
  char* chunk;
  char* chunk_end;
  char* region;             // chunks not begun
  char* region_end;
  uint64_t next_region_bytes;
  uint32_t drop_depth;      // drops that are under way, one inside the other
  uint32_t del_depth;       // `__del__` methods that are under way
  DropLink deferred_first;  // children of the object being dropped that wait their turn, in order
  DropLink deferred_last;
};

}  // namespace meteor::memory

extern "C" __thread meteor::memory::Heap met_heap __attribute__((tls_model("initial-exec")));

namespace meteor::memory {

static_assert(offsetof(Heap, free) == 0);   // abi.h

void* refill(Heap& heap, uint64_t block_class);           // a block of that class, from what came back or from a chunk
void give_back(Home& home, void* block, uint64_t bytes);  // from another thread
void leave_heap();                                        // the thread ends

inline uint64_t block_class_of(uint64_t bytes) { return (bytes + BLOCK_STEP - 1) / BLOCK_STEP; }

// From the C library whatever the size: for what is tracked, whose blocks must not get into the free lists.
inline void* allocate_tracked(uint64_t bytes) {
  void* block = bytes < BLOCK_MAX ? malloc(bytes) : nullptr;
  if (block == nullptr) [[unlikely]]
    met_out_of_memory(int64_t(bytes));
  return block;
}

inline void* allocate(uint64_t bytes) {
  if (bytes <= SMALL_BLOCK_MAX) [[likely]] {
    Heap& own = met_heap;
    uint64_t block_class = block_class_of(bytes);
    FreeBlock* block = own.free[block_class];
    if (block == nullptr) [[unlikely]]
      return refill(own, block_class);
    own.free[block_class] = block->next;
    return block;
  }
  return allocate_tracked(bytes);
}

inline void deallocate(void* memory, uint64_t bytes) {
  if (bytes <= SMALL_BLOCK_MAX) [[likely]] {
    Heap& own = met_heap;
    if (met_multi_isolate) [[unlikely]]
      if (Home* home = home_of(memory); home != own.home) return give_back(*home, memory, bytes);
    uint64_t block_class = block_class_of(bytes);
    FreeBlock* block = static_cast<FreeBlock*>(memory);
    block->next = own.free[block_class];
    own.free[block_class] = block;
    return;
  }
  free(memory);
}

}  // namespace meteor::memory

#endif
