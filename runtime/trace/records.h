// What the flight recorder holds, for whoever writes it down in the end (runtime/inspect/timeline.cpp).
#ifndef METEOR_RUNTIME_TRACE_RECORDS_H
#define METEOR_RUNTIME_TRACE_RECORDS_H

#include "runtime/trace/trace.h"

namespace meteor::async {

// Three words, since what a record costs is mostly the memory it is written to: a pointer has its upper 16 bits free,
// for half of the detail.
class TraceRecord {
 public:
  TraceRecord(TraceKind kind, uint64_t time, const void* what, const void* other, uint32_t detail)
      : when_(time << 8 | uint64_t(kind)),
        what_(bits_of(what) | uint64_t(detail >> 16) << 48),
        other_(bits_of(other) | uint64_t(detail) << 48) {}

  TraceKind kind() const { return TraceKind(uint8_t(when_)); }
  uint64_t time() const { return when_ >> 8; }  // of the processor's counter, since the trace began
  const void* what() const { return pointer_of(what_); }
  const void* other() const { return pointer_of(other_); }
  uint32_t detail() const { return uint32_t(what_ >> 48 << 16 | other_ >> 48); }

 private:
  static constexpr uint64_t POINTER_MASK = (uint64_t(1) << 48) - 1;
  static uint64_t bits_of(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) & POINTER_MASK; }
  static const void* pointer_of(uint64_t bits) { return reinterpret_cast<const void*>(bits & POINTER_MASK); }

  uint64_t when_, what_, other_;
};
static_assert(sizeof(TraceRecord) == 24);

constexpr uint64_t MOST_RECORDS = 1 << 17;  // of an isolate; a power of two

struct TraceRing {
  TraceRing* next;
  uint32_t number;  // of the isolate
  uint64_t count;   // ever written
  TraceRecord records[MOST_RECORDS];
};

// Of all threads that were ever traced.
const TraceRing* first_trace_ring();
uint64_t processor_count();

extern uint64_t trace_began_count;  // by both clocks
extern int64_t trace_began_ns;
void start_recording();

}  // namespace meteor::async

#endif
