#include "runtime/memory/facts.h"

#include <gtest/gtest.h>

#include "runtime/memory/memory.h"

namespace meteor::memory {
namespace {

class FactsTest : public testing::Test {
 protected:
  void SetUp() override {
    met_leak_tracking = checks_facts = true;
    met_leak_reset();
  }
  void TearDown() override { met_leak_tracking = checks_facts = false; }
};

TEST_F(FactsTest, a_broken_fact_ends_the_program_and_names_the_place) {
  static const met_site site = {"main", "a.met", 12, 3};
  EXPECT_EXIT(met_fact_broken(&site, "this is not null"), testing::ExitedWithCode(MET_EXIT_BROKEN_FACT),
              "meteor: internal error: the compiler believed that this is not null \\(a.met:12, in main\\)");
  EXPECT_EXIT(met_fact_fits(1, "it fits"), testing::ExitedWithCode(MET_EXIT_BROKEN_FACT), "believed that it fits");
  met_fact_fits(0, "it fits");
}

#if !defined(__has_feature) || !__has_feature(address_sanitizer)
TEST_F(FactsTest, a_freed_object_is_recognised_for_a_while) {
  static const met_type type = {"Node", 64, nullptr, nullptr, nullptr, nullptr, nullptr, 0, MET_KIND_CLASS};
  met_object* first = met_object_new(&type);
  first->strong = 0;
  met_object_drop(first);
  for (int i = 0; i < 1000; i++) {
    met_object* next = met_object_new(&type);
    ASSERT_NE(next, first);
    next->strong = 0;
    met_object_drop(next);
  }
  EXPECT_EQ(first->type, &met_freed_type);
  EXPECT_EQ(met_live_objects(), 0);
}

TEST_F(FactsTest, a_buffer_carries_its_size_and_moves_when_it_grows) {
  char* memory = static_cast<char*>(met_raw_alloc(24));
  auto size_of = [](void* buffer) { return static_cast<uint64_t*>(buffer)[-2]; };
  EXPECT_EQ(size_of(memory), 24u);
  memory[23] = 'x';
  char* grown = static_cast<char*>(met_raw_realloc(memory, 24, 48));
  EXPECT_NE(grown, memory);
  EXPECT_EQ(grown[23], 'x');
  EXPECT_EQ(size_of(grown), 48u);
  EXPECT_EQ(size_of(memory), 0u);
  met_raw_free(grown, 48);
  EXPECT_EQ(size_of(grown), 0u);
  EXPECT_EQ(met_live_raw_bytes(), 0);
}
#endif

}  // namespace
}  // namespace meteor::memory
