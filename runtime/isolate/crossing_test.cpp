// What the walk over a graph says when the compiler was sure of it, and was wrong.
#include <gtest/gtest.h>

#include "runtime/abi/abi.h"

extern "C" {
void* met_walk_begin(int64_t purpose, const met_site* proven_at);
void met_walk_visit(void* context, met_object* child, const char* field);
bool met_walk_end(void* context, met_str* problem);
}

namespace {

met_type node_type() {
  met_type type{};
  type.name = "Node";
  type.kind = MET_KIND_CLASS;
  return type;
}

bool moves(uint32_t count, const met_site* proven_at) {
  met_type type = node_type();
  met_object node{};
  node.type = &type;
  node.strong = count;
  void* walk = met_walk_begin(0, proven_at);
  met_walk_visit(walk, &node, "tree");
  met_str problem{};
  return met_walk_end(walk, &problem);
}

constexpr met_site SITE{"main", "trees.met", 12, 7};

TEST(Crossing, AnObjectThatIsHeldTwiceStays) {
  EXPECT_TRUE(moves(1, nullptr));
  EXPECT_FALSE(moves(2, nullptr));
}

TEST(Crossing, AProofThatFailsEndsTheProgramAndNamesTheCrossing) {
  EXPECT_TRUE(moves(1, &SITE));
  EXPECT_EXIT(moves(2, &SITE), testing::ExitedWithCode(1), "internal error of the compiler: the crossing at trees.met:12:7 was proven, and fails its check: can't move: `tree` \\(Node\\)");
}

}  // namespace
