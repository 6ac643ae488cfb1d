// What is left of facts where paths meet, where something is written and where other code has run.
#include "compiler/typed/flow.h"

#include <gtest/gtest.h>

namespace meteor::typed {
namespace {

const TypeId NODE(1), TEXT(2);

source::Span at(uint32_t start) { return {source::FileId(0), start, start + 1}; }

Flow knowing(std::initializer_list<const char*> places) {
  Flow flow;
  for (const char* place : places) flow.know(place, NODE);
  return flow;
}

TEST(Flow, MergeKeepsWhatHoldsOnBothPaths) {
  Flow met = merge(knowing({"v1", "v2"}), knowing({"v2", "v3"}));
  EXPECT_EQ(met.find("v1"), nullptr);
  ASSERT_NE(met.find("v2"), nullptr);
  EXPECT_EQ(met.find("v2")->type, NODE);
  EXPECT_EQ(met.find("v3"), nullptr);
}

TEST(Flow, MergeDropsWhatHasTwoTypes) {
  Flow other;
  other.know("v1", TEXT);
  EXPECT_EQ(merge(knowing({"v1"}), other).find("v1"), nullptr);
}

TEST(Flow, MergeWithAPathThatEndsIsTheOtherPath) {
  Flow ends = knowing({});
  ends.reachable = false;
  ends.base_made = at(7);
  EXPECT_NE(merge(knowing({"v1"}), ends).find("v1"), nullptr);
  EXPECT_NE(merge(ends, knowing({"v1"})).find("v1"), nullptr);
  EXPECT_FALSE(merge(ends, knowing({"v1"})).base_made.valid());
}

TEST(Flow, MergeIsInDoubtWhereOnePathIs) {
  Flow doubtful = knowing({"v1.next"});
  doubtful.doubt_shared();
  EXPECT_TRUE(merge(knowing({"v1.next"}), doubtful).find("v1.next")->in_doubt);
  EXPECT_FALSE(merge(knowing({"v1.next"}), knowing({"v1.next"})).find("v1.next")->in_doubt);
}

TEST(Flow, MergeOfAssignedAndMoved) {
  Flow a, b;
  a.set_assigned(VariableId(0));
  a.set_assigned(VariableId(1));
  b.set_assigned(VariableId(1));
  b.moved.emplace(1, at(4));
  a.fields_assigned = {true, true};
  b.fields_assigned = {true, false};
  Flow met = merge(a, b);
  EXPECT_FALSE(met.is_assigned(VariableId(0)));
  EXPECT_TRUE(met.is_assigned(VariableId(1)));
  EXPECT_TRUE(met.moved.contains(1));
  EXPECT_EQ(met.fields_assigned, (std::vector<bool>{true, false}));
}

TEST(Flow, TheBaseMayBeMadeWhereOnePathMakesIt) {
  Flow made;
  made.base_made = at(3);
  EXPECT_TRUE(merge(Flow(), made).base_made.valid());
  EXPECT_TRUE(merge(made, Flow()).base_made.valid());
  EXPECT_FALSE(merge(Flow(), Flow()).base_made.valid());
}

TEST(Flow, DoubtReachesWhatOtherCodeCanReach) {
  Flow flow = knowing({"v1", "v1.next", "g2", "r3"});
  flow.doubt_shared();
  EXPECT_FALSE(flow.find("v1")->in_doubt);
  EXPECT_TRUE(flow.find("v1.next")->in_doubt);
  EXPECT_TRUE(flow.find("g2")->in_doubt);
  EXPECT_TRUE(flow.find("r3")->in_doubt);
  flow.know("g2", NODE);  // looked at again
  EXPECT_FALSE(flow.find("g2")->in_doubt);
}

TEST(Flow, ForgetTakesAllThatIsReachedThroughThePlace) {
  Flow flow = knowing({"v1", "v1.next", "v1.next.next", "v1#case", "v11", "v2.next"});
  flow.forget("v1");
  EXPECT_EQ(flow.narrowed.size(), 2u);
  EXPECT_NE(flow.find("v11"), nullptr);
  EXPECT_NE(flow.find("v2.next"), nullptr);
}

TEST(Flow, ForgetOfNoPlaceForgetsNothing) {
  Flow flow = knowing({"v1"});
  flow.forget("");
  EXPECT_NE(flow.find("v1"), nullptr);
}

TEST(Flow, EndSaysWhyOnlyWhereSomethingWasKnown) {
  Flow flow = knowing({"v1"});
  flow.end("v1", {at(5), EndedBy::EarlierPass});
  flow.end("v2", {at(6), EndedBy::EarlierPass});
  EXPECT_EQ(flow.find("v1"), nullptr);
  EXPECT_EQ(flow.ended.size(), 1u);
  EXPECT_EQ(flow.ended["v1"].span.start, 5u);
  flow.know("v1", NODE);
  EXPECT_TRUE(flow.ended.empty());
}

TEST(Flow, AWrittenFieldEndsEveryPlaceThatPassesThroughIt) {
  Flow flow = knowing({"v1.next", "v1.next.value", "v2.next", "v2.other", "v3.nextdoor", "v4.next#case"});
  flow.field_written("next", at(9));
  EXPECT_EQ(flow.narrowed.size(), 2u);
  EXPECT_NE(flow.find("v2.other"), nullptr);
  EXPECT_NE(flow.find("v3.nextdoor"), nullptr);
  EXPECT_EQ(flow.ended["v1.next"].by, EndedBy::SameField);
}

TEST(Flow, AWrittenFieldThatHasAValueKeepsPlacesThatEndInIt) {
  Flow flow = knowing({"v1.next", "v1.next.next", "v1.next.value", "v1.next#case"});
  flow.know("v2.next", TEXT);
  flow.field_written("next", at(9), NODE);
  EXPECT_NE(flow.find("v1.next"), nullptr);
  EXPECT_EQ(flow.find("v1.next.next"), nullptr);  // its object may be another one now
  EXPECT_EQ(flow.find("v1.next.value"), nullptr);
  EXPECT_EQ(flow.find("v1.next#case"), nullptr);
  EXPECT_EQ(flow.find("v2.next"), nullptr);  // known as another type
}

}  // namespace
}  // namespace meteor::typed
