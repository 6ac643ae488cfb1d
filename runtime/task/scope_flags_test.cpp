// The transitions of the flags of scopes and shields.
#include "runtime/task/scope_flags.h"

#include <gtest/gtest.h>

namespace meteor::async {
namespace {

TEST(ScopeFlags, AScopeIsCancelledOnce) {
  RegionFlags region = {};
  region.become_scope();
  EXPECT_TRUE(region.try_cancel());
  EXPECT_FALSE(region.try_cancel());
  region.expire();
  EXPECT_TRUE(region & REGION_EXPIRED);
  EXPECT_TRUE(region & REGION_SCOPE);
}

TEST(ScopeFlags, AShieldThatIsEnteredAgainKeepsNothingOfTheTimeBefore) {
  RegionFlags region = {};
  region.become_shield(true);
  EXPECT_TRUE(region & REGION_FIRM);
  region.become_shield(false);
  EXPECT_FALSE(region & REGION_FIRM);
  EXPECT_FALSE(region & REGION_SCOPE);
}

TEST(ScopeFlags, ADeadlineThatComesLateIsNotTheCause) {
  ScopeFlags scope = {};
  scope.open(false, false);
  scope.time_out(false, false);
  EXPECT_TRUE(scope & SCOPE_TIMED_OUT);
  EXPECT_FALSE(scope & (SCOPE_TIMED_OUT_FIRST | SCOPE_ENDED_BY_DEADLINE));
}

TEST(ScopeFlags, WhatAScopeIsOpenedAsStaysUntilItsEnd) {
  ScopeFlags scope = {};
  scope.open(true, true);
  scope.begin_closing();
  EXPECT_TRUE(scope.try_bound_cleanup());
  EXPECT_FALSE(scope.try_bound_cleanup());
  scope.close();
  EXPECT_TRUE(scope & SCOPE_KEEPS_GOING);
  EXPECT_TRUE(scope & SCOPE_INSIDE);
}

}  // namespace
}  // namespace meteor::async
