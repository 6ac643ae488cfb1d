// The flight recorder: what fits a record, and that the latest records of a thread stay.
#include <gtest/gtest.h>
#include <pthread.h>

#include "runtime/trace/records.h"

namespace meteor::async {
namespace {

TEST(TraceRing, ARecordKeepsAllOfItsParts) {
  const void* high = reinterpret_cast<const void*>(uintptr_t(0x7fff'ffff'fff8));
  const void* low = reinterpret_cast<const void*>(uintptr_t(0x10));
  for (uint32_t detail : {0u, 1u, 0xffffu, 0x1'0000u, 0xffff'ffffu}) {
    TraceRecord record(TraceKind::WorkEnd, (uint64_t(1) << 56) - 1, high, low, detail);
    EXPECT_EQ(record.kind(), TraceKind::WorkEnd);
    EXPECT_EQ(record.time(), (uint64_t(1) << 56) - 1);
    EXPECT_EQ(record.what(), high);
    EXPECT_EQ(record.other(), low);
    EXPECT_EQ(record.detail(), detail);
  }
}

void* write_too_much(void*) {
  trace_as(4711);
  for (uint32_t i = 0; i < MOST_RECORDS + 5; ++i) trace_event(TraceKind::Wake, nullptr, nullptr, i);
  return nullptr;
}

TEST(TraceRing, TheLatestRecordsOfAThreadStay) {
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, write_too_much, nullptr), 0);
  pthread_join(thread, nullptr);
  const TraceRing* ring = first_trace_ring();
  while (ring != nullptr && ring->number != 4711) ring = ring->next;
  ASSERT_NE(ring, nullptr);
  EXPECT_EQ(ring->count, MOST_RECORDS + 5);
  uint64_t oldest = ring->count % MOST_RECORDS;
  EXPECT_EQ(ring->records[oldest].detail(), 5u);
  EXPECT_EQ(ring->records[(oldest + MOST_RECORDS - 1) % MOST_RECORDS].detail(), MOST_RECORDS + 4);
  for (uint64_t i = 1; i < MOST_RECORDS; ++i)
    ASSERT_LE(ring->records[(oldest + i - 1) % MOST_RECORDS].detail(),
              ring->records[(oldest + i) % MOST_RECORDS].detail());
}

TEST(TraceRing, AThreadThatRunsAnotherIsolateGoesOnInItsRing) {
  static const TraceRing* rings[2];
  pthread_t thread;
  auto run = [](void*) -> void* {
    for (uint32_t i = 0; i < 2; ++i) {
      trace_as(5000 + i);
      trace_event(TraceKind::Work, nullptr, nullptr, i);
      const TraceRing* ring = first_trace_ring();
      while (ring != nullptr && ring->number != 5000) ring = ring->next;
      rings[i] = ring;
    }
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, run, nullptr), 0);
  pthread_join(thread, nullptr);
  ASSERT_NE(rings[0], nullptr);
  EXPECT_EQ(rings[0], rings[1]);
  EXPECT_EQ(rings[0]->count, 2u);
}

}  // namespace
}  // namespace meteor::async
