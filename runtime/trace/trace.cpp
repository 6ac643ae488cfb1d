// The flight recorder: a ring of records for each thread, of which the latest stay.
#include "runtime/trace/trace.h"

#include "runtime/os/os.h"
#include "runtime/os/pages.h"
#include "runtime/trace/records.h"

namespace meteor::async {

bool is_tracing;
uint64_t trace_began_count;
int64_t trace_began_ns;

namespace {

TraceRing* first_ring;  // atomic
__thread TraceRing* own_ring;
__thread bool has_no_ring;
__thread uint32_t own_number;

TraceRing* make_ring() {
  void* memory = has_no_ring ? nullptr : os::map_pages(sizeof(TraceRing));
  has_no_ring = memory == nullptr;
  if (has_no_ring) return nullptr;
  own_ring = static_cast<TraceRing*>(memory);
  own_ring->number = own_number;
  TraceRing* first = __atomic_load_n(&first_ring, __ATOMIC_RELAXED);
  do own_ring->next = first;
  while (!__atomic_compare_exchange_n(&first_ring, &first, own_ring, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  return own_ring;
}

}  // namespace

const TraceRing* first_trace_ring() { return __atomic_load_n(&first_ring, __ATOMIC_ACQUIRE); }

uint64_t processor_count() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return uint64_t(met_clock_monotonic_ns());
#endif
}

void start_recording() {
  trace_began_ns = met_clock_monotonic_ns();
  trace_began_count = processor_count();
  is_tracing = true;
}

void trace_as(uint32_t isolate) { own_number = isolate; }

void trace_event(TraceKind kind, const void* what, const void* other, uint32_t detail) {
  TraceRing* into = own_ring != nullptr ? own_ring : make_ring();
  if (into == nullptr) return;
  if (into->number == 0) into->number = own_number;
  into->records[into->count++ % MOST_RECORDS] =
      TraceRecord(kind, processor_count() - trace_began_count, what, other, detail);
}

}  // namespace meteor::async
