// Traces keep the first and the last places of a long way.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/errors/errors.h"
#include "runtime/memory/memory.h"
#include "runtime/text/text.h"

namespace {

TEST(TraceTest, keeps_first_and_last_places) {
  std::vector<met_site> sites;
  for (uint32_t i = 0; i < 1000; i++) sites.push_back({"f", "a.met", i, i + 1});
  for (uint32_t total : {1u, 7u, 8u, 64u, 127u, 128u, 129u, 192u, 1000u}) {
    met_error error = {};
    for (uint32_t i = 0; i < total; i++) met_error_trace(&error.header, &sites[i]);
    met_object* trace = error.trace;
    uint32_t kept = total < 128 ? total : 128;
    ASSERT_EQ(met_trace_count(trace), kept);
    EXPECT_EQ(met_trace_left_out(trace), total - kept);
    for (uint32_t i = 0; i < kept; i++) {
      uint32_t expected = total <= 128 || i < met_trace_left_out_at(trace) ? i : total - 128 + i;
      EXPECT_EQ(met_trace_line(trace, i), expected) << total;
      EXPECT_EQ(met_trace_column(trace, i), expected + 1);
    }
    met_str file = met_trace_file(trace, 0);
    EXPECT_EQ(met_str_size(file), 5);
    trace->strong--;
    met_object_drop(trace);
  }
  EXPECT_EQ(met_trace_count(nullptr), 0);
}

}  // namespace
