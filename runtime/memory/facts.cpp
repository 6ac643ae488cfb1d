#include "runtime/memory/facts.h"

#include <stdio.h>
#include <string.h>

#include "runtime/memory/heap.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/os.h"
#include "runtime/os/process.h"
#include "runtime/os/threads.h"

namespace meteor::memory {

bool checks_facts;

namespace {

__thread bool is_home;  // this thread runs the isolate that the module variables belong to

// ---- Memory that was freed lately, oldest first. A sanitizer keeps such a list itself, and sees more. ----

constexpr uint64_t RETIRED_MAX = 1 << 14, RETIRED_BYTES_MAX = 16 << 20;

struct Retired {
  void* block;
  uint64_t bytes;
};

os::Mutex retired_lock;
Retired retired[RETIRED_MAX];
uint64_t retired_first, retired_end, retired_bytes;

void retire(void* block, uint64_t bytes) {
  if (METEOR_PLAIN_MALLOC) return free(block);
  retired_lock.lock();
  retired[retired_end++ % RETIRED_MAX] = {block, bytes};
  retired_bytes += bytes;
  while (retired_end - retired_first == RETIRED_MAX || retired_bytes > RETIRED_BYTES_MAX) {
    Retired& oldest = retired[retired_first++ % RETIRED_MAX];
    retired_bytes -= oldest.bytes;
    free(oldest.block);
  }
  retired_lock.unlock();
}

// ---- Buffers ----

struct Measure {
  uint64_t bytes;
  uint64_t mark;
};
static_assert(sizeof(Measure) == MET_MEASURE_BYTES && offsetof(Measure, mark) == sizeof(uint64_t));

Measure* measure_of(void* memory) { return static_cast<Measure*>(memory) - 1; }

}  // namespace

void retire_object(void* block, met_object* object, uint64_t object_bytes) {
  constexpr int POISON = 0xdb;
  object->strong = 0;
  object->weak = 0;
  object->type = &met_freed_type;
  memset(object + 1, POISON, object_bytes - sizeof(met_object));
  retire(block, object_bytes);
}

void* allocate_measured(uint64_t bytes) {
  Measure* measure = static_cast<Measure*>(allocate_tracked(bytes + sizeof(Measure)));
  *measure = {bytes, MET_MEASURE_MARK};
  return measure + 1;
}

// Always to another place: whoever still has the old one is found out.
void* resize_measured(void* memory, uint64_t bytes) {
  uint64_t before = measure_of(memory)->bytes;
  void* moved = allocate_measured(bytes);
  memcpy(moved, memory, before < bytes ? before : bytes);
  retire_measured(memory);
  return moved;
}

void retire_measured(void* memory) {
  Measure* measure = measure_of(memory);
  uint64_t bytes = measure->bytes;
  *measure = {0, MET_MEASURE_MARK};
  retire(measure, bytes + sizeof(Measure));
}

}  // namespace meteor::memory

using namespace meteor::memory;

extern "C" {

const met_type met_freed_type = {"a freed object", sizeof(met_object), nullptr, nullptr, nullptr, nullptr, nullptr, 0,
                                 MET_KIND_CLASS};

void met_facts_start(void) {
  checks_facts = true;
  is_home = true;
}

void met_fact_broken(const met_site* site, const char* fact) {
  met_flush();
  char line[1024];
  int length =
      site != nullptr
          ? snprintf(line, sizeof line, "meteor: internal error: the compiler believed that %s (%s:%u, in %s)\n", fact,
                     site->file, site->line, site->function)
          : snprintf(line, sizeof line,
                     "meteor: internal error: the compiler believed that %s (in code without a line)\n", fact);
  size_t shown = length < int(sizeof line) ? size_t(length) : sizeof line - 1;
  meteor::os::write_descriptor(meteor::os::STDERR, line, int64_t(shown));
  meteor::os::end_at_once(MET_EXIT_BROKEN_FACT);
}

void met_fact_at_home(const met_site* site, const char* fact) {
  if (!is_home) met_fact_broken(site, fact);
}

void met_fact_fits(uint8_t overflowed, const char* fact) {
  if (overflowed) met_fact_broken(nullptr, fact);
}

}  // extern "C"
