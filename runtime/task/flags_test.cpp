// The transitions of a task's flags whose results a caller must look at.
#include "runtime/task/flags.h"

#include <gtest/gtest.h>

namespace meteor::async {
namespace {

TaskFlags spawned() {
  TaskFlags flags = {};
  flags.spawn();
  return flags;
}

TEST(TaskFlags, ATaskIsQueuedOnce) {
  TaskFlags flags = spawned();
  EXPECT_TRUE(flags.try_queue());
  EXPECT_FALSE(flags.try_queue());
  EXPECT_EQ(flags.take_turn(), uint32_t(TASK_SPAWNED));
  EXPECT_TRUE(flags.try_queue());
}

TEST(TaskFlags, ATaskThatHasEndedIsNeitherQueuedNorCancelled) {
  TaskFlags flags = spawned();
  flags.end();
  EXPECT_FALSE(flags.try_queue());
  EXPECT_FALSE(flags.try_cancel());
}

TEST(TaskFlags, ATaskIsCancelledOnce) {
  TaskFlags flags = spawned();
  EXPECT_TRUE(flags.try_cancel());
  EXPECT_FALSE(flags.try_cancel());
}

TEST(TaskFlags, ATaskInItsScopesLineIsNotQueuedUntilItHasLeft) {
  TaskFlags flags = spawned();
  flags.wait_for_turn();
  EXPECT_FALSE(flags.try_queue());
  EXPECT_TRUE(flags.try_leave_line());
  EXPECT_FALSE(flags.try_leave_line());
  EXPECT_TRUE(flags.try_queue());
}

TEST(TaskFlags, AnInterruptionIsTakenOnce) {
  TaskFlags flags = spawned();
  flags.interrupt();
  flags.interrupt();
  EXPECT_TRUE(flags.take_interruption());
  EXPECT_FALSE(flags.take_interruption());
}

TEST(TaskFlags, ACleanUpIsBoundOnce) {
  TaskFlags flags = spawned();
  EXPECT_TRUE(flags.try_bound_cleanup());
  EXPECT_FALSE(flags.try_bound_cleanup());
  flags.expire();
  EXPECT_TRUE(flags & TASK_EXPIRED);
}

TEST(TaskFlags, WhatASpawnIsToldIsSet) {
  TaskFlags flags = {};
  flags.spawn(TASK_SERVICE | TASK_CANCELLED);
  EXPECT_EQ(flags.all(), uint32_t(TASK_SPAWNED | TASK_SERVICE | TASK_CANCELLED));
}

TEST(TaskFlags, AStreamThatWasLeftRestsAgain) {
  TaskFlags flags = {};
  flags.become_stream();
  flags.leave();
  flags.go_on_alone(true);
  EXPECT_EQ(flags.all(), uint32_t(TASK_STREAM | TASK_SPAWNED | TASK_SERVICE));
  flags.interrupt();
  flags.keep();
  flags.rest();
  EXPECT_EQ(flags.all(), uint32_t(TASK_STREAM | TASK_KEEPS));
  EXPECT_TRUE(flags.take_kept());
  EXPECT_FALSE(flags.take_kept());
}

TEST(TaskFlags, AStreamThatIsClosedMayBeLetGoOf) {
  TaskFlags flags = {};
  flags.become_stream();
  flags.close();
  flags.go_on_alone(false);
  EXPECT_EQ(flags.all(), uint32_t(TASK_STREAM | TASK_SPAWNED));
}

}  // namespace
}  // namespace meteor::async
