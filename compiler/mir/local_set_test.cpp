#include "compiler/mir/local_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace meteor::mir {

TEST(LocalSet, AnswersNoBeyondWhatWasAdded) {
  LocalSet set;
  EXPECT_FALSE(set.has(LocalId(0)));
  EXPECT_FALSE(set.has(LocalId(1'000'000)));
  set.remove(LocalId(1'000'000));
  set.add(LocalId(3));
  EXPECT_FALSE(set.has(LocalId(512)));
  EXPECT_FALSE(set.has(LocalId(3 + 512)));
  EXPECT_FALSE(set.has(LocalId(3 + 512 * 8)));
}

TEST(LocalSet, SetsOfDifferentReachAreTheSameWhenTheirMembersAre) {
  LocalSet low, high;
  low.add(LocalId(7));
  high.add(LocalId(100'000));
  high.add(LocalId(7));
  EXPECT_FALSE(low == high);
  high.remove(LocalId(100'000));
  EXPECT_TRUE(low == high);
  EXPECT_TRUE(high == low);
  high.remove(LocalId(7));
  EXPECT_TRUE(high == LocalSet());
}

TEST(LocalSet, FindsWhatTwoSetsOfDifferentReachShare) {
  LocalSet low, high;
  for (uint32_t id : {1u, 70u, 500u}) low.add(LocalId(id));
  for (uint32_t id : {2u, 70u, 500u, 600u, 100'000u}) high.add(LocalId(id));
  std::vector<uint32_t> common;
  low.for_each_common(high, [&](LocalId id) { common.push_back(id.index); });
  EXPECT_EQ(common, (std::vector<uint32_t>{70, 500}));
  common.clear();
  high.for_each_common(low, [&](LocalId id) { common.push_back(id.index); });
  EXPECT_EQ(common, (std::vector<uint32_t>{70, 500}));
  EXPECT_TRUE(low.meets(high) && high.meets(low));
  low.remove(LocalId(70));
  low.remove(LocalId(500));
  EXPECT_FALSE(low.meets(high) || high.meets(low));
  EXPECT_FALSE(low.meets(LocalSet()) || LocalSet().meets(low));
}

// Against std::set, with members near and far, and copies that share nodes.
TEST(LocalSet, IsTheSetOfWhatWasAdded) {
  std::mt19937 random(7);
  constexpr size_t SETS = 6;
  std::vector<LocalSet> sets(SETS);
  std::vector<std::set<uint32_t>> expected(SETS);
  auto member = [&] { return static_cast<uint32_t>(random() % (1u << (random() % 18))); };
  for (int step = 0; step < 20'000; ++step) {
    size_t a = random() % SETS, b = random() % SETS;
    switch (random() % 5) {
      case 0:
      case 1: {
        uint32_t id = member();
        sets[a].add(LocalId(id));
        expected[a].insert(id);
        break;
      }
      case 2: {
        uint32_t id =
            expected[a].empty() ? member() : *expected[a].lower_bound(std::min(member(), *expected[a].rbegin()));
        sets[a].remove(LocalId(id));
        expected[a].erase(id);
        break;
      }
      case 3: {
        size_t before = expected[a].size();
        bool grew = sets[a].unite(sets[b]);
        expected[a].insert(expected[b].begin(), expected[b].end());
        ASSERT_EQ(grew, expected[a].size() > before);
        break;
      }
      case 4:
        sets[a] = sets[b];
        expected[a] = expected[b];
        if (random() % 4 == 0) sets[a] = LocalSet(), expected[a].clear();
        break;
    }
    std::set<uint32_t> members;
    sets[a].for_each([&](LocalId id) { members.insert(id.index); });
    ASSERT_EQ(members, expected[a]);
    ASSERT_EQ(sets[a] == sets[b], expected[a] == expected[b]);
    uint32_t id = member();
    ASSERT_EQ(sets[b].has(LocalId(id)), expected[b].contains(id));
  }
}

}  // namespace meteor::mir
