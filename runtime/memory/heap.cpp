// Chunks for the free lists of a thread, and raw memory for collections.
#include "runtime/memory/heap.h"

#include <stdio.h>
#include <unistd.h>

#include "runtime/memory/leaks.h"
#include "runtime/os/os.h"

namespace meteor::memory {

namespace {
constexpr uint64_t FIRST_CHUNK_BYTES = 32 * 1024;
constexpr uint64_t LAST_CHUNK_BYTES = 4 * 1024 * 1024;
}  // namespace

__attribute__((noinline)) void* refill(Heap& heap, uint64_t block_class) {
  uint64_t bytes = block_class * BLOCK_STEP;
  if (bytes == 0) bytes = BLOCK_STEP;
  uint64_t left = uint64_t(heap.chunk_end - heap.chunk);
  if (left < bytes) {
    if (left >= BLOCK_STEP) deallocate(heap.chunk, left);  // too small for this block: it serves smaller ones
    uint64_t chunk_bytes = heap.next_chunk_bytes == 0 ? FIRST_CHUNK_BYTES : heap.next_chunk_bytes;
    char* chunk = static_cast<char*>(malloc(chunk_bytes));
    if (chunk == nullptr) met_out_of_memory(int64_t(chunk_bytes));
    heap.chunk = chunk;
    heap.chunk_end = chunk + chunk_bytes;
    heap.next_chunk_bytes = chunk_bytes < LAST_CHUNK_BYTES ? chunk_bytes * 2 : chunk_bytes;
  }
  void* block = heap.chunk;
  heap.chunk += bytes;
  return block;
}

}  // namespace meteor::memory

using namespace meteor::memory;

extern "C" {

__thread Heap met_heap;

bool met_multi_isolate;

void* met_raw_alloc(int64_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes < 0) met_out_of_memory(bytes);
  if (met_leak_tracking) [[unlikely]] {
    count_raw_bytes(bytes);
    return allocate_tracked(uint64_t(bytes));
  }
  return allocate(uint64_t(bytes));
}

void* met_raw_realloc(void* memory, int64_t old_bytes, int64_t new_bytes) {
  if (memory == nullptr || old_bytes == 0) return met_raw_alloc(new_bytes);
  if (new_bytes == 0) {
    met_raw_free(memory, old_bytes);
    return nullptr;
  }
  if (new_bytes < 0) met_out_of_memory(new_bytes);
  uint64_t before = uint64_t(old_bytes), after = uint64_t(new_bytes);
  if (met_leak_tracking) [[unlikely]]
    count_raw_bytes(new_bytes - old_bytes);
  if (met_leak_tracking || (before > SMALL_BLOCK_MAX && after > SMALL_BLOCK_MAX)) {
    void* grown = after < BLOCK_MAX ? realloc(memory, after) : nullptr;
    if (grown == nullptr) met_out_of_memory(new_bytes);
    return grown;
  }
  if (before <= SMALL_BLOCK_MAX && block_class_of(before) == block_class_of(after)) return memory;
  void* moved = allocate(after);
  memcpy(moved, memory, before < after ? before : after);
  deallocate(memory, before);
  return moved;
}

void met_raw_free(void* memory, int64_t bytes) {
  if (memory == nullptr) return;
  if (met_leak_tracking) [[unlikely]] {
    count_raw_bytes(-bytes);
    free(memory);
    return;
  }
  deallocate(memory, uint64_t(bytes));
}

void met_out_of_memory(int64_t bytes) {
  met_flush();
  char line[96];
  int length = bytes < 0 ? snprintf(line, sizeof line, "error: out of memory: a size that no memory can hold\n")
                         : snprintf(line, sizeof line, "error: out of memory: %lld bytes were wanted\n",
                                    static_cast<long long>(bytes));
  if (write(STDERR_FILENO, line, size_t(length)) < 0) {
  }
  _exit(1);
}

}  // extern "C"
