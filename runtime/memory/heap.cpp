// Chunks for the free lists of a thread, and raw memory for collections.
#include "runtime/memory/heap.h"

#include <stdio.h>

#include "runtime/memory/facts.h"
#include "runtime/memory/leaks.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/os.h"
#include "runtime/os/pages.h"
#include "runtime/os/process.h"
#include "runtime/os/threads.h"

namespace meteor::memory {

namespace {

constexpr uint64_t REFILL_BYTES = 2048;
constexpr uint64_t FIRST_REGION_BYTES = CHUNK_BYTES;
constexpr uint64_t LARGE_PAGE_BYTES = 2 * 1024 * 1024;
constexpr uint64_t LAST_REGION_BYTES = 2 * LARGE_PAGE_BYTES;

os::Mutex homes_lock;
Home* empty_homes;   // their threads have ended

// A returned block's second word is its size: the lists of returns hold all classes.
struct Returned {
  FreeBlock link;
  uint64_t bytes;
};

void move_in(Heap& heap) {
  homes_lock.lock();
  Home* home = empty_homes;
  if (home != nullptr) empty_homes = home->next;
  homes_lock.unlock();
  if (home == nullptr) {
    home = static_cast<Home*>(calloc(1, sizeof(Home)));
    if (home == nullptr) met_out_of_memory(int64_t(sizeof(Home)));
  }
  heap.home = home;
  memcpy(heap.free, home->free, sizeof heap.free);
  heap.chunk = home->chunk;
  heap.chunk_end = home->chunk_end;
  heap.region = home->region;
  heap.region_end = home->region_end;
  heap.next_region_bytes = home->next_region_bytes;
}

bool take_returns(Heap& heap) {
  FreeBlock* block = __atomic_exchange_n(&heap.home->returns, nullptr, __ATOMIC_ACQUIRE);
  if (block == nullptr) return false;
  while (block != nullptr) {
    FreeBlock* next = block->next;
    uint64_t block_class = block_class_of(reinterpret_cast<Returned*>(block)->bytes);
    block->next = heap.free[block_class];
    heap.free[block_class] = block;
    block = next;
  }
  return true;
}

// A program that has come to the largest regions takes many pages, and the kernel's part of each is what costs most.
char* new_region(uint64_t bytes) {
  bool is_large = bytes == LAST_REGION_BYTES;
  char* region = static_cast<char*>(aligned_alloc(is_large ? LARGE_PAGE_BYTES : CHUNK_BYTES, bytes));
  if (region == nullptr) met_out_of_memory(int64_t(bytes));
  if (is_large) os::wish_large_pages(region, bytes);
  return region;
}

void begin_chunk(Heap& heap) {
  if (heap.region == heap.region_end) {
    uint64_t bytes = heap.next_region_bytes == 0 ? FIRST_REGION_BYTES : heap.next_region_bytes;
    heap.region = new_region(bytes);
    heap.region_end = heap.region + bytes;
    heap.next_region_bytes = bytes < LAST_REGION_BYTES ? bytes * 2 : bytes;
  }
  reinterpret_cast<Chunk*>(heap.region)->home = heap.home;
  heap.chunk = heap.region + sizeof(Chunk);
  heap.region += CHUNK_BYTES;
  heap.chunk_end = heap.region;
}

}  // namespace

__attribute__((noinline)) void* refill(Heap& heap, uint64_t block_class) {
  if (heap.home == nullptr) move_in(heap);
  uint64_t bytes = block_class * BLOCK_STEP;
  if (bytes == 0) bytes = BLOCK_STEP;
  if (heap.free[block_class] != nullptr || (take_returns(heap) && heap.free[block_class] != nullptr)) {
    FreeBlock* block = heap.free[block_class];
    heap.free[block_class] = block->next;
    return block;
  }
  uint64_t left = uint64_t(heap.chunk_end - heap.chunk);
  if (left < bytes) {
    if (left >= BLOCK_STEP) deallocate(heap.chunk, left);  // too small for this block: it serves smaller ones
    begin_chunk(heap);
  }
  // Several at once, so that the next ones come from the list.
  uint64_t count = uint64_t(heap.chunk_end - heap.chunk) / bytes;
  if (count > REFILL_BYTES / bytes) count = REFILL_BYTES / bytes > 0 ? REFILL_BYTES / bytes : 1;
  char* first = heap.chunk;
  heap.chunk += count * bytes;
  FreeBlock* rest = nullptr;
  for (char* at = heap.chunk - bytes; at != first; at -= bytes) {
    FreeBlock* block = reinterpret_cast<FreeBlock*>(at);
    block->next = rest;
    rest = block;
  }
  heap.free[block_class] = rest;
  return first;
}

void give_back(Home& home, void* memory, uint64_t bytes) {
  Returned* block = static_cast<Returned*>(memory);
  block->bytes = bytes;
  FreeBlock* newest = __atomic_load_n(&home.returns, __ATOMIC_RELAXED);
  do block->link.next = newest;
  while (!__atomic_compare_exchange_n(&home.returns, &newest, &block->link, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

void leave_heap() {
  Heap& heap = met_heap;
  Home* home = heap.home;
  if (home == nullptr) return;
  memcpy(home->free, heap.free, sizeof heap.free);
  home->chunk = heap.chunk;
  home->chunk_end = heap.chunk_end;
  home->region = heap.region;
  home->region_end = heap.region_end;
  home->next_region_bytes = heap.next_region_bytes;
  heap = {};
  homes_lock.lock();
  home->next = empty_homes;
  empty_homes = home;
  homes_lock.unlock();
}

}  // namespace meteor::memory

using namespace meteor::memory;

extern "C" {

__thread Heap met_heap;

void* met_raw_alloc(int64_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes < 0) met_out_of_memory(bytes);
  if (met_leak_tracking) [[unlikely]] {
    count_raw_bytes(bytes);
    return checks_facts ? allocate_measured(uint64_t(bytes)) : allocate_tracked(uint64_t(bytes));
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
  if (met_leak_tracking) [[unlikely]] {
    count_raw_bytes(new_bytes - old_bytes);
    if (checks_facts) return resize_measured(memory, after);
  }
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
    if (checks_facts) retire_measured(memory);
    else free(memory);
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
  meteor::os::write_descriptor(meteor::os::STDERR, line, length);
  meteor::os::end_at_once(1);
}

}  // extern "C"
