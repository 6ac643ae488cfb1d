// The wheel of timers against a plain list of due times, and what may happen while timers fire.
#include "runtime/queue/timers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace meteor::async {
namespace {

struct Probe {
  Timer timer = {};
  void (*then)(Probe&) = nullptr;  // what it does when it fires
  Wheel* wheel = nullptr;
  Probe* other = nullptr;
  size_t number = 0;  // in the order of their start
};

std::vector<Probe*> fired;

void note(Timer* timer) {
  Probe* probe = reinterpret_cast<Probe*>(timer);
  fired.push_back(probe);
  if (probe->then != nullptr) probe->then(*probe);
}
constexpr TimerCall NOTE = note;

class TimersTest : public testing::Test {
 protected:
  void SetUp() override { fired.clear(); }
  void start(Probe& probe, int64_t due_ns) {
    set_timer(probe.timer, &NOTE, TIMER_CALLS);
    wheel_->start(probe.timer, due_ns);
  }
  std::unique_ptr<Wheel> wheel_{new Wheel()};  // zeroed
};

int64_t rounded_up(int64_t due_ns) { return (due_ns + TICK_NS - 1) / TICK_NS * TICK_NS; }

TEST_F(TimersTest, ATimerFiresNeitherBeforeItsTimeNorAWholeTickAfter) {
  for (int64_t due : {int64_t(1), TICK_NS - 1, TICK_NS, TICK_NS + 1, 63 * TICK_NS, 64 * TICK_NS, 65 * TICK_NS + 7,
                      4095 * TICK_NS, 4096 * TICK_NS, 4097 * TICK_NS, (int64_t(1) << 40) - 1, int64_t(1) << 40}) {
    std::unique_ptr<Wheel> wheel(new Wheel());
    Probe probe;
    set_timer(probe.timer, &NOTE, TIMER_CALLS);
    wheel->start(probe.timer, due);
    wheel->advance(due - 1);
    EXPECT_TRUE(fired.empty()) << due;
    wheel->advance(rounded_up(due));
    EXPECT_EQ(fired.size(), 1u) << due;
    EXPECT_TRUE(wheel->empty());
    fired.clear();
  }
}

TEST_F(TimersTest, TimersOfOneTickFireByTheirTimeAndThoseOfOneTimeInTheOrderOfTheirStart) {
  Probe late, early, same[3];
  start(late, 900);
  start(same[0], 500);
  start(early, 100);
  start(same[1], 500);
  start(same[2], 500);
  wheel_->advance(TICK_NS);
  EXPECT_EQ(fired, (std::vector<Probe*>{&early, &same[0], &same[1], &same[2], &late}));
}

TEST_F(TimersTest, ATimerThatIsStoppedByAnotherOfItsTickDoesNotFire) {
  Probe first, second, third;
  first.wheel = wheel_.get();
  first.other = &second;
  first.then = [](Probe& probe) { probe.wheel->stop(probe.other->timer); };
  start(first, 100);
  start(second, 200);
  start(third, 300);
  wheel_->advance(TICK_NS);
  EXPECT_EQ(fired, (std::vector<Probe*>{&first, &third}));
  EXPECT_EQ(wheel_->count(), 0);
  wheel_->stop(second.timer);  // it no longer runs: nothing happens
  EXPECT_EQ(wheel_->count(), 0);
}

TEST_F(TimersTest, WhatIsStartedForATimeThatIsOverFiresInTheSameAdvance) {
  Probe first, second;
  first.wheel = wheel_.get();
  first.other = &second;
  first.then = [](Probe& probe) {
    set_timer(probe.other->timer, &NOTE, TIMER_CALLS);
    probe.wheel->start(probe.other->timer, 1);
  };
  start(first, 10 * TICK_NS);
  wheel_->advance(200 * TICK_NS);
  EXPECT_EQ(fired, (std::vector<Probe*>{&first, &second}));
}

TEST_F(TimersTest, ATimerThatStartsItselfAgainFiresOncePerTime) {
  Probe probe;
  probe.wheel = wheel_.get();
  probe.then = [](Probe& again) { again.wheel->start(again.timer, again.timer.due + 100 * TICK_NS); };
  start(probe, 100 * TICK_NS);
  wheel_->advance(1050 * TICK_NS);
  EXPECT_EQ(fired.size(), 10u);
  EXPECT_EQ(probe.timer.due, 1100 * TICK_NS);
}

TEST_F(TimersTest, ATimerForEverLeavesTheLoopAsleep) {
  Probe never;
  start(never, INT64_MAX);
  int64_t year_ns = int64_t(365) * 86'400 * 1'000'000'000;
  EXPECT_GT(wheel_->next_ns(), year_ns);
  EXPECT_NE(wheel_->next_ns(), INT64_MAX) << "it would be taken for a deadlock";
  wheel_->advance(year_ns);
  EXPECT_GT(wheel_->next_ns(), 2 * year_ns);
  EXPECT_TRUE(fired.empty());
  wheel_->stop(never.timer);
  EXPECT_EQ(wheel_->next_ns(), INT64_MAX);
}

TEST_F(TimersTest, AVirtualClockGoesToTheEarliestAndFiresAllOfThatTime) {
  static std::vector<int64_t> times;
  times.clear();
  Probe far, near[2], between;
  start(far, 5'000'000'000);
  start(near[0], 70'000);
  start(between, 70'001);  // of the same tick
  start(near[1], 70'000);
  auto at = [](int64_t due) { times.push_back(due); };
  wheel_->fire_earliest(at);
  EXPECT_EQ(fired, (std::vector<Probe*>{&near[0], &near[1]}));
  wheel_->fire_earliest(at);
  wheel_->fire_earliest(at);
  wheel_->fire_earliest(at);  // with none it does nothing
  EXPECT_EQ(fired, (std::vector<Probe*>{&near[0], &near[1], &between, &far}));
  EXPECT_EQ(times, (std::vector<int64_t>{70'000, 70'001, 5'000'000'000}));
}

// Thousands of timers, from the next tick to hours, some stopped, while time goes on by steps of any size.
TEST_F(TimersTest, RandomTimersFireAsAListOfThemWould) {
  std::mt19937_64 random(7);
  std::vector<std::unique_ptr<Probe>> probes;
  std::vector<Probe*> running;
  int64_t now = 123'456'789'012;  // in the middle of a slot of every level
  wheel_->advance(now);
  for (int step = 0; step < 3000; ++step) {
    for (int i = 0; i < 4; ++i) {
      probes.push_back(std::make_unique<Probe>());
      start(*probes.back(), now + 1 + int64_t(random() >> (20 + random() % 40)));
      probes.back()->number = probes.size();
      running.push_back(probes.back().get());
    }
    if (random() % 3 == 0) {
      size_t which = random() % running.size();
      wheel_->stop(running[which]->timer);
      running.erase(running.begin() + int64_t(which));
    }
    now += int64_t(random() >> (24 + random() % 38));
    fired.clear();
    int64_t tick = now / TICK_NS * TICK_NS;
    std::vector<Probe*> due, left;
    for (Probe* probe : running) (rounded_up(probe->timer.due) <= tick ? due : left).push_back(probe);
    std::sort(due.begin(), due.end(), [](Probe* a, Probe* b) {
      return a->timer.due != b->timer.due ? a->timer.due < b->timer.due : a->number < b->number;
    });
    wheel_->advance(now);
    ASSERT_EQ(fired, due) << "step " << step;
    running = left;
    ASSERT_EQ(wheel_->count(), int64_t(running.size()));
    int64_t earliest = INT64_MAX;
    for (Probe* probe : running) earliest = std::min(earliest, rounded_up(probe->timer.due));
    ASSERT_LE(wheel_->next_ns(), earliest) << "the loop would sleep too long";
  }
}

}  // namespace
}  // namespace meteor::async
