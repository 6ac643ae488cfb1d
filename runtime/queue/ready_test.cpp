// The ready queue: first woken, first run, also across the moments when it is empty.
#include "runtime/queue/ready.h"

#include <gtest/gtest.h>

#include <vector>

namespace meteor::async {
namespace {

Task* take_first(ReadyQueue& queue) {
  Task* task = queue.first;
  queue.first = task->next;
  return task;
}

TEST(ReadyQueue, KeepsTheOrderOfWaking) {
  ReadyQueue queue = {};
  Task tasks[4] = {};
  for (Task& task : tasks) append(queue, &task);
  for (Task& task : tasks) EXPECT_EQ(take_first(queue), &task);
  EXPECT_EQ(queue.first, nullptr);
}

TEST(ReadyQueue, OneThatIsPutBackGoesBehindTheOthers) {
  ReadyQueue queue = {};
  Task tasks[2] = {};
  append(queue, &tasks[0]);
  append(queue, &tasks[1]);
  append(queue, take_first(queue));
  EXPECT_EQ(take_first(queue), &tasks[1]);
  EXPECT_EQ(take_first(queue), &tasks[0]);
  EXPECT_EQ(queue.first, nullptr);
}

// `last` is left behind when the queue runs empty; it must not be appended to.
TEST(ReadyQueue, AnEmptyQueueForgetsItsLast) {
  ReadyQueue queue = {};
  Task gone = {}, other = {};
  append(queue, &gone);
  take_first(queue);
  append(queue, &other);
  EXPECT_EQ(queue.first, &other);
  EXPECT_EQ(gone.next, nullptr);
  append(queue, &gone);
  EXPECT_EQ(take_first(queue), &other);
  EXPECT_EQ(take_first(queue), &gone);
}

}  // namespace
}  // namespace meteor::async
