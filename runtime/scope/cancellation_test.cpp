// Who gets Cancelled: scopes, shields and tasks around a wait; and what cancelling does to tasks in lines and queues.
#include "runtime/scope/cancellation.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/loop/isolate.h"
#include "runtime/scope/scopes.h"

namespace meteor::async {
namespace {

struct Parts {
  Parts() { task.flags.spawn(); }
  // Inwards: the last one that is added is the innermost.
  void add_scope(bool is_cancelled, bool is_expired = false) {
    Scope& scope = scopes[count];
    scope.region.flags.become_scope();
    if (is_cancelled) (void)scope.region.flags.try_cancel();
    if (is_expired) scope.region.flags.expire();
    add(scope.region);
  }
  void add_shield(bool is_firm) {
    Region& region = scopes[count].region;
    region.flags.become_shield(is_firm);
    add(region);
  }
  void add(Region& region) {
    region.outer = innermost;
    innermost = &region;
    ++count;
  }
  Cancel cancel() { return wanted_of(&task, innermost).cancel; }

  Task task = {};
  Scope scopes[6] = {};
  Region* innermost = nullptr;
  int count = 0;
};

TEST(Cancellation, AScopeThatIsCancelledAnywhereAroundIsFelt) {
  Parts parts;
  parts.add_scope(true);
  parts.add_scope(false);
  parts.add_scope(false);
  EXPECT_EQ(parts.cancel(), Cancel::Yes);
}

TEST(Cancellation, AShieldKeepsOutWhatIsOutsideItAndNotWhatIsInside) {
  Parts outside;
  outside.add_scope(true);
  outside.add_shield(false);
  outside.add_scope(false);
  EXPECT_EQ(outside.cancel(), Cancel::Shielded);
  Parts inside;
  inside.add_scope(false);
  inside.add_shield(true);
  inside.add_scope(true);
  EXPECT_EQ(inside.cancel(), Cancel::Yes);
}

TEST(Cancellation, AnExpiredCleanUpGetsThroughAShieldButNotThroughAFirmOne) {
  Parts soft;
  soft.add_scope(true, true);
  soft.add_shield(false);
  EXPECT_EQ(soft.cancel(), Cancel::Yes);
  Parts firm;
  firm.add_scope(true, true);
  firm.add_shield(false);
  firm.add_shield(true);
  firm.add_shield(false);
  EXPECT_EQ(firm.cancel(), Cancel::Shielded);
  EXPECT_EQ(wanted_of(&firm.task, firm.innermost).region, nullptr) << "no timer would help: nothing is to be bound";
}

TEST(Cancellation, TheInnermostCancelledScopeBoundsTheCleanUp) {
  Parts parts;
  parts.add_scope(true);
  parts.add_scope(true);
  Region* inner = parts.innermost;
  parts.add_shield(false);
  (void)parts.task.flags.try_cancel();
  Wanted wanted = wanted_of(&parts.task, parts.innermost);
  EXPECT_EQ(wanted.cancel, Cancel::Shielded);
  EXPECT_EQ(wanted.region, inner);
  EXPECT_EQ(wanted.task, nullptr);
}

TEST(Cancellation, ATaskThatIsCancelledFeelsItThroughItsScopes) {
  Parts parts;
  parts.add_scope(false);
  EXPECT_EQ(parts.cancel(), Cancel::No);
  (void)parts.task.flags.try_cancel();
  EXPECT_EQ(parts.cancel(), Cancel::Yes);
  parts.add_shield(false);
  EXPECT_EQ(wanted_of(&parts.task, parts.innermost).task, &parts.task);
  (void)parts.task.flags.try_bound_cleanup();
  parts.task.flags.expire();
  EXPECT_EQ(parts.cancel(), Cancel::Yes);
}

TEST(Cancellation, AFutureThatIsPolledIsPartOfItsPoller) {
  Parts poller;
  Task strand = {};
  strand.part.of = &poller.task;
  EXPECT_EQ(wanted_of(&strand, nullptr).cancel, Cancel::No);
  (void)poller.task.flags.try_cancel();
  EXPECT_EQ(wanted_of(&strand, nullptr).cancel, Cancel::Yes);
  Region shield = {};
  shield.flags.become_shield(false);
  EXPECT_EQ(wanted_of(&strand, &shield).cancel, Cancel::Shielded);
}

class LineTest : public testing::Test {
 protected:
  void SetUp() override {
    scope_.region.flags.become_scope();
    scope_.limit = 1;
    for (Task& task : tasks_) {
      task.flags.spawn();
      link_child(&scope_, &task);
      task.flags.wait_for_turn();
      task.next = nullptr;
      (scope_.line_first != nullptr ? scope_.line_last->next : scope_.line_first) = &task;
      scope_.line_last = &task;
    }
  }
  void TearDown() override { isolate.ready = {}; }
  std::vector<Task*> line() {
    std::vector<Task*> found;
    for (Task* task = scope_.line_first; task != nullptr; task = task->next) found.push_back(task);
    if (!found.empty()) EXPECT_EQ(scope_.line_last, found.back());
    return found;
  }
  std::vector<Task*> ready() {
    std::vector<Task*> found;
    for (Task* task = isolate.ready.first; task != nullptr; task = task->next) found.push_back(task);
    return found;
  }
  Scope scope_ = {};
  Task tasks_[4] = {};
};

TEST_F(LineTest, ATaskThatIsCancelledInTheLineLeavesItFromAnyPlace) {
  cancel_task(&tasks_[1]);
  EXPECT_EQ(line(), (std::vector<Task*>{&tasks_[0], &tasks_[2], &tasks_[3]}));
  cancel_task(&tasks_[3]);
  EXPECT_EQ(line(), (std::vector<Task*>{&tasks_[0], &tasks_[2]}));
  cancel_task(&tasks_[0]);
  EXPECT_EQ(line(), (std::vector<Task*>{&tasks_[2]}));
  cancel_task(&tasks_[2]);
  EXPECT_EQ(line(), std::vector<Task*>{});
  EXPECT_EQ(ready(), (std::vector<Task*>{&tasks_[1], &tasks_[3], &tasks_[0], &tasks_[2]}))
      << "each has its turn, to end";
  EXPECT_EQ(scope_.running, 4);
}

TEST_F(LineTest, ATaskIsStartedOnceHoweverOftenItIsCancelled) {
  cancel_task(&tasks_[0]);
  cancel_task(&tasks_[0]);
  EXPECT_EQ(ready(), (std::vector<Task*>{&tasks_[0]}));
  EXPECT_EQ(scope_.running, 1);
}

TEST_F(LineTest, AScopeThatIsCancelledStartsAllThatWait) {
  cancel_scope(&scope_);
  EXPECT_EQ(line(), std::vector<Task*>{});
  EXPECT_EQ(ready().size(), 4u);
  for (Task& task : tasks_) EXPECT_TRUE(task.flags & TASK_CANCELLED);
  isolate.ready = {};
  cancel_scope(&scope_);
  EXPECT_TRUE(ready().empty()) << "the second time says nothing new";
}

}  // namespace
}  // namespace meteor::async
